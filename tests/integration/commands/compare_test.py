"""`woa compare`: five call models, each at its own best placement; with --run what they send is what was said before."""
import json
import os
import subprocess

import harness
from harness import SOURCE, WoaTest

MODELS = ["woa", "rpc-fused", "rpc-hub", "rpc-nested", "rpc-polled"]
FLAGSHIP = os.path.join(SOURCE, "graphs/decrypt-expand-resize.yaml")


class Compare(WoaTest):
    def several(self, values):
        """A folder with a file for each."""
        os.makedirs(self.path("several"), exist_ok=True)
        for number, value in enumerate(values):
            self.write(f"several/{number}", value)
        return self.path("several")

    def compare(self, graph, *arguments, code=0):
        done = self.woa("compare", graph, *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return json.loads(done.stdout)

    def example(self, name):
        return os.path.join(SOURCE, "graphs", name + ".yaml")

    def check_measured(self, answer, refused=()):
        self.assertEqual([row["model"] for row in answer["models"]], MODELS)
        digests = set()
        for row in answer["models"]:
            with self.subTest(row["model"]):
                self.assertEqual("cannot_run" in row, row["model"] in refused)
                if "cannot_run" in row:
                    self.assertIn("stage '", row["cannot_run"]["message"])
                    self.assertNotIn("measured", row)
                    continue
                self.assertNotIn("failed", row)
                # Costs count in thousandths: a third of the tokens, for each of three replicas, is not all of them.
                self.assertAlmostEqual(row["measured"]["messages"], row["messages"], delta=0.01 if "[2]" in str(row["placement"]) else 0)
                self.assertAlmostEqual(row["measured"]["payload_bytes"], row["payload_bytes"], delta=9 if "[2]" in str(row["placement"]) else 0)
                self.assertGreater(row["measured_us"], 0)
                self.assertGreater(row["peak_buffer_bytes"], 0)
                digests.add(json.dumps(row["outputs"]))
        self.assertEqual(len(digests), 1)
        return {row["model"]: row for row in answer["models"]}

    def test_the_flagship_under_five_models(self):
        harness.need_program("cjpeg", "cjpeg")
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

    def test_examples_send_what_was_predicted(self):
        given = {"hello": ("text", b"some text"), "loop": ("n", b"\3" + bytes(7)), "branch": ("data", b"\1"), "diamond": ("data", b"ab"),
                 "optional": ("log", b"fine\n"), "scatter": ("log", b"an error\nfine\n"), "nested-loop": ("n", b"\2"), "subgraph": ("data", b"Bb"),
                 "replicas": ("data", b"abc")}
        refused = {"loop": {"rpc-nested"}, "branch": {"rpc-nested"}, "nested-loop": {"rpc-nested"},
                   "scatter": {"rpc-nested", "rpc-polled"}, "replicas": {"rpc-nested", "rpc-polled"},
                   "subgraph": {"rpc-nested"}}
        for name, (port, data) in given.items():
            with self.subTest(name):
                answer = self.compare(self.example(name), "--in", port + "=" + self.write("in", data), "--repetitions", "3", "--run",
                                      "--processes", "one")
                self.check_measured(answer, refused.get(name, ()))
        # Both branches, each for half of the instances. Costs count whole bytes of an instance: halves of even numbers.
        answer = self.compare(self.example("merge"), "--in", "data=" + self.several((b"\2abc", b"\3abcde")), "--repetitions", "3", "--run")
        self.check_measured(answer, {"rpc-nested"})

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
