"""YAML, written."""
from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./\[\]-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def flow(value: Any) -> str:
    """A value in YAML's flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(each)}" for key, each in value.items()) + "}"  # keys are names
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    text = str(value)
    is_plain = _PLAIN.fullmatch(text) and "[" not in text and text.lower() not in _WORDS
    is_size = re.fullmatch(r"[0-9]+([KMG]iB|us|ms|s|min)", text)
    return text if is_plain or is_size else json.dumps(text)
