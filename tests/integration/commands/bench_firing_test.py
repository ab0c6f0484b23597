"""woa bench firing: every loop runs and is reported. Never a speed: the kernels are subtracted, and noise can make a figure negative."""
import json
import os

import harness
from harness import WoaTest

if not {0, 1} <= os.sched_getaffinity(0):
    harness.skip_program("processors", "the benchmarks run on processors 0 and 1")

LOOPS = {"dijkstra": 2, "null": 2, "chain": 64, "fan-out": 10, "wavefront": 64}  # and their stages


class Firing(WoaTest):
    def report(self, *arguments):
        done = self.woa("bench", "firing", *arguments, "--repetitions", "1", "--no-peers", "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)

    def test_every_loop(self):
        """The program checks their answers."""
        report = self.report("--count", "20000")
        self.assertEqual((report["bench"], report["transport"], report["better"]), ("firing", "loopback", "less"))
        self.assertEqual([(row["contender"], row["role"], row["size"], row["unit"]) for row in report["rows"]],
                         [(f"{loop}, {way}", role, stages, "ns") for loop, stages in LOOPS.items()
                          for way, role in (("kernels alone", "limit"), ("raw loop", "limit"), ("controller", "ours"))])
        self.assertTrue(all(row["median"] > 0 for row in report["rows"] if "kernels" in row["contender"]), report["rows"])

    def test_some_loops(self):
        rows = self.report("--loop", "null,chain", "--count", "1")["rows"]
        self.assertEqual([row["contender"].split(",")[0] for row in rows], 3 * ["null"] + 3 * ["chain"])
        self.refused(self.woa("bench", "firing", "--loop", "circle"), 2, "--loop")


if __name__ == "__main__":
    harness.main()
