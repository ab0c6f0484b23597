#!/usr/bin/env python3
"""Runs the examples of the README, or of another page, against a build, so that they keep working.

Every block marked ```sh is run by bash in one folder that looks like the tree (with `build` being the build folder), in order.
A ```text block right after it lists lines that its output must contain; "..." in them stands for anything. Blocks of another
kind (```console: installing, cloning, the demo) are not run.

Usage: readme.py ROOT BUILD [PAGE]
"""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n?```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def make_tree(root, build, folder):
    """A stand-in for the checkout: links to everything in it, and `build` leading to this build."""
    for name in os.listdir(root):
        if name not in ("build", ".git"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
    os.symlink(build, os.path.join(folder, "build"))


def missing_lines(expected, output):
    for line in filter(str.strip, (expected or "").split("\n")):
        pattern = ".*".join(re.escape(part) for part in re.split(r"\.\.\.", line.strip()))
        if not re.search(pattern, output):
            yield line


def run_block(script, expected, folder):
    """None, or what went wrong."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=100, env=dict(os.environ, XDG_CONFIG_HOME=os.path.join(folder, "config")))
    print(f"$ {script}{done.stdout}", flush=True)
    if done.returncode != 0:
        return f"exit code {done.returncode}"
    lines = list(missing_lines(expected, done.stdout))
    return f"these lines of the page are not in the output: {lines}" if lines else None


def main(root, build, page="README.md"):
    with open(os.path.join(root, page), encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    if not blocks:
        sys.exit(f"{page}: no ```sh block found")
    with tempfile.TemporaryDirectory() as folder:
        make_tree(os.path.abspath(root), os.path.abspath(build), folder)
        for script, expected in blocks:
            problem = run_block(script, expected, folder)
            if problem:
                sys.exit(f"{page}: {problem}")
    print(f"{page}: {len(blocks)} examples ran")


if __name__ == "__main__":
    main(*sys.argv[1:])
