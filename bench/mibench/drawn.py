"""Pseudo-random numbers for generated data."""


def numbers():
    """The generator of the C standard's example of rand(), 0 to 32767, so that files are the same everywhere."""
    state = 1
    while True:
        state = (state * 1103515245 + 12345) % 2 ** 31
        yield state >> 16
