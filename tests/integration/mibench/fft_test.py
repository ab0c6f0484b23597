#!/usr/bin/env python3
"""fft as a task graph: text equal to the byte under every call model, transport, placement and window, in both directions.

The expected text is the data folder's, or that of the reference below; both hold to the same order of operations. The
reference itself is compared with the definition of the transform.
"""
import array
import cmath
import math
import os
import random
import re
import struct
import subprocess
import sys

from mibench_harness import MODELS, SEED, SOURCE, ProgramTest, main, read, shared

FORWARD, INVERSE = ("fine", "chunks", "coarse"), ("inverse-fine", "inverse-chunks", "inverse-coarse")
SIZES = {False: 4096, True: 8192}  # by `inverse`, as MiBench's small run has them
GOLDEN = {False: ("input/fft_small.f32", "golden/fft_small.txt"), True: ("input/fft_small_inv.f32", "golden/fft_small_inv.txt")}
REFUSAL = "stage 'first/a/one[0]' is one of several replicas"
STAGES = os.path.join(SOURCE, "bench", "mibench", "fft", "stages.yaml")


def packed(samples):
    return struct.pack("<%df" % len(samples), *samples)


def unpacked(data):
    return list(struct.unpack("<%df" % (len(data) // 4), data))


def stage(real, imag, size, inverse):
    """Butterflies over blocks of `size`: double arithmetic, and each store into an array rounds to float."""
    angle = (-math.pi if inverse else math.pi) / size
    twice = 2 * math.cos(angle)
    factors, now, before = [], (math.cos(-angle), math.sin(-angle)), (math.cos(-2 * angle), math.sin(-2 * angle))
    for _ in range(size):
        now, before = (twice * now[0] - before[0], twice * now[1] - before[1]), now
        factors.append(now)
    for start in range(0, len(real), 2 * size):
        for j, (c, s) in enumerate(factors, start):
            k = j + size
            x, y = c * real[k] - s * imag[k], c * imag[k] + s * real[k]
            real[k], imag[k] = real[j] - x, imag[j] - y
            real[j], imag[j] = real[j] + x, imag[j] + y


def reversed_bits(samples):
    bits = len(samples).bit_length() - 1
    return array.array("f", (samples[int(format(k, "0%db" % bits)[::-1], 2)] for k in range(len(samples))))


def stages(samples, inverse):
    """Real and imaginary parts after the reversal and after each stage."""
    real, imag, size = reversed_bits(samples), array.array("f", bytes(4 * len(samples))), 1
    while True:
        yield real, imag
        if size == len(samples):
            return
        stage(real, imag, size, inverse)
        size *= 2


def transform(samples, inverse):
    for real, imag in stages(samples, inverse):
        pass
    if inverse:
        for part in (real, imag):
            for k, value in enumerate(part):
                part[k] = value / len(samples)
    return real, imag


def text_of(real, imag):
    return "".join("%s:\n%s\n" % (name, "".join("%f \t" % value for value in part)) for name, part in (("RealOut", real), ("ImagOut", imag))).encode()


def reference(samples, inverse=False):
    return text_of(*transform(samples, inverse))


def defined(samples, inverse, bin_):
    """One number of the transform by its definition."""
    turn = (-2j if inverse else 2j) * math.pi / len(samples)
    terms = [sample * cmath.exp(turn * (k * bin_ % len(samples))) for k, sample in enumerate(samples)]
    return complex(math.fsum(term.real for term in terms), math.fsum(term.imag for term in terms)) / (len(samples) if inverse else 1)


def numbers_of(text):
    real, imaginary = text.decode().split("ImagOut:\n")
    return [list(map(float, part.split())) for part in (real.removeprefix("RealOut:\n"), imaginary)]


def drawn_samples(count, scale=1000.0):
    drawn = random.Random("fft %d %d" % (count, SEED))
    return unpacked(packed([drawn.uniform(-scale, scale) for _ in range(count)]))


def made_waves(path, count):
    script = os.path.join(SOURCE, "bench", "mibench", "fft", "waves.py")
    subprocess.run([sys.executable, "-B", script, "4", str(count), path], check=True)
    return path


class FftTest(ProgramTest):
    program = "fft"
    kept = {}  # `inverse` -> samples as a file has them, and the text

    def setUp(self):
        super().setUp()
        self.file, self.text = {}, {}
        for inverse in (False, True):
            if inverse not in self.kept:
                type(self).kept[inverse] = self.data_of(inverse)
            samples, self.text[inverse] = self.kept[inverse]
            self.file[inverse] = {"samples": self.write("samples-%d.f32" % inverse, samples)}

    def data_of(self, inverse):
        paths = [shared(name) for name in GOLDEN[inverse]]
        print("(data: %s) " % (" and ".join(GOLDEN[inverse]) if all(paths) else "generated"), end="", file=sys.stderr, flush=True)
        if all(paths):
            return [read(path, "rb") for path in paths]
        samples = read(made_waves(self.path("waves.f32"), SIZES[inverse]), "rb")
        return samples, reference(unpacked(samples), inverse)

    def graphs(self):
        return [(name, self.file[inverse], self.text[inverse]) for inverse, names in ((False, FORWARD), (True, INVERSE)) for name in names]

    def test_reference_and_definition(self):
        for inverse in (False, True):
            samples = unpacked(read(self.file[inverse]["samples"], "rb"))
            self.same(self.text[inverse], reference(samples, inverse))
            real, imag = numbers_of(self.text[inverse])
            limit = 1e-6 * max(map(abs, real + imag))
            for bin_ in (0, 1, 2, 3, len(samples) // 2, len(samples) - 1, *random.Random(SEED).sample(range(len(samples)), 10)):
                self.assertLess(abs(complex(real[bin_], imag[bin_]) - defined(samples, inverse, bin_)), limit, (bin_, SEED))

    def test_waves(self):
        for inverse in (False, True):
            path = shared(GOLDEN[inverse][0])
            made = read(made_waves(self.path("waves.f32"), SIZES[inverse]), "rb")
            self.assertEqual(len(made), 4 * SIZES[inverse])
            # From the published coefficients 383, 777, 793, 386: a cosine of 0 adds one, a sine adds none.
            self.assertIn(unpacked(made)[0], {float(383 * a + 777 * b + 793 * c + 386 * d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)})
            if path:
                self.assertEqual(made, read(path, "rb"))

    def test_models_and_windows(self):
        for name, file, text in self.graphs():
            self.check_models(name, file, "text", text, instances=17)

    def test_random_placements(self):
        for name, file, text in self.graphs():
            self.check_placements(name, file, "text", text, count=1)

    def test_transports(self):
        for name, file, text in self.graphs():
            self.check_transports(name, file, "text", text, models=MODELS, transports=("loopback", "shm"))
            # A launch takes most of a second.
            self.check_transports(name, file, "text", text, models={"chunks": MODELS, "inverse-fine": ("woa",)}.get(name, ()), transports=("ofi",))

    def test_nested(self):
        for name, file, text in self.graphs():
            with self.subTest(graph=name):
                self.check_nested(name, file, "text", text, REFUSAL if "chunks" in name else None)

    def test_predictions(self):
        for name, file, text in self.graphs()[:4]:
            self.check_predictions(name, file, "text", text, models=MODELS if "chunks" in name else (*MODELS, "rpc-nested"))

    def test_firings(self):
        """A firing for each stage of butterflies; with chunks, one for each chunk in the first eight."""
        for name, stages_, chunks in (("fine", 12, 0), ("inverse-fine", 13, 0), ("chunks", 4, 16), ("inverse-chunks", 5, 16)):
            inverse = name.startswith("inverse")
            report = self.check(self.graph(name), self.file[inverse], "text", self.text[inverse])
            fired = {}
            for ran in report["stages"]:
                fired.setdefault(ran["name"].split("[")[0], []).append(ran["firings"])
            whole = [counts for label, counts in fired.items() if counts == [1] and label.split("/")[0] in ("first", "second", "third", "last")]
            self.assertEqual(len(whole), stages_, fired)
            self.assertEqual(sum(counts == [chunks // 2] * 2 for counts in fired.values()), 8 if chunks else 0, fired)

    def test_arrays_between_stages(self):
        """The blocks after the reversal and after every fourth stage, bit for bit."""
        for name, inverse in (("fine", False), ("inverse-fine", True), ("chunks", False)):
            samples = unpacked(read(self.file[inverse]["samples"], "rb"))
            wanted = [(real[:], imag[:]) for real, imag in stages(samples, inverse)]
            outputs = {"reverse.blocks": 0, "second.blocks" if name != "chunks" else "join.array": 8, "third.blocks": 12}
            more = ", ".join("o%d: %s" % (number, port) for port, number in outputs.items())
            text = read(self.placed(name, {})).replace("outputs: {", "outputs: {%s, " % more)
            done = self.woa("run", self.write("outputs.yaml", text), "--in", "samples=" + self.file[inverse]["samples"], "--out", "text=" + self.path("out"),
                            *(part for number in outputs.values() for part in ("--out", "o%d=%s" % (number, self.path("o%d" % number)))),
                            environment=self.kernels())
            self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
            self.same(read(self.path("out"), "rb"), self.text[inverse])
            for number in outputs.values():
                with self.subTest(graph=name, stage=number):
                    size = 1 << number
                    blocks = [part[at:at + size].tobytes() for at in range(0, len(samples), size) for part in wanted[number]]
                    data = read(self.path("o%d" % number), "rb")
                    self.assertEqual(struct.unpack("<2I", data[:8]), (len(samples) // size, size))
                    self.same(data[64:], b"".join(blocks))

    def test_any_number_of_samples(self):
        for bits in range(1, 13):
            samples = drawn_samples(1 << bits)
            file = {"samples": self.write("own.f32", packed(samples))}
            for name, inverse in (("coarse", False), ("inverse-coarse", True)):
                with self.subTest(samples=len(samples), graph=name, seed=SEED):
                    self.check(self.graph(name), file, "text", reference(samples, inverse))

    def test_definition_of_small_transforms(self):
        for count in (2, 8, 64):
            samples = drawn_samples(count)
            for name, inverse in (("coarse", False), ("inverse-coarse", True)):
                data, _ = self.outcome(self.graph(name), {"samples": self.write("own.f32", packed(samples))}, "text")
                real, imag = numbers_of(data)
                wanted = [defined(samples, inverse, k) for k in range(count)]
                for k in range(count):  # "%f" has six digits behind the point
                    self.assertLess(abs(complex(real[k], imag[k]) - wanted[k]), 1e-6 * (1 + max(map(abs, wanted))), (count, k, SEED))

    def test_most_samples(self):
        """A one at place 1 gives every factor of the last stage."""
        count = 65536
        file = {"samples": self.write("one.f32", packed([0.0, 1.0] + [0.0] * (count - 2)))}
        for name, sign, share in (("coarse", 1, 1), ("inverse-coarse", -1, count)):
            data, _ = self.outcome(self.graph(name), file, "text")
            real, imag = numbers_of(data)
            for k in range(count):
                wanted = cmath.exp(sign * 2j * math.pi * k / count) / share
                self.assertLess(abs(complex(real[k], imag[k]) - wanted), 1e-6, k)

    def test_own_graph_of_stages(self):
        """The sub-graphs of stages.yaml serve other numbers of samples."""
        graph = """woa: 1
graph: fft-16
includes: [%s]
inputs: {samples: {type: bytes, max: 64}}
stages:
  read:    {kernel: fft_read, in: {file: samples}}
  reverse: {kernel: fft_reverse, in: {samples: read.samples}}
  all:     {graph: fft_four_stages, in: {blocks: reverse.blocks}, params: {direction: inverse}}
  scale:   {kernel: fft_scale, in: {blocks: all.blocks}, params: {direction: inverse}}
  print:   {kernel: fft_print, in: {numbers: scale.numbers}}
outputs: {text: print.text}
""" % STAGES
        samples = drawn_samples(16)
        self.check(self.write("own.yaml", graph), {"samples": self.write("own.f32", packed(samples))}, "text", reference(samples, True))

    def test_chunks_of_any_number(self):
        for chunks in (1, 2, 4, 8):
            with self.subTest(chunks=chunks):
                self.check(self.graph("chunks"), self.file[False], "text", self.text[False], "--param", "cut.pieces=%d" % chunks)

    def test_printed_numbers(self):
        """Every form of number as "%f" has it: ties, zeros of both signs, the smallest and the largest."""
        drawn = random.Random(SEED)
        values = [0.0, 1e-45, 1.1754944e-38, 5e-7, 4.9999999e-7, 2.0**-21, 9.9999994e-7, 0.99999994, 999999.9375, 16777215.0, 2.0**24, 2.0**39, 2.0**40,
                  1.5 * 2.0**63, 2.0**64, 3.4028234e38]
        values += [k / 128 for k in range(1, 40, 2)]  # the seventh digit is 5 and the last one
        values += [drawn.uniform(-1, 1) * 10.0**drawn.randrange(-9, 30) for _ in range(100)]
        pairs = [unpacked(packed([value, 0.0])) for value in values] + [unpacked(packed([-value, -0.0])) for value in values]
        os.mkdir(self.path("pairs"))
        for number, pair in enumerate(pairs):
            self.write("pairs/%03d.f32" % number, packed(pair))
        for name, inverse in (("coarse", False), ("inverse-coarse", True)):
            data, _ = self.outcome(self.graph(name), {"samples": self.path("pairs")}, "text")
            expected = [reference(pair, inverse) for pair in pairs]
            self.assertIn(b"-0.000000", b"".join(expected))
            self.same(data, b"".join(expected))

    def test_on_gpus(self):
        """Bit for bit: the devices run the same recurrence."""
        for name, inverse, away in (("fine", False, ("first", "second", "third")), ("inverse-fine", True, ("second", "last")), ("chunks", False, ("first",))):
            self.check_gpus(name, away, self.file[inverse], "text", self.text[inverse])

    def test_tables(self):
        """Both variants of the butterflies have the same cosines and sines, and these are right."""
        folder = os.path.dirname(STAGES)
        tables = [re.findall(r"^(?:static const|WOA_TABLE) double \w+\[17\] = \{(.*?)\};", read(os.path.join(folder, name)), re.M | re.S)
                  for name in ("fft.h", "fft_butterflies/fft_butterflies.cu")]
        numbers = [[[float.fromhex(text) for text in table.split(",")] for table in pair] for pair in tables]
        self.assertEqual(numbers[0], numbers[1])
        for found, function in zip(numbers[0], (math.cos, math.sin), strict=True):
            self.assertEqual(len(found), 17)
            for k, value in enumerate(found):
                self.assertLessEqual(abs(value - function(2 * math.pi / 2**k)), math.ulp(value), (function, k))

    def test_baseline(self):
        for inverse, direction in ((False, "forward"), (True, "inverse")):
            report = self.check_baseline(self.file[inverse], "text", self.text[inverse], "--set", "direction=" + direction)
            self.assertEqual([loop["name"] for loop in report["loops"]], ["transform"])


class BadInputTest(ProgramTest):
    program = "fft"

    def test_damaged_files(self):
        for what, data, texts in (
                ("empty", b"", ("there are 0 samples", "a power of two from 2 to 65536", "append zeros")),
                ("truncated", packed(drawn_samples(4096))[:-2], ("the input has 16382 bytes, expected a multiple of 4", "copy the whole file")),
                ("one sample less", packed(drawn_samples(4096)[:-1]), ("there are 4095 samples, expected a power of two",)),
                ("one sample", packed([1.0]), ("there are 1 samples",)),
                ("no number", packed([0.0] * 17 + [math.nan] + [0.0] * 14), ("sample 17 (byte 68) is", "nan, expected a number", "little-endian floats")),
                ("infinite", packed([0.0, -math.inf]), ("sample 1 (byte 4) is -inf, expected a number",)),
                ("text", b"RealOut:\n1.0 \t2.0 \t\n", ("there are 5 samples",))):
            bad = {"samples": self.write("bad.f32", data)}
            for name in ("fine", "coarse"):
                with self.subTest(file=what, graph=name):
                    self.fails(name, bad, "text", *texts)
            error = self.baseline(bad, {"text": self.path("out")}, code=1)
            for text in texts:
                self.assertIn(text, error)
            self.assertFalse(os.path.exists(self.path("out")))

    def test_missing_file(self):
        none = {"samples": self.path("none.f32")}
        for name in ("fine", "coarse"):
            self.refused(self.start(self.graph(name), none, "text"), 1, "--in samples: no such file or folder: '%s'; check the path" % none["samples"])
        self.assertIn("--in samples: %s: there is no such file" % none["samples"], self.baseline(none, {"text": self.path("out")}, code=1))

    def test_file_above_the_bound(self):
        large = {"samples": self.write("large.f32", bytes(4 * 65536 + 4))}
        self.refused(self.start(self.graph("coarse"), large, "text"), 1, "large.f32", "262148", "262144")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_samples_of_another_number(self):
        for name in ("fine", "chunks"):
            for count, texts in ((8192, ("2 blocks of 4096 are left, expected one", "use the graph for this number of samples, or coarse.yaml")),
                                 (2048, ("one block of %d is whole, expected at least two to join" % (2048 if name == "fine" else 128), "or coarse.yaml"))):
                with self.subTest(graph=name, samples=count):
                    self.fails(name, {"samples": self.write("other.f32", packed(drawn_samples(count)))}, "text", *texts)

    def test_parameters(self):
        file = {"samples": self.write("few.f32", packed([1.0, 2.0]))}
        for name, option, texts in (("coarse", "transform.direction=back", ("direction", "back", "forward", "inverse")),
                                    ("fine", "scale.direction=back", ("direction", "back", "forward", "inverse")),
                                    ("chunks", "cut.pieces=3", ("pieces", "3", "16")),
                                    ("chunks", "cut.pieces=32", ("pieces", "32", "16"))):
            with self.subTest(option=option):
                self.refused(self.start(self.graph(name), file, "text", "--param", option), 1, *texts)
                self.assertFalse(os.path.exists(self.path("out")))
        error = self.baseline(file, {"text": self.path("out")}, "--set", "direction=back", code=1)
        self.assertIn("parameter 'direction' is 'back', expected forward or inverse", error)

    def test_failed_instance_between_good_ones(self):
        """A damaged file fails alone; the instances beside it have their outputs."""
        samples = drawn_samples(4096)
        os.mkdir(self.path("all"))
        for number, data in enumerate((packed(samples), packed(samples)[:-4], packed(samples))):
            self.write("all/%d.f32" % number, data)
        done = self.woa("run", self.graph("fine"), "--in", "samples=" + self.path("all"), "--out", "text=" + self.path("out-%i"), "--window", "3",
                        environment=self.kernels())
        self.refused(done, 1, "1.f32", "failed at stage read: there are 4095 samples")
        for number in (0, 2):
            self.same(read(self.path("out-%d" % number), "rb"), reference(samples))


if __name__ == "__main__":
    main()
