#!/usr/bin/env python3
"""House rules that a machine can see: length of files and functions, leftovers, paths and hosts that belong to one machine.

Usage: style.py ROOT
"""

import ast
import re

import tree

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60  # code lines, comments and blank ones not counted
CODE = tree.CXX + (".sv", ".py", ".sh", ".proto", ".cmake", "CMakeLists.txt", ".ci/run", "Makefile")

# Patterns are written so that they do not match themselves.
FORBIDDEN = [
    (re.compile(r"TODO\((?:now)\)|\bFIX(?:ME)\b|\bXX(?:X)\b"), "a leftover: finish it or write an issue"),
    (re.compile(r"(?<![\w.$}])/(?:home|work|root|Users)/"), "a path that exists on one machine only"),
    (re.compile(r"\b(?:deb|security|snapshot|ftp)\.debian\.(?:org)|\b(?:archive|security)\.ubuntu\.(?:com)"
                r"|\bpypi\.(?:org)|\bpythonhosted\.(?:org)|\bnpmjs\.(?:org)|\bcrates\.(?:io)|\bproxy\.golang\.(?:org)"),
     "a package host: the machine's own configuration names it"),
]
# Names that differ between the versions of a library have one place.
CATCH, CATCH_PLACE = re.compile(r"\bCatch::"), "tests/support/"

# How a definition begins, at the left margin or one class deep, as clang-format lays it out.
BEGINS = re.compile(r"^(  )?[A-Za-z~].*\(")
NOT_A_FUNCTION = re.compile(r"^\s*(?:namespace|class|struct|union|enum|extern|typedef|TEST_CASE|SCENARIO)\b|=\s*\{$")
MAX_SIGNATURE_LINES = 12


def is_code(line):
    return bool(line.strip()) and not line.lstrip().startswith("//")


def body_of(lines, start):
    """The line that opens the body of the definition at `start`, or None if there is no body."""
    for index in range(start, min(start + MAX_SIGNATURE_LINES, len(lines))):
        if lines[index].endswith("{"):
            return index
        if lines[index].endswith((";", "}")):
            return None
    return None


def long_cxx_functions(lines):
    """(line, code lines) of each function over the limit."""
    start = 0
    while start < len(lines):
        begins = BEGINS.match(lines[start])
        body = body_of(lines, start) if begins and not NOT_A_FUNCTION.search(lines[start]) else None
        if body is None:
            start += 1
            continue
        close = (begins.group(1) or "") + "}"
        end = body + 1
        while end < len(lines) and not lines[end].startswith(close):
            end += 1
        length = sum(map(is_code, lines[start:end + 1]))
        if length > MAX_FUNCTION_LINES:
            yield start + 1, length
        start = end + 1


def long_python_functions(lines):
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = node.end_lineno - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield node.lineno, length


def length_problems(path, lines):
    if len(lines) - 1 > MAX_FILE_LINES:
        yield f"{path}:1: {len(lines) - 1} lines; split it by concern at {MAX_FILE_LINES}"
    find = long_cxx_functions if path.endswith((".cc", ".h", ".cpp")) else long_python_functions if path.endswith(".py") else None
    for number, length in find(lines) if find else []:
        yield f"{path}:{number}: a function of {length} lines; no more than {MAX_FUNCTION_LINES}"


def lint(root):
    problems, checked = [], 0
    for path in tree.files(root):
        lines = tree.read_lines(root, path)
        if lines is None:
            continue
        checked += 1
        for number, line in enumerate(lines, 1):
            problems += [f"{path}:{number}: {why}" for pattern, why in FORBIDDEN if pattern.search(line)]
            if path.endswith(tree.CXX) and not path.startswith(CATCH_PLACE) and CATCH.search(line):
                problems.append(f"{path}:{number}: a name that Catch2 2 or 3 lacks; tests/support/catch.h has what both know")
        if path.endswith(CODE) and not tree.is_generated(path):
            problems += length_problems(path, lines)
    return problems, checked


if __name__ == "__main__":
    tree.main("style", lint)
