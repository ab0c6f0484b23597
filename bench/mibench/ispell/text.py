#!/usr/bin/env python3
"""Makes what program.yaml asks for: text.py affixes|words|text|expected FILE.

With Debian's ispell and iamerican: their affix file, their word list (UTF-8, unpacked), a text of 680 words drawn from
it with mistakes, and what `ispell -a` says of it. Without them: small.aff and small.words beside this file, a text of
theirs, and `expected` exits with 77. WOA_ISPELL=small takes the small ones anyway. The seed is fixed.
"""
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
AFFIXES = "/usr/lib/ispell/american.aff"
WORDS = "/usr/share/ispell/american.mwl.gz"
SEED = 20261127
COUNT = 680
# Words of a text between which rarer ones stand: half of what is written.
COMMON = "the of and a to in is was that it for on with as his they at be this from have or by one had not but what all were when we there can an your which their said if do".split()


def installed():
    return os.environ.get("WOA_ISPELL") != "small" and all(map(os.path.exists, (AFFIXES, WORDS))) and shutil.which("ispell") is not None


def affixes():
    return open(AFFIXES if installed() else os.path.join(HERE, "small.aff"), "rb").read()


def words():
    if installed():
        return gzip.open(WORDS).read()
    return open(os.path.join(HERE, "small.words"), "rb").read()


def roots():
    """(root, flags) of every ASCII root."""
    lines = [line.split("/") for line in words().decode().split("\n")]
    return [(line[0], line[1] if len(line) > 1 else "") for line in lines if line[0].isascii() and len(line[0]) > 1]


def derived(root, flags, drawn):
    """A form of a root in lower case that a flag of both affix files allows, or the root."""
    if root.islower() and root[-1] not in "aeiouyhsxz":
        forms = [root + end for flag, end in (("G", "ing"), ("D", "ed"), ("S", "s"), ("M", "'s")) if flag in flags]
        if forms:
            return drawn.choice(forms)
    return root


def mistaken(word, drawn):
    """One letter missing, doubled, swapped or wrong."""
    at = drawn.randrange(1, len(word) - 1)
    return drawn.choice((word[:at] + word[at + 1:], word[:at] + word[at] + word[at:],
                         word[:at] + word[at + 1] + word[at] + word[at + 2:],
                         word[:at] + drawn.choice("aeiourst") + word[at + 1:]))


def text():
    """Lines of up to 12 words: 20 % with an affix where one fits, 2 % mistaken, sentences with capitals and full stops."""
    drawn = random.Random(SEED)
    known = roots()
    names = {root for root, _ in known}
    common = [word for word in COMMON if word in names]
    out, line, begins = [], [], True
    for _ in range(COUNT):
        root, flags = drawn.choice(known)
        kind = drawn.random()
        if kind < 0.5:
            root = drawn.choice(common)
        elif kind < 0.7:
            root = derived(root, flags, drawn)
        elif kind < 0.725 and len(root) > 4:
            root = mistaken(root, drawn)
        word = root[0].upper() + root[1:] if begins else root
        begins = drawn.random() < 0.1
        line.append(word + ("." if begins else "," if drawn.random() < 0.05 else ""))
        if len(line) == 12:
            out.append(" ".join(line))
            line = []
    out.append(" ".join(line))
    return "".join(line + "\n" for line in out).encode()


def reference(data):
    """The answer of `ispell -a`, without its first line and without a personal dictionary."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(["ispell", "-a", "-d", "american"], input=data, capture_output=True, check=True, env={**os.environ, "HOME": home})
    return done.stdout.split(b"\n", 1)[1]


def expected():
    if not installed():
        print("text.py: ispell and iamerican are not installed, so nothing says what is expected; install them", file=sys.stderr)
        sys.exit(77)
    return reference(text())


if __name__ == "__main__":
    makers = {"affixes": affixes, "words": words, "text": text, "expected": expected}
    if len(sys.argv) != 3 or sys.argv[1] not in makers:
        sys.exit("usage: text.py affixes|words|text|expected FILE")
    made = makers[sys.argv[1]]()
    with open(sys.argv[2], "wb") as file:
        file.write(made)
