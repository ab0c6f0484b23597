"""The package's exceptions. The extension module makes them by the functions at the end."""
from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from ._options import by_keyword


@dataclass(frozen=True)
class Diagnostic:
    """A problem of a graph, or of a file that it names. `woa.page(code)` explains the code."""

    severity: str  # "error" or "warning"
    code: str  # "E0204"
    file: str
    line: int  # from 1; 0: the file as a whole
    column: int
    length: int
    text: str  # what is wrong, and what was expected
    fix: str  # what to do; perhaps empty
    shown: str  # all of it as the compiler prints it

    def __post_init__(self) -> None:
        for name in ("text", "fix", "shown"):
            object.__setattr__(self, name, by_keyword(getattr(self, name)))

    def __str__(self) -> str:
        return self.shown


class Warning(UserWarning):
    """A warning of the compiler."""


def warn(diagnostics: Iterable[Diagnostic]) -> None:
    """Python's warnings, of the line that called the caller."""
    for diagnostic in diagnostics:
        warnings.warn(diagnostic.shown, Warning, stacklevel=3)


class Error(Exception):
    """A failure, with its place, what was found and expected, and what to do.

    `status` is the name of the C interface's status, such as "not_found" or "deadline_exceeded"; `message` says why.
    An instance that failed because a Python function threw, a kernel or one that writes an input, has that exception as
    its `__cause__`.
    """

    def __init__(self, status: str, message: str) -> None:
        message = by_keyword(message)
        super().__init__(status, message)
        self.status = status
        self.message = message

    def __str__(self) -> str:
        return self.message


class GraphError(Error):
    """A graph has errors: `diagnostics`, of which each has code, file, line, column, text and fix. It prints them as the
    compiler does."""

    def __init__(self, status: str, message: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(status, message)
        self.args = (status, message, diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "\n" + "\n".join(each.shown.rstrip() for each in self.diagnostics)


class InputError(Error, ValueError):
    """An input is not what its port takes: `port`, `expected` and `found`."""

    def __init__(self, port: str, expected: str, found: str, advice: str) -> None:
        super().__init__("invalid", f"input '{port}': found {found}, expected {expected}; {advice}")
        self.args = (port, expected, found, advice)
        self.port, self.expected, self.found = port, expected, found


class TimedOut(Error, TimeoutError):
    """The given time passed first. The instance goes on: ask again, or cancel it."""


# Called by the extension module.

refused = InputError


def refused_output(port: str, expected: str, found: str, advice: str) -> Error:
    return Error("kernel_failed", f"output '{port}': found {found}, expected {expected}; {advice}")


def graph_error(status: str, message: str, diagnostics: list[Diagnostic]) -> Error:
    return GraphError(status, message, diagnostics) if diagnostics else Error(status, message)


def failure(status: str, message: str, cause: BaseException | None) -> Error:
    error = InputError(*cause.args) if isinstance(cause, InputError) and status == "invalid" else Error(status, message)
    error.__cause__ = cause
    return error


def timed_out(instance: int, seconds: float) -> Error:
    return TimedOut("timed_out", f"instance {instance} has not ended within {seconds:g} s; it goes on")


def blocked_by_views(kept: int) -> Error:
    return Error("back_pressured", f"the outputs of {kept} instances are still in use, and no other finds a place: drop these"
                 " arrays, take copies (copy=True), or compile with a larger window")

