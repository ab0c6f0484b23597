#!/usr/bin/env python3
"""Every C, C++ and CUDA file is as clang-format leaves it (.clang-format at the root). Exit code 77, a skip, without the right clang-format.

Usage: format.py ROOT
"""

import concurrent.futures
import os
import shutil
import subprocess
import sys

import tree

MAJOR = 14  # Debian 12's


def lint(root):
    paths = [p for p in tree.files(root) if p.endswith((".h", ".cc", ".c", ".cpp", ".cu")) and not tree.is_generated(p)]

    def problems_in(some):
        """The first complaint about each file."""
        result = subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *some], cwd=root, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        complaints = [line for line in result.stderr.split("\n") if ": error: " in line]
        return complaints or ([] if result.returncode == 0 else [result.stderr or "clang-format failed"])

    workers = max(1, min(os.cpu_count() or 1, len(paths)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        problems = [text for found in pool.map(problems_in, [paths[k::workers] for k in range(workers)]) for text in found]
    if problems:
        problems.append("mend with: clang-format -i FILE...")
    return problems, len(paths)


def why_not():
    """Why the check cannot run here, or None. Releases of clang-format differ, so one is meant."""
    if not shutil.which("clang-format"):
        return "clang-format is not installed"
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout
    return None if f"version {MAJOR}." in version else f"the tree is formatted by clang-format {MAJOR}, here is {version.strip()}"


if __name__ == "__main__":
    reason = why_not()
    if reason:
        required = "clang-format" in os.environ.get("WOA_REQUIRE", "").split(",")
        print(("FAILED (WOA_REQUIRE): " if required else "skipped: ") + reason)
        sys.exit(1 if required else 77)
    tree.main("format", lint)
