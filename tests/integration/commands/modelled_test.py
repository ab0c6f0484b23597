"""Modelled times: such a plan is placed, predicted, certified and verified, says in every output that it is modelled, and does not run."""
import json
import os

import harness
from placement_harness import PlacementTest

TIMES = {"one": {"cpu": 10_000_000},
         "two": {"cpu": 10_000_000, "gpu:0": {"time_ps": 1000, "modelled": True, "resources": {"memory": "1MiB"}}},
         "three": {"cpu": 10_000_000}}
GRAPH = ("woa: 1\ngraph: three\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
         "  one:   {kernel: copy, in: {data: data}}\n"
         "  two:   {kernel: route, in: {data: one.data}}\n"
         "  three: {kernel: copy, in: {data: [two.even, two.odd]}}\n"
         "outputs: {data: three.data}\n")
WHY = ("error[unsupported]", "stage 'two' on gpu:0 is modelled", "kernel 'route'", "remove `modelled` entries (`gpu`)")


class Modelled(PlacementTest):
    def compiled(self, *more):
        """The JSON of a plan whose stage `two` is on a gpu that its kernel has no variant for."""
        return self.compile("--machine", self.write("gpu.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"gpu:0\": {memory: 1GiB}}\n"
                                                    "default_link: {latency: 1us, bandwidth: 1GB/s}\n"), *more)

    def compile(self, *more):
        graph = self.write("three.yaml", GRAPH)
        done = self.woa("compile", graph, "--profile", self.profile_of(graph, TIMES), "-o", self.path("three.plan"), "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)

    def text(self, *arguments):
        done = self.woa(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def given(self):
        return ["--machine", self.path("gpu.yaml"), "--profile", self.path("profile.json")]

    def test_every_output_says_so(self):
        answer = self.compiled()
        plan = self.path("three.plan")
        self.assertEqual(answer["placement"]["two"], "gpu:0")
        for told in (answer, json.loads(self.text("verify", plan, "--json")), json.loads(self.text("explain", plan, "--json"))):
            self.assertEqual(told["modelled"], ["two"])
            self.assertTrue(told["certificate"]["modelled"])
            self.assertEqual(told["certificate"]["status"], "proved")
        summary = "modelled: times of 1 stage were not measured, and the plan does not run"
        self.assertIn(summary, self.text("verify", plan))
        self.assertRegex(self.text("explain", plan, "--dot", self.path("dot")), r"(?s)two +gpu:0, modelled .*")
        self.assertRegex(self.text("compile", self.path("three.yaml"), *self.given()), rf"(?s){summary}\n.*two +route +modelled +gpu:0\n")
        dot = harness.read(self.path("dot"))
        self.assertIn("modelled: it does not run", dot)
        self.assertRegex(dot, r'label="two\\nroute\\n[^"]*, modelled", shape=box, style="filled,dashed"')

    def test_a_plan_of_measured_times_is_not_called_so(self):
        graph = self.write("three.yaml", GRAPH)
        times = {name: {"cpu": 10_000_000} for name in TIMES}
        done = self.woa("compile", graph, "--profile", self.profile_of(graph, times), "-o", self.path("three.plan"), "--json")
        answer = json.loads(done.stdout)
        self.assertEqual((answer["modelled"], answer["certificate"]["modelled"]), ([], False))
        self.assertNotIn("modelled", self.text("verify", self.path("three.plan")))
        self.run_json(self.path("three.plan"), "--in", "data=" + self.path("data"))

    def test_it_does_not_run(self):
        self.compiled()
        data, out = "data=" + self.path("data"), self.path("out")
        for processes in ("one", "per-controller"):
            self.refused(self.woa("run", self.path("three.plan"), "--in", data, "--out", "data=" + out, "--processes", processes), 1, *WHY)
            self.refused(self.woa("run", self.path("three.yaml"), *self.given(), "--in", data, "--processes", processes), 1, *WHY)
        done = self.woa("run", self.path("three.plan"), "--in", data, "--json")
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "unsupported")
        self.assertFalse(os.path.exists(out))

    def test_compare_predicts_and_does_not_run_it(self):
        self.compiled()
        given = ["compare", self.path("three.yaml"), *self.given()]
        models = json.loads(self.text(*given, "--json"))["models"]
        self.assertEqual({tuple(row["modelled"]) for row in models if row["model"] == "woa"}, {("two",)})
        self.assertRegex(self.text(*given), r"woa .*, modelled\n")
        self.refused(self.woa(*given, "--in", "data=" + self.path("data"), "--run"), 1, "--run, woa", *WHY)


if __name__ == "__main__":
    harness.main()
