#!/usr/bin/env python3
"""tools/code-lines counts what people wrote, and neither tests nor generated files, in small repositories."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "code-lines"
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_NAME": "a",
               "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
FILES = {
    "CMakeLists.txt": "project(x)\n",
    "runtime/a.cc": "// why\n\nint a;\n",
    "runtime/deep/a.h": "int b;",
    "runtime/generated/c.h": "int c;\n",
    "runtime/notes.md": "words\n",
    "tools/run-it": "#!/bin/sh\ntrue\n",
    "tools/words": "data\n",
    "kernels/copy.ptx": ".version 6.3\n",
    "tests/a_test.cc": "int t;\n",
    "python/tests/b_test.py": "t = 1\n",
}


class CodeLines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.git("init", "-q")
        for path, text in FILES.items():
            self.write(path, text)
        self.commit()

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, env=ENVIRONMENT, check=True)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a")

    def run_tool(self, *arguments, folder="."):
        return subprocess.run([TOOL, *arguments], cwd=self.root / folder, env=ENVIRONMENT, capture_output=True, text=True)

    def counts(self, *arguments, **where):
        done = self.run_tool("--json", *arguments, **where)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        return {name: (both["lines"], both["files"]) for name, both in {**answer["folders"], "total": answer["total"]}.items()}

    def test_counts_lines_and_files_of_code_by_folder(self):
        expected = {".": (1, 1), "runtime": (3, 2), "tools": (2, 1), "total": (6, 4)}
        self.assertEqual(self.counts(), expected)
        self.assertEqual(self.counts("--at", "HEAD"), expected)
        self.assertEqual(self.counts(folder="runtime/deep"), expected)

    def test_compares_with_a_commit(self):
        self.write("runtime/a.cc", "int a;\n")
        self.write("compiler/new.py", "a = 1\n\nb = 2\n")
        (self.root / "tools/run-it").unlink()
        self.git("add", ".")
        self.assertEqual(self.counts("--since", "HEAD"), {".": (0, 0), "compiler": (2, 1), "runtime": (-1, 0), "tools": (-2, -1), "total": (-1, 0)})
        self.commit()
        self.assertEqual(self.counts("--at", "HEAD", "--since", "HEAD~1")["total"], (-1, 0))

    def test_prints_a_table_that_ends_with_the_total(self):
        lines = self.run_tool().stdout.splitlines()
        self.assertEqual(lines[0].split(), ["folder", "lines", "files"])
        self.assertEqual(lines[-1].split(), ["total", "6", "4"])

    def test_refuses_a_commit_that_is_not_there(self):
        done = self.run_tool("--at", "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main()
