"""woa run --lane: lanes on providers of their own, in one run with each other and with shared memory."""
import json
import os
import shutil
import signal
import time

import harness
from harness import WOA, read
from join_harness import JoinTest

TCP, UDP = "tcp;ofi_rxm", "udp;ofi_rxd"
INSTANCES = 100
# Two inputs go through cpu:0 and cpu:1 to an output each: one on the lane quick, the other on bulk.
GRAPH = """woa: 1
graph: lanes
inputs: {small: {type: bytes, max: 1KiB}, big: {type: bytes, max: 256KiB}}
stages:
  a: {kernel: copy, in: {data: {from: small, lane: quick}}, on: 'cpu:0'}
  b: {kernel: copy, in: {data: {from: big, lane: bulk}}, on: 'cpu:0'}
  c: {kernel: copy, in: {data: {from: a.data, lane: quick}}, on: 'cpu:1'}
  d: {kernel: copy, in: {data: {from: b.data, lane: bulk}}, on: 'cpu:1'}
outputs: {small: c.data, big: d.data}
"""
NAMED = {"source.small", "a.data", "source.big", "b.data"}  # writers of the edges that name a lane


class Lanes(JoinTest):
    def setUp(self):
        super().setUp()
        self.graph = self.write("lanes.yaml", GRAPH)
        self.small, self.big = os.urandom(700), os.urandom(200000)
        self.inputs = ("--in", "small=" + self.write("small", self.small), "--in", "big=" + self.write("big", self.big))
        self.files = ("--out", "small=" + self.path("small.out"), "--out", "big=" + self.path("big.out"))

    def run_lanes(self, *more):
        command = (self.graph, *self.inputs, *self.files, "--instances", str(INSTANCES), *more)
        first = self.woa("run", *command)
        self.skip_without_libraries(first.returncode, first.stderr.decode())
        return self.run_json(*command)

    def check(self, result, quick, bulk, others):
        """Each edge went as said, the outputs are the inputs, and each provider's endpoints sent what its edges brought."""
        self.assertEqual(read(self.path("small.out"), "rb"), self.small * INSTANCES)
        self.assertEqual(read(self.path("big.out"), "rb"), self.big * INSTANCES)
        expected = {}
        for edge in result["edges"]:
            provider = {"quick": quick, "bulk": bulk, "": others}[edge["lane"]]
            self.assertEqual(edge["lane"] != "", edge["from"] in NAMED)
            self.assertEqual((edge["provider"], edge["transport"]), (provider, "shm" if provider is None else "ofi"))
            self.assertEqual(edge["messages"], INSTANCES)
            expected[provider] = expected.get(provider, 0) + INSTANCES
        expected.pop(None, None)
        counts = {entry["provider"]: entry["packets"] for entry in result["providers"]}
        self.assertEqual(set(counts), set(expected))
        greetings = 3 * 2  # of each process to each other
        for provider, messages in expected.items():
            self.assertGreaterEqual(counts[provider], messages)
            self.assertLessEqual(counts[provider], messages + greetings + (result["control"] if provider == others else 0))

    def test_a_lane_on_a_provider_beside_shared_memory(self):
        self.check(self.run_lanes("--lane", "bulk=" + TCP), None, TCP, None)

    def test_two_lanes_on_two_providers_beside_shared_memory(self):
        result = self.run_lanes("--lane", "bulk=" + TCP, "--lane", "quick=" + UDP)
        self.check(result, UDP, TCP, None)
        self.assertEqual([entry["lanes"] for entry in result["providers"]], [["bulk"], ["quick"]])

    def test_a_lane_on_another_provider_than_all_others(self):
        result = self.run_lanes("--transport", "ofi", "--lane", "quick=" + UDP)
        self.check(result, UDP, TCP, TCP)
        self.assertEqual([entry["lanes"] for entry in result["providers"]], [["", "bulk"], ["quick"]])

    def test_a_lane_bound_to_the_provider_of_all_others_shares_its_endpoint(self):
        result = self.run_lanes("--transport", "ofi", "--lane", "bulk=" + TCP)
        self.check(result, TCP, TCP, TCP)
        self.assertEqual(len(result["providers"]), 1)

    def test_rpc_hub_keeps_the_lanes(self):
        result = self.run_lanes("--lane", "bulk=" + TCP, "--model", "rpc-hub")
        self.assertEqual(read(self.path("big.out"), "rb"), self.big * INSTANCES)
        self.assertEqual({edge["provider"] for edge in result["edges"] if edge["lane"] == "bulk" and edge["transport"] != "local"}, {TCP})
        self.assertEqual(result["providers"][0]["lanes"], ["bulk"])

    def test_what_cannot_be_bound(self):
        def refused(code, *texts, lanes, more=()):
            arguments = [word for lane in lanes for word in ("--lane", lane)]
            done = self.woa("run", self.graph, *self.inputs, *arguments, *more)
            self.skip_without_libraries(done.returncode, done.stderr.decode())
            self.refused(done, code, *texts)
        refused(2, "--lane", "names lane 'slow'; there are: 'bulk', 'quick'", lanes=["slow=" + TCP])
        refused(2, "lane 'bulk' is bound already", lanes=["bulk=" + TCP, "bulk=" + UDP])
        refused(3, "--lane bulk=nothing", "provider 'nothing'", f"'{TCP}'", lanes=["bulk=nothing"])
        refused(3, "'sockets'", lanes=["bulk=sockets"])
        for form in ("bulk", "bulk=", "=" + TCP):
            refused(2, "expected NAME=PROVIDER", lanes=[form])
        refused(2, "--processes per-controller", lanes=["bulk=" + TCP], more=("--processes", "one"))
        hello = self.woa("run", os.path.join(harness.SOURCE, "graphs/hello.yaml"), "--in", "text=" + self.path("small"), "--lane", "bulk=" + TCP)
        self.refused(hello, 2, "no edge of the plan names lane 'bulk'; none names any")

    def start_long_run(self, *more):
        out = self.path("small")  # a file for each instance: one for all appears at the end
        os.makedirs(out + "s")
        run = self.start([WOA, "run", self.graph, *self.inputs, "--out", f"small={out}s/%i", "--instances", "1000000000", "--json", *more])
        return run, out + "s/0"

    def await_results(self, run, out):
        end = time.monotonic() + harness.LIMIT_S
        while not os.path.exists(out) or os.path.getsize(out) == 0:
            if run.process.poll() is not None:
                self.skip_without_libraries(run.end(), run.error)
            self.assertIsNone(run.process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_a_killed_node_ends_a_run_on_two_providers(self):
        for more in ((), ("--transport", "ofi")):
            run, out = self.start_long_run("--lane", "bulk=" + TCP, "--lane", "quick=" + UDP, *more)
            self.await_results(run, out)
            nodes = read(f"/proc/{run.process.pid}/task/{run.process.pid}/children").split()
            self.assertEqual(len(nodes), 2)
            os.kill(int(nodes[1]), signal.SIGKILL)
            begin = time.monotonic()
            self.assertEqual(run.end(), 1, run.error)
            self.assertLess(time.monotonic() - begin, 10)  # ten times the promise
            self.assertIn("cpu:1", run.error)
            self.assertEqual(json.loads(run.out)["error"]["code"], "peer_lost")
            shutil.rmtree(os.path.dirname(out))

    def joined(self, run_more, node_more):
        run = self.start([WOA, "run", self.graph, *self.inputs, *self.files, "--instances", str(INSTANCES), "--json", "--nodes", "1",
                          "--listen", "lo", "--secret", self.secret, "--wait", str(int(harness.LIMIT_S)), *run_more])
        try:
            address = run.says(r"woa node --join (\S+)").group(1)
        except AssertionError:
            self.skip_without_libraries(run.end(), run.error)
            raise
        return run, self.start_node(address, "--controller", "cpu:1", *node_more)

    def test_a_node_that_joined_takes_part_with_the_same_lanes(self):
        lane = ("--lane", "quick=" + UDP)
        run, node = self.joined(lane, lane)
        self.assertEqual(run.end(), 0, run.error)
        self.assertIn(f"woa node --join", run.error)
        self.assertIn(f"--lane 'quick={UDP}'", run.error)  # how to start it
        self.assertEqual(node.end(), 0, node.error)
        result = json.loads(run.out)
        self.assertEqual(read(self.path("big.out"), "rb"), self.big * INSTANCES)
        providers = {(edge["from"], edge["to"]): edge["provider"] for edge in result["edges"]}
        self.assertEqual(providers[("source.small", "a.data")], UDP)
        self.assertEqual(providers[("source.big", "b.data")], None)
        self.assertEqual(providers[("a.data", "c.data")], UDP)
        self.assertEqual(providers[("b.data", "d.data")], TCP)

    def test_a_node_that_joined_with_other_lanes_is_refused(self):
        # Versions of libfabric share these two providers alone.
        for node_more, text in (((), "takes 2 providers and this node has 1; give it the run's --provider, and each --lane"),
                                (("--provider", UDP, "--lane", "quick=" + TCP), "name the same one on both")):
            run, node = self.joined(("--lane", "quick=" + UDP), node_more)
            self.assertNotEqual(run.end(), 0)
            self.assertIn("cpu:1", run.error)
            self.assertIn(text, run.error)
            self.assertNotEqual(node.end(), 0)


if __name__ == "__main__":
    harness.main()
