"""`woa compare`: five call models, each at its own best placement; with --run what they send is what was said before."""
import json
import os
import shutil
import subprocess
import sys

import harness
from harness import SOURCE, WoaTest

MODELS = ["woa", "rpc-fused", "rpc-hub", "rpc-nested", "rpc-polled"]
FLAGSHIP = os.path.join(SOURCE, "graphs/decrypt-expand-resize.yaml")


class Compare(WoaTest):
    def compare(self, graph, *arguments, code=0):
        done = self.woa("compare", graph, *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return json.loads(done.stdout)

    def example(self, name):
        return os.path.join(SOURCE, "graphs", name + ".yaml")

    def check_measured(self, answer):
        self.assertEqual([row["model"] for row in answer["models"]], MODELS)
        digests = set()
        for row in answer["models"]:
            with self.subTest(row["model"]):
                self.assertNotIn("cannot_run", row)
                self.assertNotIn("failed", row)
                self.assertEqual(row["measured"]["messages"], row["messages"])
                self.assertEqual(row["measured"]["payload_bytes"], row["payload_bytes"])
                self.assertGreater(row["measured_us"], 0)
                self.assertGreater(row["peak_buffer_bytes"], 0)
                digests.add(json.dumps(row["outputs"]))
        self.assertEqual(len(digests), 1)
        return {row["model"]: row for row in answer["models"]}

    def need_flagship(self):
        if shutil.which("cjpeg") is None:
            self.skip("djpeg", "cjpeg is not installed")
        for kernel, library in harness.LIBRARY_OF.items():
            reason = os.path.join(harness.BUILD, "kernels", kernel, "unavailable.txt")
            if os.path.exists(reason):
                self.skip(library, harness.read(reason).strip())
        for device in json.loads(self.woa("devices", "--json").stdout)["devices"]:
            if device["backend"] in ("opencl", "verilator") and not device["available"]:
                self.skip(device["backend"], device["reason"])

    def test_the_flagship_under_five_models(self):
        self.need_flagship()
        rows = bytearray(b"P6\n64 48\n255\n") + bytes((x * 3 + y) % 256 for y in range(48) for x in range(64 * 3))
        jpeg = self.path("photo.jpg")
        subprocess.run(["cjpeg", "-outfile", jpeg, self.write("photo.ppm", bytes(rows))], check=True)
        key = self.write("key.hex", "00112233445566778899aabbccddeeff" * 2 + "\n")
        self.run_json(self.example("encrypt"), "--in", "plain=" + jpeg, "--param", "encrypt.key_file=" + key, "--out",
                      "packet=" + self.path("photo.enc"))
        arguments = ["--in", "packet=" + self.path("photo.enc"), "--param", "decrypt.key_file=" + key, "--param", "resize.width=96", "--param",
                     "resize.height=71", "--repetitions", "3", "--run"]
        rows = self.check_measured(self.compare(FLAGSHIP, *arguments))
        self.assertEqual([rows[model]["messages"] for model in MODELS], [6, 10, 10, 10, 25])  # k + 1, 2k, 2k, 2k, 5k
        self.assertEqual([rows[model]["hops"] for model in MODELS], [6, 10, 10, 10, 25])
        self.assertLess(rows["woa"]["payload_bytes"], rows["rpc-hub"]["payload_bytes"])
        text = self.woa("compare", FLAGSHIP, *arguments).stdout.decode()
        for model in MODELS:
            self.assertRegex(text, rf"(?m)^{model} .*proved$")
        self.assertIn("predicted and measured", text)
        self.assertIn("The outputs are the same.", text)

    # What has no way back, or no answer to a poll (docs/call-models.md).
    REFUSED = {"accumulate": {"rpc-nested"}, "branch": {"rpc-nested"}, "hold": {"rpc-nested"}, "loop": {"rpc-nested"}, "merge": {"rpc-nested"},
               "nested-loop": {"rpc-nested"}, "replicas": {"rpc-nested", "rpc-polled"}, "scatter": {"rpc-nested", "rpc-polled"},
               "subgraph": {"rpc-nested"}}

    def test_examples_send_what_was_predicted(self):
        self.need_flagship()
        bench = os.path.join(SOURCE, "bench/compiler/predictions.py")
        machine = self.write("machine.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}, \"cpu:2\": {}, \"cpu:3\": {}, "
                             "\"gpu:0\": {}, \"fpga:0\": {}}\ndefault_link: {latency: 1us, bandwidth: 1GB/s}\n")
        done = subprocess.run([sys.executable, "-B", bench, "--woa", harness.WOA, "--machine", machine, "--repetitions", "1", "--processes", "one",
                               "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10 * harness.LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())
        rows = json.loads(done.stdout)["rows"]
        ran = {(row["graph"], row["model"]) for row in rows if row.get("exact")}
        examples = {name[:-5] for name in os.listdir(os.path.join(SOURCE, "graphs")) if name.endswith(".yaml")}
        self.assertLessEqual(examples, {graph for graph, _ in ran})
        for row in rows:
            with self.subTest(row["graph"], model=row["model"]):
                self.assertEqual("exact" not in row, row["model"] in self.REFUSED.get(row["graph"], ()), row["why"])

    def test_the_prediction_is_in_the_plan(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        data = self.write("data", "x" * 100)
        for model in MODELS:
            with self.subTest(model):
                plan = self.path(model + ".plan")
                done = self.woa("compile", graph, *known, *self.machine(), "--model", model, "-o", plan)
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                before = harness.read(plan, "rb")
                done = self.woa("verify", plan, "--json")
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                prediction = json.loads(done.stdout)["certificate"]["prediction"]
                ran = self.run_json(plan, "--in", "data=" + data)
                self.assertEqual(prediction["messages"], ran["messages"])
                self.assertEqual(prediction["payload_bytes"], ran["payload_bytes"])
                self.assertEqual(harness.read(plan, "rb"), before)

    def profile(self, text):
        graph = self.write("graph.yaml", text)
        profile = self.path("profile.json")
        done = self.woa("profile", graph, "--in", "data=" + self.write("data", "x" * 100), "-o", profile, "--repetitions", "3")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return graph, ["--profile", profile]

    def machine(self):
        return ["--machine", self.write("machine.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}}\n"
                                        "default_link: {latency: 100us, bandwidth: 1GB/s}\n")]

    TWO = ("woa: 1\ngraph: two\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
           "  one: {kernel: copy, in: {data: data}, on: \"cpu:0\"}\n  two: {kernel: copy, in: {data: one.data}, on: \"%s\"}\n"
           "outputs: {data: two.data}\n")

    def test_gains_and_where_there_are_none(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        even = self.compare(graph, *known, *self.machine())["break_even"]
        self.assertTrue(even["gains"])
        self.assertAlmostEqual(even["ratio"], 4 / 3, delta=0.05)  # copying 100 bytes takes next to nothing
        graph, known = self.profile(self.TWO % "cpu:0")
        answer = self.compare(graph, *known, *self.machine())
        self.assertFalse(answer["break_even"]["gains"])
        self.assertIn("all stages are on one controller", answer["break_even"]["why_nothing"])
        rows = {row["model"]: row for row in answer["models"]}
        self.assertEqual(rows["woa"]["predicted_us"], rows["rpc-fused"]["predicted_us"])
        self.assertNotIn("measured_us", rows["woa"])
        done = self.woa("compare", graph, *known, *self.machine())
        self.assertIn("WOA gains nothing here", done.stdout.decode())

    # Between the readers of `one` everything takes long.
    SIDES = ("woa: 1\ngraph: sides\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
             "  one:   {kernel: copy, in: {data: data}}\n"
             "  left:  {kernel: copy, in: {data: one.data}, on: \"cpu:0\"}\n"
             "  right: {kernel: copy, in: {data: one.data}, on: \"cpu:1\"}\n"
             "outputs: {left: left.data, right: right.data}\n")
    FAR = ("woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}}\ndefault_link: {latency: 1us, bandwidth: 1GB/s}\n"
           "links: [{between: [\"cpu:0\", \"cpu:1\"], latency: 10s, bandwidth: 1GB/s}]\n")

    def test_stages_with_copies_send_what_was_predicted(self):
        graph, known = self.profile(self.SIDES)
        given = [*known, "--machine", self.write("far.yaml", self.FAR), "--in", "data=" + self.write("data", "x" * 100), "--run", "--repetitions", "3"]
        answer = self.compare(graph, *given, "--copies", "2")
        rows = self.check_measured(answer)
        self.assertEqual(set(rows["woa"]["placement"]), {"one@cpu:0", "one@cpu:1", "left", "right"})
        self.assertEqual(rows["woa"]["status"], "proved")
        once = self.check_measured(self.compare(graph, *given))
        self.assertEqual(set(once["woa"]["placement"]), {"one", "left", "right"})
        self.assertEqual(rows["woa"]["outputs"], once["woa"]["outputs"])
        self.assertIn("no token goes from one of the controllers to another", answer["break_even"]["why_nothing"])

    def test_bad_usage(self):
        hello = self.example("hello")
        for arguments, reason in (((hello,), "what stages take is not known"), ((hello, "--run", "--profile", "p.json"), "needs --in")):
            done = self.woa("compare", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr.decode())
            self.assertIn(reason, done.stderr.decode())
        done = self.woa("compare", hello, "--in", "text=" + self.path("nowhere"))
        self.assertEqual(done.returncode, 1, done.stderr.decode())
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", hello, "-o", plan).returncode, 0)
        done = self.woa("compare", plan, "--in", "text=" + self.write("in", "x"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("give the graph", done.stderr.decode())


if __name__ == "__main__":
    harness.main()
