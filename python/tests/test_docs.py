"""The examples of the guide and the README: each block of Python runs, in order, and prints what the next block says."""
import contextlib
import io
import re

import pytest
from conftest import SOURCE

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((SOURCE / page).read_text(encoding="utf-8"))
    assert blocks
    names = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)
        pattern = ".*".join(re.escape(part) for part in expected.split("..."))
        assert not expected or re.fullmatch(pattern, printed.getvalue().rstrip("\n") + "\n"), printed.getvalue()
