#!/usr/bin/env python3
"""Runs the examples of the README, or of another page, against a build, so that they keep working.

Every block marked ```sh is run by bash in one folder that looks like the tree (with `build` being the build folder), in order.
HOME and TMPDIR are folders of its own; the second must be empty after each block. A ```text block right after it lists lines that its output must contain; "..." in
them stands for anything. A block after a paragraph that ends "Save this as `NAME`:" is written to that file. Blocks of another
kind (```console: installing, cloning, the demo) are not run. A line `<!-- needs NAME, ... -->` before a block names programs,
kernels, subjects of `woa doctor`, or Python modules (`module yaml`); the block is skipped where one of them is not here.

Usage: readme.py ROOT BUILD [PAGE]
"""

import dataclasses
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LIMIT_S = 100
NEEDS = re.compile(r"<!-- needs (.*) -->\n\Z")
SAVED = re.compile(r"[Ss]ave this as `([^`]+)`[^`]*:\n+\Z")


@dataclasses.dataclass
class Block:
    """A block between fences, with what its page says about it."""

    language: str
    text: str
    needs: str = ""
    saved_as: str = ""
    expected: str = ""


def blocks_of(page):
    """The blocks of a page, in order; a ```text block right after an ```sh block is what that prints."""
    blocks, end = [], 0
    for fence in FENCE.finditer(page):
        before, language, text = page[end:fence.start()], fence[1], fence[2]
        end = fence.end()
        if language == "text" and blocks and blocks[-1].language == "sh" and not before.strip():
            blocks[-1].expected = text
            continue
        needs, saved = NEEDS.search(before), SAVED.search(before)
        blocks.append(Block(language, text, needs[1] if needs else "", saved[1] if saved else ""))
    return blocks


def make_tree(root, build, folder):
    """A stand-in for the checkout: links to everything in it, and `build` leading to this build."""
    for name in os.listdir(root):
        if name not in ("build", ".git"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
    os.symlink(build, os.path.join(folder, "build"))
    for own in ("home", "tmp"):
        os.mkdir(os.path.join(folder, own))


def usable(build):
    """Names of kernels and of subjects of `woa doctor` that work here."""
    woa = os.path.join(build, "woa")
    if not os.path.exists(woa):
        return set()

    def answer(command):
        return json.loads(subprocess.run([woa, command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    kernels = {kernel["name"] for kernel in answer("devices")["kernels"] if kernel["available"]}
    return kernels | {finding["subject"] for finding in answer("doctor")["findings"] if finding["health"] == "good"}


def found(name):
    """A program, or a Python module."""
    return importlib.util.find_spec(name.removeprefix("module ")) if name.startswith("module ") else shutil.which(name)


def absent(needs, build):
    """Those of the names in `needs` that are not here."""
    names = [name.strip() for name in needs.split(",") if name.strip()]
    missing = [name for name in names if not found(name)]
    return [name for name in missing if name not in usable(build)] if missing else []


def missing_lines(expected, output):
    for line in filter(str.strip, (expected or "").split("\n")):
        pattern = ".*".join(re.escape(part) for part in re.split(r"\.\.\.", line.strip()))
        if not re.search(pattern, output):
            yield line


def typed(script, folder):
    """The exit code and the output of a script. It is None if the script takes too long; then its processes are ended."""
    home = os.path.join(folder, "home")
    environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=os.path.join(home, "config"), TMPDIR=os.path.join(folder, "tmp"))
    with subprocess.Popen(["bash", "-euo", "pipefail", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True, env=environment) as process:
        try:
            output, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]
        return process.returncode, output


def run_block(block, folder):
    """None, or what went wrong."""
    code, output = typed(block.text, folder)
    print(f"$ {block.text}{output}", flush=True)
    if code is None:
        return f"it takes more than {LIMIT_S} s"
    if code != 0:
        return f"exit code {code}"
    lines = list(missing_lines(block.expected, output))
    if lines:
        return f"these lines of the page are not in the output: {lines}"
    left = os.listdir(os.path.join(folder, "tmp"))
    return f"this is left in the folder for temporary files: {left}" if left else None


def main(root, build, page="README.md"):
    with open(os.path.join(root, page), encoding="utf-8") as file:
        blocks = [block for block in blocks_of(file.read()) if block.language == "sh" or block.saved_as]
    if not blocks:
        sys.exit(f"{page}: no ```sh block found")
    with tempfile.TemporaryDirectory() as folder:
        make_tree(os.path.abspath(root), os.path.abspath(build), folder)
        ran = 0
        for block in blocks:
            if block.saved_as:
                with open(os.path.join(folder, block.saved_as), "x", encoding="utf-8") as file:
                    file.write(block.text)
                continue
            lacking = absent(block.needs, build)
            if lacking:
                print(f"skipped, for want of {', '.join(lacking)}:\n{block.text}", flush=True)
                continue
            problem = run_block(block, folder)
            if problem:
                sys.exit(f"{page}: {problem}")
            ran += 1
    print(f"{page}: {ran} of {sum(block.language == 'sh' for block in blocks)} examples ran")


if __name__ == "__main__":
    main(*sys.argv[1:])
