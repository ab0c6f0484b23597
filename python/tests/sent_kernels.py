"""Kernels of a module, for worker processes to import."""
import os
import signal
import sys
import time

import numpy as np

import woa

X, Y = {"x": "f64[n]"}, {"y": "f64[n]"}


class Odd(Exception):
    """An exception of this module, with an argument of its own."""

    def __init__(self, number):
        super().__init__(f"{number} is odd")
        self.number = number


@woa.kernel(X, Y)
def process(x):
    return np.full(1, os.getpid(), dtype="f8")


@woa.kernel(X, Y)
def slow_process(x):
    time.sleep(0.02)
    return np.full(1, os.getpid(), dtype="f8")


@woa.kernel(X, Y)
def twice_in_place(x, y):
    np.multiply(x, 2, out=y)


@woa.kernel(X, Y)
def fails_on_odd(x):
    if x[0] % 2:
        raise Odd(int(x[0]))
    return x


@woa.kernel(X, Y)
def ends_on_odd(x):
    if x[0] % 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    return x


@woa.kernel(X, Y)
def leaves_on_odd(x):
    if x[0] % 2:
        os._exit(3)
    return x


@woa.kernel(X, Y)
def prints(x):
    print("printed", int(x[0]))
    print("to stderr", int(x[0]), file=sys.stderr)
    return x


@woa.kernel(X, {"y": "f64[2]"})
class Counts:
    """Made once in each process."""

    made = 0

    def __init__(self):
        Counts.made += 1
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return np.array([Counts.made, self.calls], dtype="f8")


@woa.kernel(X, Y, side_effects=True)
def stays(x):
    return np.full(1, os.getpid(), dtype="f8")
