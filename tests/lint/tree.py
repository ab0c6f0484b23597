"""Common to the lints: the files of the tree, and how a lint reports."""

import os
import subprocess
import sys

GENERATED = ("/generated/",)
CXX = (".h", ".cc", ".c", ".cpp", ".hpp", ".cl", ".cu")


def files(root):
    """Paths, relative to root, of every tracked file and every untracked one that git does not ignore; sorted.

    Without git (an unpacked archive) every file outside build/ counts.
    """
    if os.path.exists(os.path.join(root, ".git")):
        listing = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout.decode()
        names = [name for name in listing.split("\0") if name]
    else:
        names = []
        for folder, folders, leaves in os.walk(root):
            folders[:] = [f for f in folders if f not in ("build", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, leaf), root) for leaf in leaves]
    return sorted(name for name in set(names) if os.path.isfile(os.path.join(root, name)))


def is_generated(path):
    return any(part in "/" + path for part in GENERATED)


def read_lines(root, path):
    """The file's lines, or None if it is not UTF-8 text (a picture, a golden vector)."""
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read().split("\n")
    except UnicodeDecodeError:
        return None


def report(name, problems, checked):
    """Prints the problems and returns the exit code. A lint that looked at nothing has failed."""
    for problem in problems:
        print(problem)
    if not checked:
        print(f"{name}: no file to look at: is the path of the tree right?")
        return 1
    print(f"{name}: {checked} files, {len(problems)} problems")
    return 1 if problems else 0


def main(name, lint):
    """Runs lint(root) -> (problems, files looked at) on the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} ROOT")
    sys.exit(report(name, *lint(sys.argv[1])))
