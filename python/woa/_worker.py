"""The program that runs kernels in Python for a run in another process."""
from __future__ import annotations

import sys
from typing import Any

from . import _woa
from ._kernel import firing, types
from ._sending import pack_error, unpack


def receive(sent: bytes) -> tuple[Any, ...]:
    """Types of inputs and outputs, what the library calls for a firing, and what packs its errors."""
    function, (name, inputs, outputs, params) = unpack(sent)
    return *types(inputs, outputs), firing(function, name, inputs, outputs, params), pack_error


def main() -> None:
    """Runs firings until the run needs this process no more."""
    sys.argv = ["woa-worker"]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(_woa.serve_worker(receive))
