"""What `woa bench` refuses."""
import json
import os
import subprocess

import harness
from harness import WOA, WoaTest


class Refused(WoaTest):
    def test_usage(self):
        for arguments in (["--size", "0"], ["--size", "some"], ["--size", "-1"], ["--slots", "0"], ["--count", "0"], ["--repetitions", "0"]):
            self.refused(self.woa("bench", "bandwidth", *arguments), 2)

    def test_a_table_that_is_no_power_of_two(self):
        for size in ("48", "16", "3MiB"):
            done = self.woa("bench", "randomaccess", "--size", size, "--json")
            self.refused(done, 1, "error[invalid]", "power of two", "--size")
            self.assertEqual(json.loads(done.stdout)["error"]["code"], "invalid")

    def test_more_than_the_memory(self):
        for size in ("900000GiB", "8000000000GiB"):
            done = self.woa("bench", "bandwidth", "--size", size, "--json")
            self.refused(done, 1, "error[exhausted]", "--size")
            self.assertEqual(json.loads(done.stdout)["error"]["code"], "exhausted")

    def test_one_processor(self):
        for bench in ("hop", "bandwidth", "rate", "pipeline", "randomaccess", "methods"):
            done = subprocess.run([WOA, "bench", bench], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S,
                                  preexec_fn=lambda: os.sched_setaffinity(0, {0}))
            self.refused(done, 3, "error[unavailable]", "processors 0 and 1")


if __name__ == "__main__":
    harness.main()
