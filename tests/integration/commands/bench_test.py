"""woa bench: every contender runs and is reported in full, wrong requests are refused. Never a speed."""
import json
import os
import resource
import subprocess
import tempfile
import xml.etree.ElementTree

import harness
from harness import WOA, WoaTest

if not {0, 1} <= os.sched_getaffinity(0):
    harness.skip_program("processors", "the benchmarks run on processors 0 and 1")

LIMIT, OURS, PEER = "limit", "ours", "peer"


class Bench(WoaTest):
    def report(self, *arguments):
        done = self.woa("bench", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)

    def check(self, report, bench, better, unit, contenders, more=(), transport="shm"):
        """`contenders`: (name, role, size) of each row; `more`: keys of this benchmark alone."""
        self.assertEqual(set(report), {"bench", "transport", "host_state", "better", "rows", *more})
        self.assertEqual((report["bench"], report["transport"], report["better"]), (bench, transport, better))
        self.assertIn(report["host_state"], ("near", "far", "mixed"))
        self.assertEqual([(row["contender"], row["role"], row["size"]) for row in report["rows"]], contenders)
        for row in report["rows"]:
            self.assertEqual(set(row), set("contender role size unit min median max ratio_to_limit".split()))
            self.assertEqual(row["unit"], unit)
            self.assertTrue(0 < row["min"] <= row["median"] <= row["max"], row)
            self.assertEqual(row["ratio_to_limit"] is None, row["role"] == LIMIT, row)

    def test_hop(self):
        self.check(self.report("hop", "--count", "1001", "--repetitions", "1"), "hop", "less", "ns",
                   [("raw mailbox", LIMIT, 64), ("transport alone, inline", OURS, 64), ("the same with header CRC", OURS, 64),
                    ("controllers alone, one thread", OURS, 64), ("controller to controller", OURS, 64)])

    def test_bandwidth(self):
        def contenders(*sizes):
            return [row for size in sizes for row in (("memcpy", LIMIT, size), ("raw mailbox", LIMIT, size), ("shm transport", OURS, size))]
        few = ("--count", "100", "--repetitions", "1")
        self.check(self.report("bandwidth", "--size", "4096", *few), "bandwidth", "more", "GB/s", contenders(4096))
        self.check(self.report("bandwidth", "--size", "1,57", "--size", "3MiB", "--slots", "3", *few), "bandwidth", "more", "GB/s",
                   contenders(1, 57, 3 << 20))
        self.check(self.report("bandwidth", "--size", "64KiB", "--slots", "1", *few), "bandwidth", "more", "GB/s", contenders(64 << 10))

    def test_the_number_of_payloads_can_be_left_out(self):
        self.check(self.report("bandwidth", "--size", "32MiB", "--slots", "2", "--repetitions", "1"), "bandwidth", "more", "GB/s",
                   [("memcpy", LIMIT, 32 << 20), ("raw mailbox", LIMIT, 32 << 20), ("shm transport", OURS, 32 << 20)])

    def test_over_libfabric(self):
        """Beside raw libfabric; where it is missing, that is what the program says."""
        few = ("--transport", "ofi", "--repetitions", "1", "--count")
        done = self.woa("bench", "hop", *few, "1")
        self.skip_without_libraries(done.returncode, done.stderr.decode())
        self.check(self.report("hop", *few, "1001"), "hop", "less", "ns",
                   [("raw fi_writedata", LIMIT, 64), ("raw, with a descriptor", LIMIT, 64), ("ofi transport, inline", OURS, 64)],
                   transport="ofi")
        self.check(self.report("bandwidth", "--size", "57,64KiB", *few, "100"), "bandwidth", "more", "GB/s",
                   [row for size in (57, 64 << 10) for row in (("raw fi_writedata", LIMIT, size), ("ofi transport", OURS, size))],
                   transport="ofi")

    def test_rate(self):
        self.check(self.report("rate", "--count", "5000", "--repetitions", "3"), "rate", "more", "Mmsg/s",
                   [row for slots in (64, 1024) for row in ((f"raw mailbox, {slots} slots", LIMIT, 8),
                                                            (f"shm transport, {slots} slots, activate", OURS, 64),
                                                            (f"shm transport, {slots} slots, retire", OURS, 64))])

    def test_pipeline(self):
        names = [(name, LIMIT) for name in ("raw forward, payload copied", "raw forward, index sent")] + [("woa", OURS)] + [
            (name, LIMIT) for name in ("raw hub, payload copied", "raw hub, index sent")] + [("rpc-hub", OURS)]
        report = self.report("pipeline", "--size", "64,5000", "--window", "1,3", "--count", "50", "--repetitions", "3")
        self.check(report, "pipeline", "less", "us/item",
                   [(f"{name}, window {window}", role, size) for size in (64, 5000) for window in (1, 3) for name, role in names])
        for limits in range(0, len(report["rows"]), 3):
            copied, sent, ours = report["rows"][limits:limits + 3]
            self.assertAlmostEqual(ours["ratio_to_limit"], ours["median"] / min(copied["median"], sent["median"]))

    def test_fanout(self):
        report = self.report("fanout", "--size", "57,64KiB", "--consumers", "3", "--count", "20", "--repetitions", "1")
        self.check(report, "fanout", "less", "us/payload",
                   [row for size in (57, 64 << 10) for row in (("one consumer", LIMIT, size), ("3 consumers, one controller", OURS, size),
                                                               ("3 consumers, a controller each", OURS, size))])

    def test_handover(self):
        self.check(self.report("handover", "--size", "64,3MiB", "--count", "5", "--repetitions", "1"), "handover", "less", "ns",
                   [row for size in (64, 3 << 20) for row in (("raw mailbox, 64 B", LIMIT, size), ("kernel to kernel", OURS, size))])

    def test_channels(self):
        """A thousand of them under a limit of 256 descriptors, in at most 64 KiB a pair."""
        def limited():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        done = subprocess.run([WOA, "bench", "channels", "--count", "500", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.LIMIT_S, preexec_fn=limited)
        self.assertEqual(done.returncode, 0, done.stderr)
        unused, used, files = json.loads(done.stdout)["rows"]
        huge = "/sys/kernel/mm/transparent_hugepage/shmem_enabled"
        plain = not os.path.exists(huge) or any(word in harness.read(huge) for word in ("[never]", "[advise]", "[deny]"))
        if plain and os.sysconf("SC_PAGESIZE") == 4096 and not os.environ.get("WOA_SANITIZED"):  # whose own memory counts too
            self.assertLess(unused["median"], used["median"])
            self.assertLessEqual(used["median"], 64)
        self.assertLess(files["median"], 32)

    def test_randomaccess(self):
        sizes = (64, 16 << 10)
        report = self.report("randomaccess", "--size", "64,16KiB", "--repetitions", "2")
        mpi = ("MPI_Accumulate", "MPI_Accumulate, datatypes", "MPI_Fetch_and_op")
        installed = "absent" not in report
        ours = (("local, one process", LIMIT), ("raw buckets", LIMIT), ("headers alone", LIMIT),
                ("naive", OURS), ("aggregated", OURS), ("hardware", OURS))
        contenders = ours + tuple((name, PEER) for name in mpi if installed)
        self.check(report, "randomaccess", "more", "GUP/s", [(name, role, size) for size in sizes for name, role in contenders],
                   ("ratios",) if installed else ("ratios", "absent"))
        if not installed:
            self.assertEqual([entry["contender"] for entry in report["absent"]], list(mpi))
            for entry in report["absent"]:
                self.assertRegex(entry["reason"], "not found|not installed|left out")
        median = {(row["contender"], row["size"]): row["median"] for row in report["rows"]}
        pairs = [("aggregated", "naive"), ("aggregated", "MPI_Accumulate"), ("aggregated", "raw buckets"), ("naive", "headers alone")]
        self.assertEqual([(ratio["of"], ratio["to"], ratio["size"]) for ratio in report["ratios"]],
                         [(of, to, size) for size in sizes for of, to in pairs if (to, size) in median])
        for ratio in report["ratios"]:
            self.assertAlmostEqual(ratio["value"], median[ratio["of"], ratio["size"]] / median[ratio["to"], ratio["size"]])

    def test_methods(self):
        def contenders(*sizes):
            return [(name, role, size) for size in sizes
                    for name, role in (("inline", LIMIT), ("in place", LIMIT), ("chosen", OURS)) if name != "inline" or size <= 65536]
        sizes = (8, 1000, 65536, 65537)
        report = self.report("methods", "--size", ",".join(map(str, sizes)), "--count", "20", "--repetitions", "3")
        self.check(report, "methods", "less", "ns", contenders(*sizes), ("tallies",))
        ratios = []
        for size in sizes:
            *singles, chosen = [row for row in report["rows"] if row["size"] == size]
            ratios.append(chosen["median"] / min(row["median"] for row in singles))
            self.assertAlmostEqual(chosen["ratio_to_limit"], ratios[-1])
        tally, = report["tallies"]
        self.assertIn("64 bytes", tally["what"])
        self.assertEqual((tally["of"], tally["within"]), (len(sizes), sum(ratio <= 1.1 for ratio in ratios)))
        self.assertAlmostEqual(tally["worst"], max(ratios))

    def test_methods_choose_by_the_machine_file(self):
        machine = self.write("machine.yaml", "woa_machine: 1\ncalibration: {processor: any, transports: {shm: {inline_bytes: 1234}}}\n")
        report = self.report("methods", "--machine", machine, "--size", "16", "--count", "20", "--repetitions", "1")
        self.assertIn("1234 bytes", report["tallies"][0]["what"])

    def test_a_ratio_is_ours_by_the_limit(self):
        rows = {row["contender"]: row for row in self.report("bandwidth", "--size", "1000", "--count", "50", "--repetitions", "3")["rows"]}
        ours, limit = rows["shm transport"], rows["raw mailbox"]
        self.assertAlmostEqual(ours["ratio_to_limit"], ours["median"] / limit["median"])

    def test_the_table_has_the_same_rows(self):
        done = self.woa("bench", "bandwidth", "--size", "4096", "--count", "10", "--repetitions", "1")
        self.assertEqual(done.returncode, 0)
        heading, columns, *rows = done.stdout.decode().splitlines()
        for text in ("bandwidth over shm", "host state", "more is better"):
            self.assertIn(text, heading)
        self.assertIn("above 1", columns)
        names = ("memcpy", "raw mailbox", "shm transport")
        self.assertEqual(len(rows), len(names))
        for row, name in zip(rows, names):
            self.assertTrue(row.startswith(f"  {name} "), row)

    def test_pictures(self):
        """Bars for a few sizes, lines for many: well-formed, with every contender's name and one mark per row."""
        few = ("--count", "10", "--repetitions", "1", "--json")
        with tempfile.TemporaryDirectory() as folder:
            for sizes, marks in (("64,4KiB", "rect"), ("4KiB,64,1KiB,256", "circle")):
                path = os.path.join(folder, "picture.svg")
                done = self.woa("bench", "bandwidth", "--size", sizes, "--plot", path, *few)
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = json.loads(done.stdout)["rows"]
                picture = xml.etree.ElementTree.parse(path).getroot()
                drawn = [mark for mark in picture.iter("{http://www.w3.org/2000/svg}" + marks) if mark.get("width") != "100%"]
                self.assertEqual(len(drawn), len(rows))
                for line in picture.iter("{http://www.w3.org/2000/svg}polyline"):  # from left to right, whatever was asked for first
                    across = [float(point.split(",")[0]) for point in line.get("points").split()]
                    self.assertEqual(across, sorted(across))
                words = "\n".join(text.text for text in picture.iter("{http://www.w3.org/2000/svg}text"))
                for row in rows:
                    self.assertIn(row["contender"], words)
        self.refused(self.woa("bench", "bandwidth", "--size", "64", "--plot", "/nowhere/picture.svg", *few), 1, "picture.svg")

    def test_help_says_what_is_compared(self):
        for bench, unit in (("hop", "nanoseconds"), ("bandwidth", "GB/s"), ("rate", "million messages"), ("randomaccess", "GUP/s")):
            text = self.woa("bench", bench, "--help").stdout.decode()
            for word in ("limit", "raw buckets" if bench == "randomaccess" else "raw mailbox", unit):
                self.assertIn(word, text)


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
        for size in ("900TiB", "15EiB"):
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
