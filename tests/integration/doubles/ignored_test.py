"""Whatever a double ignores, the back-ends' suite fails; with the same seed it passes without.

WOA_DOUBLE names the double and the suite's row. The table "Ignored things" in its README.md says which cases find what, or
names the double's own test for what no back-end does.
"""
import os
import re
import signal
import subprocess
import unittest

BUILD, SOURCE = os.environ["WOA_BUILD_DIR"], os.environ["WOA_SOURCE_DIR"]
NAME = os.environ["WOA_DOUBLE"]
DOUBLE = os.path.join(SOURCE, "tests/doubles", NAME)
OPTIONS = {"cuda": "driver/options.h", "xrt": "library/options.h"}[NAME]
LIBRARIES = os.path.join(BUILD, "tests/doubles", NAME)
LIMIT_S = 100  # of a run; many times what it takes on a busy machine
SEEDS = range(1, 9)  # few words need the second one
PATIENCE_S = {True: "60", False: "5"}  # of cases that shall pass, and of cases that shall fail
FAILED = re.compile(rf"FAILED:|^woa_{NAME}_double: (?!note)\w+: ", re.MULTILINE)  # a check, or a rule of the double


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def found_by():
    """The rows of the table: word -> (tag of the cases, other words that these need); no tag: the double's own test."""
    table = read(DOUBLE, "README.md").split("## Ignored things")[1]
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(?:\[(\w+)\]|unit_\w+)`(?: with `(\S+)`)? \|$", table, re.MULTILINE)
    return {word: (tag, more) for word, tag, more in rows}


def run(tag, words, shall_pass):
    """The exit status and what was printed. Ends all of the run's processes."""
    environment = dict(os.environ, WOA_CTS_ROW=NAME, WOA_CTS_PATIENCE=PATIENCE_S[shall_pass], LD_LIBRARY_PATH=LIBRARIES,
                       WOA_XCLBIN=os.path.join(LIBRARIES, "woa.xclbin"))
    environment[f"WOA_{NAME.upper()}_DOUBLE"] = words
    process = subprocess.Popen([os.path.join(BUILD, "tests/cts_backend"), f"[{tag}]"], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output = process.communicate(timeout=LIMIT_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError(f"[{tag}] with {words} hangs:\n{process.communicate()[0]}") from None
    return process.returncode, output


class Ignored(unittest.TestCase):
    def test_the_table_has_all_words(self):
        listed = re.search(r"#define WOA_\w+_DOUBLE_IGNORED\(X\)(.*?)\n\n", read(DOUBLE, OPTIONS), re.DOTALL)
        self.assertEqual(set(found_by()), set(re.findall(r"X\((\w+)\)", listed.group(1))))

    def test_each_is_found(self):
        passed = set()
        for word, (tag, more) in found_by().items():
            if not tag:
                continue
            with self.subTest(word=word):
                for seed in SEEDS:
                    words = f"seed={seed}" + (f",{more}" if more else "")
                    if (tag, words) not in passed:
                        code, output = run(tag, words, True)
                        self.assertEqual(code, 0, f"[{tag}] with {words}:\n{output}")
                        self.assertIn("All tests passed", output)
                        passed.add((tag, words))
                    code, output = run(tag, f"{words},ignore={word}", False)
                    if code != 0:
                        self.assertRegex(output, FAILED)
                        break
                else:
                    self.fail(f"[{tag}] passes with ignore={word} and any of the seeds {list(SEEDS)}")
                print(f"{word}: [{tag}] with {words}", flush=True)


if __name__ == "__main__":
    unittest.main()
