"""Blocks for a throughput: `--buffers throughput` gives edges no more than that needs."""
import json
import re

import harness
from placement_harness import GRAPH, PlacementTest


class ThroughputBlocks(PlacementTest):
    # At `last`, the token of the short path waits for that of the long one.
    DETOUR = ("woa: 1\ngraph: three\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
              "  first: {kernel: copy, in: {data: data}, on: \"cpu:0\"}\n"
              "  one:   {kernel: copy, in: {data: first.data}, on: \"cpu:1\"}\n"
              "  two:   {kernel: copy, in: {data: one.data}, on: \"cpu:2\"}\n"
              "  last:  {kernel: join2, in: {a: two.data, b: first.data}, on: \"cpu:3\"}\n"
              "outputs: {data: last.data}\n")
    DETOUR_TIMES = {name: {"cpu": 10_000_000} for name in ("first", "one", "two", "last")}

    def compile_detour(self, *more, code=0):
        return self.compile(*more, graph=self.DETOUR, times=self.DETOUR_TIMES, code=code)

    def blocks(self, *more):
        """USED by edge, and bytes of all, of the plan that was compiled last."""
        done = self.woa("explain", self.path("three.plan"), "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        edges = json.loads(done.stdout)["edges"]
        for edge in edges:
            self.assertIn(edge["memory_bytes"], (0, edge["used"] * edge["block_bytes"]))
            self.assertGreater(edge["used"], edge["live"] - 1)
        return {edge["to"]: edge["used"] for edge in edges}, sum(edge["memory_bytes"] for edge in edges)

    def test_blocks_for_a_throughput_are_fewer_and_do_the_same(self):
        self.compile_detour("--window", "8")
        full, all_bytes = self.blocks()
        from_plan = self.blocks("--buffers", "throughput")
        expected = self.outputs("woa")[1]
        self.compile_detour("--window", "8", "--buffers", "throughput")
        used, some_bytes = self.blocks()
        self.assertEqual((used, some_bytes), from_plan)
        self.assertEqual(self.verify().returncode, 0)
        self.assertLess(some_bytes, all_bytes)
        # A token for `last` is away for 40 us and three hops, the news of its end for another hop: five at one every 10
        # us.
        self.assertEqual((used["last.b"], used["first.data"]), (5, 3))
        self.assertTrue(all(2 <= used[edge] <= full[edge] for edge in full))
        self.assertEqual(self.outputs("woa")[1], expected)
        least_bytes = self.blocks("--buffers", "least")[1]
        self.assertLess(least_bytes, some_bytes)
        # Fewer blocks suffice for a longer period.
        self.compile_detour("--window", "8", "--buffers", "throughput", "--max-period", "20us")
        seldom, seldom_bytes = self.blocks()
        self.assertTrue(all(seldom[edge] <= used[edge] for edge in used))
        self.assertLess(seldom_bytes, some_bytes)
        self.assertEqual(self.verify().returncode, 0)

    def test_a_run_takes_blocks_for_a_throughput(self):
        self.compile_detour()
        data = "data=" + self.write("data", "x" * 100)
        shas = []
        for more in ((), ("--buffers", "throughput")):
            answer = self.run_json(self.path("three.yaml"), "--machine", self.path("machine.yaml"), "--profile", self.path("profile.json"),
                                   "--in", data, "--instances", "20", *more)
            self.assertEqual(answer["failures"], [])
            shas.append([output["sha256"] for output in answer["outputs"]])
        self.assertEqual(shas[0], shas[1])

    def test_a_throughput_that_no_blocks_give(self):
        error = self.compile_detour("--window", "2", "--buffers", "throughput", code=1)
        self.assertIn("with --window 2 and all blocks of the plan an instance comes every", error)
        self.assertIn("its PERIOD is 10 us; compile the graph with a larger --window (", error)
        window = re.search(r"\(([0-9]+) is enough\)", error).group(1)
        self.compile_detour("--window", window, "--buffers", "throughput")
        period = re.search(r"--max-period ([0-9]+[num]?s)", error).group(1)
        self.compile_detour("--window", "2", "--buffers", "throughput", "--max-period", period)
        self.assertIn("E0631", self.compile_detour("--max-period", "9us", "--buffers", "throughput", code=1))

    def test_blocks_for_a_throughput_need_costs(self):
        graph, plan = self.write("three.yaml", GRAPH), self.path("three.plan")
        for command in (("compile", graph), ("explain", graph), ("run", graph, "--in", "data=" + self.write("data", "x"))):
            self.refused(self.woa(*command, "--buffers", "throughput"), 2, "give --profile FILE")
        self.assertEqual(self.woa("compile", graph, "-o", plan).returncode, 0)
        self.refused(self.woa("explain", plan, "--buffers", "throughput"), 1, "the plan has no certificate")
        self.assertIn("for call model woa alone", self.compile_detour("--model", "rpc-hub", "--buffers", "throughput", code=1))
        self.assertEqual(self.woa("compile", graph, "--buffers", "some").returncode, 2)


if __name__ == "__main__":
    harness.main()
