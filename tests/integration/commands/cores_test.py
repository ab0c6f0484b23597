"""--cores of `woa run`, `compare` and `node`: who is pinned where, and what is refused before anything starts."""
import json
import os
import re
import subprocess
import time

import harness
from harness import WOA, read
from join_harness import HELLO, JoinTest

FIRST, LAST = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))
ABSENT = 1000  # no machine of ours has it
ONLINE = read("/sys/devices/system/cpu/online").strip()


def processors(result):
    return {entry["name"]: entry.get("processor") for entry in result["controllers"]}


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def allowed(pid):
    """The processors that the first thread of a process may use."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return re.search(r"Cpus_allowed_list:\s*(\S+)", file.read()).group(1)
    except (FileNotFoundError, ProcessLookupError):
        return None


class Cores(JoinTest):
    def test_what_ran_where_stands_in_the_result(self):
        for way in ("one", "per-controller"):
            result = self.run_json(HELLO, "--in", "text=" + self.text, "--processes", way, "--cores", f"host={FIRST},cpu:0={FIRST},cpu:1={LAST}")
            self.assertEqual(processors(result), {"host": FIRST, "cpu:0": FIRST, "cpu:1": LAST})
            some = self.run_json(HELLO, "--in", "text=" + self.text, "--processes", way, "--cores", f"cpu:1=0{LAST}")
            self.assertEqual(processors(some), {"host": None, "cpu:0": None, "cpu:1": LAST})
        none = self.run_json(HELLO, "--in", "text=" + self.text)
        self.assertEqual(set(processors(none).values()), {None})

    def test_processes_may_use_the_processor_that_they_were_given(self):
        run = self.start([WOA, "run", HELLO, "--in", "text=" + self.text, "--instances", "100000000", "--cores", f"host={FIRST},cpu:0={LAST}"])
        wanted, end = {str(FIRST), str(LAST)}, time.monotonic() + harness.LIMIT_S
        found = set()
        while not wanted <= found and time.monotonic() < end:
            found = {allowed(pid) for pid in [run.process.pid, *children(run.process.pid)]}
        self.assertLessEqual(wanted, found)

    def test_people_read_it_too(self):
        done = self.woa("run", HELLO, "--in", "text=" + self.text, "--cores", f"cpu:0={FIRST}")
        self.assertRegex(done.stdout.decode(), rf"cpu:0 .*, on processor {FIRST}\n")

    def test_what_is_refused(self):
        out = self.path("out")
        for given, code, *texts in (
                ("cpu:0", 2, "--cores", "'cpu:0': there is no '='"),
                ("cpu:0=", 2, "'' is not the number of a processor"),
                ("cpu:0=one", 2, "'one' is not the number of a processor"),
                ("cpu:0=-1", 2, "'-1' is not the number of a processor"),
                ("cpu:0=99999999999", 2, "is not the number of a processor"),
                ("=1", 2, "the controller's name is missing"),
                ("cpu:0=0,", 2, "there is no '='"),
                ("cpu:0=0,cpu:1=0,cpu:0=0", 2, "'cpu:0' is given twice"),
                ("gpu:0=0", 2, "--cores gpu:0=0", "the plan has no controller 'gpu:0'", "host, cpu:0, cpu:1"),
                (f"host={ABSENT}", 3, f"--cores host={ABSENT}", f": this machine has processors {ONLINE}; this process may use "),
                (f"cpu:0={FIRST},cpu:1={ABSENT}", 3, f"--cores cpu:1={ABSENT}", f"this machine has processors {ONLINE}"),
                ("cpu:1=2000000000", 3, "cannot pin to processor 2000000000")):
            with self.subTest(given):
                done = self.woa("run", HELLO, "--in", "text=" + self.text, "--out", "copy=" + out, "--cores", given)
                self.refused(done, code, *texts)
                self.assertFalse(os.path.exists(out))

    def test_compare(self):
        given = ["compare", HELLO, "--in", "text=" + self.text, "--repetitions", "1"]
        done = self.woa(*given, "--run", "--json", "--cores", f"host={FIRST},cpu:0={LAST}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all(row["measured"] for row in json.loads(done.stdout)["models"]))
        self.refused(self.woa(*given, "--cores", "host=0"), 2, "--cores", "--run")
        self.refused(self.woa(*given, "--run", "--cores", "cpu:77=0"), 2, "--cores cpu:77=0", "no controller 'cpu:77'")
        self.refused(self.woa(*given, "--run", "--cores", f"cpu:0={ABSENT}"), 3, f"--cores cpu:0={ABSENT}", f"this machine has processors {ONLINE};")

    def test_benchmarks_on_processors_of_their_own_say_the_same(self):
        done = self.woa("bench", "route", "--cores", f"{FIRST},{ABSENT}")
        self.refused(done, 3, f"runs on processors {FIRST} and {ABSENT}: cannot pin to processor {ABSENT}: this machine has processors {ONLINE};")

    def test_the_processors_of_a_control_group_are_told_from_a_mask(self):
        """A cpuset cannot be left, as a mask can: the fix is another."""
        group = self.control_group("cpuset")
        if FIRST == LAST:
            self.skipTest("one processor is usable here")
        for name, value in (("cpuset.cpus", FIRST), ("cpuset.mems", 0)):
            with open(os.path.join(group, name), "w") as file:
                file.write(str(value))
        done = subprocess.run(["sh", "-c", f'echo $$ > {group}/tasks && exec "$@"', "sh", WOA, "run", HELLO, "--in", "text=" + self.text,
                               "--cores", f"cpu:0={LAST}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S)
        self.refused(done, 3, f"cannot pin to processor {LAST}: the control group of this process has others (cpuset); this process may use {FIRST}")

    def test_a_processor_outside_the_mask_of_the_caller_is_refused(self):
        """As taskset gives it. Linux lets a thread leave it, but the caller meant it."""
        if FIRST == LAST:
            self.skipTest("one processor is usable here")
        mask = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, mask)
        run, address = self.start_run(1, "--cores", f"cpu:1={LAST}")
        os.sched_setaffinity(0, {FIRST})
        text = f"cannot pin to processor {LAST}: this process was started for other processors (`taskset`); this process may use {FIRST}\n"
        node = self.start_node(address, "--controller", "cpu:1")
        self.assertEqual((run.end(), node.end()), (1, 1))
        self.assertIn(text.strip(), run.error)
        given = [HELLO, "--in", "text=" + self.text]
        for arguments in (
                ["run", *given, "--cores", f"cpu:1={LAST}"],
                ["run", *given, "--processes", "per-controller", "--cores", f"cpu:1={LAST}"],
                ["run", *given, "--cores", f"host={LAST}"],
                ["compare", *given, "--run", "--repetitions", "1", "--cores", f"cpu:0={LAST}"],
                ["node", "--join", "127.0.0.1:1", "--secret", self.secret, "--controller", "cpu:0", "--cores", f"cpu:0={LAST}"]):
            with self.subTest(arguments):
                self.refused(self.woa(*arguments), 3, text)
        self.run_json(HELLO, "--in", "text=" + self.text, "--processes", "per-controller", "--cores", f"host={FIRST},cpu:1={FIRST}")

    def test_a_node_has_processors_of_its_own(self):
        run, address = self.start_run(1, "--cores", f"host={FIRST},cpu:1={FIRST}")
        node = self.start_node(address, "--controller", "cpu:1", "--cores", f"cpu:1={LAST}")
        self.assertEqual(processors(self.check_result(run)), {"host": FIRST, "cpu:0": None, "cpu:1": LAST})
        self.assertEqual(node.end(), 0)

    def test_a_node_takes_what_the_run_says_otherwise(self):
        run, address = self.start_run(1, "--cores", f"cpu:1={LAST}")
        node = self.start_node(address, "--controller", "cpu:1")
        self.assertEqual(processors(self.check_result(run))["cpu:1"], LAST)
        self.assertEqual(node.end(), 0)

    def test_a_node_refuses_a_processor_that_it_lacks_before_the_run_begins(self):
        run, address = self.start_run(1, "--cores", f"cpu:1={ABSENT}")
        node = self.start_node(address, "--controller", "cpu:1")
        self.assertEqual((run.end(), node.end()), (1, 1))
        self.assertIn(f"cannot pin to processor {ABSENT}", run.error)
        self.assertFalse(os.path.exists(self.path("copy")))

    def test_what_a_node_is_refused(self):
        for more, code, *texts in (
                ([f"cpu:1={FIRST}"], 2, f"--cores cpu:1={FIRST}: this node serves the next free controller", "--controller cpu:1"),
                ([f"cpu:1={FIRST}", "--controller", "cpu:0"], 2, "this node serves cpu:0"),
                ([f"cpu:0={FIRST},cpu:1={FIRST}", "--controller", "cpu:0"], 2, f"--cores cpu:1={FIRST}"),
                ([f"cpu:0={ABSENT}", "--controller", "cpu:0"], 3, f"--cores cpu:0={ABSENT}", f"this machine has processors {ONLINE}")):
            with self.subTest(more):
                self.refused(self.woa("node", "--join", "127.0.0.1:1", "--secret", self.secret, "--cores", *more), code, *texts)


if __name__ == "__main__":
    harness.main()
