"""Runs: plans that run, and the futures of their instances."""
from __future__ import annotations

import atexit
import json
import math
import warnings
import weakref
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from numbers import Real
from typing import Any, cast

from . import _woa
from ._errors import Error, InputError, Warning
from ._options import pairs
from ._plan import Plan
from ._workers import Prints, command

_MOST_SECONDS = 10**9
_WAITING_BYTES = 256 * 2**20
_open: weakref.WeakSet[Run] = weakref.WeakSet()


def _nanoseconds(deadline: float) -> int:
    if not isinstance(deadline, Real):
        raise TypeError(f"deadline: found {deadline!r}, expected a number of seconds: 0.1 for 100 ms")
    if not 0 <= deadline <= _MOST_SECONDS:
        raise ValueError(f"deadline: found {deadline}, expected 0 (the plan's) or seconds up to {_MOST_SECONDS}")
    return math.ceil(deadline * 1e9)


class Future:
    """The result of `Run.submit()`, now or later. `await` works too."""

    def __init__(self, run: Run, instance: _woa.Instance) -> None:
        self._run = run
        self._instance = instance

    def result(self, timeout: float | None = None) -> Any:
        """The output, or a named tuple of several. Raises why the instance failed, or `TimeoutError` if it has not
        ended within `timeout` seconds; it goes on then."""
        return self._run._unpack(self._instance.result(-1 if timeout is None else timeout))

    def exception(self, timeout: float | None = None) -> Error | None:
        """The exception that `result()` raises; None if the instance succeeded."""
        return cast("Error | None", self._instance.exception(-1 if timeout is None else timeout))

    def done(self) -> bool:
        """True if the instance has ended."""
        return self._instance.done()

    def cancel(self) -> bool:
        """Fails the instance with status "cancelled". A kernel that runs is not interrupted. False: it has ended."""
        return self._instance.cancel("the program cancelled it")

    def add_done_callback(self, function: Callable[[Future], object]) -> None:
        """Calls `function` with this future when the instance has ended: at once, or in the library's thread, which
        drives the run: be quick, and do not wait there."""
        self._instance.call_when_done(lambda: function(self))

    @property
    def instance(self) -> int:
        """The instance's number, from 0 on."""
        return self._instance.number

    @property
    def latency(self) -> float:
        """Seconds from submission to the last output, of an instance that has ended."""
        return self._instance.latency_ns / 1e9

    def __await__(self) -> Generator[Any, None, Any]:
        import asyncio  # slow to import

        loop = asyncio.get_running_loop()
        ended = loop.create_future()

        def wake() -> None:
            if not ended.done():
                ended.set_result(None)

        def tell() -> None:
            if not loop.is_closed():  # a loop that ends early waits no more
                loop.call_soon_threadsafe(wake)

        self._instance.call_when_done(tell)
        yield from ended
        return self.result()


class Run:
    """A plan that runs: devices, controllers and kernels, ready for instances.

        with woa.Run(plan) as run:
            y = run(x)                       # one instance
            for y in run.map(xs): ...        # many, in order, as many at once as the window has
            future = run.submit(x)           # later: future.result()

    Options are those of `woa run`, with underscores: `processes="per-controller"`, `cores="cpu:0=1"`.
    `woa.options("run")` lists them. A thread of the library drives the run; any thread may submit.

    **Inputs**, in the graph's order or by name, are anything with a buffer of the port's type: NumPy arrays, tensors by
    DLPack, `bytes`. They are read without a conversion and written once, where the first stage reads; what does not fit
    raises `woa.InputError`. Ports of type `bytes` also take text. A function is given the block itself, to write in
    place: `run(file.readinto)`, `run(lambda x: rng.random(out=x))`. For an input whose size varies it returns the bytes
    that it wrote, or the sizes of all dimensions. The library's thread calls it: it must not wait, nor keep the array.

    **Outputs** are NumPy arrays, or `bytes`; None for one that its stage did not write. They are copies, unless
    `copy=False`: then they are read-only views of where the last stage wrote them. A view keeps its instance's place
    in the window until it is dropped. A program that holds one while a whole window of others runs gets an error
    from its next call, after 5 s.

    **Kernels in Python** run in `workers` processes of this interpreter where their firings take long, and in the
    thread of their controller otherwise. Such a process gets a function by its module and name, or by cloudpickle, and never runs
    `__main__`. A function that cannot be sent stays here, where one firing runs at a time, with a warning.
    `python="processes"` sends all, or raises; `python="threads"` sends none. What functions print appears here.

    A run loads the kernels that its plan names, whose code has the rights of this process.

    The end of the `with` block waits for what is in flight, after an exception it cancels that.
    """

    def __init__(self, plan: Plan, *, copy: bool = True, on_message: Callable[[str], object] | None = None,
                 python: str | None = None, **options: Any) -> None:
        if not isinstance(plan, Plan):
            raise TypeError(f"found {type(plan).__name__}, expected a woa.Plan: woa.compile() makes one")
        if python not in (None, "processes", "threads"):
            raise ValueError(f"python: found {python!r}, expected 'processes', 'threads' or None: processes where that pays")
        self.plan = plan
        self._copy = copy
        self._cancelled = False
        self._names = [port.name for port in plan.inputs]
        self._prints: Prints | None = None
        refused: list[str] = []
        if python != "threads" and plan.slow_stages and options.get("processes", "one") == "one":
            self._prints = Prints()
            options |= {"program_kernels": python or "long", "worker_command": command(), **self._prints.options}
        try:
            self._run: _woa.Run = _woa.Run.start(plan._plan, pairs(options), plan._overlap, on_message or refused.append)
        except BaseException:
            self._end_prints()
            raise
        for text in refused:
            warnings.warn(text, Warning, stacklevel=2)
        self._make: Any = plan._results
        _open.add(self)

    def _values(self, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        if not named and len(values) == len(self._names):
            return values
        rest = self._names[len(values):]
        unknown = [name for name in named if name not in rest]
        missing = [name for name in rest if name not in named]
        if unknown or missing or len(values) > len(self._names):
            found = ", ".join([f"{len(values)} by position", *named])
            raise TypeError(f"found inputs {found}; expected {', '.join(self._names) or 'none'}, each once")
        return (*values, *(named[name] for name in rest))

    def _unpack(self, values: tuple[Any, ...]) -> Any:
        return values[0] if self._make is None else self._make._make(values)

    def __call__(self, *values: Any, copy: bool | None = None, deadline: float = 0, **named: Any) -> Any:
        """Runs one instance: its output, or a named tuple of several. `deadline`: seconds that it may take; 0: the
        plan's. An input named "copy" or "deadline" is given by position."""
        views = not (self._copy if copy is None else copy)
        return self._unpack(self._run.call(self._values(values, named), _nanoseconds(deadline), views))

    def submit(self, *values: Any, copy: bool | None = None, deadline: float = 0, **named: Any) -> Future:
        """Submits an instance. Waits for a place in the window, and until the inputs are written: they may be changed
        afterwards."""
        views = not (self._copy if copy is None else copy)
        return Future(self, self._run.submit(self._values(values, named), _nanoseconds(deadline), views))

    def _submit_item(self, item: Any, copy: bool | None, return_exceptions: bool) -> Future | InputError:
        try:
            return self.submit(*item, copy=copy) if isinstance(item, tuple) else self.submit(item, copy=copy)
        except InputError as refused:
            if not return_exceptions:
                raise
            return refused

    def _depth(self, copy: bool | None) -> int:
        """Instances that map() keeps in flight: one place is left for the view that the caller looks at."""
        views = not (self._copy if copy is None else copy)
        return max(1, self.plan._overlap - 1) if views else self.plan.window

    def _is_full(self, in_flight: int, copy: bool | None, waiting: int) -> bool:
        """True if map() waits for its oldest instance before it submits one more."""
        return in_flight == self._depth(copy) or (in_flight > 0 and self._run.waiting_bytes > waiting)

    def map(self, items: Iterable[Any], *, copy: bool | None = None, return_exceptions: bool = False,
            waiting: int = _WAITING_BYTES) -> Iterator[Any]:
        """The outputs for each item, in order. The window stays full, unless copies of outputs that wait to be taken
        have more than `waiting` bytes. An item is the input, or a tuple of all inputs. With `copy=False` drop each view before the next but one: `list(run.map(...))` needs
        copies. The first instance that fails raises and ends it; with `return_exceptions` its exception stands in the
        place of its outputs, and the next goes on."""
        futures: deque[Future | InputError] = deque()
        try:
            for item in items:
                while self._is_full(len(futures), copy, waiting):
                    yield _outcome(futures.popleft(), return_exceptions)
                futures.append(self._submit_item(item, copy, return_exceptions))
            while futures:
                yield _outcome(futures.popleft(), return_exceptions)
        finally:
            _cancel(futures)

    async def amap(self, items: Iterable[Any] | AsyncIterable[Any], *, copy: bool | None = None,
                   return_exceptions: bool = False, waiting: int = _WAITING_BYTES) -> AsyncIterator[Any]:
        """The same as map(), for `async for`: neither waiting for a place nor for a result blocks the loop."""
        import asyncio  # slow to import

        loop = asyncio.get_running_loop()
        futures: deque[Future | InputError] = deque()
        try:
            async for item in _each(items):
                while self._is_full(len(futures), copy, waiting):
                    yield await _ended(futures.popleft(), return_exceptions)
                futures.append(await loop.run_in_executor(None, self._submit_item, item, copy, return_exceptions))
            while futures:
                yield await _ended(futures.popleft(), return_exceptions)
        finally:
            _cancel(futures)

    def statistics(self) -> dict[str, int]:
        """Counts of instances (submitted, succeeded, failed, in_flight, kept) and latencies in ns of those that
        succeeded. At any time."""
        return self._run.statistics()

    def cancel(self, why: str = "the program cancelled the run") -> None:
        """Ends the run: instances in flight fail with status "cancelled"."""
        self._run.cancel(why)
        self._cancelled = True

    def finish(self) -> dict[str, Any]:
        """Waits for what is in flight, ends the run, and gives the object of `woa run --json`. Views stay."""
        report = json.loads(self._run.finish())
        self._end_prints()
        return report

    def _end_prints(self) -> None:
        prints, self._prints = self._prints, None
        if prints is not None:
            prints.end()

    def close(self) -> None:
        """Cancels what is in flight, and ends the run; a function that the run calls does not wait for the end. Views
        stay. Does nothing twice."""
        if hasattr(self, "_run"):  # it has started
            self._run.close("the run was closed")
            self._end_prints()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self._cancelled and not self._run.is_ended:
            self._run.finish()
            self._end_prints()
        else:
            self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<woa.Run of {self.plan!r}>"


# map() and amap() give the outputs of an item or, with `return_exceptions`, why there are none.

def _outcome(of: Future | InputError, return_exceptions: bool) -> Any:
    if isinstance(of, InputError):
        return of
    failed = of.exception() if return_exceptions else None
    return of.result() if failed is None else failed


async def _ended(of: Future | InputError, return_exceptions: bool) -> Any:
    if isinstance(of, InputError):
        return of
    try:
        return await of
    except Error as failed:
        if not return_exceptions:
            raise
        return failed


def _cancel(futures: Iterable[Future | InputError]) -> None:
    for future in futures:
        if isinstance(future, Future):
            future.cancel()


async def _each(items: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[Any]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


@atexit.register
def _close_all() -> None:
    """The library's threads may call Python, so they end before it does."""
    _woa.begin_exit()
    for run in list(_open):
        run.close()
