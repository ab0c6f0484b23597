"""woa explain: what it says of each edge is what a run of the same plan does."""
import json
import os
import shutil
import subprocess
from xml.etree import ElementTree

import harness
from harness import SOURCE, WoaTest, read

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")
FLAGSHIP = os.path.join(SOURCE, "graphs/decrypt-expand-resize.yaml")


def graph(bound, second="'cpu:1'"):
    return ("woa: 1\ngraph: g\n"
            f"inputs: {{data: {{type: bytes, max: {bound}}}}}\nstages:\n"
            "  one: {kernel: copy, in: {data: data}, on: 'cpu:0'}\n"
            f"  two: {{kernel: copy, in: {{data: one.data}}, on: {second}}}\noutputs: {{data: two.data}}\n")


def spans(edge):
    return [(each["method"], each["from_bytes"], each["to_bytes"]) for each in edge["methods"]]


class Explain(WoaTest):
    def explain(self, *arguments):
        done = self.woa("explain", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)

    def test_every_edge_in_full(self):
        answer = self.explain(HELLO, "--window", "3")
        self.assertEqual((answer["ok"], answer["graph"], answer["model"], answer["window"]), (True, "hello", "woa", 3))
        self.assertEqual([(edge["from"], edge["to"]) for edge in answer["edges"]],
                         [("source.text", "first.data"), ("first.data", "second.data"), ("second.data", "sink.copy")])
        # `copy` may write more than the graph's input can be. It writes over its input, and passes the block on.
        for edge, bound, text, method in zip(answer["edges"], (1 << 20, 64 << 20, 64 << 20), ("1 MiB", "64 MiB", "64 MiB"),
                                             ("in place", "by reference", "by reference")):
            self.assertEqual(set(edge), set("from to transport lane publishes methods why payload_bytes live least claimed used block_bytes "
                                            "memory_bytes ring_bytes staged".split()))
            self.assertEqual(spans(edge), [("inline", 0, 64), (method, 65, bound)])
            self.assertEqual((edge["transport"], edge["payload_bytes"], edge["block_bytes"]), ("shm", bound, bound))
            self.assertEqual((edge["used"], edge["live"], edge["least"], edge["claimed"]), (4, 1, True, False))
            self.assertEqual(edge["memory_bytes"], 4 * bound if method == "in place" else 0)
            self.assertEqual(edge["ring_bytes"], (3 + 3) * (64 + 192))
            self.assertIn(f"payload bound {text} is above the inline limit of 64 B", edge["why"])
            self.assertEqual(edge["staged"], [])

    def test_replicas_that_share_workers_gain_nothing(self):
        told = "the 2 replicas of first are all on cpu:0, whose workers run several firings of one stage at once: they gain nothing"
        self.assertEqual(self.explain(HELLO, "--replicas", "first=2")["notes"], [told])
        self.assertIn(told, self.woa("explain", HELLO, "--replicas", "first=2").stdout.decode())
        self.assertEqual(self.explain(HELLO, "--replicas", "first=2", "--workers", "1")["notes"], [])

    def test_a_window_that_a_run_raises_says_so(self):
        for more, text in (((), "window 4 (a run raises it with its workers)\n"), (("--window", "4"), "window 4\n"), (("--workers", "1"), "window 4\n")):
            self.assertIn(text, self.woa("explain", HELLO, *more).stdout.decode())

    def test_threads_that_have_a_core_spin(self):
        pinned = self.explain(HELLO, "--cores", "host=0,cpu:0=1,cpu:1=1")["waits"]
        self.assertEqual([(wait["controller"], wait["spins"]) for wait in pinned],
                         [("host", True), ("cpu:0", False), ("cpu:1", False)])
        self.assertIn("processor 1", pinned[1]["why"])
        core = min(os.sched_getaffinity(0))
        crowded = json.loads(subprocess.run(["taskset", "--cpu-list", str(core), harness.WOA, "explain", HELLO, "--json"],
                                            stdout=subprocess.PIPE, check=True).stdout)["waits"]
        self.assertEqual({(wait["spins"], wait["why"]) for wait in crowded}, {(False, "3 controllers, 1 usable processor")})
        table = self.woa("explain", HELLO, "--cores", "host=0,cpu:0=1,cpu:1=1").stdout.decode()
        self.assertIn("\nCONTROLLER  WAITS\nhost        spins, yields, sleeps: it has a core\n", table)
        refused = self.woa("explain", HELLO, "--cores", "cpu:7=0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn(b"no controller 'cpu:7'", refused.stderr)

    def test_an_edge_tells_its_lane(self):
        bulk = graph(64).replace("data: one.data", "data: {from: one.data, lane: bulk}")
        path = self.write("g.yaml", bulk)
        self.assertEqual([edge["lane"] for edge in self.explain(path)["edges"]], ["", "bulk", ""])
        self.assertIn("shm, lane bulk", self.woa("explain", path).stdout.decode())
        path = self.write("local.yaml", bulk.replace("cpu:1", "cpu:0"))
        self.assertEqual([edge["lane"] for edge in self.explain(path)["edges"]], ["", "", ""])  # it needs none

    # Stages write to one another's next turn before their own has ended.
    OVERLAP = ("woa: 1\ngraph: overlap\ninputs: {n: {type: bytes, max: 64}, d: {type: bytes, max: 64}}\nstages:\n"
               "  A: {kernel: touch, in: {data: [n, {from: R.even, loop: {max: 20, name: L}}, {from: C.even, loop: {name: L}}]}}\n"
               "  R: {kernel: route, in: {data: A.data}}\n"
               "  slow: {kernel: copy, in: {data: R.even}}\n"
               "  T: {kernel: copy, in: {data: [slow.data, R.odd]}}\n"
               "  J: {kernel: join2, in: {a: R.odd, b: {from: B.data, hold: true}}}\n"
               "  K: {kernel: join2, in: {a: J.data, b: {from: T.data, hold: true}}}\n"
               "  C: {kernel: route, in: {data: K.data}, params: {by: size}}\n"
               "  S: {kernel: join2, in: {a: [R.even, C.even], b: {from: T.data, hold: true}}}\n"
               "  S2: {kernel: join2, in: {a: S.data, b: {from: B.data, hold: true}}}\n"
               "  B: {kernel: copy, in: {data: [d, {from: S2.data, loop: {name: L}}]}}\n"
               "outputs: {o: C.odd}\n")

    def test_edges_whose_blocks_are_claimed_are_marked(self):
        path = self.write("overlap.yaml", self.OVERLAP)
        plan = self.path("overlap.plan")
        self.assertEqual(self.woa("compile", path, "-o", plan).returncode, 0)
        verified = json.loads(self.woa("verify", plan, "--json").stdout)["liveness"]
        claimed = [(edge["from"], edge["to"]) for edge in self.explain(plan)["edges"] if edge["claimed"]]
        self.assertGreater(len(claimed), 0)
        self.assertEqual(len(claimed), verified["claimed"])
        lines = self.woa("explain", plan).stdout.decode().splitlines()
        marked = {tuple(line.split()[:3:2]) for line in lines if " -> " in line and any(word.endswith("?") for word in line.split())}
        self.assertEqual(marked, set(claimed))

    def test_a_bound_within_the_limit_has_one_method(self):
        edge = self.explain(self.write("g.yaml", graph(64)))["edges"][0]
        self.assertEqual(spans(edge), [("inline", 0, 64)])
        self.assertIn("within the inline limit", edge["why"])
        edge = self.explain(self.write("g.yaml", graph(65)))["edges"][0]
        self.assertEqual(spans(edge), [("inline", 0, 64), ("in place", 65, 65)])

    def test_inside_a_controller_nothing_crosses(self):
        local = self.explain(self.write("g.yaml", graph(8, "'cpu:0'")))["edges"][1]
        self.assertEqual((local["transport"], local["ring_bytes"], spans(local)), ("local", 0, [("by reference", 0, 64 << 20)]))
        self.assertIn("no packet crosses", local["why"])

    def test_what_is_explained_is_what_runs(self):
        text = self.write("text", "x")
        for bound in (64, 1000):
            path = self.write("g.yaml", graph(bound))
            for model in ("woa", "rpc-hub"):
                for processes in ("one", "per-controller"):
                    options = (path, "--model", model, "--processes", processes)
                    said = self.explain(*options)["edges"]
                    ran = self.run_json(*options, "--in", "data=" + text)["edges"]
                    self.assertEqual([(edge["from"], edge["to"], edge["transport"], edge["methods"][-1]["method"]) for edge in said],
                                     [(edge["from"], edge["to"], edge["transport"], edge["method"]) for edge in ran])

    def test_a_picture(self):
        if shutil.which("dot") is None:
            self.skip("dot", "install graphviz")
        dot, svg = self.path("hello.dot"), self.path("hello.svg")
        self.explain(HELLO, "--model", "rpc-hub", "--dot", dot, "--svg", svg)
        with open(dot) as file:
            self.assertTrue(file.read().startswith('digraph "hello"'))
        texts = [text.text for text in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
        for name in ("source", "first", "second", "sink", "first.call", "host (host)", "cpu:0 (cpu)", "cpu:1 (cpu)"):
            self.assertIn(name, texts)
        plan, again = self.path("hello.plan"), self.path("again.svg")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan, "--svg", svg).returncode, 0)
        self.explain(plan, "--svg", again)
        with open(svg) as first, open(again) as second:
            self.assertEqual(first.read(), second.read())

    def test_a_picture_that_cannot_be_made(self):
        svg = self.path("hello.svg")
        done = self.woa("explain", HELLO, "--svg", svg, environment={"PATH": self.folder})
        self.assertEqual(done.returncode, 1)
        self.assertIn("`dot`, which lays the picture out, is not installed; install graphviz, or write --dot", done.stderr.decode())
        with open(self.path("dot"), "w") as file:
            file.write("#!/bin/sh\necho no layout >&2\nexit 1\n")
        os.chmod(self.path("dot"), 0o755)
        done = self.woa("explain", HELLO, "--svg", svg, environment={"PATH": self.folder + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 1)
        self.assertIn("`dot` ended with code 1: no layout; write --dot", done.stderr.decode())
        self.assertFalse(os.path.exists(svg))
        done = self.woa("explain", HELLO, "--dot", self.path("no/folder.dot"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not exist: mkdir -p", done.stderr.decode())

    def test_the_longest_name_that_there_is(self):
        name = "d" * 251 + ".dot"
        self.explain(HELLO, "--dot", self.path(name))
        self.assertEqual(os.listdir(self.folder), [name])

    def test_an_earlier_file_in_a_folder_that_takes_no_other(self):
        folder, graph = self.path("folder"), self.write("hello.yaml", read(HELLO))
        os.mkdir(folder)
        earlier = self.write("folder/earlier.dot", "earlier")
        os.chmod(self.folder, 0o755), os.chmod(graph, 0o644), os.chmod(earlier, 0o666), os.chmod(folder, 0o555)
        self.addCleanup(os.chmod, folder, 0o755)
        try:
            done = self.woa("explain", graph, "--dot", earlier, user=65534 if os.geteuid() == 0 else None)
        except PermissionError:
            self.skipTest("root may write everywhere, and no other user may run the program where it is")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(read(earlier).startswith('digraph "hello"'))

    def test_a_code_is_explained(self):
        done = self.woa("explain", "E0401")
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        self.assertTrue(text.startswith("E0401: a cycle without a loop\n\n"), text[:80])
        self.assertIn("*Fix:*", text)
        self.assertIn("+  s: {kernel: ping", text)
        self.assertEqual(self.woa("explain", "e0401").stdout.decode(), text)
        answer = self.explain("E0401")
        self.assertEqual((answer["ok"], answer["code"], answer["title"]), (True, "E0401", "a cycle without a loop"))
        self.assertEqual(f"{answer['code']}: {answer['title']}\n\n{answer['text']}\n", text)

    def test_an_unknown_code_names_the_nearest(self):
        for code, near in (("E04188", "E0418"), ("E4018", "E0418"), ("E99999999999999999999", "E0901"), ("E1", "E0101")):
            self.refused(self.woa("explain", code), 2, code, "did you mean " + near)
        done = self.woa("explain", "E0499", "--json")
        self.refused(done, 2)
        self.assertFalse(json.loads(done.stdout)["ok"])

    def test_a_code_takes_no_options_of_graphs(self):
        for more in (["--dot", self.path("x")], ["--profile", "nothere"], ["--window", "3"], ["--reasons-limit", "1s"]):
            self.refused(self.woa("explain", "E0401", *more), 2, more[0] + ": 'E0401' is the code of a problem")
        self.assertFalse(os.path.exists(self.path("x")))

    def test_digits_may_be_meant_as_a_code(self):
        for digits in ("401", "0401"):
            self.refused(self.woa("explain", digits, cwd=self.folder), 2, "no file '" + digits + "'", "E0401")
        self.refused(self.woa("explain", "499", cwd=self.folder), 1, "E0101")
        self.write("401", graph(64))
        self.assertEqual(self.woa("explain", "401", cwd=self.folder).returncode, 0)

    def test_a_file_with_the_name_of_a_code(self):
        path = self.write("E0401", graph(64))
        self.assertEqual(self.explain(path)["graph"], "g")

    def test_a_kernel_is_explained(self):
        text = self.woa("explain", "resize_bilinear").stdout.decode()
        for part in ("image  u8[rows,columns,channels]  at most 192 MiB", "required, 1 to 32768", "stretch|contain|cover  default stretch",
                     "channels  at most 4", "opencl  output sized per firing, resize_bilinear.cu", "1.375 MiB for each firing",
                     "STAGE: {kernel: resize_bilinear, in: {image: FROM}, params: {width: VALUE, height: VALUE}}"):
            self.assertIn(part, text)
        answer = self.explain("resize_bilinear")
        self.assertTrue(answer.pop("ok"))
        params = {param.pop("name"): param for param in answer["params"]}
        self.assertEqual(params["width"], {"type": "int", "required": True, "default": None, "min": "1", "max": "32768", "choices": [],
                                           "secret_env": None})
        self.assertEqual((params["fit"]["default"], params["fit"]["choices"]), ("stretch", ["stretch", "contain", "cover"]))
        self.assertEqual([(port["name"], port["type"], port["max_bytes"]) for port in answer["inputs"] + answer["outputs"]],
                         [("image", "u8[rows,columns,channels]", 192 << 20), ("image", "u8[height,width,channels]", 192 << 20)])
        self.assertEqual([variant["kind"] for variant in answer["variants"]], ["cpu", "cuda", "opencl"])
        self.assertEqual((answer["dims"], answer["stateful"], answer["scratch_bytes"]), ({"channels": 4}, "no", 1408 << 10))
        listed = {kernel["name"]: kernel for kernel in json.loads(self.woa("devices", "--json").stdout)["kernels"]}
        self.assertEqual(listed["resize_bilinear"], self.without_ok(self.explain("resize_bilinear")))
        self.assertEqual(listed["route"]["outputs"][0]["one_of"], listed["route"]["outputs"][1]["one_of"])
        self.assertEqual(listed["split_lines"]["outputs"][0]["many"], 256)
        self.assertTrue(listed["join_lines"]["inputs"][0]["gather"])
        self.assertEqual(listed["touch"]["outputs"][0]["in_place"], "data")
        self.assertEqual(listed["running_sum"]["stateful"], "instance")

    @staticmethod
    def without_ok(answer):
        return {key: value for key, value in answer.items() if key != "ok"}

    def test_every_kernel_has_a_page(self):
        for kernel in json.loads(self.woa("devices", "--json").stdout)["kernels"]:
            done = self.woa("explain", kernel["name"])
            self.assertEqual(done.returncode, 0, kernel)
            self.assertTrue(done.stdout.decode().startswith(kernel["name"] + ": "))

    def test_a_kernel_of_ones_own(self):
        folder = {"WOA_KERNEL_PATH": os.path.join(SOURCE, "graphs/user-kernel")}
        self.assertIn("level", self.woa("explain", "threshold", environment=folder).stdout.decode())

    def test_a_kernel_yaml_is_explained_by_its_path(self):
        shutil.copytree(os.path.join(SOURCE, "graphs/user-kernel/threshold"), self.path("mine"), ignore=shutil.ignore_patterns("*.so"))
        file = self.path("mine/kernel.yaml")
        text = self.woa("explain", file).stdout.decode()
        for part in ("threshold: 255 where", "data  bytes", "level  int  default 128, 0 to 255", "cpu:N  cpu\n",
                     "unavailable here: there is no ", "mine/libthreshold.so`: build it"):
            self.assertIn(part, text)
        self.write("mine/libthreshold.so", "")
        self.assertNotIn("unavailable", self.woa("explain", "kernel.yaml", cwd=self.path("mine")).stdout.decode())
        answer = self.explain(file)
        self.assertEqual((answer["name"], answer["available"], [each["name"] for each in answer["params"]]), ("threshold", True, ["level"]))
        self.assertEqual(answer["places"], [{"kind": "cpu", "backend": "cpu", "beyond": None}])
        self.refused(self.woa("explain", file, "--window", "3"), 2, "is a kernel.yaml, which takes --json alone")
        self.write("mine/kernel.yaml", read(file).replace("name: threshold", "name: 9x").replace("type: bytes", "type: byts"))
        self.refused(self.woa("explain", file), 1, "mine/kernel.yaml:4:7: error[E", "`9x` cannot be the name of a kernel", "`byts`")
        done = self.woa("explain", file, "--json")
        self.assertEqual((done.returncode, len(json.loads(done.stdout)["diagnostics"])), (1, 3))

    def test_the_page_of_a_kernel_says_what_it_may_run_on(self):
        self.assertIn("fpga:N  xrt        no: the kernel has two inputs\n", self.woa("explain", "join2").stdout.decode())

    def test_a_kernel_takes_no_options_of_graphs_and_its_name_may_be_nearly_right(self):
        self.refused(self.woa("explain", "copy", "--window", "3"), 2, "--window: 'copy' is the name of a kernel")
        self.refused(self.woa("explain", "coppy", cwd=self.folder), 2, "no file 'coppy'", "the kernel copy?")
        self.write("copy", graph(64))
        self.assertEqual(json.loads(self.woa("explain", "./copy", "--json", cwd=self.folder).stdout)["graph"], "g")

    def test_the_doctor_finds_nothing_wrong_or_says_what_to_do(self):
        done = self.woa("doctor", "--json")
        answer = json.loads(done.stdout)
        self.assertEqual((done.returncode, answer["ok"]), (0, True), done.stdout)
        self.assertLessEqual({"kernels", "cpu", "libfabric", "shared memory", "open files", "ports", "environment", "machine file"},
                             {finding["subject"] for finding in answer["findings"]})
        for finding in answer["findings"]:
            self.assertEqual(finding["fix"] is None, finding["health"] == "good", finding)
        self.assertIn("fix: ", self.woa("doctor").stdout.decode())  # no machine file here

    def health_of(self, subject):
        findings = json.loads(self.woa("doctor", "--json").stdout)["findings"]
        return next(finding["health"] for finding in findings if finding["subject"] == subject)

    def test_the_doctor_names_what_is_in_the_way(self):
        def examine(command, **environment):
            done = subprocess.run(["sh", "-c", command + '; exec "$0" doctor --json', harness.WOA], stdout=subprocess.PIPE,
                                  env=dict(os.environ, XDG_CONFIG_HOME=self.folder, **environment), timeout=harness.LIMIT_S)
            findings = {}
            for finding in json.loads(done.stdout)["findings"]:
                findings.setdefault(finding["subject"], []).append(finding)
            return done.returncode, findings
        code, findings = examine("ulimit -n 200", FI_PROVIDER="shm")
        self.assertEqual((code, findings["open files"][0]["health"]), (1, "fault"))
        self.assertIn("ulimit -n", findings["open files"][0]["fix"])
        self.assertTrue(any("FI_PROVIDER=shm" in finding["found"] for finding in findings["environment"]), findings)
        if self.health_of("libfabric") == "good":
            self.assertEqual((findings["libfabric"][0]["health"], findings["libfabric"][0]["fix"]), ("fault", "unset what hides it: FI_PROVIDER=shm"))
        if self.health_of("gpu (opencl)") == "good":
            code, findings = examine("true", OCL_ICD_VENDORS=self.path("nowhere"))
            self.assertEqual((code, findings["gpu (opencl)"][0]["health"]), (1, "fault"))
            self.assertIn("OCL_ICD_VENDORS=" + self.path("nowhere"), findings["gpu (opencl)"][0]["fix"])
        code, findings = examine("true", WOA_KERNEL_PATH=self.path("nowhere"))
        self.assertEqual((code, findings["WOA_KERNEL_PATH"][0]["health"]), (1, "fault"))

    def test_a_call_passes_blocks_on(self):
        edges = self.explain(HELLO, "--model", "rpc-hub")["edges"]
        calls = [edge for edge in edges if ".call." in edge["from"]]
        self.assertEqual(len(calls), 2)
        for edge in calls:
            self.assertEqual([each["method"] for each in edge["methods"]], ["inline", "by reference"])
            self.assertEqual(edge["memory_bytes"], 0)
            self.assertIn("passes on", edge["why"])

    def test_signals_of_a_call_model_are_no_counts_of_a_scatter(self):
        polled = " ".join(edge["why"] for edge in self.explain(HELLO, "--model", "rpc-polled")["edges"])
        self.assertIn("a signal of the call model", polled)
        self.assertNotIn("scatter", polled)

    def test_devices_copy_and_those_that_handle_packets_get_blocks(self):
        self.need_kernels("aes_gcm_decrypt", "jpeg_decode", "png_encode")
        edges = {edge["from"]: edge for edge in self.explain(FLAGSHIP)["edges"]}
        staged = {name: [(each["controller"], each["backend"], each["direction"]) for each in edge["staged"]] for name, edge in edges.items()}
        self.assertEqual(staged["decrypt.plain"], [])
        self.assertEqual(staged["expand.image"], [("gpu:0", "opencl", "to device")])
        self.assertEqual(staged["resize.image"], [("gpu:0", "opencl", "from device"), ("fpga:0", "verilator", "to device")])
        self.assertEqual(staged["sharpen.image"], [("fpga:0", "verilator", "from device")])
        for name in ("resize.image", "sharpen.image"):
            self.assertEqual([each["method"] for each in edges[name]["methods"]], ["in place"])
            self.assertIn("fpga:0 handles packets itself", edges[name]["why"])

    CARD = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 4096}}\nstages:\n"
            "  one: {kernel: invert, in: {data: data}, on: 'fpga:0'}\n"
            "  two: {kernel: copy, in: {data: one.data}, on: 'fpga:0'}\n"
            "  three: {kernel: invert, in: {data: two.data}, on: 'fpga:0'}\n"
            "  four: {kernel: copy, in: {data: three.data}, on: 'fpga:0'}\noutputs: {data: four.data, more: three.data}\n")

    def test_between_stages_of_an_fpga_every_edge_says_why_it_is_on_card_or_not(self):
        path = self.write("g.yaml", self.CARD)
        edges = {edge["from"]: edge for edge in self.explain(path)["edges"] if not edge["to"].startswith("sink.")}
        first = edges["one.data"]
        self.assertEqual(spans(first), [("on-card", 0, 64 << 20)])
        self.assertEqual([first[key] for key in ("transport", "live", "used", "memory_bytes", "ring_bytes", "staged")], ["local", 0, 0, 0, 0, []])
        self.assertEqual(first["why"], "fpga:0 passes the payload from kernel to kernel by itself: no packet, no block, nobody copies it")
        self.assertIn("; not on-card: two stages of its chain use core 'invert'", edges["two.data"]["why"])
        self.assertIn("; not on-card: its writer has other readers", edges["three.data"]["why"])
        self.assertNotIn("on-card", edges["source.data"]["why"])
        self.assertIn("  on-card  ", self.woa("explain", path).stdout.decode())
        calls = {edge["from"]: edge for edge in self.explain(path, "--model", "rpc-fused")["edges"]}
        self.assertIn("; not on-card: call model rpc-fused makes each stage a call of its own", calls["one.data"]["why"])
        plan = self.path("g.plan")
        self.assertEqual(self.woa("compile", path, "-o", plan).returncode, 0)
        self.assertEqual(self.explain(plan)["edges"][1]["methods"][0]["method"], "on-card")
        self.assertEqual(self.woa("verify", plan).returncode, 0)

    CUDA = ("woa_kernel: 1\nname: {0}\nlibrary: lib{0}.so\nin: {{in: {{type: bytes}}}}\nout: {{out: {{type: bytes, max: 256MiB}}}}\n"
            "variants: {{cuda: {{size: true, source: {0}.cu, entry: {0}, global: [bytes], block: [8, 8], shared: 2KiB{1}}}}}\n")

    def test_a_cuda_variant_is_explained(self):
        os.mkdir(self.path("stays"))
        self.write("stays/kernel.yaml", self.CUDA.format("stays", ", resident: true").replace("[bytes]", "[bytes, bytes]"))
        folder = {"WOA_KERNEL_PATH": self.folder}
        text = self.woa("explain", "stays", environment=folder).stdout.decode()
        self.assertIn("cuda  output sized per firing, stays.cu, blocks of 8 x 8, 2 KiB shared, resident, 1 sms", text)
        variant = json.loads(self.woa("explain", "stays", "--json", environment=folder).stdout)["variants"][0]
        self.assertEqual(variant, {"kind": "cuda", "size": True, "resources": {"sms": 1}, "source": "stays.cu", "entry": "stays",
                                   "global": ["bytes", "bytes"], "block": [8, 8], "shared_bytes": 2048, "resident": True})

    def test_parts_of_an_fpga_are_explained_by_family(self):
        os.mkdir(self.path("parts"))
        text = ("woa_kernel: 1\nname: parts\nlibrary: libparts.so\nin: {in: {type: bytes}}\nout: {out: {type: bytes, max: 1KiB}}\n"
                "variants: {rtl: {size: true, core: parts, clock_mhz: 100, resources: %s}}\n")
        folder = {"WOA_KERNEL_PATH": self.folder}
        for resources, shown in (({"xc7": {"luts": 3, "brams": 0}, "xcup": {"luts": 4, "ffs": 1}}, "xc7 (3 luts), xcup (1 ffs, 4 luts)"),
                                 ({"luts": 5, "ffs": 6}, "6 ffs, 5 luts")):
            self.write("parts/kernel.yaml", text % json.dumps(resources))
            page = self.woa("explain", "parts", environment=folder).stdout.decode()
            self.assertIn("core parts at 100 MHz, " + shown + "\n", page)
            said = json.loads(self.woa("explain", "parts", "--json", environment=folder).stdout)
            self.assertEqual(said["variants"][0]["resources"], resources)

    def test_edges_beyond_what_a_gpu_registers_are_staged(self):
        for name, more in (("goes", ""), ("stays", ", resident: true")):
            self.write(name + ".yaml", self.CUDA.format(name, more).replace("[8, 8]", "[64]"))
        machine = self.write("machine.yaml", "woa_machine: 1\ncontrollers: {'cpu:0': {}, 'gpu:0': {backend: cuda}}\n")
        path = self.write("g.yaml", "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 256MiB}}\nkernels: [goes.yaml, stays.yaml]\nstages:\n"
                          "  a: {kernel: goes, in: {in: x}}\n  b: {kernel: goes, in: {in: a.out}}\n  c: {kernel: stays, in: {in: b.out}}\n"
                          "outputs: {y: c.out}\n")
        staged = {}
        for edge in self.explain(path, "--machine", machine, "--window", "1")["edges"]:
            staged[edge["from"]] = [(each["controller"], each["backend"], each["direction"]) for each in edge["staged"]]
            self.assertTrue(all("pinned memory" in each["text"] for each in edge["staged"]))
        self.assertEqual(staged, {"source.x": [], "a.out": [], "b.out": [], "c.out": [("gpu:0", "cuda", "from device")]})
        self.assertIn("gpu:0 copies the result by way of pinned memory", self.woa("explain", path, "--machine", machine, "--window", "1").stdout.decode())

    def test_a_compiled_plan_says_the_same(self):
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan).returncode, 0)
        self.assertEqual(self.explain(plan), self.explain(HELLO))

    def test_the_table_is_aligned(self):
        done = self.woa("explain", HELLO, "--model", "rpc-hub")
        self.assertEqual(done.returncode, 0)
        verdict, edge_part, wait_part = done.stdout.decode().split("\n\n")
        heading, no_reasons = verdict.splitlines()
        columns, *rows = edge_part.splitlines()
        self.assertIn("hello", heading)
        self.assertIn("RESERVED", columns)
        self.assertEqual({line[:12] for line in wait_part.splitlines()}, {"CONTROLLER  ", "host        ", "cpu:0       ", "cpu:1       "})
        self.assertIn("no placement reasons: compile with --profile", no_reasons)
        edges = [row for row in rows if not row.startswith(" ")]
        self.assertEqual(len(edges), len(self.explain(HELLO, "--model", "rpc-hub")["edges"]))
        for title, texts in (("TRANSPORT", ("shm", "local")), ("METHOD", ("inline", "in place", "by reference"))):
            at = columns.index(title)
            for row in edges:
                self.assertTrue(row[at:].startswith(texts), row)
                self.assertEqual(row[at - 2:at], "  ", row)

    def test_help_teaches_the_methods(self):
        text = self.woa("explain", "--help").stdout.decode()
        for word in ("inline", "in place", "by reference", "LIVE", "calibrate", "woa explain graphs/hello.yaml"):
            self.assertIn(word, text)

    def test_helps_say_who_takes_what(self):
        helps = {command: self.woa(command, "--help").stdout.decode() for command in ("calibrate", "profile", "compare", "check")}
        for command in ("calibrate", "profile"):
            self.assertIn("`compare`", helps[command])
        self.assertNotIn("a plan keeps its own", helps["compare"].split("--buffers")[1].split("--replicas")[0])
        self.assertNotIn("overlap.\n", helps["compare"])
        self.assertIn("Graph (YAML) or compiled plan", helps["check"])

    def test_refusals(self):
        self.refused(self.woa("explain"), 2)
        self.refused(self.woa("explain", HELLO, "--model", "telepathy"), 2)
        for arguments in ((self.path("absent.yaml"),), (self.write("wrong.yaml", graph(64).replace("copy", "coppy")),)):
            done = self.woa("explain", *arguments, "--json")
            self.refused(done, 1)
            self.assertFalse(json.loads(done.stdout)["ok"])


if __name__ == "__main__":
    harness.main()
