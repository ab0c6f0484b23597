"""woa bench gpu on the double of a CUDA device: every contender runs, is checked and is reported. Never a speed: kernels are interpreted."""
import json
import os

import harness
from harness import BUILD, WoaTest

if not {0, 1} <= os.sched_getaffinity(0):
    harness.skip_program("processors", "the benchmarks run on processors 0 and 1")

FEW = ("--count", "2", "--repetitions", "1")
ZERO_COPY, CALLS = "zero-copy launch, synchronise", "copy, launch, copy, synchronise"
FIGURES = ("first kernel to last", "end to end")


def on_the_double(words=""):
    return {"LD_LIBRARY_PATH": os.path.join(BUILD, "tests", "doubles", "cuda"), "WOA_CUDA_DOUBLE": words}


def ours(way, windows=(1, 4)):
    return [f"woa {way}, window {window}, {where}" for where in ("threads", "processes") for window in windows]


class Gpu(WoaTest):
    def gpu(self, *arguments, words=""):
        return self.woa("bench", "gpu", *arguments, "--json", environment=on_the_double(words))

    def report(self, *arguments, words=""):
        done = self.gpu(*arguments, *FEW, words=words)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        report = json.loads(done.stdout)
        self.assertEqual((report["bench"], report["better"]), ("gpu", "less"))
        self.assertEqual(report["transport"], "Test double of a CUDA device (PTX interpreted) (simulated)")
        self.assertIn("zero-copy graph, synchronise", [absent["contender"] for absent in report["absent"]])
        for row in report["rows"]:
            self.assertEqual(set(row), set("contender role size unit min median max ratio_to_limit".split()))
            self.assertEqual(row["unit"], "us")
            self.assertTrue(0 < row["min"] <= row["median"] <= row["max"], row)
            self.assertEqual(row["ratio_to_limit"] is None, row["role"] == "limit", row)
        return report

    def check_rows(self, report, part, size, contenders):
        rows = [(row["contender"], row["role"]) for row in report["rows"]
                if row["contender"].startswith(part + ": ") and row["size"] == size]
        self.assertEqual(rows, [(f"{part}: {name}", role) for name, role in contenders])

    def test_packets(self):
        report = self.report("--part", "packet,stages")
        contenders = [(ZERO_COPY, "limit"), (CALLS, "peer")] + [(name, "ours") for way in ("stream", "resident") for name in ours(way)]
        for part in ("packet", "stages"):
            self.check_rows(report, part, 64, contenders)
        self.assertEqual(
            {(ratio["of"], ratio["to"]) for ratio in report["ratios"]},
            {(f"{part}: woa {way}, window {window}, {where}", f"{part}: {to}") for part in ("packet", "stages") for where in ("threads", "processes")
             for way, window, to in (("resident", 1, CALLS), ("resident", 1, ZERO_COPY), ("stream", 4, ZERO_COPY))})

    def test_a_device_that_limits_kernels(self):
        """Display drivers end long kernels: nothing stays there."""
        report = self.report("--part", "packet", "--size", "57", "--window", "2", words="time_limit")
        self.check_rows(report, "packet", 57, [(ZERO_COPY, "limit"), (CALLS, "peer")] + [(name, "ours") for name in ours("stream", (2,))])
        self.assertIn("woa resident", [absent["contender"] for absent in report["absent"]])

    def test_transfers(self):
        report = self.report("--part", "bandwidth", "--size", "57,64KiB")
        for size in (57, 64 << 10):
            self.check_rows(report, "bandwidth", size,
                            [(f"{memory}, {to}", role) for memory, role in (("pinned copy", "limit"), ("segment of another process", "ours"))
                             for to in ("to the GPU", "to the host")])
        self.assertEqual([(ratio["of"], ratio["to"]) for ratio in report["ratios"]],
                         2 * [(f"bandwidth: pinned copy, {to}", f"bandwidth: segment of another process, {to}") for to in ("to the GPU", "to the host")])

    def test_the_pipeline(self):
        """20,000 bytes are copied, 57 are read in place."""
        report = self.report("--part", "pipeline", "--size", "57,20000")
        for size in (57, 20000):
            self.check_rows(report, "pipeline", size,
                            [(f"{name}, {figure}", "limit" if name == "streams by hand" else "ours")
                             for name in ("streams by hand", "woa", "rpc-fused", "rpc-hub") for figure in FIGURES])
        copied = {tally["what"]: (tally["within"], tally["of"]) for tally in report["tallies"]}
        for model in ("woa", "rpc-fused"):
            self.assertEqual(copied[f"pipeline: {model}, bytes copied between stages at 20000"], (0, 80000))
        self.assertGreaterEqual(copied["pipeline: rpc-hub, bytes copied between stages at 20000"][0], 40000)
        self.assertEqual({(ratio["of"], ratio["to"]) for ratio in report["ratios"]},
                         {(f"pipeline: {of}, {figure}", f"pipeline: {to}, {figure}") for figure in FIGURES
                          for of, to in (("rpc-hub", "woa"), ("woa", "streams by hand"))})

    def test_where_kernels_and_the_copy_engine_cross(self):
        report = self.report("--part", "in-place", "--size", "57,4KiB")
        for size in (57, 4 << 10):
            self.check_rows(report, "in-place", size, [(f"{mover}, {to}", role) for mover, role in
                                                       (("copy engine", "limit"), ("kernel in pinned memory", "peer"))
                                                       for to in ("to the GPU", "to the host")])
        crossings = {tally["what"]: (tally["within"], tally["of"]) for tally in report["tallies"]}
        for to in ("to the GPU", "to the host"):
            within, most = crossings[f"in-place: bytes up to which the kernel is quicker, {to}"]
            self.assertEqual(most, 4 << 10)
            self.assertIn(within, (0, 57, 4 << 10))

    def test_as_a_table(self):
        done = self.woa("bench", "gpu", "--part", "packet", "--window", "1", *FEW, environment=on_the_double())
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        self.assertIn("(simulated)", text.splitlines()[0])
        self.assertIn("zero-copy graph, synchronise: the driver has no graphs", text)

    def test_wrong_bytes_are_found(self):
        """Devices that leave something out: a launch, the wait of our publishing stream, the fence of our worker. It shows once in some twenty packets."""
        for word, contender in (("launch", ZERO_COPY), ("event_wait", "woa stream"), ("fence", "woa resident")):
            with self.subTest(word):
                done = self.gpu("--part", "packet", "--size", "600", "--count", "400", "--repetitions", "1", words="ignore=" + word)
                if word == "fence" and b"error[deadline_exceeded]: packet: " in done.stderr:
                    continue  # what was not fenced was lost, not only late
                self.refused(done, 1, "error[data_loss]: packet: " + contender, "byte ", " of payload ", "expected 0x")
                self.assertEqual(json.loads(done.stdout)["error"]["code"], "data_loss")

    def test_no_device(self):
        self.refused(self.woa("bench", "gpu", environment={"LD_LIBRARY_PATH": ""}), 3, "error[unavailable]", "libcuda.so.1")
        self.refused(self.gpu(words="devices=0"), 3, "error[unavailable]", "no device")

    def test_usage(self):
        for arguments in (("--part", "whole"), ("--size", "0"), ("--window", "4097"), ("--count", "0")):
            self.refused(self.woa("bench", "gpu", *arguments), 2, arguments[0])


if __name__ == "__main__":
    harness.main()
