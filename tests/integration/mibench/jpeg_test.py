#!/usr/bin/env python3
"""JPEG as a task graph: files and images equal to the byte under every call model, transport, placement and window.

Without the data folder, cjpeg and djpeg of libjpeg-turbo are the reference; without them, the graphs of one firing.
"""
import os
import random
import shutil
import subprocess

from mibench_harness import SEED, ProgramTest, golden, main, read

ENCODE = {"fine": "entropy", "strips": "entropy", "coarse": "encode"}  # the stage that has the coding
DECODE = ("decode-fine", "decode-coarse")
CODINGS = {"baseline": [], "optimal": ["-optimize"], "progressive": ["-optimize", "-progressive"]}
BLOCKS = ("y", "cb", "cr")
BAD_IMAGES = {  # the file, and texts of its error
    "empty": (b"", "the file is empty, expected a picture (P6)"),
    "a grey picture": (b"P5\n4 4\n255\n" + bytes(16), "begins with the bytes 0x50 0x35, expected `P6`; convert it to binary PPM"),
    "no pixels": (b"P6\n0 0\n255\n", "the picture has 0 x 0 pixels, expected at least 1 x 1"),
    "truncated": (b"P6\n4 4\n255\n" + bytes(47), "47 bytes of pixels, expected 4 x 4 x 3 = 48; copy the whole file"),
    "16 bits a sample": (b"P6\n4 4\n65535\n" + bytes(96), "largest sample is 65535, expected 255; convert the file to 8 bits a sample"),
}


def is_turbo():
    """libjpeg has changed its results since; libjpeg-turbo has not."""
    if not (shutil.which("cjpeg") and shutil.which("djpeg")):
        return False
    return b"libjpeg-turbo" in subprocess.run(["cjpeg", "-version"], stdin=subprocess.DEVNULL, capture_output=True, check=False).stderr


TURBO = is_turbo()


def own_image(width, height, seed=SEED):
    drawn = random.Random(seed)
    pixels = [(x * 7 + y * 3 + drawn.randrange(40) & 255, x * y & 255 if x % 9 else 255, drawn.randrange(256) if y % 5 == 0 else y * 5 & 255)
              for y in range(height) for x in range(width)]
    return b"P6\n%d %d\n255\n" % (width, height) + b"".join(map(bytes, pixels))


def cjpeg(image, coding="progressive", *more):
    return subprocess.run(["cjpeg", "-dct", "int", *CODINGS[coding], *more], input=image, capture_output=True, check=True).stdout


def djpeg(file):
    return subprocess.run(["djpeg", "-dct", "int", "-ppm"], input=file, capture_output=True, check=True).stdout


ENCODED = golden("input/jpeg_small.ppm", "golden/jpeg_small_encode.jpg")
DECODED = golden("input/jpeg_small.jpg", "golden/jpeg_small_decode.ppm")
IMAGE = ENCODED[0] if ENCODED else own_image(117, 75)


class JpegTest(ProgramTest):
    program = "jpeg"

    def need_turbo(self, what):
        if not TURBO:
            self.skip("djpeg", f"{what}: install libjpeg-turbo-progs")

    def setUp(self):
        super().setUp()
        self.need_kernels("jpeg_entropy", "jpeg_coefficients")
        self.image = {"file": self.write("in.ppm", IMAGE)}
        self.encoded = ENCODED[1] if ENCODED else cjpeg(IMAGE) if TURBO else self.outcome(self.graph("coarse"), self.image, "file")[0]
        file = DECODED[0] if DECODED else self.encoded
        self.file = {"file": self.write("in.jpg", file)}
        self.decoded = DECODED[1] if DECODED else djpeg(file) if TURBO else self.outcome(self.graph("decode-coarse"), self.file, "file")[0]
        self.cases = [(name, self.image, self.encoded) for name in ENCODE] + [(name, self.file, self.decoded) for name in DECODE]

    def test_models_and_windows(self):
        for name, given, expected in self.cases:
            self.check_models(name, given, "file", expected)

    def test_random_placements(self):
        for name, given, expected in self.cases:
            self.check_placements(name, given, "file", expected, count=1 if name in ("coarse", "decode-coarse") else 2)

    def test_other_transports(self):
        for name, given, expected in self.cases:
            self.check_transports(name, given, "file", expected, models=("woa", "rpc-hub") if name in ("fine", "strips") else ("woa",))

    def test_nested(self):
        for name, given, expected in self.cases:
            with self.subTest(graph=name):
                self.check_nested(name, given, "file", expected, "stage 'ycc[0]' is one of several replicas" if name == "strips" else None)

    def test_nested_through_one_controller_twice(self):
        """An output that returns to a controller by a second way, when whoever had it there has taken it."""
        graph = self.placed("fine", {"read": "cpu:0", "ycc": "cpu:1", "fdct_y": "cpu:2", "entropy": "cpu:1", "write": "cpu:0"})
        for transport in ("shm", "ofi"):
            self.check(graph, self.image, "file", self.encoded, "--model", "rpc-nested", "--transport", transport)
        in_a_row = self.placed("fine", {"read": "cpu:0", "ycc": "cpu:1", "fdct_y": "cpu:1", "entropy": "cpu:1", "write": "cpu:0"})
        self.check(in_a_row, self.image, "file", self.encoded, "--model", "rpc-nested", "--transport", "ofi")

    def test_predicted_messages_and_bytes(self):
        for name, given, expected in self.cases:
            nested = [] if name == "strips" else ["rpc-nested"]
            self.check_predictions(name, given, "file", expected, models=["woa", "rpc-fused", "rpc-hub", "rpc-polled", *nested])

    def test_on_gpus(self):
        for name, stages in (("fine", ["ycc", "fdct_y", "fdct_cb", "fdct_cr"]), ("strips", ["ycc", "fdct_y"])):
            for away in (stages[:1], stages):
                self.check_gpus(name, away, self.image, "file", self.encoded)

    def test_on_an_fpga(self):
        self.check_fpga("fine", ["fdct_y", "fdct_cb", "fdct_cr"], self.image, "file", self.encoded)

    def coefficients(self, name, stages, given):
        graph = self.with_outputs(name, {component: stages % component for component in BLOCKS})
        return b"".join(self.arrays(graph, given, BLOCKS))

    def test_coefficients(self):
        """Those that the encoder makes are those that libjpeg reads from the file, and those of the dump."""
        made = {name: self.coefficients(name, stages, self.image)
                for name, stages in (("fine", "fdct_%s.coefficients"), ("strips", "join_%s.array"))}
        made["decode-fine"] = self.coefficients("decode-fine", "entropy.%s", {"file": self.write("reference.jpg", self.encoded)})
        dump = golden("debug/jpeg_small_coef.i16") if ENCODED else None
        expected = dump[0] if dump else made["decode-fine"]
        self.assertGreater(len(expected), 10000)
        for name, found in made.items():
            with self.subTest(graph=name):
                self.same(found, expected)

    def check_codings(self, image, references):
        """`references`: {coding: file}."""
        given = {"file": self.write("coded.ppm", image)}
        for coding, expected in references.items():
            for name, stage in ENCODE.items():
                with self.subTest(graph=name, coding=coding):
                    self.check(self.graph(name), given, "file", expected, "--param", "%s.coding=%s" % (stage, coding))

    def check_decoders(self, file, expected):
        for name in DECODE:
            with self.subTest(graph=name):
                self.check(self.graph(name), {"file": self.write("coded.jpg", file)}, "file", expected)

    def test_golden_files(self):
        """All three codings of one image, and the image that all of them decode to."""
        names = {"baseline": "_baseline", "optimal": "_baseline_opt", "progressive": ""}
        files = golden(*("golden/jpeg_small_encode%s.jpg" % name for name in names.values()), "golden/jpeg_small_encode.decoded.ppm")
        if files is None:
            self.skipTest("no data folder; test_sizes compares with cjpeg")
        self.check_codings(IMAGE, dict(zip(names, files)))
        for file in files[:3]:
            self.check_decoders(file, files[3])

    def test_sizes(self):
        self.need_turbo("files of other images")
        for number, (width, height) in enumerate(((1, 1), (2, 3), (5, 4), (7, 9), (16, 17), (17, 16), (33, 41), (241, 31))):
            image = own_image(width, height, SEED + number)
            with self.subTest(size=(width, height), seed=SEED + number):
                self.check_codings(image, {coding: cjpeg(image, coding) for coding in list(CODINGS)[number % 3:][:1]})
                for coding in ("baseline", "progressive"):
                    file = cjpeg(image, coding)
                    self.check_decoders(file, djpeg(file))

    def test_qualities(self):
        self.need_turbo("files of other qualities")
        for quality in (1, 30, 100):
            expected = cjpeg(IMAGE, "progressive", "-quality", str(quality))
            for name, stages in (("fine", ("fdct_y", "fdct_cb", "fdct_cr", "entropy")), ("coarse", ("encode",))):
                with self.subTest(graph=name, quality=quality):
                    options = [part for stage in stages for part in ("--param", "%s.quality=%d" % (stage, quality))]
                    self.check(self.graph(name), self.image, "file", expected, *options)
            self.check_decoders(expected, djpeg(expected))

    def test_without_reference(self):
        """All grains write the same file, which decodes to nearly the image."""
        image = own_image(39, 50)
        given = {"file": self.write("own.ppm", image)}
        file = self.outcome(self.graph("coarse"), given, "file")[0]
        for name in ENCODE:
            self.check(self.graph(name), given, "file", file)
        decoded = self.outcome(self.graph("decode-fine"), {"file": self.write("own.jpg", file)}, "file")[0]
        self.assertEqual(len(decoded), len(image))
        light = [abs(sum(a) - sum(b)) / 3 for a, b in zip(*(zip(*[iter(data[-39 * 50 * 3:])] * 3) for data in (image, decoded)))]
        self.assertLess(sum(light) / len(light), 20)

    def test_strips_of_any_number(self):
        for strips in (1, 3):
            with self.subTest(strips=strips):
                self.check(self.graph("strips"), self.image, "file", self.encoded, "--param", "cut.pieces=%d" % strips)

    def test_baseline(self):
        report = self.check_baseline(self.image, "file", self.encoded)
        self.assertIn("transform", [loop["name"] for loop in report["loops"]])
        report = self.check_baseline(self.file, "file", self.decoded)
        self.assertIn("inverse transform", [loop["name"] for loop in report["loops"]])

    def test_baseline_in_whole_blocks(self):
        """The loops over pixels count only for images of whole blocks."""
        given = {"file": self.write("whole.ppm", own_image(32, 48))}
        file = self.outcome(self.graph("coarse"), given, "file")[0]
        report = self.check_baseline(given, "file", file)
        self.assertEqual([loop["name"] for loop in report["loops"]], ["transform", "colours to planes"])
        given = {"file": self.write("whole.jpg", file)}
        report = self.check_baseline(given, "file", self.outcome(self.graph("decode-fine"), given, "file")[0])
        self.assertEqual([loop["name"] for loop in report["loops"]], ["inverse transform", "planes to colours"])

    def refuses(self, graphs, files, baseline=True):
        for what, (data, text) in files.items():
            bad = {"file": self.write("bad", data)}
            for name in graphs:
                with self.subTest(graph=name, file=what):
                    self.fails(name, bad, "file", text)
            if baseline:
                with self.subTest(baseline=what):
                    self.assertIn(text, self.baseline(bad, {}, code=1))

    def test_bad_images(self):
        self.refuses(["fine"], BAD_IMAGES)
        large = self.write("large.ppm", b"P6\n1400 1000\n255\n" + bytes(4200000))
        self.fails("fine", {"file": large}, "file", "output 'image' needs 4200000 bytes, its bound is 4194304")

    def test_damaged_files(self):
        whole = self.encoded
        frame = whole.index(b"\xff\xc2") if b"\xff\xc2" in whole else whole.index(b"\xff\xc0")

        def with_byte(at, value):
            return whole[:at] + bytes([value]) + whole[at + 1:]

        self.refuses(DECODE, {"empty": (b"", "the file is empty, expected a JPEG"),
                              "no JPEG": (b"hello, here is a text", "the file begins with the bytes 0x68 0x65, expected 0xff 0xd8, a JPEG")}, baseline=False)
        self.refuses(DECODE, {
            "cut short": (whole[:len(whole) // 2], "of %d bytes: Premature end of JPEG file; expected a whole, undamaged file" % (len(whole) // 2)),
            "no end": (whole[:-2], "Premature end of JPEG file"),
            "start alone": (whole[:2], "of 2 bytes: Premature end of JPEG file"),
            "damaged frame": (with_byte(frame + 3, 255), "cannot decode the JPEG of %d bytes: Bogus marker length" % len(whole)),
            "another sampling": (with_byte(frame + 11, 0x11), "the first with 1 x 1 samples, expected Y, Cb and Cr with 2 x 2"),
        })
        # 65,280 rows and more.
        self.fails("decode-fine", {"file": self.write("bad", with_byte(frame + 5, 255))}, "file", "output 'y' needs", "its bound is 4194304")

    def test_missing_file(self):
        missing = {"file": self.path("none.ppm")}
        for name in ("fine", "decode-fine"):
            self.refused(self.start(self.graph(name), missing, "file"), 1, "none.ppm", "no such file or folder", "check the path")
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertIn("none.ppm", self.baseline(missing, {}, code=1))

    def test_failed_instance_between_good_ones(self):
        """A damaged file fails alone; the instances beside it have their outputs."""
        os.mkdir(self.path("all"))
        good = read(self.file["file"], "rb")
        for number, data in enumerate((good, good[:-100], good)):
            self.write("all/%d.jpg" % number, data)
        done = self.woa("run", self.graph("decode-fine"), "--in", "file=" + self.path("all"), "--out", "file=" + self.path("out-%i"), "--window",
                        "3", environment=self.kernels())
        self.refused(done, 1, "1.jpg", "failed at stage entropy: cannot decode the JPEG")
        for number in (0, 2):
            self.same(read(self.path("out-%d" % number), "rb"), self.decoded)


if __name__ == "__main__":
    main()
