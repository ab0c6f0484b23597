"""The examples of the guide and the README: each block of Python runs, in order, and prints what the next block says. So do the
guide's blocks of sh."""
import contextlib
import io
import os
import re
import subprocess
import sys

import pytest
from conftest import SOURCE

BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def typed(code):
    """What a shell prints in which the package's environment is active."""
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    return subprocess.run(["sh", "-ec", code], env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, text=True, check=True).stdout


def executed(code, page, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, page, "exec"), names)
    return printed.getvalue()


@pytest.mark.parametrize(("page", "languages"), [("docs/python.md", {"python", "sh"}), ("README.md", {"python"})])  # lint_readme has the rest
def test_examples(page, languages, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = [block for block in BLOCK.findall((SOURCE / page).read_text(encoding="utf-8")) if block[0] in languages]
    assert {language for language, *_ in blocks} == languages
    names = {}
    for language, code, expected in blocks:
        printed = typed(code) if language == "sh" else executed(code, page, names)
        pattern = ".*".join(re.escape(part) for part in expected.split("..."))
        assert not expected or re.fullmatch(pattern, printed.rstrip("\n") + "\n", re.DOTALL), printed
