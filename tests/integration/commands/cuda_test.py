"""Graphs with stages on a CUDA device, on the test double: the outputs of the cpu variants, under every call model, with a process
for each controller and in one, and with several seeds of the device's delays."""
import json
import os

import harness
from cuda_harness import CUDA, CudaTest, controllers, edges
from device_graphs import JOIN, LOOP, SCATTER, on, picture

SEEDS = (1, 2, 3)
WINDOWS = (1, 4)
PROCESSES = ("one", "per-controller")
MODELS = ("woa", "rpc-fused", "rpc-hub")
OTHER_MODELS = ("rpc-nested", "rpc-polled")  # of graphs that can be nested or polled
INSTANCES = 6
if harness.SANITIZED:  # which is slow, and kernels are interpreted
    SEEDS, WINDOWS, MODELS, OTHER_MODELS = (1,), (4,), ("woa", "rpc-hub"), ()

IMAGES = """woa: 1
graph: images
inputs: {image: {type: "u8[height,width,channels]", max: 32KiB}}
stages:
  a: {kernel: sharpen3x3, in: {image: image}, max: {image: 32KiB}, on: gpu}
  b: {kernel: resize_bilinear, in: {image: a.image}, params: {width: 31, height: 17, fit: cover}, max: {image: 32KiB}, on: gpu}
  c: {kernel: sharpen3x3, in: {image: b.image}, max: {image: 32KiB}, on: gpu}
outputs: {image: c.image}
"""
FIXED = """woa: 1
graph: fixed
inputs: {data: {type: "u8[%(bytes)d]"}}
stages:
  a: {kernel: %(a)s, in: {data: data}, on: gpu}
  b: {kernel: %(b)s, in: {data: a.data}, on: gpu}
  c: {kernel: %(a)s, in: {data: b.data}, on: "cpu:0"}
  d: {kernel: %(b)s, in: {data: c.data}, on: gpu}
outputs: {data: d.data, early: a.data}
"""


class Graphs(CudaTest):
    def sums(self, report):
        return [(output["name"], output["bytes"], output["sha256"]) for output in report["outputs"]]

    def check(self, name, text, arguments, models=MODELS + OTHER_MODELS, look=lambda report, model: None, seeds=SEEDS, machine=None):
        """The graph's outputs on a processor are those on the GPU. `look`: at each report of the latter."""
        graph = self.write(name + ".yaml", text)
        there = self.write(name + "-cpu.yaml", text.replace("on: gpu", 'on: "cpu:0"'))
        arguments = [*arguments, "--instances", str(INSTANCES)]
        expected = self.on_cuda(there, *arguments)
        self.assertGreater(expected["outputs"][0]["bytes"], 0)
        for model in models:
            for processes in PROCESSES:
                for window in WINDOWS:
                    for seed in seeds:
                        with self.subTest(graph=name, model=model, processes=processes, window=window, seed=seed):
                            report = self.on_cuda(graph, *arguments, "--model", model, "--processes", processes, "--window",
                                                  str(window), words=f"seed={seed}", machine=machine)
                            self.assertEqual(self.sums(report), self.sums(expected))
                            self.assertEqual(report["failures"], [])
                            gpu = controllers(report)["gpu:0"]
                            self.assertEqual((gpu["backend"], gpu["simulated"]), ("cuda", True))
                            look(report, model)

    def test_images(self):
        def look(report, model):
            at = edges(report)
            if model in ("woa", "rpc-fused"):  # the others bring every result to the caller
                self.assertEqual([at[to]["copied_bytes"] for to in ("b.image", "c.image")], [0, 0])
                self.assertEqual([at[to]["messages"] for to in ("b.image", "c.image")], [0, 0])
            self.assertEqual({stage["variant"] for stage in report["stages"]}, {"cuda"})
        self.check("images", IMAGES, ["--in", "image=" + self.write("image", picture(21, 34, 3))], look=look)

    def test_images_beyond_what_kernels_read_in_place(self):
        self.check("images", IMAGES.replace("32KiB", "64KiB"), ["--in", "image=" + self.write("image", picture(80, 100, 3))],
                   models=("woa", "rpc-hub"), seeds=(4,))

    def test_joins(self):
        data = self.write("data", bytes(range(256)) * 70)
        self.check("join", on("gpu", JOIN), ["--in", "data=" + data])

    def test_loops(self):
        os.mkdir(self.path("data"))
        for k in range(INSTANCES):  # even ones turn once
            self.write(f"data/{k}", bytes([k]) * (k * 100 + 1))
        self.check("loop", on("gpu", LOOP), ["--in", "data=" + self.path("data")], models=MODELS)

    def test_scatters_beside(self):
        text = "".join("line %d %s\n" % (k, "x" * (k * 7 % 40)) for k in range(20))
        self.check("scatter", on("gpu", SCATTER), ["--in", "text=" + self.write("text", text)], models=MODELS)

    def fixed(self, a="queued", b="queued", bytes=1024, **more):
        self.add_kernel("queued", bytes=bytes)
        self.add_kernel("stays", bytes=bytes, more=", resident: true")
        data = self.write("data", (b"packets that the device publishes" * bytes)[:bytes])

        def look(report, model):
            self.assertEqual(controllers(report)["gpu:0"]["forwards"], "device")
            self.assertEqual({stage["firings"] for stage in report["stages"] if stage["name"] in "abcd"}, {INSTANCES})
        self.check("fixed", FIXED % {"bytes": bytes, "a": a, "b": b}, ["--in", "data=" + data], look=look, **more)

    def test_packets_that_queues_publish(self):
        self.fixed()

    def test_packets_that_resident_workers_publish(self):
        self.fixed("stays", "stays")

    def test_packets_of_queues_and_workers(self):
        self.fixed("queued", "stays", seeds=(5,))
        self.fixed_again("stays", "queued")

    def fixed_again(self, a, b):
        self.check("again", FIXED % {"bytes": 1024, "a": a, "b": b}, ["--in", "data=" + self.path("data")], seeds=(6,))

    def test_explained(self):
        """Who publishes each edge's packets, and why a payload goes by way of pinned memory."""
        self.add_kernel("queued", bytes=1024)
        self.add_kernel("stays", bytes=1024, more=", resident: true")
        graph = self.write("fixed.yaml", FIXED % {"bytes": 1024, "a": "queued", "b": "stays"})

        def explained(*options):
            done = self.woa("explain", graph, *options, environment=self.double())
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            return done.stdout.decode()
        of = {edge["to"]: edge for edge in json.loads(explained("--machine", self.machine, "--json"))["edges"]}
        self.assertEqual({to: edge["publishes"] for to, edge in of.items()},
                         {"a.data": "host", "b.data": "", "c.data": "worker", "d.data": "host", "sink.data": "worker", "sink.early": "queue"})
        self.assertIn("the resident worker of gpu:0 publishes the packets", of["c.data"]["why"])
        self.assertIn("a queue of gpu:0 publishes the packets", of["sink.early"]["why"])
        self.assertEqual([edge["staged"] for edge in of.values()], [[]] * 6)
        text = explained("--machine", self.write("none.yaml", CUDA % ", registers: 0"))
        self.assertIn("gpu:0 copies the result by way of pinned memory: the region exceeds what it may register", text)

    def test_large_packets(self):
        self.fixed("queued", "stays", bytes=20000, models=("woa", "rpc-hub"), seeds=(7,))

    def test_payloads_that_are_not_registered(self):
        """With `registers: 0` everything goes by way of pinned memory, and the device publishes still."""
        machine = self.write("none.yaml", CUDA % ", registers: 0")
        self.fixed("queued", "stays", seeds=(8,), machine=machine)
        report = self.on_cuda(self.path("fixed.yaml"), "--in", "data=" + self.path("data"), machine=machine)
        self.assertEqual({to: edge["staged"] for to, edge in edges(report).items()},
                         {"a.data": ["gpu:0"], "b.data": ["gpu:0"], "c.data": ["gpu:0"], "d.data": ["gpu:0"], "sink.data": ["gpu:0"],
                          "sink.early": ["gpu:0"]})
        self.assertGreater(edges(report)["a.data"]["copied_bytes"], 0)

    def test_payloads_that_the_driver_refuses(self):
        """The edges of that region alone are staged. The first three registrations are rings."""
        self.fixed("queued", "stays", models=(), seeds=())
        for refused, staged, processes in ((4, {"a.data"}, "one"), (5, {"b.data", "sink.early"}, "per-controller"), (99, set(), "one")):
            with self.subTest(refused=refused):
                report = self.on_cuda(self.path("fixed.yaml"), "--in", "data=" + self.path("data"), "--processes", processes,
                                      words=f"fail=registration@{refused}")
                self.assertEqual({to: edge["staged"] for to, edge in edges(report).items() if edge["staged"]},
                                 {to: ["gpu:0"] for to in staged})

    def test_devices_that_lack_something(self):
        """No 64-bit memory operations, a time limit for kernels, no registration for reading: slower, and the same outputs."""
        self.fixed("queued", "stays", models=(), seeds=())
        for words in ("no_memops", "time_limit", "no_read_only", "no_memops,time_limit,no_read_only,driver=11040", "sms=1"):
            with self.subTest(words=words):
                report = self.on_cuda(self.path("fixed.yaml"), "--in", "data=" + self.path("data"), "--instances", "9", words=words)
                expected = self.on_cuda(self.path("fixed-cpu.yaml"), "--in", "data=" + self.path("data"), "--instances", "9")
                self.assertEqual(self.sums(report), self.sums(expected))


if __name__ == "__main__":
    harness.main()
