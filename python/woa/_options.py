"""Options of the library and of the program by their names, with underscores in the place of dashes."""
from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any


def texts(value: Any) -> list[str]:
    """The values of one option: none, one, or several of an option that may be repeated."""
    if value is None or value is False:
        return []
    if value is True:
        return ["true"]
    if isinstance(value, Mapping):
        return [f"{name}={texts(each)[0]}" for name, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [text for each in value for text in texts(each)]
    return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def pairs(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values for the library."""
    return [(name.rstrip("_").replace("_", "-"), text) for name, value in options.items() for text in texts(value)]


def arguments(options: Mapping[str, Any]) -> list[str]:
    """Names and values for the program's command line."""
    return [f"--{name}" if options_value is True else f"--{name}={text}"
            for key, options_value in options.items()
            for name, text in pairs({key: options_value})]


def by_keyword(message: str) -> str:
    """A message of the library with the options' names in Python: "option start_limit"."""
    return re.sub(r"\boption `?[a-z]+(?:-[a-z]+)+", lambda found: found[0].replace("-", "_"), message)
