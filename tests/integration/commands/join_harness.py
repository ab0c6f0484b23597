"""Runs that nodes join: a run and its nodes as programs that go on beside the test, whose lines are read as they come."""
import json
import os
import re
import subprocess
import threading
import time

import harness
from harness import SOURCE, WOA, WoaTest, read

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")  # cpu:0 and cpu:1
LAUNCHERS = ("OMPI_COMM_WORLD_", "PMI_", "PMIX_", "SLURM_")  # of a job that the tests themselves run in
WAIT_S = max(5, int(harness.LIMIT_S / 20))  # where somebody will not come: enough for who will
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}


class Started:
    """A program whose lines on stderr are read as they come."""

    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=dict(PLAIN, **(environment or {})))
        self.lines = []
        self.ended = False
        self.heard = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            with self.heard:
                self.lines.append(line)
                self.heard.notify_all()
        with self.heard:
            self.ended = True
            self.heard.notify_all()

    def says(self, pattern):
        """The first match in a line, within the limit."""
        end = time.monotonic() + harness.LIMIT_S
        with self.heard:
            while True:
                for line in self.lines:
                    found = re.search(pattern, line)
                    if found:
                        return found
                if self.ended or not self.heard.wait(end - time.monotonic()):
                    raise AssertionError(f"no '{pattern}' in {self.lines}")

    def end(self):
        """Exit code; stdout is in `out`, stderr in `error`."""
        hang = threading.Timer(harness.LIMIT_S, self.process.kill)
        hang.start()
        self.out = self.process.stdout.read()
        code = self.process.wait()
        hang.cancel()
        self.reader.join()
        self.error = "".join(self.lines)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        if not self.process.stdout.closed:
            self.end()


class JoinTest(WoaTest):
    def setUp(self):
        super().setUp()
        self.secret = self.make_secret("secret", "0123456789abcdef0123456789abcdef\n")
        self.text = self.write("text", "hello\n" * 1000)

    def make_secret(self, name, text):
        path = self.write(name, text)
        os.chmod(path, 0o600)
        return path

    def start(self, command, environment=None):
        started = Started(command, environment)
        self.addCleanup(started.stop)
        return started

    def run_command(self, nodes, *more, graph=HELLO, listen="lo", instances="50", wait=None, out="copy"):
        return [WOA, "run", graph, "--in", "text=" + self.text, "--instances", instances, "--out", "copy=" + self.path(out),
                "--json", "--nodes", str(nodes), "--listen", listen, "--secret", self.secret,
                "--wait", str(wait or int(harness.LIMIT_S)), *more]

    def start_run(self, nodes, *more, before=(), environment=None, **where):
        """The run and the address that it waits at."""
        run = self.start([*before, *self.run_command(nodes, *more, **where)], environment)
        try:
            return run, run.says(r"woa node --join (\S+)").group(1)
        except AssertionError:
            self.skip_without_libraries(run.end(), run.error)
            raise

    def start_node(self, address, *more, secret=None, environment=None, before=()):
        return self.start([*before, WOA, "node", "--join", address, "--secret", secret or self.secret, *more], environment)

    def unavailable(self, started, *texts):
        """It ended with 3 and an error that holds each of `texts`."""
        self.assertEqual(started.end(), 3, started.error)
        for text in texts:
            self.assertIn(text, started.error)

    def check_result(self, run):
        code = run.end()
        self.assertEqual(code, 0, run.error)
        result = json.loads(run.out)
        self.assertEqual(result["messages"], 150)
        self.assertEqual(read(self.path("copy")), "hello\n" * 50000)
        return result
