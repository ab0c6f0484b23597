"""Runs of `woa` on a device that goes wrong, on its test double: how they end, how soon, and what they leave behind."""
import json
import os
import subprocess
import time

from harness import LIMIT_S, WOA, WoaTest, read

SOON_S = 2 * LIMIT_S / 60 * 10  # ten times the promise of two seconds


class FaultsTest(WoaTest):
    """A subclass sets `machine`, the machine's file, and `data`, the input's; it has graph(), double() and uses_device()."""
    KIND = "gpu"  # of the device's controller

    def setUp(self):
        super().setUp()
        self.sessions = []
        self.addCleanup(self.nothing_is_left)

    def start(self, words, graph, *arguments, machine=None, **more):
        environment = dict(os.environ, XDG_CONFIG_HOME=self.path("config"), **self.double(words, **more))
        run = subprocess.Popen([WOA, "run", graph, "--machine", machine or self.machine, "--in", "data=" + self.data, *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, start_new_session=True)
        self.sessions.append(run.pid)
        return run

    def end(self, run, limit=SOON_S):
        """(code, stdout, stderr), within `limit` seconds."""
        began = time.monotonic()
        out, error = run.communicate(timeout=LIMIT_S)
        self.assertLess(time.monotonic() - began, limit, error.decode())
        return run.returncode, out.decode(), error.decode()

    def fails(self, code, words, *texts, graph=None, arguments=(), machine=None, limit=SOON_S, **more):
        """stdout and stderr of a run that ends with `code`, and says each of `texts`."""
        found, out, error = self.end(self.start(words, graph or self.graph(), *arguments, machine=machine, **more), limit)
        self.assertEqual(found, code, error)
        for text in texts:
            self.assertIn(text, error)
        self.assertNotIn("internal error", error)
        return out, error

    def works(self, words="", graph=None, *arguments, machine=None, **more):
        """A run that succeeds; its standard error."""
        arguments = arguments or ("--instances", "4")
        code, out, error = self.end(self.start(words, graph or self.graph(), *arguments, machine=machine, **more), LIMIT_S)
        self.assertEqual(code, 0, error)
        return error

    def nothing_is_left(self):
        """No process of this test's runs stays. The double itself ends a process that leaves something of the device behind."""
        until = time.monotonic() + SOON_S
        while left := self.running():
            self.assertLess(time.monotonic(), until, left)
            time.sleep(0.05)

    def running(self):
        """Processes of this test's runs, as the system's `stat` has them."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                stat = read(f"/proc/{entry}/stat")
            except OSError:
                continue  # it has ended meanwhile
            state, _, _, session = stat.rpartition(")")[2].split()[:4]
            if state != "Z" and int(session) in self.sessions:  # whoever is to bury the dead does it when it likes
                found.append(stat)
        return found

    def broken(self, words, code, reason, graph, done_before, *arguments):
        """A device that fails in mid-run: all instances under way fail with the reason, and those before it have their outputs."""
        out = self.path("out-%i")
        report, error = self.fails(1, words, f"error[{code}]: controller '{self.KIND}:0': stage '", "failed", reason, "instance ", graph=graph,
                                   arguments=("--instances", "60", "--window", "4", "--json", "--out", "data=" + out, *arguments))
        report = json.loads(report)
        self.assertEqual(report["error"]["code"], code)
        failed = {failure["instance"] for failure in report["failures"]}
        self.assertEqual(len(failed), report["failed"])
        self.assertGreater(len(failed), 0)
        for failure in report["failures"]:
            self.assertIn(reason, failure["message"])
        kept = [int(name[4:]) for name in os.listdir(self.folder) if name.startswith("out-")]
        self.assertEqual(set(kept) & failed, set())
        self.assertGreaterEqual(len(kept), done_before)
        for number in kept:
            self.assertEqual(read(self.path(f"out-{number}"), "rb"), bytes(255 - byte for byte in read(self.data, "rb")))
            os.remove(self.path(f"out-{number}"))
        self.assertLessEqual(max(kept, default=-1), min(failed))
        return error

    def nodes(self, run):
        """{kind: process} of a run's controllers, once the device's has opened it."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and run.poll() is None:
            try:
                children = [int(child) for child in read(f"/proc/{run.pid}/task/{run.pid}/children").split()]
                device = [child for child in children if self.uses_device(child)]
            except OSError:
                continue
            if device and len(children) > 1:
                return {self.KIND: device[0], "cpu": next(child for child in children if child != device[0])}
        self.fail("the run has no process that uses the device: " + run.communicate()[1].decode())
