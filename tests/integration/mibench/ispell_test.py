#!/usr/bin/env python3
"""ispell as a task graph: whole lines equal to a reference under every call model, transport, placement and window.

Without Debian's ispell and iamerican the dictionary is the project's own; with them, `ispell -a` is asked, too.
"""
import gzip
import os
import random
import shutil
import subprocess
import sys

from mibench_harness import SEED, SOURCE, ProgramTest, main, read

FOLDER = os.path.join(SOURCE, "bench", "mibench", "ispell")
DEBIAN_AFFIXES = "/usr/lib/ispell/american.aff"
DEBIAN_WORDS = "/usr/share/ispell/american.mwl.gz"
VARIANTS = {  # the stages that read each file
    "fine": {"affixes": ["scribe", "check", "near"], "words": ["check"]},
    "medium": {"affixes": ["scribe", "check", "misses"], "words": ["check", "misses"]},
    "coarse": {"affixes": ["lines"], "words": ["lines"]},
}

TEXT = """\
The old painter painted the boats by the lake, and Greta's dog was happy.
Unhappily the NIGHTS in oslo were of unkindest waters; McLeod wroet words.

12 - 34
^She reread "the year's fishes" at a roadside... don't play thisyear x!
TeX and tex and mcleod's OSLO's boxs; NATO's reads, REREADING Unkindness.
hapy streets: bakker, retown, fishs, zzz, dogcat, paintins', cta
.SH heding of the \\fBtowne\\fP 'til day
"""

# By hand, from small.words and small.aff.
LINES = """\
*
*
*
+ PAINT
*
+ BOAT
*
*
*
*
+ GRETA
*
*
*

# Unhappily 0
*
+ NIGHT
*
& oslo 1 24: Oslo
*
*
# unkindest 37
+ WATER
*
& wroet 1 62: wrote
+ WORD



*
+ READ
*
+ YEAR
+ FISH
*
*
# roadside 37
*
*
& thisyear 2 60: this year, this-year
*

*
*
& tex 1 8: TeX
*
& mcleod's 1 16: McLeod's
& OSLO's 1 25: Oslo's
& boxs 3 32: box, box's, boxes
& NATO's 1 38: NATO'S
+ READ
+ READ
+ KIND

& hapy 1 0: happy
+ STREET
& bakker 1 14: baker
? retown 0 22: re+town
& fishs 3 30: fish, fish's, fishes
# zzz 37
& dogcat 2 42: dog cat, dog-cat
& paintins 1 50: painting
& cta 1 61: cat

# heding 4
*
*
& towne 2 21: town, towns
# til 31
*

"""
# For the many runs: a hit, a root, a near miss, none, a guess.
SHORT = """\
The boats of Oslo's
hte zq, reold.
"""
SHORT_LINES = """\
*
+ BOAT
*
+ OSLO

& hte 1 0: the
# zq 4
? reold 0 8: re+old

"""

COMPOUNDS = """\
dogcat Dogcat DOGCAT dogcats catOslo catoslo aat dogcatdog dogoslo Oslodog oslodog dogdoog painteddog onDog catunhappily
"""
COMPOUND_LINES = """\
-
-
-
-
# catOslo 29
-
& aat 2 45: at, cat
-
-
-
# oslodog 75
# dogdoog 83
-
# onDog 102
# catunhappily 108

"""


def options(name, **files):
    """Gives a graph's stages {kind: path of the file}."""
    return [part for kind, file in files.items() for stage in VARIANTS[name][kind] for part in ("--param", "%s.%s=%s" % (stage, kind, file))]


class IspellTest(ProgramTest):
    program = "ispell"

    def setUp(self):
        super().setUp()
        self.affixes, self.words = (os.path.join(FOLDER, "small." + kind) for kind in ("aff", "words"))
        for path in (self.affixes, self.words):
            shutil.copy(path, self.folder)  # beside placed copies of the graphs
        self.text = {"text": self.write("text.txt", TEXT)}
        self.short = {"text": self.write("short.txt", SHORT)}

    def everywhere(self, text, expected):
        for name in VARIANTS:
            with self.subTest(graph=name):
                self.check(self.graph(name), {"text": self.write("input.txt", text)}, "text", expected.encode())

    def test_models_and_windows(self):
        for name in VARIANTS:
            self.check_models(name, self.short, "text", SHORT_LINES.encode())

    def test_random_placements(self):
        for name in VARIANTS:
            self.check_placements(name, self.short, "text", SHORT_LINES.encode(), count=1)

    def test_libfabric(self):
        for name in VARIANTS:
            self.check_transports(name, self.short, "text", SHORT_LINES.encode())

    def test_every_rule(self):
        self.everywhere(TEXT, LINES)

    def test_pieces_of_any_size(self):
        for lines in (1, 3, 1000):
            with self.subTest(lines=lines):
                self.check(self.graph("coarse"), self.text, "text", LINES.encode(), "--param", "cut.lines=%d" % lines)

    def test_more_lines_than_pieces(self):
        graph, expected = self.graph("coarse"), (LINES * 100).encode()
        self.check(graph, {"text": self.write("many.txt", TEXT * 100)}, "text", expected, "--param", "cut.lines=1")

    def test_baseline(self):
        files = ["--set", "affixes=" + self.affixes, "--set", "words=" + self.words]
        report = self.check_baseline(self.text, "text", LINES.encode(), *files)
        self.assertEqual([loop["name"] for loop in report["loops"]], ["words and near misses"])

    def test_text_without_words(self):
        self.everywhere("", "")
        self.everywhere("\n", "\n")
        self.everywhere("12 + 34\n\n.\\(bu", "\n" * 3)

    def test_last_line_without_newline(self):
        self.everywhere("a dog", "*\n*\n\n")

    def test_words_that_are_too_long(self):
        long = "a" * 101
        self.everywhere("%s %s\n" % (long, "b" * 100), "# %s 0\n# %s 102\n\n" % (long, "b" * 100))

    def test_a_line_of_a_megabyte(self):
        text = self.write("long.txt", "dog " * 10 + " " * 1000000 + "zzz")
        for name in ("fine", "medium"):
            with self.subTest(graph=name):
                self.check(self.graph(name), {"text": text}, "text", b"*\n" * 10 + b"# zzz 1000040\n\n")
        self.fails("coarse", {"text": text}, "text", "output 'lines' needs 1000043 bytes, its bound is 65536", "max: {lines: 1000043}")

    def refused(self, name, kind, content, *texts):
        path = self.path("none") if content is None else self.write("damaged", content)
        done = self.start(self.graph(name), self.text, "text", *options(name, **{kind: path}))
        self.assertEqual(done.returncode, 1)
        for text in texts:
            self.assertIn(text, done.stderr.decode())
        self.assertFalse(os.path.exists(self.path("out")))

    def test_damaged_files(self):
        for name in ("fine", "coarse"):
            self.refused(name, "words", None, "parameter 'words': '", "cannot be opened: No such file or directory")
            self.refused(name, "words", "", "holds no word, expected `root/FLAGS`, one a line")
            self.refused(name, "words", "dog\ncat/SQ\n", "words, line 2: 'cat/SQ': flag 'Q' is not in the affix file")
            self.refused(name, "words", "dog\n4x4\n", "words, line 2: '4x4': expected 1 to 100 letters")
        for content, text in (
                ("", "declares no letters or no prefixes and suffixes"),
                ("wordchars a A\nflag *S:\n", "affixes, line 2: a flag before `prefixes` or `suffixes`"),
                ("wordchars a A\nsuffixes\nflag *S:\n[^a > a\n", "affixes, line 4: condition '[^a > a': not a letter"),
                ("wordchars a A\nsuffixes\nflag *S:\na a\n", "affixes, line 4: 'a a': expected up to 8 conditions and `>`"),
                ("wordchars a A\nsuffixes\nflag S:\n. > B\n", "affixes, line 4: 'B': not 1 to 16 letters"),
                ("compoundwords controlled z\n", "affixes, line 1: 'compoundwords controlled' is not supported")):
            self.refused("fine", "affixes", content, text)

    def test_compounds(self):
        affixes = self.write("compounds.aff", read(self.affixes).replace("compoundwords off", "compoundwords on"))
        text = {"text": self.write("input.txt", COMPOUNDS)}
        for name in VARIANTS:
            with self.subTest(graph=name):
                self.check(self.graph(name), text, "text", COMPOUND_LINES.encode(), *options(name, affixes=affixes))

    def test_compounds_with_many_ways_to_cut_them(self):
        affixes = self.write("compounds.aff", read(self.affixes).replace("compoundwords off", "compoundwords on"))
        words = self.write("words", "".join("a" * length + "\n" for length in range(3, 9)))
        text = {"text": self.write("input.txt", "^" + "a" * 99 + " " + "a" * 98 + "b\n")}
        for name in VARIANTS:
            with self.subTest(graph=name):
                self.check(self.graph(name), text, "text", b"-\n# " + b"a" * 98 + b"b 101\n\n", *options(name, affixes=affixes, words=words))


def ispell(folder, text, dictionary):
    """The answer of `ispell -a`, without its first line and without a personal dictionary."""
    done = subprocess.run(["ispell", "-a", "-d", dictionary], input=text, capture_output=True, check=True, env={**os.environ, "HOME": folder})
    return done.stdout.split(b"\n", 1)[1]


def mistaken(word, drawn):
    """A word with one mistake, or with an affix that may not suit it, in some capitals."""
    at, letter = drawn.randrange(len(word)), drawn.choice("abcdefghijklmnopqrstuvwxyz'")
    word = drawn.choice((word, word[:at] + letter + word[at:], word[:at] + word[at + 1:], word[:at] + letter + word[at + 1:],
                         word[:at] + word[at + 1:at + 2] + word[at:at + 1] + word[at + 2:],
                         word + drawn.choice(("s", "ed", "ing", "ness", "'s", "er")), drawn.choice(("re", "in", "un")) + word))
    return drawn.choice((word, word, word, word.capitalize(), word.upper()))


class ReferenceTest(ProgramTest):
    """Whole lines equal to those of `ispell -a`."""
    program = "ispell"

    def setUp(self):
        super().setUp()
        if not (shutil.which("ispell") and os.path.exists(DEBIAN_WORDS)):
            self.skip("ispell", "ispell's own answers: install ispell and iamerican")

    def test_own_dictionary(self):
        off = read(os.path.join(FOLDER, "small.aff"))
        for affixes, text, lines in ((off, TEXT, LINES), (off.replace("compoundwords off", "compoundwords on"), COMPOUNDS, COMPOUND_LINES)):
            subprocess.run(["buildhash", os.path.join(FOLDER, "small.words"), self.write("own.aff", affixes), self.path("own.hash")],
                           cwd=self.folder, capture_output=True, check=True)
            self.same(lines.encode(), ispell(self.folder, text.encode(), self.path("own.hash")))

    def test_text_of_the_experiment(self):
        made = {kind: self.path(kind) for kind in ("affixes", "words", "text", "expected")}
        for kind, path in made.items():
            subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "text.py"), kind, path], check=True)
        expected = read(made["expected"], "rb")
        counts = {kind: sum(line[:1] == kind for line in expected.split(b"\n")) for kind in (b"*", b"+", b"&")}
        self.assertTrue(counts[b"*"] > 550 and counts[b"+"] > 30 and 10 <= counts[b"&"] <= 20, counts)
        for name in VARIANTS:
            with self.subTest(graph=name):
                self.check(self.graph(name), {"text": made["text"]}, "text", expected, *options(name, affixes=made["affixes"], words=made["words"]))

    def test_mistaken_words(self):
        drawn, path = random.Random(SEED), self.path("american.words")
        with open(path, "wb") as file:
            file.write(gzip.open(DEBIAN_WORDS).read())
        roots = [line.split("/")[0] for line in read(path).split("\n")]
        roots = [root for root in roots if root.isascii() and len(root) > 2]
        words = [mistaken(drawn.choice(roots), drawn) for _ in range(2000)]
        text = "".join("^" + " ".join(words[at:at + 10]) + "\n" for at in range(0, len(words), 10))
        self.check(self.graph("coarse"), {"text": self.write("mistaken.txt", text)}, "text", ispell(self.folder, text.encode(), "american"),
                   *options("coarse", affixes=DEBIAN_AFFIXES, words=path))


if __name__ == "__main__":
    main()
