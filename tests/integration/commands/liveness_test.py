"""Blocks: `woa verify` shows that they are enough, and with no more than that every example runs to its end.

WOA_LIVE_RUNS_PER_CONTROLLER sets how many runs are made of the examples, in turn, with a random window and call model.
"""
import json
import os
import random

import graphs_test
import harness
from harness import SOURCE, WoaTest, read

RUNS = int(os.environ.get("WOA_LIVE_RUNS_PER_CONTROLLER", "13"))
INSTANCES = 20


class Liveness(WoaTest):
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
            for model in ("woa", "rpc-fused", "rpc-hub"):
                with self.subTest(graph=name, model=model):
                    plan = self.compile(name, "--model", model)
                    done = self.woa("verify", plan, "--json")
                    self.assertEqual(done.returncode, 0, done.stderr.decode())
                    liveness = json.loads(done.stdout)["liveness"]
                    self.assertEqual(liveness["claimed"], 0)
                    self.assertEqual(liveness["edges"], len(self.explain(plan)))
                    self.assertEqual(liveness["least"], sum(edge["least"] for edge in self.explain(plan)))

    def test_least_buffers_are_the_live_ones(self):
        graph = self.graph("loop")
        for edge in self.explain(graph, "--buffers", "least"):
            self.assertEqual(edge["used"], edge["live"])
        self.assertTrue(all(edge["used"] > edge["live"] for edge in self.explain(graph)))
        plan = self.compile("loop")
        self.assertEqual(self.explain(plan, "--buffers", "least"), self.explain(graph, "--buffers", "least"))

    def test_runs_at_exactly_the_live_size(self):
        chance = random.Random(5)
        examples = list(graphs_test.EXPECTED.items())
        for run in range(RUNS):
            name, (inputs, outputs) = examples[run % len(examples)]
            window, model = chance.randint(1, 8), chance.choice(("woa", "rpc-fused", "rpc-hub"))
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
