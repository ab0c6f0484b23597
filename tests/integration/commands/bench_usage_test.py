"""What `woa bench` refuses, and routes of raw mailboxes."""
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

    def test_routes(self):
        for more, size in (((), 64), (("--cores", "0,0,1", "--stops", "0,1,0,2", "--size", "1"), 1), (("--cores", "0,1", "--size", "3000"), 3000)):
            done = self.woa("bench", "route", "--count", "100", "--repetitions", "2", *more, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            (row,) = json.loads(done.stdout)["rows"]
            self.assertEqual((row["contender"], row["role"], row["size"], row["unit"]), ("raw mailbox", "limit", size, "ns"))
            self.assertTrue(0 < row["min"] <= row["median"] <= row["max"], row)

    def test_routes_that_lead_nowhere(self):
        for cores, stops, text in (("0,1", "0", "at least two stops"), ("0,1", "1,0", "begins at process 0"), ("0,1", "0,2", "stop 2 is no process"),
                                   ("0,1", "0,1,1", "sends to itself"), ("0,1", "0,1,0", "sends to itself"), ("0,1,1", "0,1", "process 2 has no stop")):
            self.refused(self.woa("bench", "route", "--cores", cores, "--stops", stops), 1, "error[invalid]", text)
        self.refused(self.woa("bench", "route", "--cores", "0,4000"), 3, "error[unavailable]", "4000")

    def test_one_processor(self):
        for bench in ("hop", "bandwidth", "rate", "pipeline", "randomaccess", "methods"):
            done = subprocess.run([WOA, "bench", bench], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S,
                                  preexec_fn=lambda: os.sched_setaffinity(0, {0}))
            self.refused(done, 3, "error[unavailable]", "processors 0 and 1")


if __name__ == "__main__":
    harness.main()
