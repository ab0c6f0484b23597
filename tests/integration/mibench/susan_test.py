#!/usr/bin/env python3
"""SUSAN's edges as a task graph: pictures equal to the byte under every call model, transport, placement and window."""
import os
import random
import struct

import susan_reference
from mibench_harness import SEED, ProgramTest, golden, main, read

VARIANTS = ("fine", "bands", "coarse")
BAD = {  # the file, and texts of its error
    "empty": (b"", "the file is empty, expected a picture (P5)"),
    "one byte": (b"P", "begins with the bytes 0x50 0x00, expected `P5`"),
    "a colour picture": (b"P6\n9 9\n255\n" + bytes(243), "begins with the bytes 0x50 0x36, expected `P5`; convert it to binary PGM"),
    "header without end": (b"P5\n9 ", "the file ends in its header, after 0 digits of the height; copy the whole file"),
    "no number": (b"P5 x 9", "the header's width has the byte 0x78, expected a number"),
    "too wide": (b"P5\n65501 9\n255\n", "the header's width is above 65500"),
    "no columns": (b"P5\n0 9\n255\n", "the picture has 0 x 9 pixels, expected at least 1 x 1"),
    "16 bits a sample": (b"P5\n9 9\n65535\n" + bytes(162), "largest sample is 65535, expected 255; convert the file to 8 bits a sample"),
    "more than 16 bits": (b"P5\n9 9\n65536\n" + bytes(81), "largest sample is above 65535"),
    "truncated": (b"P5\n9 9\n255\n" + bytes(80), "80 bytes of pixels, expected 9 x 9 x 1 = 81; copy the whole file"),
    "narrower than the mask": (b"P5\n6 9\n255\n" + bytes(54), "6 x 9 pixels, expected at least 7 x 7, the mask's size; give a larger one"),
    "lower than the mask": (b"P5\n9 6\n255\n" + bytes(54), "9 x 6 pixels, expected at least 7 x 7"),
}


def pgm(rows, comment=b""):
    return b"P5\n%s%d %d\n255\n" % (comment, len(rows[0]), len(rows)) + b"".join(map(bytes, rows))


def own_picture(width, height, kind, drawn):
    """Noise, two colours, rings, or tiles with noise."""
    kinds = (lambda x, y: drawn.randrange(256), lambda x, y: drawn.choice((0, 255)), lambda x, y: (x * x + y * y) // 7 & 255,
             lambda x, y: (x // 6 + y // 9) % 2 * drawn.randrange(40, 90))
    return [[kinds[kind](x, y) for x in range(width)] for y in range(height)]


def packed(rows, code):
    return b"".join(struct.pack("<%d%s" % (len(row), code), *row) for row in rows)


OWN = own_picture(64, 50, 3, random.Random(SEED))
DATA = golden("input/susan_small.pgm", "golden/susan_small_edges.pgm")
PICTURE, EDGES = DATA or (pgm(OWN, b"# made here\n"), pgm(susan_reference.susan(OWN)[2]))


class SusanTest(ProgramTest):
    program = "susan"

    def setUp(self):
        super().setUp()
        self.file = {"file": self.write("in.pgm", PICTURE)}

    def test_models_and_windows(self):
        for name in VARIANTS:
            self.check_models(name, self.file, "file", EDGES)

    def test_random_placements(self):
        for name in VARIANTS:
            self.check_placements(name, self.file, "file", EDGES)

    def test_other_transports(self):
        for name in VARIANTS:
            self.check_transports(name, self.file, "file", EDGES)

    def test_nested(self):
        for name, refusal in (("fine", None), ("coarse", None), ("bands", "stage 'response[0]' is one of several replicas")):
            with self.subTest(graph=name):
                self.check_nested(name, self.file, "file", EDGES, refusal)

    def test_predicted_messages_and_bytes(self):
        for name in VARIANTS:
            self.check_predictions(name, self.file, "file", EDGES)

    def test_on_gpus(self):
        for name in ("fine", "bands"):
            self.check_gpus(name, ["response"], self.file, "file", EDGES)

    def test_on_an_fpga(self):
        self.check_fpga("fine", ["response"], self.file, "file", EDGES)

    def dumps(self, name, response, file):
        graph = self.with_outputs(name, {"response": response, "map": "thin.map"})
        return self.arrays(graph, {"file": file}, ("response", "map"))

    def test_stages(self):
        dumped = golden("debug/susan_small_response.i32", "debug/susan_small_mid_thinned.u8")
        pictures = [(PICTURE, dumped)] if DATA and dumped else []
        for kind, (width, height) in enumerate(((31, 24), (24, 40), (50, 20), (45, 33))):
            rows = own_picture(width, height, kind, random.Random(SEED + kind))
            response, thinned, _ = susan_reference.susan(rows)
            pictures.append((pgm(rows), [packed(response, "i"), packed(thinned, "B")]))
        for number, (picture, expected) in enumerate(pictures):
            for name, response in (("fine", "response.response"), ("bands", "join.array")):
                with self.subTest(picture=number, graph=name, seed=SEED):
                    for found, wanted in zip(self.dumps(name, response, self.write("some.pgm", picture)), expected):
                        self.same(found, wanted)

    def test_own_pictures(self):
        drawn = random.Random(SEED)
        for number, (width, height) in enumerate(((7, 7), (8, 30), (30, 9), (13, 12), (97, 23), (23, 61))):
            rows = own_picture(width, height, number % 4, drawn)
            expected = pgm(susan_reference.susan(rows)[2])
            for name in VARIANTS:
                with self.subTest(size=(width, height), graph=name, seed=SEED):
                    self.check(self.graph(name), {"file": self.write("own.pgm", pgm(rows))}, "file", expected)

    def test_bands_of_any_number(self):
        for bands in (1, 2, 16):
            with self.subTest(bands=bands):
                self.check(self.graph("bands"), self.file, "file", EDGES, "--param", "cut.pieces=%d" % bands)

    def test_baseline(self):
        report = self.check_baseline(self.file, "file", EDGES)
        self.assertEqual([loop["name"] for loop in report["loops"]], ["response", "direction"])

    def test_bad_input(self):
        for what, (data, text) in BAD.items():
            with self.subTest(file=what):
                bad = {"file": self.write("bad", data)}
                self.fails("fine", bad, "file", text)
                self.assertIn(text, self.baseline(bad, {}, code=1))

    def test_missing_file(self):
        missing = {"file": self.path("none.pgm")}
        self.refused(self.start(self.graph("fine"), missing, "file"), 1, "none.pgm", "no such file or folder", "check the path")
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertIn("none.pgm", self.baseline(missing, {}, code=1))

    def test_failed_instance_between_good_ones(self):
        """A damaged picture fails alone; the instances beside it have their outputs."""
        os.mkdir(self.path("all"))
        for number, data in enumerate((PICTURE, PICTURE[:-1], PICTURE)):
            self.write("all/%d.pgm" % number, data)
        done = self.woa("run", self.graph("fine"), "--in", "file=" + self.path("all"), "--out", "file=" + self.path("out-%i"), "--window", "3",
                        environment=self.kernels())
        self.refused(done, 1, "1.pgm", "failed at stage read: the file is cut short")
        for number in (0, 2):
            self.same(read(self.path("out-%d" % number), "rb"), EDGES)


if __name__ == "__main__":
    main()
