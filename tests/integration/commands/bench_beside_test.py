"""woa bench pipeline --beside: who takes part, beside whom, and that nothing of it is left behind. Never a speed."""
import json
import os
import signal
import subprocess
import time

import harness
from harness import SANITIZED, WOA, WoaTest


def processes_of(session):
    """Process id -> nice value, of those that live in a session."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = harness.read(f"/proc/{name}/stat").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found[int(name)] = int(fields[16])
    return found


def wait_until(true):
    """What `true` returns, once that counts as true."""
    end = time.monotonic() + harness.LIMIT_S
    while not (answer := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return answer


class Beside(WoaTest):
    def start(self, *arguments):
        """A benchmark in a session of its own, so that its processes can be told from others."""
        bench = subprocess.Popen([WOA, "bench", "pipeline", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True)
        self.addCleanup(bench.communicate)
        self.addCleanup(bench.kill)
        return bench

    def nothing_is_left(self, bench):
        self.assertTrue(wait_until(lambda: not processes_of(bench.pid)), processes_of(bench.pid))

    def report(self, *arguments):
        bench = self.start("--count", "20", "--repetitions", "1", *arguments)
        out, error = bench.communicate(timeout=harness.LIMIT_S)
        self.nothing_is_left(bench)
        self.skip_without_libraries(bench.returncode, error.decode())
        self.assertEqual(bench.returncode, 0, error.decode(errors="replace")[-2000:])
        report = json.loads(out)
        self.assertEqual(report["host_state"], "n/a")
        for row in report["rows"]:
            self.assertTrue(0 < row["min"] <= row["median"] <= row["max"], row)
            self.assertEqual(row["ratio_to_limit"] is None, row["role"] == "limit", row)
        return report["transport"], [(row["contender"], row["role"], row["size"]) for row in report["rows"]]

    def rows(self, limit, ours, cases):
        return [(name + words, role, size) for words, size in cases for name, role in ((limit, "limit"), *((name, "ours") for name in ours))]

    def test_pipes(self):
        """A pipe holds less than 1 MiB: the source must read results while it writes. The program checks all answers."""
        ours = ("woa, one process", "woa", "rpc-hub")
        cases = [(f", window {window}, beside 2", size) for size in (64, 1 << 20) for window in (1, 8)]
        self.assertEqual(self.report("--beside", "2", "--size", "64,1MiB"), ("shm", self.rows("blocking pipes", ours, cases)))
        self.assertEqual(self.report("--beside", "0", "--size", "2", "--window", "3", "--workers", "2"),
                         ("shm", self.rows("blocking pipes", ours, [(", window 3, 2 workers, beside 0", 2)])))

    def test_sockets(self):
        windows = (8,) if SANITIZED else (1, 8)
        cases = [(f", window {window}, beside 1 that are nicer by 5", 1 << 20) for window in windows]
        self.assertEqual(self.report("--beside", "1", "--beside-nice", "5", "--transport", "ofi", "--size", "1MiB", "--window", ",".join(map(str, windows))),
                         ("ofi", self.rows("TCP sockets", ("woa", "rpc-hub"), cases)))

    def test_the_loops_end_with_the_benchmark(self):
        """However that ends. The signal reaches the benchmark alone."""
        nicer = 7
        if os.nice(0) + nicer > 19:
            self.skipTest("no process can be so much nicer than this one, by which the loops are known")
        nice = os.nice(0) + nicer
        for way, code in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
            bench = self.start("--beside", "3", "--beside-nice", str(nicer), "--size", "64", "--count", "1000000000")

            def loops(session=bench.pid):
                return [each for each, at in processes_of(session).items() if at == nice]
            self.assertTrue(wait_until(lambda: len(loops()) == 3), processes_of(bench.pid))
            bench.send_signal(way)
            self.assertEqual(bench.wait(harness.LIMIT_S), code)
            self.nothing_is_left(bench)

    def test_usage(self):
        for arguments in (["--beside", "-1"], ["--beside", "many"], ["--beside", "1", "--beside-nice", "20"], ["--beside-nice", "1"], ["--workers", "2"],
                          ["--beside", "1", "--workers", "0"], ["--beside", "1", "--cores", "0101"]):
            self.refused(self.woa("bench", "pipeline", *arguments), 2)
        self.refused(self.woa("bench", "pipeline", "--beside", "1", "--size", "1GiB"), 1, "error[exhausted]", "--size")


if __name__ == "__main__":
    harness.main()
