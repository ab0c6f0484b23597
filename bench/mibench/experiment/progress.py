"""Says on stderr what runs now and how long it may still take."""
import sys
import time


class Progress:
    """`weights`: of the steps, in order; time is taken to follow them."""

    def __init__(self, weights, stream=sys.stderr):
        self.weights, self.done, self.stream = weights, 0, stream
        self.began = time.monotonic()

    def left(self):
        past = sum(self.weights[:self.done])
        if past == 0:
            return ""
        seconds = (time.monotonic() - self.began) * sum(self.weights[self.done:]) / past
        return f", about {seconds:.0f} s left" if seconds < 90 else f", about {seconds / 60:.0f} min left"

    def step(self, what):
        print(f"woa-mibench: {self.done + 1}/{len(self.weights)} {what}{self.left()}", file=self.stream, flush=True)
        self.done += 1

    def skip(self, steps):
        """`steps` begun or not take no more time."""
        self.done += steps
