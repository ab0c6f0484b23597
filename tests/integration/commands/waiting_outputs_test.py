"""Outputs of instances that end before an earlier one: files of their own at once, all others in order and bounded."""
import hashlib
import json
import os
import signal
import subprocess
import time

import harness
from harness import WOA, WoaTest, read

# An odd first byte takes its time.
GRAPH = ("woa: 1\ngraph: unequal\ninputs: {text: {type: bytes, max: 64KiB}}\nstages:\n"
         "  way: {kernel: route, in: {data: text}, on: 'cpu:0'}\n"
         "  slow: {kernel: fail_if, in: {data: way.odd}, params: {delay_ms: MS}, on: 'cpu:1'}\n"
         "outputs: {text: [way.even, slow.data]}\n")


class Waiting(WoaTest):
    def graph(self, delay_ms):
        return self.write("unequal.yaml", GRAPH.replace("MS", str(delay_ms)))

    def test_files_of_their_own_are_written_at_once(self):
        os.mkdir(self.path("in"))
        for k, text in enumerate(("1 slow", "2 fast", "4 fast")):
            self.write(f"in/{k}", text)
        running = subprocess.Popen([WOA, "run", self.graph(60000), "--in", "text=" + self.path("in"), "--out", "text=" + self.path("out%i")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.monotonic() + harness.LIMIT_S
        while not (os.path.exists(self.path("out1")) and os.path.exists(self.path("out2"))) and time.monotonic() < until:
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        _, error = running.communicate(timeout=harness.LIMIT_S)
        self.assertIn(", 2 of 3 instances done", error.decode())
        self.assertEqual([read(self.path(f"out{k}")) for k in (1, 2)], ["2 fast", "4 fast"])

    def test_without_json_their_number_stands_in_place_of_the_digest(self):
        text = self.write("text", "2 fast")
        for more, expected in (((), "output text: 12 bytes in 2 files"), (("--json",), None)):
            done = self.woa("run", self.graph(0), "--in", "text=" + text, "--instances", "2", "--out", "text=" + self.path("out%i"), *more)
            if expected:
                self.assertIn(expected, done.stdout.decode())
            elif (digest := json.loads(done.stdout)["outputs"][0]["sha256"]) is not None:
                self.assertEqual(digest, hashlib.sha256(b"2 fast" * 2).hexdigest())

    def begun_before_the_first_ended(self, *options):
        lines = ["1 slow", *(f"2 {k:04}" + 1000 * "x" for k in range(40))]
        trace, out = self.path("trace.json"), self.path("out")
        done = subprocess.run([WOA, "run", self.graph(1500), "--in", "text=-", "--frames", "text=lines", "--out", "text=" + out, "--window", "64",
                               "--trace", trace, *options], input="\n".join(lines).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                              timeout=harness.LIMIT_S)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(read(out), "".join(lines))
        events = [event for event in json.loads(read(trace))["traceEvents"] if event["ph"] == "X"]
        end = next(event["ts"] + event["dur"] for event in events if event["name"] == "slow")
        return sum(event["name"] == "way" and event["ts"] < end for event in events)

    def test_memory_bounds_the_instances_at_once(self):
        text = self.write("text", "2 fast")
        most, one = (self.run_json(self.graph(0), "--in", "text=" + text, "--instances", "2000", *options)["memory"]
                     for options in ((), ("--memory", "1")))
        self.assertEqual((one["most_bytes"], most["held_s"]), (1, 0))
        self.assertGreater(one["held_s"], 0)
        self.assertGreater(one["bytes"], 0)

    def test_what_waits_for_an_earlier_instance_is_bounded(self):
        self.assertEqual(self.begun_before_the_first_ended(), 41)
        begun = self.begun_before_the_first_ended("--waiting", "4KiB")
        self.assertGreaterEqual(begun, 6)
        self.assertLess(begun, 41)


if __name__ == "__main__":
    harness.main()
