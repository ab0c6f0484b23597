"""woa bench: every contender runs and is reported in full, wrong requests are refused. Never a speed."""
import json
import os
import resource
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import harness
from harness import SANITIZED, WOA, WoaTest

if not {0, 1} <= os.sched_getaffinity(0):
    harness.skip_program("processors", "the benchmarks run on processors 0 and 1")

LIMIT, OURS, PEER = "limit", "ours", "peer"
WRITES = ["libfabric writes, shm"]
# Benchmark -> what to choose so that it ends soon, and the contenders of each library.
PEERS = {
    "hop": (("--count", "200"), {"ofi": WRITES, "ucx": ["UCX active message", "UCX put"], "mpi": ["MPI_Send"], "zeromq": ["ZeroMQ pair, ipc"],
                                 "grpc": ["gRPC unary call, half of it"]}),
    "rate": (("--count", "5000"), {"ofi": WRITES, "ucx": ["UCX active messages", "UCX puts"], "mpi": ["MPI_Isend"], "zeromq": ["ZeroMQ pair, ipc"]}),
    "bandwidth": (("--count", "100", "--size", "57"), {
        "ofi": WRITES, "ucx": ["UCX active messages", "UCX puts, one buffer"], "mpi": ["MPI_Isend", "MPI_Isend, copied twice"],
        "zeromq": ["ZeroMQ pair, ipc"], "grpc": ["gRPC client stream"]}),
    "pipeline": (("--count", "40", "--size", "57", "--window", "2"), {
        "ofi": WRITES, "ucx": ["UCX active messages"], "mpi": ["MPI_Isend", "MPI_Isend, copied twice"], "zeromq": ["ZeroMQ push, ipc"],
        "grpc": ["gRPC unary calls by a hub"]}),
    "fanout": (("--count", "40", "--size", "57", "--consumers", "3"), {
        "ofi": WRITES, "ucx": ["UCX active messages"], "mpi": ["MPI_Bcast", "MPI_Bcast, copied twice"], "zeromq": ["ZeroMQ publish, ipc"],
        "grpc": ["gRPC unary calls"]}),
    "firing": (("--count", "6400", "--loop", "wavefront"), {"taskflow": ["Taskflow"], "tbb": ["oneTBB flow graph"]}),
    "randomaccess": (("--size", "16KiB"), {"mpi": ["MPI_Accumulate", "MPI_Accumulate, datatypes", "MPI_Fetch_and_op"]})}
SIZES = {"hop": 64, "rate": 8, "bandwidth": 57, "pipeline": 57, "fanout": 57, "firing": 64, "randomaccess": 16 << 10}
AROUND = {"pipeline": ("", ", window 2"), "fanout": ("3 consumers, ", ""), "firing": ("wavefront, ", "")}  # what rows say beside the contender
PROGRAMS = {"ucx": "peer_ucx", "zeromq": "peer_zeromq", "grpc": "peer_grpc", "ofi": "peer_libfabric"}  # those that mpirun does not start

# For what other tests here run, too: a sanitizer looks at the program, and the reports are checked in other builds.
once_more = unittest.skipIf(SANITIZED, "its program has run under the sanitizer before")


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
        few = ("--count", "1001", "--repetitions", "1", "--no-peers")
        sizes = [row["size"] for row in self.report("hop", "--size", "8,120", *few)["rows"]]
        self.assertEqual(sizes, 5 * [8] + 5 * [120])
        for size in ("7", "121", "some"):
            self.refused(self.woa("bench", "hop", "--size", size), 2, "--size")
        self.check(self.report("hop", *few), "hop", "less", "ns",
                   [("raw mailbox", LIMIT, 64), ("transport alone, inline", OURS, 64), ("the same with header CRC", OURS, 64),
                    ("controllers alone, one thread", OURS, 64), ("controller to controller", OURS, 64)])

    def test_bandwidth(self):
        def contenders(*sizes):
            return [row for size in sizes for row in (("memcpy", LIMIT, size), ("raw mailbox", LIMIT, size), ("shm transport", OURS, size))]
        few = ("--count", "100", "--repetitions", "1", "--no-peers")
        self.check(self.report("bandwidth", "--size", "4096", *few), "bandwidth", "more", "GB/s", contenders(4096))
        self.check(self.report("bandwidth", "--size", "1,57", "--size", "3MiB", "--slots", "3", *few), "bandwidth", "more", "GB/s",
                   contenders(1, 57, 3 << 20))
        self.check(self.report("bandwidth", "--size", "64KiB", "--slots", "1", *few), "bandwidth", "more", "GB/s", contenders(64 << 10))

    def test_the_compiler(self):
        report = self.report("compile", "--stages", "40", "--graphs", "3")
        self.assertEqual([(row["contender"], row["size"], row["unit"]) for row in report["rows"]],
                         [("3 controllers, latency", 40, "ms"), ("peak memory", 40, "MiB")])
        self.assertTrue(all(0 < row["min"] <= row["median"] <= row["max"] for row in report["rows"]), report["rows"])
        tallies = {tally["what"]: tally for tally in report["tallies"]}
        self.assertEqual(sum(tallies[what]["within"] for what in ("proved", "claimed by the solver", "with a gap")), 3)
        self.assertEqual((tallies["within 2 % of the bound"]["within"], tallies["within 2 % of the bound"]["of"]), (3, 3))
        self.refused(self.woa("bench", "compile", "--objective", "beauty"), 2, "--objective")
        few = ("compile", "--stages", "20", "--graphs", "2")
        report = self.report(*few)
        self.assertTrue(all(abs(row["median"] - (row["min"] + row["max"]) / 2) < 1e-6 for row in report["rows"]), report["rows"])
        self.assertIn(None, [tally["worst"] for tally in report["tallies"]])
        self.assertEqual([line for line in self.woa("bench", *few).stdout.decode().splitlines() if line != line.rstrip() or "worst 0 x" in line], [])

    @once_more
    def test_how_checking_grows(self):
        rows = self.report("check", "--stages", "400,100", "--graphs", "2")["rows"]
        self.assertEqual([(row["contender"], row["role"], row["size"], row["unit"]) for row in rows],
                         [("parse and check", OURS, 100, "ms"), ("parse and check", OURS, 400, "ms"), ("n log n", LIMIT, 400, "exponent"),
                          ("growth from 100", OURS, 400, "exponent")])
        self.assertAlmostEqual(rows[2]["median"], 1.19, delta=0.01)
        self.assertEqual(len(self.report("check", "--stages", "70000", "--graphs", "1")["rows"]), 1)

    @once_more
    def test_the_number_of_payloads_can_be_left_out(self):
        self.check(self.report("bandwidth", "--size", "32MiB", "--slots", "2", "--repetitions", "1", "--no-peers"), "bandwidth", "more", "GB/s",
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
        self.check(self.report("rate", *few, "1000"), "rate", "more", "Mmsg/s",
                   [row for slots in (64, 1024) for row in ((f"raw fi_writedata, {slots} slots", LIMIT, 8),
                                                            (f"ofi transport, {slots} slots, retire", OURS, 64))], transport="ofi")
        self.check(self.report("rate", *few, "1000", "--size", "4,4096"), "rate", "more", "Mmsg/s",
                   [row for size in (4, 4096) for slots in (64, 1024) for row in ((f"raw fi_writedata, {slots} slots", LIMIT, size),
                                                                                  (f"ofi transport, {slots} slots, activate, inline", OURS, size))],
                   transport="ofi")

    def test_runs_over_libfabric(self):
        """Few: each launch starts processes that take half a second to find libfabric's devices."""
        few = ("--transport", "ofi", "--repetitions", "1", "--count", "20", "--size", "5000")
        done = self.woa("bench", "pipeline", *few, "--provider", "none")
        self.skip_without_libraries(done.returncode, done.stderr.decode())
        self.refused(done, 3, "error[unavailable]", "none")
        names = (("raw fi_writedata, forward", LIMIT), ("woa", OURS), ("rpc-hub", OURS))
        for large in (("pipeline", "--window", "64"), ("fanout", "--consumers", "64")):
            self.refused(self.woa("bench", *large, "--transport", "ofi", "--size", "1GiB"), 1, "error[exhausted]", "--size")
        windows = (1,) if SANITIZED else (1, 3)
        report = self.report("pipeline", *few, "--window", ",".join(map(str, windows)), "--cores", "0110")
        self.check(report, "pipeline", "less", "us/item",
                   [(f"{name}, window {window}, cores 0110", role, 5000) for window in windows for name, role in names], ("ratios",), "ofi")
        self.check_models(report, [(5000, window, "0110") for window in windows])
        if SANITIZED:
            return
        one, three = ("raw fi_writedata, one consumer", LIMIT), ("raw fi_writedata, 3 consumers", LIMIT)
        self.check(self.report("fanout", *few, "--consumers", "3"), "fanout", "less", "us/payload",
                   [(name, role, 5000) for name, role in (one, ("one consumer", OURS), ("3 consumers, one controller", OURS),
                                                          three, ("3 consumers, a controller each", OURS))], transport="ofi")
        self.check(self.report("fanout", *few, "--consumers", "1"), "fanout", "less", "us/payload",
                   [(name, role, 5000) for name, role in (one, ("one consumer, one controller", OURS))], transport="ofi")

    def test_randomaccess_over_libfabric(self):
        few = ("randomaccess", "--transport", "ofi", "--repetitions", "1", "--size")
        done = self.woa("bench", *few, "64", "--provider", "none")
        self.skip_without_libraries(done.returncode, done.stderr.decode())
        self.refused(done, 3, "error[unavailable]", "none")
        sizes = (64, 32 << 10)
        report = self.report(*few, "64,32KiB")
        self.check(report, "randomaccess", "more", "GUP/s",
                   [(name, role, size) for size in sizes
                    for name, role in (("raw fi_writedata, buckets", LIMIT), ("naive", OURS), ("aggregated", OURS))], ("ratios",), "ofi")
        self.check_ratios(report, [("aggregated", "naive")], sizes)
        self.refused(self.woa("bench", *few, "100"), 1, "error[invalid]", "power of two")

    def test_packing(self):
        """Both ways of a packed message between hosts; a piece that one block holds has but one."""
        few = ("packing", "--repetitions", "1", "--count", "4", "--size", "4KiB,300KiB")
        done = self.woa("bench", *few)
        self.skip_without_libraries(done.returncode, done.stderr.decode())
        self.check(self.report(*few, "--block", "64KiB"), "packing", "more", "GB/s",
                   [row for size in (4 << 10, 300 << 10)
                    for row in (("raw fi_writedata", LIMIT, size), ("through blocks", OURS, size), ("rendezvous", OURS, size))],
                   transport="ofi")
        self.refused(self.woa("bench", "packing", "--block", "100"), 1, "error[invalid]", "block_bytes is 100")

    def test_rate(self):
        self.check(self.report("rate", "--count", "5000", "--repetitions", "3", "--no-peers"), "rate", "more", "Mmsg/s",
                   [row for slots in (64, 1024) for row in ((f"raw mailbox, {slots} slots", LIMIT, 8),
                                                            (f"raw mailbox of lines, {slots} slots", LIMIT, 64),
                                                            (f"shm transport, {slots} slots, activate", OURS, 64),
                                                            (f"shm transport, {slots} slots, retire", OURS, 64))])

    @once_more
    def test_rate_of_payloads(self):
        """Payloads inline behind a header; no two rows have the same contender and size."""
        few = ("rate", "--count", "5000", "--repetitions", "1", "--no-peers", "--size")
        self.check(self.report(*few, "1,64", "--size", "4KiB"), "rate", "more", "Mmsg/s",
                   [row for size in (1, 64, 4096) for slots in (64, 1024)
                    for row in ((f"raw mailbox, {slots} slots", LIMIT, size), (f"shm transport, {slots} slots, activate, inline", OURS, size))])
        rows = [(row["contender"], row["size"]) for row in self.report(*few, "0,64")["rows"]]
        self.assertEqual(len(set(rows)), len(rows))
        for size in ("4097", "-1", "some"):
            self.refused(self.woa("bench", *few, size), 2, "--size")
        for size in (9, 200):
            self.peers_at(size, bench=("rate",))

    def test_pipeline(self):
        names = [(name, LIMIT) for name in ("raw forward, payload copied", "raw forward, index sent")] + [("woa", OURS)] + [
            (name, LIMIT) for name in ("raw hub, payload copied", "raw hub, index sent")] + [("rpc-hub", OURS)]
        sizes, windows = ((5000,), (3,)) if SANITIZED else ((64, 5000), (1, 3))
        few = ("pipeline", "--count", "50", "--repetitions", "3", "--no-peers")
        report = self.report(*few, "--size", ",".join(map(str, sizes)), "--window", ",".join(map(str, windows)), "--cores", "0111,0101")
        cases = [(size, window, cores) for cores in ("0111", "0101") for size in sizes for window in windows]
        self.check(report, "pipeline", "less", "us/item",
                   [(f"{name}, window {window}, cores {cores}", role, size) for size, window, cores in cases for name, role in names], ("ratios",))
        self.check_models(report, cases)
        for limits in range(0, len(report["rows"]), 3):
            copied, sent, ours = report["rows"][limits:limits + 3]
            self.assertAlmostEqual(ours["ratio_to_limit"], ours["median"] / min(copied["median"], sent["median"]))

        for cores in ("012", "01010", "01a1", ""):
            self.refused(self.woa("bench", *few, "--cores", cores), 2, "--cores")
        for elsewhere in sorted(set(range(10)) - os.sched_getaffinity(0))[:1]:
            self.refused(self.woa("bench", *few, "--cores", f"0101,010{elsewhere}"), 3, "error[unavailable]", f"processors 0 and 1 and {elsewhere}")
        usual = [row["contender"] for row in self.report(*few, "--size", "64", "--window", "2")["rows"]]
        self.assertEqual(usual, [f"{name}, window 2" for name, _ in names])

    def check_models(self, report, cases):
        """How many times the time of `woa` `rpc-hub` takes, for each case."""
        time_of = {(row["contender"], row["size"]): row["median"] for row in report["rows"]}
        for ratio, (size, window, cores) in zip(report["ratios"], cases, strict=True):
            at = f", window {window}, cores {cores}"
            self.assertEqual((ratio["of"], ratio["to"], ratio["size"]), ("rpc-hub" + at, "woa" + at, size))
            self.assertAlmostEqual(ratio["value"], time_of["rpc-hub" + at, size] / time_of["woa" + at, size])

    def test_fanout(self):
        report = self.report("fanout", "--size", "57,64KiB", "--consumers", "3", "--count", "20", "--repetitions", "1", "--no-peers")
        self.check(report, "fanout", "less", "us/payload",
                   [row for size in (57, 64 << 10) for row in (("one consumer", LIMIT, size), ("3 consumers, one controller", OURS, size),
                                                               ("3 consumers, a controller each", OURS, size))])

    def test_handover(self):
        self.check(self.report("handover", "--size", "64,3MiB", "--count", "5", "--repetitions", "1"), "handover", "less", "ns",
                   [row for size in (64, 3 << 20) for row in (("raw flag", LIMIT, size), ("kernel to kernel", OURS, size))])

    def test_channels(self):
        """A thousand of them under a limit of 256 descriptors, in at most 64 KiB a pair."""
        def limited():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        done = subprocess.run([WOA, "bench", "channels", "--count", "500", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.LIMIT_S, preexec_fn=limited)
        self.assertEqual(done.returncode, 0, done.stderr)
        unused, used, files = json.loads(done.stdout)["rows"]
        huge = "/sys/kernel/mm/transparent_hugepage/shmem_enabled"
        plain = not os.path.exists(huge) or any(word in harness.read(huge) for word in ("[never]", "[advise]", "[deny]"))
        if plain and os.sysconf("SC_PAGESIZE") == 4096 and not SANITIZED:  # whose own memory counts too
            self.assertLess(unused["median"], used["median"])
            self.assertLessEqual(used["median"], 64)
        self.assertLess(files["median"], 32)

    def test_randomaccess(self):
        sizes = (64, 16 << 10)
        report = self.report("randomaccess", "--size", "64,16KiB", "--repetitions", "2", "--no-peers")
        contenders = (("local, one process", LIMIT), ("raw buckets", LIMIT), ("headers alone", LIMIT),
                      ("naive", OURS), ("aggregated", OURS), ("hardware", OURS))
        self.check(report, "randomaccess", "more", "GUP/s", [(name, role, size) for size in sizes for name, role in contenders],
                   ("ratios",))
        self.check_ratios(report, [("aggregated", "naive"), ("aggregated", "raw buckets"), ("naive", "headers alone")], sizes)

    def check_ratios(self, report, pairs, sizes):
        self.assertEqual([(ratio["of"], ratio["to"], ratio["size"]) for ratio in report["ratios"]],
                         [(of, to, size) for size in sizes for of, to in pairs])
        for ratio in report["ratios"]:
            over, = [row["median"] for row in report["rows"] if (row["contender"], row["size"]) == (ratio["of"], ratio["size"])]
            under, = [row["median"] for row in report["rows"] if (row["contender"], row["size"]) in
                      ((ratio["to"], ratio["size"]), (ratio["to"], SIZES["rate"]))]
            self.assertAlmostEqual(ratio["value"], over / under)

    def peers_of(self, bench):
        """The report of a benchmark with peers, and those that took part; those that did not are absent for a reason."""
        few, libraries = PEERS[bench]
        report = self.report(bench, *few, "--repetitions", "1")
        absent = {entry["contender"]: entry["reason"] for entry in report.get("absent", [])}
        before, behind = AROUND.get(bench, ("", ""))
        present = [row["contender"] for row in report["rows"] if row["role"] == PEER]
        for contender in present:
            self.assertTrue(contender.startswith(before) and contender.endswith(behind), contender)
        present = [contender.removeprefix(before).removesuffix(behind) for contender in present]
        for library, contenders in libraries.items():
            if contenders[0] in absent:
                for contender in contenders:
                    self.assertRegex(absent.pop(contender), "not found|not installed|left out")
                if library in os.environ.get("WOA_REQUIRE", "").split(",") and not SANITIZED:
                    self.fail(f"{library} is required here")
            else:
                self.assertEqual(present[:len(contenders)], contenders)
                del present[:len(contenders)]
        self.assertEqual((present, absent), ([], {}))
        return report, [row for row in report["rows"] if row["role"] == PEER]

    @once_more
    def test_peers(self):
        for bench in PEERS:
            report, peers = self.peers_of(bench)
            unit, = {row["unit"] for row in report["rows"]}
            for row in peers:
                self.assertEqual((row["size"], row["unit"]), (SIZES[bench], unit))
                self.assertTrue(0 < row["min"] <= row["median"] <= row["max"] and row["ratio_to_limit"] > 0, row)
            names = [row["contender"] for row in peers]
            compared = [name for name in ("UCX active messages", "MPI_Isend") if bench == "rate" and name in names]
            if compared:
                self.check_ratios(report, [("shm transport, 1024 slots, activate", name) for name in compared], (64,))
            if bench == "pipeline":
                self.check_routes(report["rows"])
            if bench == "randomaccess" and names:
                self.assertIn(("aggregated", "MPI_Accumulate"), [(ratio["of"], ratio["to"]) for ratio in report["ratios"]])

    def check_routes(self, rows):
        """Contenders that forward compare with the better limit that forwards, those of a hub with the better hub."""
        for row in rows:
            route = "hub" if "hub" in row["contender"] else "forward"
            limits = [limit["median"] for limit in rows if limit["role"] == LIMIT and f"raw {route}" in limit["contender"]]
            if row["role"] != LIMIT:
                self.assertAlmostEqual(row["ratio_to_limit"], row["median"] / min(limits))

    def peers_at(self, *sizes, bench=("bandwidth", "--slots", "1")):
        """The peers of a benchmark at each size; some at the first."""
        report = self.report(*bench, "--size", ",".join(map(str, sizes)), "--count", "1", "--repetitions", "1")
        present = [[row["contender"] for row in report["rows"] if (row["role"], row["size"]) == (PEER, size)] for size in sizes]
        if not present[0]:
            self.skipTest("no peer takes part here")
        return present

    @once_more
    def test_peers_send_large_payloads_too(self):
        """By other ways of their libraries than small ones."""
        for bench in (("bandwidth", "--slots", "1"), ("pipeline", "--window", "2"), ("fanout", "--consumers", "2")):
            small, large = self.peers_at(64, 3 << 20, bench=bench)
            self.assertEqual(small, large)

    @once_more
    def test_the_largest_payloads_are_for_us_alone(self):
        kib, = [int(line.split()[1]) for line in harness.read("/proc/meminfo").splitlines() if line.startswith("MemAvailable:")]
        if kib < 2 << 20:
            self.skipTest("two copies of 257 MiB may take half of 2 GiB, which are not available")
        small, largest = self.peers_at(64, 257 << 20)
        self.assertNotEqual(small, [])
        self.assertEqual(largest, [])

    def mpi_peers(self, **environment):
        """Those that took part, and why the others did not."""
        if not os.path.exists(os.path.join(harness.BUILD, "bench", "randomaccess_mpi")):
            self.skipTest("no MPI was found when this was built")
        done = self.woa("bench", "randomaccess", "--size", "64", "--repetitions", "1", "--json", environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        return ([row["contender"] for row in report["rows"] if row["role"] == PEER],
                {entry["contender"]: entry["reason"] for entry in report.get("absent", [])})

    def test_one_core_has_two_processors(self):
        """Open MPI counts one slot there, and starts two processes all the same."""
        present, absent = self.mpi_peers(OMPI_MCA_orte_default_hostfile=self.write("hosts", "localhost slots=1\n"))
        self.assertEqual([*present, *absent], PEERS["randomaccess"][1]["mpi"])
        self.assertIn(len(present), (0, 3), absent)

    def test_the_launcher_of_another_mpi(self):
        os.mkdir(self.path("bin"))
        launcher = self.write("bin/mpirun", "#!/bin/sh\necho HYDRA build details:\n")
        os.chmod(launcher, 0o700)
        present, absent = self.mpi_peers(PATH=self.path("bin") + os.pathsep + os.environ["PATH"])
        self.assertEqual((present, list(absent)), ([], PEERS["randomaccess"][1]["mpi"]))
        for reason in absent.values():
            self.assertIn("not that of Open MPI", reason)

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

    @once_more
    def test_methods_choose_by_the_machine_file(self):
        machine = self.write("machine.yaml", "woa_machine: 1\ncalibration: {processor: any, transports: {shm: {inline_bytes: 1234}}}\n")
        report = self.report("methods", "--machine", machine, "--size", "16", "--count", "20", "--repetitions", "1")
        self.assertIn("1234 bytes", report["tallies"][0]["what"])

    @once_more
    def test_a_ratio_is_ours_by_the_limit(self):
        report = self.report("bandwidth", "--size", "1000", "--count", "50", "--repetitions", "3", "--no-peers")
        rows = {row["contender"]: row for row in report["rows"]}
        ours, limit = rows["shm transport"], rows["raw mailbox"]
        self.assertAlmostEqual(ours["ratio_to_limit"], ours["median"] / limit["median"])

    @once_more
    def test_the_table_has_the_same_rows(self):
        done = self.woa("bench", "bandwidth", "--size", "4096", "--count", "10", "--repetitions", "1", "--no-peers")
        self.assertEqual(done.returncode, 0)
        heading, columns, *rows = done.stdout.decode().splitlines()
        for text in ("bandwidth over shm", "host state", "more is better"):
            self.assertIn(text, heading)
        self.assertIn("above 1", columns)
        names = ("memcpy", "raw mailbox", "shm transport")
        self.assertEqual(len(rows), len(names))
        for row, name in zip(rows, names):
            self.assertTrue(row.startswith(f"  {name} "), row)

    @once_more
    def test_pictures(self):
        """Bars for a few sizes, lines for many: well-formed, with every contender's name and one mark per row."""
        few = ("--count", "10", "--repetitions", "1", "--json", "--no-peers")
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
        for bench, unit in (("hop", "nanoseconds"), ("bandwidth", "GB/s"), ("rate", "million messages"), ("randomaccess", "GUP/s"),
                            ("firing", "Nanoseconds")):
            text = self.woa("bench", bench, "--help").stdout.decode()
            for word in ("limit", {"randomaccess": "raw buckets", "firing": "raw loop"}.get(bench, "raw mailbox"), unit):
                self.assertIn(word, text)


class BadPeers(WoaTest):
    """A copy of `woa` beside which other programs lie than those that were built."""
    def setUp(self):
        super().setUp()
        self.libraries = [library for library, program in PROGRAMS.items() if os.path.exists(os.path.join(harness.BUILD, "bench", program))]
        if not self.libraries:
            self.skipTest("no library of a peer was found when this was built: " + ", ".join(PROGRAMS))
        for program in ("woa", "woa-bench"):
            shutil.copy(os.path.join(harness.BUILD, program), self.path(program))
        os.mkdir(self.path("bench"))

    def bandwidth(self, script=None, library=None):
        if script is not None:
            program = "bench/" + PROGRAMS[library]
            self.write(program, "#!/bin/sh\n" + script)
            os.chmod(self.path(program), 0o700)
        return subprocess.run([self.path("woa"), "bench", "bandwidth", "--size", "64", "--count", "10", "--repetitions", "1", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S)

    def test_a_missing_program(self):
        done = self.bandwidth()
        self.assertEqual(done.returncode, 0, done.stderr)
        reasons = {entry["contender"]: entry["reason"] for entry in json.loads(done.stdout)["absent"]}
        for library in self.libraries:
            for contender in PEERS["bandwidth"][1][library]:
                self.assertIn(f"{PROGRAMS[library]} is missing; build again", reasons[contender])

    def test_a_libfabric_that_cannot(self):
        if "ofi" not in self.libraries:
            self.skip("ofi", "no libfabric was found when this was built")
        done = self.bandwidth("echo no such provider; exit 1", "ofi")
        self.assertEqual(done.returncode, 0, done.stderr)
        reason, = [entry["reason"] for entry in json.loads(done.stdout)["absent"] if entry["contender"] in WRITES]
        self.assertRegex(reason, "not found: a libfabric that can: .*no such provider")

    def test_a_program_that_fails(self):
        library = next((library for library in self.libraries if library != "ofi"), None)  # that one is tried first
        if library is None:
            self.skipTest("no library of a peer but libfabric was found when this was built")
        contender = PEERS["bandwidth"][1][library][0]
        for script, code, text in (("echo half; exit 3", "peer_lost", "ended with 3, and wrote: half"),
                                   ("echo hello", "data_loss", "no nanoseconds, but: hello")):
            done = self.bandwidth(script, library)
            self.refused(done, 1, f"error[{code}]", contender, PROGRAMS[library], text)
            self.assertEqual(json.loads(done.stdout)["error"]["code"], code)

    def test_bad_arguments(self):
        for library in self.libraries:
            program = os.path.join(harness.BUILD, "bench", PROGRAMS[library])
            way = {"ucx": "am", "zeromq": "sockets", "grpc": "rpc", "ofi": "shm"}[library]
            for arguments, code, text in (([], 2, "usage"), ([way, "hop", "8", "1", "1", "0"], 2, "usage"), (["no", "hop", "8", "1", "1", "0", "1"], 2, "usage"),
                                          ([way, "jump", "8", "1", "1", "0", "1"], 2, "usage"), ([way, "hop", "0", "1", "1", "0", "1"], 2, "usage"),
                                          ([way, "hop", "8", "0", "1", "0", "1"], 2, "usage"), ([way, "hop", "8", "1", "1", "0", "1", "0"], 2, "usage"),
                                          ([way, "pipeline", "1", "1", "1", "0", "1", "0"], 2, "usage"), ([way, "fanout", "8", "1", "1", "0"], 2, "usage"),
                                          ([way, "hop", "8", "1", "x", "0", "1"], 2, "usage"), ([way, "hop", "8", "1", "1", "0", "99999"], 1, "99999")):
                done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S)
                self.assertEqual((done.returncode, done.stdout), (code, b""), (arguments, done.stderr))
                self.assertIn(text, done.stderr.decode())


if __name__ == "__main__":
    harness.main()
