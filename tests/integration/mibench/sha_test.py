#!/usr/bin/env python3
"""sha as a task graph: digests equal to two references under every call model, transport, placement and window.

SHA-1 is compared with Python's hashlib, SHA-0 with rounds of its own, checked with the published vector of `abc`. No
data folder has MiBench's text; with a copy of MiBench as WOA_MIBENCH_DATA its digest is compared, too.
"""
import hashlib
import os
import random
import sys
import unittest

from mibench_harness import MODELS, SEED, SOURCE, ProgramTest, main, read, shared

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "bench", "mibench", "sha"))
import text as reference  # noqa: E402

VARIANTS = ("fine", "medium", "coarse")
CUTTER = {"fine": "read", "medium": "read", "coarse": "cut"}  # the stage with the parameter `chunk`
HASHER = {"fine": "block", "medium": "block", "coarse": "hash"}  # the stage with the parameter `algorithm`
# Around a block's end, the end of the last block that has room for the length, and a chunk's end.
SIZES = (0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 8127, 8128, 8183, 8184, 8191, 8192, 8193, 8247, 8248, 16384, 20000)
BOUND = 4 << 20  # of the graphs' input
INPUT = shared("input/sha_small.asc") or shared("security/sha/input_small.asc")


def sha0(data):
    return reference.sha0(data).encode()


def sha1(data):
    digits = hashlib.sha1(data).hexdigest()
    return (" ".join(digits[at:at + 8] for at in range(0, 40, 8)) + "\n").encode()


def drawn_bytes(size):
    return random.Random("sha %d %d" % (size, SEED)).randbytes(size)


class ShaTest(ProgramTest):
    program = "sha"

    def setUp(self):
        super().setUp()
        self.data("generated")
        # A turn with 8 KiB and one with less; the padding has its own block.
        self.content = drawn_bytes(8192 + 1000)
        self.file = {"data": self.write("data.bin", self.content)}
        self.digest = sha0(self.content)

    def sha1_of(self, name):
        return ("--param", HASHER[name] + ".algorithm=sha1")

    def test_references(self):
        self.assertEqual(sha0(b"abc"), b"0164b8a9 14cd2a5e 74c4f7ff 082c4d97 f1edf880\n")
        self.assertEqual(sha1(b"abc"), b"a9993e36 4706816a ba3e2571 7850c26c 9cd0d89d\n")

    def test_models_and_windows(self):
        for name in VARIANTS:
            self.check_models(name, self.file, "text", self.digest, instances=17)

    def test_random_placements(self):
        for name in VARIANTS:
            self.check_placements(name, self.file, "text", self.digest)

    def test_transports(self):
        for name in VARIANTS:
            self.check_transports(name, self.file, "text", self.digest, models=MODELS, transports=("loopback", "shm"))
            self.check_transports(name, self.file, "text", self.digest, models=MODELS if name == "medium" else ("woa",), transports=("ofi",))

    def test_predictions(self):
        for name in VARIANTS:
            self.check_predictions(name, self.file, "text", self.digest)

    def test_nested_refuses(self):
        for name, reason in (("fine", "stage 'read' is entered by a loop"), ("medium", "stage 'read' is entered by a loop"),
                             ("coarse", "stage 'print' gathers a scatter")):
            self.check_nested(name, self.file, "text", None, reason)

    def files(self):
        """A folder with a file of each size: its path, and the contents in the order of instances."""
        folder = self.path("files")
        os.mkdir(folder)
        contents = [drawn_bytes(size) for size in SIZES]
        for number, content in enumerate(contents):
            self.write("files/%03d.bin" % number, content)
        return folder, contents

    def test_many_files_as_instances(self):
        folder, contents = self.files()
        for name in VARIANTS:
            for model in MODELS:
                for options, digest in (((), sha0), (self.sha1_of(name), sha1)):
                    with self.subTest(graph=name, model=model, digest=digest.__name__):
                        data, report = self.outcome(self.graph(name), {"data": folder}, "text", "--model", model, "--window", "16", *options)
                        self.assertEqual(data.splitlines(True), [digest(content) for content in contents])
                        self.assertEqual((report["instances"], report["window"]), (len(SIZES), 16))

    def test_chunks_of_any_size(self):
        folder, contents = self.files()
        for name in VARIANTS:
            for chunk in (64, 128, 192, 4096, 8128):
                with self.subTest(graph=name, chunk=chunk):
                    data, _ = self.outcome(self.graph(name), {"data": folder}, "text", "--param", "%s.chunk=%d" % (CUTTER[name], chunk),
                                           *self.sha1_of(name))
                    self.assertEqual(data.splitlines(True), [sha1(content) for content in contents])

    def test_turns_and_elements(self):
        """The state goes round once a block, or once a chunk."""
        blocks = (len(self.content) + 8) // 64 + 1
        for name, stage, count in (("fine", "block", blocks), ("medium", "block", 2), ("coarse", "hash", 2)):
            report = self.check(self.graph(name), self.file, "text", self.digest)
            self.assertEqual([found["firings"] for found in report["stages"] if found["name"] == stage], [count])

    def test_largest_file(self):
        content = drawn_bytes(BOUND)
        for name in VARIANTS:
            with self.subTest(graph=name):
                self.check(self.graph(name), {"data": self.write("large.bin", content)}, "text", sha1(content), *self.sha1_of(name))

    def test_text_of_the_experiment(self):
        text = reference.text()
        for name in VARIANTS:
            with self.subTest(graph=name):
                self.check(self.graph(name), {"data": self.write("text.txt", text)}, "text", sha0(text))

    @unittest.skipUnless(INPUT, "MiBench's own text: name a copy of MiBench with WOA_MIBENCH_DATA")
    def test_text_of_mibench(self):
        self.data("MiBench's small input")
        for name in VARIANTS:
            with self.subTest(graph=name):
                self.check(self.graph(name), {"data": INPUT}, "text", reference.MIBENCH.encode())

    def test_on_gpus(self):
        folder, contents = self.files()
        graph = self.placed("medium", {"block": "gpu:0"})
        for backend, machine in self.gpus():
            for options, digest in (((), sha0), (self.sha1_of("medium"), sha1)):
                data, report = self.outcome(graph, {"data": folder}, "text", "--param", "read.chunk=4096", *machine, *options)
                self.assertEqual(data.splitlines(True), [digest(content) for content in contents])
                self.assertIn(backend, {controller["backend"] for controller in report["controllers"]})

    def test_on_an_fpga(self):
        for name in ("fine", "medium"):
            self.check_fpga(name, ["block"], self.file, "text", self.digest)
            self.check_fpga(name, ["block"], self.file, "text", sha1(self.content), *self.sha1_of(name))

    def test_baseline(self):
        names = ["block, 8 KiB a turn", "block, 64 B a turn"]
        for options, digest in (((), sha0), (("--set", "algorithm=sha1"), sha1)):
            report = self.check_baseline(self.file, "text", digest(self.content), *options)
            self.assertEqual([loop["name"] for loop in report["loops"]], names)
        for size in SIZES:
            file = {"data": self.write("sized.bin", drawn_bytes(size))}
            self.baseline(file, {"text": self.path("plain")}, "--set", "algorithm=sha1")
            self.same(read(self.path("plain"), "rb"), sha1(drawn_bytes(size)))


class BadInputTest(ProgramTest):
    program = "sha"

    def setUp(self):
        super().setUp()
        self.file = {"data": self.write("data.bin", b"abc")}

    def test_missing_file(self):
        none = {"data": self.path("none.bin")}
        for name in VARIANTS:
            self.refused(self.start(self.graph(name), none, "text"), 1, "--in data: no such file or folder: '%s'; check the path" % none["data"])
        self.assertIn("--in data: %s: there is no such file" % none["data"], self.baseline(none, {"text": self.path("out")}, code=1))

    def test_file_above_the_bound(self):
        large = {"data": self.write("large.bin", bytes(BOUND + 1))}
        for name in VARIANTS:
            self.refused(self.start(self.graph(name), large, "text"), 1, "large.bin", str(BOUND + 1), str(BOUND))
            self.assertFalse(os.path.exists(self.path("out")))

    def test_chunks_that_are_no_blocks(self):
        for name in VARIANTS:
            for chunk, text in (("100", "expected a multiple of 64 bytes, such as 64"), ("8191", "such as 8128"), ("0", "64"), ("8256", "8192"), ("x", "x")):
                with self.subTest(graph=name, chunk=chunk):
                    done = self.start(self.graph(name), self.file, "text", "--param", "%s.chunk=%s" % (CUTTER[name], chunk))
                    self.refused(done, 1, "chunk", chunk, text)

    def test_unknown_algorithm(self):
        for name in VARIANTS:
            self.refused(self.start(self.graph(name), self.file, "text", "--param", HASHER[name] + ".algorithm=md5"), 1, "algorithm", "md5", "sha1")
        error = self.baseline(self.file, {"text": self.path("out")}, "--set", "algorithm=md5", code=1)
        self.assertIn("parameter 'algorithm' is 'md5', expected sha0 or sha1", error)

    def test_more_chunks_than_elements(self):
        large = {"data": self.write("large.bin", bytes(1 << 20))}
        self.fails("coarse", large, "text", "1048576 bytes of data make 16385 chunks of 64 bytes, at most 1024 are possible: set a larger `chunk`",
                   options=("--param", "cut.chunk=64"))


if __name__ == "__main__":
    main()
