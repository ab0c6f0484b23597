#!/usr/bin/env python3
"""Every command line of the README is executed by a test as it stands: by readme.py if it is in an ```sh block or in a file that
one of them uses, else where ELSEWHERE says.

Command lines are the lines of ```console blocks, and words between backquotes that begin as one does.

Usage: readme_lines.py ROOT
"""

import os
import re
import sys

import readme

# A command line -> the file that executes it, and words of that file which say so.
ELSEWHERE = {
    "make demo": ("tools/fresh-machine", "attempt 'make demo' \"$at make demo\""),
    "make test": ("tools/fresh-machine", "attempt 'make test' \"$at make test\""),
    "make demo INPUT=photo.jpg": ("tools/fresh-machine", 'make demo INPUT=photo.jpg"'),
    "make deb": ("tools/package-test.sh", "inside 'cd /srv/woa && make deb'"),
    "podman build -t woa .": ("tools/package-test.sh", "as the\n# first stage of `Containerfile` does"),
    "cmake --install build": ("tests/integration/library/installed_test.py", '"cmake", "--install", BUILD'),
    "apt install python3-venv python3-dev": ("tools/fresh-machine", "packages=$(sed -n 's/.*`apt install "),
    "python3 -m venv ~/woa-python": ("tests/integration/python/wheel_test.py", "readme_lines()"),
    ". ~/woa-python/bin/activate": ("tests/integration/python/wheel_test.py", "readme_lines()"),
    "pip install .": ("tests/integration/python/wheel_test.py", "readme_lines()"),
}
# Blocks of these languages are executed there.
EXECUTED = {"sh": ("tests/lint/CMakeLists.txt", "README.md"), "python": ("python/tests/test_docs.py", '"README.md"')}
COMMAND = re.compile(r"(?:make|cmake|podman|docker|apt|apt-get|pip|python3|c\+\+|cc|build/\S+|tools/\S+) \S.*")


def command_lines(page):
    """The command lines of a page that no ```sh block has."""
    for block in readme.blocks_of(page):
        if block.language == "console":
            yield from filter(None, (re.sub(r"(^|\s)#.*", "", line).strip() for line in block.text.split("\n")))
    prose = readme.FENCE.sub("", page)
    yield from filter(COMMAND.fullmatch, re.findall(r"`([^`\n]+)`", prose))


def problems_of_blocks(page, known):
    for block in readme.blocks_of(page):
        line = page[:page.index(block.text)].count("\n") + 1
        if block.saved_as:
            if not any(each.language == "sh" and block.saved_as in each.text for each in readme.blocks_of(page)):
                yield f"README.md:{line}: no ```sh block uses the file {block.saved_as}"
        elif block.language not in known | {"console", "text"}:
            yield f"README.md:{line}: nothing executes a block of `{block.language}`: say `Save this as NAME:` before it, or use ```sh"


def lint(root, elsewhere=None, executed=None):
    """Problems, and the number of files looked at."""
    elsewhere = ELSEWHERE if elsewhere is None else elsewhere
    executed = EXECUTED if executed is None else executed
    page = read(root, "README.md")
    lines = list(command_lines(page))
    problems = list(problems_of_blocks(page, set(executed)))
    problems += [f"README.md: `{line}` is executed by nothing: put it into an ```sh block, or name the test in readme_lines.py"
                 for line in lines if line not in elsewhere]
    problems += [f"readme_lines.py: README.md has no `{line}` any more" for line in elsewhere if line not in lines]
    problems += [f"readme_lines.py: `{line}` is not executed by {file}, which lacks: {words}"
                 for line, (file, words) in [*elsewhere.items(), *executed.items()] if words not in read(root, file)]
    return problems, 1


def read(root, name):
    path = os.path.join(root, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    found, _ = lint(sys.argv[1])
    print("\n".join(found) or "README.md: every command line is executed")
    sys.exit(1 if found else 0)
