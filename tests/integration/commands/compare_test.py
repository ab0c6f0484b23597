"""`woa compare`: five call models, each at its own best placement; with --run they send what was predicted."""
import json
import os
import shutil
import subprocess
import sys
import unittest

import harness
from harness import SANITIZED, SOURCE, WoaTest

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
                self.assertGreater(row["used_buffer_bytes"], 0)
                self.assertLessEqual(row["used_buffer_bytes"], row["peak_buffer_bytes"])
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

    # Graphs that a model refuses: no way back (docs/call-models.md).
    REFUSED = {"accumulate": {"rpc-nested"}, "branch": {"rpc-nested"}, "hold": {"rpc-nested"}, "loop": {"rpc-nested"}, "merge": {"rpc-nested"},
               "nested-loop": {"rpc-nested"}, "replicas": {"rpc-nested"}, "scatter": {"rpc-nested"},
               "subgraph": {"rpc-nested"}}

    # Builds with sanitizers run examples under every model (graphs_test.py), and the flagship above; the traffic is the
    # same.
    @unittest.skipIf(SANITIZED, "what is sent is counted in other builds")
    def test_examples_send_what_was_predicted(self):
        self.need_flagship()
        rows = self.predictions("1")
        ran = {(row["graph"], row["model"]) for row in rows if row.get("exact")}
        examples = {name[:-5] for name in os.listdir(os.path.join(SOURCE, "graphs")) if name.endswith(".yaml")}
        self.assertLessEqual(examples, {graph for graph, _ in ran})
        self.check_exact(rows)

    @unittest.skipIf(SANITIZED, "likewise")
    def test_examples_send_what_was_predicted_of_inputs_of_several_sizes(self):
        self.check_exact(self.predictions("1", "--small"))

    def predictions(self, repetitions, *more):
        bench = os.path.join(SOURCE, "bench/compiler/predictions.py")
        machine = self.write("machine.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}, \"cpu:2\": {}, \"cpu:3\": {}, "
                             "\"gpu:0\": {}, \"fpga:0\": {}}\ndefault_link: {latency: 1us, bandwidth: 1GB/s}\n")
        done = subprocess.run([sys.executable, "-B", bench, "--woa", harness.WOA, "--machine", machine, "--repetitions", repetitions,
                               "--processes", "one", "--json", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10 * harness.LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())
        return json.loads(done.stdout)["rows"]

    def check_exact(self, rows):
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

    def fix_times(self, known, stages, source_ps):
        """Replaces the measured times, which differ from run to run, so that results are known."""
        profile = json.loads(harness.read(known[1]))
        profile["source_ps"] = source_ps
        for name, time_ps in stages.items():
            for on in profile["stages"][name]["on"].values():
                on["time_ps"] = time_ps
        self.write("profile.json", json.dumps(profile))

    def machine(self, latency="100us"):
        return ["--machine", self.write("machine.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}}\n"
                                        "default_link: {latency: %s, bandwidth: 1GB/s}\n" % latency)]

    TWO = ("woa: 1\ngraph: two\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
           "  one: {kernel: copy, in: {data: data}, on: \"cpu:0\"}\n  two: {kernel: copy, in: {data: one.data}, on: \"%s\"}\n"
           "outputs: {data: two.data}\n")

    def test_inputs_that_are_missing_are_named(self):
        for more in ((), ("--run",), ("--run", "--profile", "p.json")):
            self.refused(self.woa("compare", self.example("hello"), *more), 2, "graph input 'text' has no data: give --in text=FILE")
        self.refused(self.woa("compare", self.example("hold"), "--run"), 2, "graph inputs 'x', 'f' have no data: give --in x=FILE --in f=FILE")

    def test_gains_and_where_there_are_none(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        self.fix_times(known, {"one": 100_000, "two": 100_000}, 0)
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
        self.assertTrue(done.stdout.decode().splitlines()[1].startswith("WOA gains nothing here: rpc-fused takes as long by SERIAL"))

    def test_a_throughput_is_measured_with_many_in_flight(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        text = "data=" + self.write("text", "x" * 100)
        answer = self.compare(graph, *known, "--in", text, "--run", "--repetitions", "2", "--objective", "throughput", "--window", "5")
        rows = self.check_measured(answer)
        self.assertEqual(answer["objective"], "throughput")
        ran, = {row["measured"]["instances"] for row in rows.values()}
        self.assertGreaterEqual(ran, 6 * 5)  # windows
        alone = self.check_measured(self.compare(graph, *known, "--in", text, "--run", "--repetitions", "2", "--window", "5"))
        self.assertEqual({row["measured"]["instances"] for row in alone.values()}, {3})
        shown = self.woa("compare", graph, *known, "--in", text, "--run", "--repetitions", "2", "--objective", "throughput").stdout.decode()
        self.assertRegex(shown, r"\nMeasured, the quickest of them, rpc-[a-z]+, takes [0-9.e+]+ times as long as WOA for an instance among many\.\n")
        self.assertIn("predicted and measured, the time between instances while the window is full:", shown)

    def test_buffers_say_what_is_used_of_what_is_reserved(self):
        graph, known = self.profile((self.TWO % "cpu:1").replace("max: 1024", "max: 64MiB"))
        row = self.compare(graph, *known, *self.machine())["models"][0]
        blocks = row["peak_buffer_bytes"] >> 26
        self.assertGreater(blocks, 3)
        self.assertGreaterEqual(row["used_buffer_bytes"], blocks * 4096)  # a payload of 100 bytes takes a page of each
        self.assertLess(row["used_buffer_bytes"], 1 << 20)
        text = self.woa("compare", graph, *known, *self.machine()).stdout.decode()
        self.assertRegex(text, r"BUFFERS USED +RESERVED")
        self.assertRegex(text, r"(?m)^woa .* [0-9.]+ KiB +[0-9.]+ [MG]iB +proved$")

    def test_a_model_that_is_not_compared_is_named(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        left_out, = self.compare(graph, *known, *self.machine())["break_even"]["left_out"]
        self.assertEqual(left_out["model"], "rpc-nested")
        text = self.woa("compare", graph, *known, *self.machine()).stdout.decode()
        self.assertIn("The best RPC that is compared, rpc-fused, takes", text)
        self.assertIn("rpc-nested is not compared: " + left_out["reason"], text)

    def test_what_is_shown_as_90_per_cent_is_not_called_less(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        self.fix_times(known, {"one": 1_310_000_000, "two": 1_310_000_000}, source_ps=1_000_000)
        data = self.write("data", "x" * 100)
        rows = {row["model"]: row for row in self.compare(graph, *known, *self.machine())["models"]}
        self.assertAlmostEqual(rows["woa"]["kernel_share"], 0.897, delta=0.0025)  # which rounds to 90 %
        lines = self.woa("compare", graph, *known, *self.machine(), "--run", "--repetitions", "2", "--in", "data=" + data).stdout.decode().split("\n")
        measured = lines[next(k for k, line in enumerate(lines) if "KERNELS" in line):]
        shown = {model: int(line.split(" %")[0].split()[-1]) for line in measured for model in rows if line.startswith(model + " ") and " %" in line}
        sentence, = [line for line in lines if "KERNELS is less than 90 %" in line]
        self.assertEqual(set(sentence.split(":")[0].strip().split(", ")), {model for model, share in shown.items() if share < 90})
        self.assertEqual(shown["woa"], 89)

    def test_a_long_chain_is_polled_in_as_small_a_window_as_its_rings_need(self):
        stages, last = "", "data"
        for number in range(1500):
            stages += f"  s{number}: {{kernel: copy, in: {{data: {last}}}, on: \"cpu:{number % 2}\"}}\n"
            last = f"s{number}.data"
        graph = self.write("chain.yaml", "woa: 1\ngraph: chain\ninputs: {data: {type: bytes, max: 64}}\nstages:\n" + stages +
                           f"outputs: {{data: {last}}}\n")
        for model in ("woa", "rpc-hub", "rpc-polled"):
            done = self.woa("explain", graph, "--model", model, "--json")
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertGreater(json.loads(done.stdout)["window"], 1)

    def test_a_bound_that_only_rpc_breaks_leaves_the_row_of_woa(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        arguments = [graph, *known, *self.machine("10ms"), "--objective", "throughput", "--max-latency", "39ms"]  # three hops are 30 ms
        answer = self.compare(*arguments)
        self.assertEqual([row["model"] for row in answer["models"] if "cannot_place" in row], MODELS[1:])
        self.assertEqual(answer["models"][0]["messages"], 3)
        done = self.woa("compare", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(done.stderr, b"")
        self.assertIn("rpc-hub has no placement: ", done.stdout.decode())
        self.assertIn("No RPC keeps all bounds.", done.stdout.decode())

    def test_outputs_that_differ_are_named_and_without_any_nothing_is_said(self):
        if os.path.exists(os.path.join(harness.BUILD, "kernels/aes_gcm_encrypt/unavailable.txt")):
            self.skip("openssl", "aes_gcm_encrypt was not built")
        key = self.write("key.hex", "00112233445566778899aabbccddeeff" * 2 + "\n")
        arguments = ["--in", "plain=" + self.write("plain", "x"), "--param", "encrypt.key_file=" + key, "--repetitions", "1", "--run"]
        differ = self.compare(self.example("encrypt"), *arguments, code=1)["outputs_differ"]  # its nonce is random
        self.assertEqual(differ, {"output": "packet", "models": ["woa", "rpc-fused"]})
        done = self.woa("compare", self.example("encrypt"), *arguments)
        self.assertIn("THE OUTPUTS DIFFER: packet of rpc-fused is not that of woa.", done.stdout.decode())
        graph, known = self.profile(self.TWO.replace("copy, in: {data: one", "fail_if, params: {byte: 66}, in: {data: one") % "cpu:1")
        done = self.woa("compare", graph, *known, "--run", "--repetitions", "1", "--in", "data=" + self.write("bad", "B"))
        self.assertEqual(done.returncode, 1, done.stdout.decode())
        self.assertIn("woa failed: ", done.stdout.decode())
        self.assertNotIn("outputs are the same", done.stdout.decode())

    def test_replicas_that_got_unequal_shares_are_told_of(self):
        graph, (option, profile) = self.profile(self.TWO.replace("on: \"%s\"", "on: cpu, replicas: 2").replace(
            "outputs: {", "  side: {kernel: copy, in: {data: data}, on: \"cpu:1\"}\noutputs: {side: side.data, "))
        known = json.loads(harness.read(profile))
        for stage in known["stages"].values():
            stage["on"]["cpu"]["time_ps"] = 10**10  # so that a replica beside each of the others is best
        arguments = [option, self.write("slow.json", json.dumps(known)), *self.machine("1us"), "--objective", "throughput", "--run", "--window", "1",
                     "--in", "data=" + self.write("data", "x" * 100)]
        told = "MESSAGES and PAYLOAD assume that replicas get equal shares; these instances or elements gave unequal ones"
        for repetitions, equal in (("2", False), ("3", True)):  # and one that warms up
            done = self.woa("compare", graph, *arguments, "--repetitions", repetitions)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual("  woa, rpc-fused: " + told not in done.stdout.decode(), equal, done.stdout.decode())
            self.assertIn("Replicas are taken to get equal shares", done.stdout.decode())

    def test_held_tokens_that_no_call_took_are_predicted_and_inputs_that_were_not_profiled_are_told_of(self):
        graph, known = self.profile("woa: 1\ngraph: held\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
                                    "  way: {kernel: route, in: {data: data}, params: {by: size}, on: \"cpu:0\"}\n"
                                    "  both: {kernel: join2, in: {a: way.odd, b: {from: data, hold: true}}, on: \"cpu:1\"}\n"
                                    "outputs: {data: [way.even, both.data]}\n")  # profiled with an even number of bytes
        edges = {(edge["from"], edge["to"]): edge for edge in json.loads(harness.read(known[1]))["edges"]}
        self.assertEqual(edges["source.data", "both.b"]["unread"], 1)
        self.assertEqual(edges["source.data", "both.b"]["unread_bytes"], 100)
        self.assertNotIn("unread", edges["source.data", "way.data"])
        ran = ["woa", "rpc-fused", "rpc-hub", "rpc-polled"]  # nobody nests choices
        rows = {row["model"]: row for row in self.compare(graph, *known, "--run", "--in", "data=" + self.write("data", "x" * 100))["models"]}
        for model in ran:
            self.assertEqual(rows[model]["measured"]["messages"], rows[model]["messages"], model)
            self.assertEqual(rows[model]["measured"]["payload_bytes"], rows[model]["payload_bytes"], model)
        self.assertEqual([rows[model]["messages"] for model in ran], [3, 3, 2, 5])  # the caller of rpc-hub keeps the held token
        done = self.woa("compare", graph, *known, "--run", "--in", "data=" + self.write("data", "x" * 101), "--repetitions", "2")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("  " + ", ".join(ran) + ": MESSAGES and PAYLOAD are those of the profiled inputs; these inputs may differ", done.stdout.decode())

    def test_links_that_are_assumed_and_the_writing_of_inputs_are_told_of(self):
        graph, (option, profile) = self.profile(self.TWO % "cpu:1")
        known = json.loads(harness.read(profile))
        known["source_ps"] = 5_000_000
        given = [option, self.write("known.json", json.dumps(known))]
        open_ended = ["--machine", self.write("open.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}}\n")]
        rows = {row["model"]: row for row in self.compare(graph, *given, *open_ended)["models"]}
        self.assertEqual(rows["woa"]["assumed_links"], ["host - cpu:0", "host - cpu:1", "cpu:0 - cpu:1"])
        self.assertEqual(rows["rpc-hub"]["assumed_links"], ["host - cpu:0", "host - cpu:1"])
        self.assertEqual(rows["woa"]["source_us"], 5)
        text = self.woa("compare", graph, *given, *open_ended).stdout.decode()
        self.assertIn("rpc-fused, rpc-hub, rpc-polled: assumed, neither measured nor in a machine file: what messages take on "
                      "host - cpu:0, host - cpu:1 (", text)
        self.assertIn("Writing the inputs takes 5 us of each SERIAL", text)
        for row in self.compare(graph, *given, *self.machine())["models"]:
            self.assertEqual(row["assumed_links"], [])
        self.assertNotIn("assumed", self.woa("compare", graph, *given, *self.machine()).stdout.decode())

    def test_a_nested_placement_counts_the_ways_that_outputs_ride(self):
        graph, known = self.profile(self.TWO.replace(", on: \"%s\"", ""))
        links = [("host", "cpu:1"), ("cpu:0", "cpu:1")]
        machine = self.write("slow.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}}\nlinks:\n" +
                             "".join(f"  - {{between: [\"{a}\", \"{b}\"], latency: 1us, bandwidth: 1GB/s}}\n" for a, b in links) +
                             "  - {from: \"cpu:0\", to: host, latency: 1us, bandwidth: 10KB/s}\n"
                             "  - {from: host, to: \"cpu:0\", latency: 1us, bandwidth: 1GB/s}\n")
        rows = {row["model"]: row for row in self.compare(graph, *known, "--machine", machine)["models"]}
        self.assertEqual(rows["rpc-nested"]["placement"], {"one": "cpu:0", "two": "cpu:0"})  # the way back is by cpu:0 all the same
        self.assertGreater(rows["rpc-nested"]["serial_us"], 10_000)
        self.assertEqual([rows[model]["status"] for model in MODELS], ["proved"] * len(MODELS))

    def test_a_warning_is_given_once(self):
        graph, known = self.profile(self.TWO % "cpu:1")
        machine = self.write("other.yaml", "woa_machine: 1\ncalibration:\n  processor: \"Other CPU\"\n  transports:\n"
                             "    shm: {inline_bytes: 128, links: []}\n")
        done = self.woa("compare", graph, *known, "--machine", machine)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(done.stderr.decode().count("warning"), 1, done.stderr.decode())

    # Everything between the readers of `one` takes long.
    SIDES = ("woa: 1\ngraph: sides\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
             "  one:   {kernel: copy, in: {data: data}}\n"
             "  left:  {kernel: copy, in: {data: one.data}, on: \"cpu:0\"}\n"
             "  right: {kernel: copy, in: {data: one.data}, on: \"cpu:1\"}\n"
             "outputs: {left: left.data, right: right.data}\n")
    FAR = ("woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}}\ndefault_link: {latency: 1us, bandwidth: 1GB/s}\n"
           "links: [{between: [\"cpu:0\", \"cpu:1\"], latency: 10s, bandwidth: 1GB/s}]\n")

    def test_stages_with_copies_send_what_was_predicted(self):
        graph, known = self.profile(self.SIDES)
        self.fix_times(known, {"one": 120_000, "left": 71_000, "right": 40_000}, source_ps=20_000_000)
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
        for arguments, reason in (((hello,), "the stages' times are unknown"), ((hello, "--run", "--profile", "p.json"), "needs --in")):
            done = self.woa("compare", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr.decode())
            self.assertIn(reason, done.stderr.decode())
        for option in (("--buffers", "throughput"), ("--deadline", "1s")):  # no RPC model has such blocks, and one instance runs at a time
            self.refused(self.woa("compare", hello, "--profile", "p.json", *option), 2, option[0])
        done = self.woa("compare", hello, "--run", "--in", "text=x", "--repetitions", str(2**64 - 1))
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        self.assertIn("1000000", done.stderr.decode())
        done = self.woa("compare", hello, "--in", "text=" + self.path("nowhere"))
        self.assertEqual(done.returncode, 1, done.stderr.decode())
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", hello, "-o", plan).returncode, 0)
        done = self.woa("compare", plan, "--in", "text=" + self.write("in", "x"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("give the graph", done.stderr.decode())


if __name__ == "__main__":
    harness.main()
