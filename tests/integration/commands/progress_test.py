"""A command that takes more than a second reports its progress on a terminal, and nowhere else."""
import json
import os
import pty
import random
import subprocess
import threading

import harness
from harness import LIMIT_S, WOA, WoaTest

STAGES, CONTROLLERS = 40, 6


class Progress(WoaTest):
    def on_terminal(self, *arguments):
        """A command's exit code, and what it prints on the terminal that its stderr is."""
        try:
            leader, follower = pty.openpty()
        except OSError as error:  # a container without devpts
            self.skip("terminal", str(error))
        command = subprocess.Popen([WOA, *arguments], stdout=subprocess.DEVNULL, stderr=follower)
        hangs = threading.Timer(LIMIT_S, command.kill)
        hangs.start()
        os.close(follower)
        printed = b""
        try:
            while chunk := os.read(leader, 4096):
                printed += chunk
        except OSError:  # the other end is closed: all was read
            pass
        os.close(leader)
        code = command.wait()
        hangs.cancel()
        return code, printed.decode()

    def hard_to_place(self):
        """Many stages whose times differ, for the least period: no search ends before its limit."""
        stages = "".join(f"  s{s}: {{kernel: copy, in: {{data: {f's{s - 1}.data' if s else 'data'}}}}}\n" for s in range(STAGES))
        graph = self.write("hard.yaml", "woa: 1\ngraph: hard\ninputs: {data: {type: bytes, max: 64}}\nstages:\n" + stages
                           + f"outputs: {{data: s{STAGES - 1}.data}}\n")
        facts = self.woa("check", graph, "--json")
        self.assertEqual(facts.returncode, 0, facts.stderr.decode())
        draw = random.Random(4)
        times = {f"s{s}": {"firings": 1, "on": {"cpu": {"time_ps": draw.randrange(10**10, 10**11)}}} for s in range(STAGES)}
        ends = ["source.data"] + [f"s{s}.data" for s in range(STAGES)] + ["sink.data"]
        edges = [{"from": a, "to": b, "tokens": 1, "bytes": 64} for a, b in zip(ends, ends[1:])]
        profile = self.write("hard.profile", json.dumps({"woa_profile": 1, "graph": "hard", "graph_hash": json.loads(facts.stdout)["graph_hash"],
                                                         "stages": times, "edges": edges}))
        machine = self.write("hard.machine", "woa_machine: 1\ncontrollers: {%s}\ndefault_link: {latency: 1us, bandwidth: 1GB/s}\n"
                             % ", ".join(f'"cpu:{c}": {{}}' for c in range(CONTROLLERS)))
        return [graph, "--profile", profile, "--machine", machine, "--objective", "throughput"]

    def test_a_long_search_says_what_it_is_at_and_how_long_that_may_take(self):
        code, printed = self.on_terminal("compile", *self.hard_to_place(), "--placement-limit", "4s", "-o", self.path("hard.plan"))
        self.assertEqual(code, 0, printed)
        self.assertIn("\rlooking for a placement for woa: 1 s (limit 4 s)\x1b[K", printed)
        self.assertTrue(printed.endswith("\r\x1b[K"), repr(printed))

    def test_it_is_said_on_a_terminal_alone(self):
        done = self.woa("compile", *self.hard_to_place(), "--placement-limit", "2s", "-o", self.path("hard.plan"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    harness.main()
