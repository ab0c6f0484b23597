"""Cleans up after the experiment, however it ends: reads on stdin what was made, and undoes it all at the end of that pipe.

    group ID | ended ID | netns NAME | folder PATH      one a line

The kernel closes the pipe of a killed process, so no ending of the experiment is missed. Standard library only.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

PATIENCE_S = 5  # between SIGTERM and SIGKILL


def signal_all(groups, number):
    """Those that are still there."""
    left = []
    for group in groups:
        try:
            os.killpg(group, number)
            left.append(group)
        except (ProcessLookupError, PermissionError):
            pass
    return left


def end_groups(groups):
    left = signal_all(groups, signal.SIGTERM)
    end = time.monotonic() + PATIENCE_S
    while left and time.monotonic() < end:
        time.sleep(0.02)
        left = signal_all(left, 0)
    signal_all(left, signal.SIGKILL)


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    made = {"group": {}, "netns": {}, "folder": {}}
    for line in sys.stdin:
        kind, _, what = line.rstrip("\n").partition(" ")
        if kind == "ended":
            made["group"].pop(what, None)
        elif kind in made:
            made[kind][what] = None
    end_groups([int(group) for group in made["group"]])
    for name in made["netns"]:
        subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)
    for folder in made["folder"]:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
