"""Blocks: `woa verify` shows that they are enough, and with no more than that every example runs to its end. Plans whose
blocks were altered are refused, or run with those.

WOA_LIVE_RUNS_PER_CONTROLLER sets how many runs are made of the examples, in turn, with a random window and call model.
"""
import json
import os
import random
import struct

import graphs_test
import harness
from harness import SANITIZED, SOURCE, WoaTest, read

RUNS = int(os.environ.get("WOA_LIVE_RUNS_PER_CONTROLLER", "15" if SANITIZED else "50"))
INSTANCES = 20
MODELS = ("woa", "rpc-fused", "rpc-hub", "rpc-nested", "rpc-polled")

LIVE, USED = 8, 9  # fields of an edge in runtime/plan/plan_fields.h
EDGES = 7  # of a plan


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data, begin, end):
    """Number and place of each field of a protobuf message; of those that are no varint, without their length."""
    at = begin
    while at < end:
        key, at = varint(data, at)
        if key & 7 == 1:
            after = at + 8
        else:
            value, after = varint(data, at)
        if key & 7 == 2:
            at, after = after, after + value
        yield key >> 3, at, after
        at = after


def altered(plan, change):
    """The bytes of a plan file, with `change`, from field and value to value, made to the blocks of all edges."""
    data = bytearray(plan)
    start = harness.PLAN_HEADER
    for number, begin, end in fields(data, start, len(data)):
        if number != EDGES:
            continue
        for field, at, after in fields(data, begin, end):
            if field in (LIVE, USED):
                assert after == at + 1 and change(field, data[at]) < 128, "it would not fit into its place"
                data[at] = change(field, data[at])
    return harness.sealed(data)


class Liveness(WoaTest):
    def test_a_plan_for_a_model_that_cannot_run_it_is_refused(self):
        plan, changed = self.path("loop.plan"), self.path("changed.plan")
        done = self.woa("compile", os.path.join(SOURCE, "graphs/loop.yaml"), "--model", "rpc-hub", "-o", plan)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        for model, reason in ((b"rpc-hux", "does not exist"), (b"rpc-nested", "has no way back there")):
            with self.subTest(model):
                data = bytearray(read(plan, "rb"))
                self.assertEqual(data.count(b"\x07rpc-hub"), 1)
                data = data.replace(b"\x07rpc-hub", bytes([len(model)]) + model)
                struct.pack_into("<I", data, harness.PLAN_HEADER - 8, len(data) - harness.PLAN_HEADER)
                with open(changed, "wb") as file:
                    file.write(harness.sealed(data))
                done = self.woa("verify", changed)
                self.assertEqual(done.returncode, 1, done.stdout.decode())
                self.assertIn(reason, done.stderr.decode())

    def test_a_plan_for_one_model_may_run_under_another(self):
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", os.path.join(SOURCE, "graphs/hello.yaml"), "--model", "rpc-hub", "-o", plan).returncode, 0)
        text = "text=" + self.write("text", "x")
        self.assertEqual([self.run_json(plan, "--in", text, *model)["messages"] for model in ((), ("--model", "woa"))], [4, 3])

    def graph(self, name):
        return os.path.join(SOURCE, "graphs", name + ".yaml")

    def compile(self, name, *more):
        done = self.woa("compile", self.graph(name), "-o", self.path("a.plan"), *more)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return self.path("a.plan")

    def explain(self, *arguments):
        done = self.woa("explain", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)["edges"]

    def inputs(self, run, inputs):
        """A folder for each input, with a file for each instance."""
        arguments = []
        for name, value in inputs.items():
            os.makedirs(self.path(f"{run}-{name}"))
            for k in range(INSTANCES):
                self.write(f"{run}-{name}/{k:04}", value(k))
            arguments += ["--in", f"{name}={self.path(f'{run}-{name}')}"]
        return arguments

    def test_every_example_is_verified(self):
        for name in graphs_test.EXPECTED:
            edges = self.explain(self.compile(name))
            for model in ("woa", "rpc-fused", "rpc-hub"):
                with self.subTest(graph=name, model=model):
                    plan = self.compile(name, "--model", model)  # what is shown does not depend on it
                    done = self.woa("verify", plan, "--json")
                    self.assertEqual(done.returncode, 0, done.stderr.decode())
                    liveness = json.loads(done.stdout)["liveness"]
                    self.assertEqual(liveness["claimed"], 0)
                    self.assertEqual(liveness["edges"], len(edges))
                    self.assertEqual(liveness["least"], sum(edge["least"] for edge in edges))

    def test_least_buffers_are_the_live_ones(self):
        graph = self.graph("loop")
        for edge in self.explain(graph, "--buffers", "least"):
            self.assertEqual(edge["used"], edge["live"])
        self.assertTrue(all(edge["used"] > edge["live"] for edge in self.explain(graph)))
        plan = self.compile("loop")
        self.assertEqual(self.explain(plan, "--buffers", "least"), self.explain(graph, "--buffers", "least"))

    def test_a_plan_keeps_its_blocks(self):
        graph, plan = self.graph("loop"), self.compile("loop", "--buffers", "least")
        self.assertEqual(self.explain(plan), self.explain(graph, "--buffers", "least"))
        self.assertEqual(self.explain(graph), self.explain(graph, "--buffers", "full"))
        for command in ("explain", "compile"):
            self.refused(self.woa(command, plan, "--buffers", "full"), 2, "--buffers full: the plan has the blocks that it was compiled with; compile the graph again")

    def alter(self, change):
        plan = self.compile("loop", "--buffers", "least")
        return self.write("altered.plan", altered(read(plan, "rb"), change))

    def test_blocks_for_replicas_are_as_many_as_there_is_memory_for(self):
        graph = self.write("many.yaml", "woa: 1\ngraph: many\ninputs: {data: {type: bytes, max: 4KiB}}\nstages:\n"
                           "  cut:   {kernel: split_lines, in: {data: data}}\n  one:   {kernel: copy, in: {data: cut.line}}\n"
                           "  two:   {kernel: copy, in: {data: one.data}, replicas: 4}\n"
                           "  paste: {kernel: join_lines, in: {lines: two.data}}\noutputs: {data: paste.data}\n")
        done = self.woa("check", graph)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        edges = [edge for edge in self.explain(graph) if edge["from"].startswith("one.")]
        self.assertEqual(len(edges), 4)
        for edge in edges:
            self.assertGreaterEqual(edge["used"], edge["live"])

    def test_a_plan_with_fewer_live_blocks_is_refused(self):
        plan = self.alter(lambda field, blocks: 1)
        for command in (["verify", plan], ["explain", plan], ["run", plan, "--in", "n=" + self.write("n", bytes(8))]):
            done = self.woa(*command)
            self.assertEqual((done.returncode, done.stdout), (1, b""), command)
            self.assertRegex(done.stderr.decode(), r"altered\.plan: liveness: the edge from '.*' to '.*' has 1 blocks for "
                                                   r"an instance, which may hold b\(e\) = 2 at once")

    def test_a_plan_with_fewer_blocks_than_live_is_refused(self):
        plan = self.alter(lambda field, blocks: blocks if field == LIVE else 1)
        done = self.woa("run", plan, "--in", "n=" + self.write("n", bytes(8)))
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn("blocks", done.stderr.decode())

    def test_a_plan_with_other_blocks_runs_with_those(self):
        inputs, outputs = graphs_test.EXPECTED["loop"]
        before = self.explain(self.compile("loop"))
        for more in (0, 5):
            plan = self.alter(lambda field, blocks: blocks if field == LIVE else blocks + more)
            edges = self.explain(plan)
            self.assertEqual([(edge["live"], edge["used"]) for edge in edges],
                             [(edge["live"], edge["live"] + more) for edge in before])
            self.assertNotEqual([edge["used"] for edge in edges], [edge["used"] for edge in before])
            where = [f"{output}={self.path(f'{more}-{output}')}-%i" for output in outputs]
            result = self.run_json(plan, *self.inputs(more, inputs), *(word for out in where for word in ("--out", out)))
            self.assertEqual(result["failures"], [])
            for k in range(INSTANCES):
                for output, value in outputs.items():
                    self.assertEqual(read(self.path(f"{more}-{output}-{k}"), "rb"), value(k))

    def test_runs_at_exactly_the_live_size(self):
        chance = random.Random(5)
        examples = list(graphs_test.EXPECTED.items())
        for run in range(RUNS):
            name, (inputs, outputs) = examples[run % len(examples)]
            window = chance.randint(1, 8)
            model = chance.choice([model for model in MODELS if model not in graphs_test.REFUSED.get(name, ())])
            with self.subTest(run=run, graph=name, window=window, model=model):
                plan = self.compile(name, "--buffers", "least", "--window", str(window), "--model", model)
                where = [f"{output}={self.path(f'{run}-out-{output}')}-%i" for output in outputs]
                result = self.run_json(plan, *self.inputs(run, inputs), *(word for out in where for word in ("--out", out)),
                                       "--processes", "per-controller")
                self.assertEqual((result["failures"], result["window"]), ([], window))
                for k in range(INSTANCES):
                    for output, value in outputs.items():
                        path = self.path(f"{run}-out-{output}-{k}")
                        self.assertEqual(read(path, "rb") if os.path.exists(path) else None, value(k))


if __name__ == "__main__":
    harness.main()
