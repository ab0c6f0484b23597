"""Graphs that are placed by profiles made by hand, whose best placement is known."""
import json

from harness import WoaTest

GRAPH = ("woa: 1\ngraph: three\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
         "  one:   {kernel: copy, in: {data: data}}\n"
         "  two:   {kernel: copy, in: {data: one.data}}\n"
         "  three: {kernel: copy, in: {data: two.data}}\n"
         "outputs: {data: three.data}\n")


def machine(latency, fpga="", links=""):
    return ("woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}, \"fpga:0\": {" + fpga + "}}\n"
            f"default_link: {{latency: {latency}, bandwidth: 1GB/s}}\n" + links)


class PlacementTest(WoaTest):
    def profile_of(self, graph, times):
        """A profile by hand: picoseconds of each stage by kind of controller."""
        facts = self.woa("profile", graph, "--in", "data=" + self.write("data", "x" * 100), "-o", self.path("measured.json"), "--seconds", "1",
                         "--repetitions", "3")
        self.assertEqual(facts.returncode, 0, facts.stderr.decode())
        with open(self.path("measured.json")) as file:
            profile = json.load(file)
        entry = lambda time: time if isinstance(time, dict) else {"time_ps": time}
        profile["stages"] = {name: {"firings": 1, "on": {kind: entry(time) for kind, time in kinds.items()}}
                             for name, kinds in times.items()}
        profile["source_ps"] = 0
        return self.write("profile.json", json.dumps(profile))

    def compile(self, *more, graph=GRAPH, times=None, latency="1us", fpga="", links="", code=0):
        graph = self.write("three.yaml", graph)
        times = times or {name: {"cpu": 10_000_000, "fpga": 4_000_000} for name in ("one", "two", "three")}
        done = self.woa("compile", graph, "--machine", self.write("machine.yaml", machine(latency, fpga, links)), "--profile",
                        self.profile_of(graph, times), "-o", self.path("three.plan"), "--json", *more)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return json.loads(done.stdout) if code == 0 else done.stderr.decode()

    def verify(self, *more):
        return self.woa("verify", self.path("three.plan"), *more)

    def outputs(self, model):
        done = self.woa("run", self.path("three.plan"), "--model", model, "--in", "data=" + self.write("data", "x" * 100), "--instances", "20", "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        answer = json.loads(done.stdout)
        return answer, {output["name"]: output["sha256"] for output in answer["outputs"]}
