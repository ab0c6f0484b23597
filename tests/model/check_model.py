#!/usr/bin/env python3
"""Checks the model of a channel (channel.pml) with spin: no error in any size, and an error with every seeded fault.

Usage: check_model.py [NAME]...   sizes or faults; everything without one
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "channel.pml")

# Definitions for channel.pml (-D). Without bells there is room for more packets, so each concern has its own size.
SMALLEST = {"RING": 1, "RETURNS": 1, "BLOCKS": 1}
# With a device: two blocks, which it or the producer publishes, or one block and one poison.
DEVICE = {"PACKETS": 3, "POISONS": 0, "CANCELS": 0, "BELLS": 0, "DEVICE": 1}
DEVICE_ONE_BLOCK = {**DEVICE, "BLOCKS": 1, "RETURNS": 1, "POISONS": 1}
BREAKING = {**DEVICE, "BREAKS": 1}
SIZES = {
    "ring": {"PACKETS": 5, "BELLS": 0},
    "ring, deaths": {"PACKETS": 3, "DEATHS": 1, "BELLS": 0},
    "blocks": {"PACKETS": 4, "BLOCKS": 3, "RETURNS": 4, "POISONS": 0, "CANCELS": 0, "BELLS": 0},
    "bells": {"PACKETS": 3, "CANCELS": 0},
    "bells, closing": {"PACKETS": 2, "CANCELS": 0, "LEAVES": 1},
    "bells, deaths": {"PACKETS": 2, "CANCELS": 0, "DEATHS": 1},
    "smallest": {**SMALLEST, "PACKETS": 4, "POISONS": 2},
    "smallest, deaths": {**SMALLEST, "PACKETS": 3, "DEATHS": 1},
    "smallest, others": {**SMALLEST, "PACKETS": 2, "OTHERS": 1},
    "device": BREAKING,
    "device, long ring": {**DEVICE, "RING": 3, "POISONS": 1},
    "device, deaths": {**DEVICE_ONE_BLOCK, "PACKETS": 4, "DEATHS": 1},
    "device, bells": {**DEVICE_ONE_BLOCK, "PACKETS": 2, "BELLS": 1},
}
# Sizes searched for cycles of states, which takes twice as long: smaller.
ENDLESS = {
    "ring": {"PACKETS": 3, "BELLS": 0},
    "smallest": {**SMALLEST, "PACKETS": 3},
    "smallest, deaths": {**SMALLEST, "PACKETS": 2, "CANCELS": 0, "DEATHS": 1},
    "device": {**SMALLEST, **BREAKING, "PACKETS": 2},
}
# The size in which each fault of channel.pml shows, and the error that it gives.
RING = {"PACKETS": 3, "BELLS": 0}
WRONG, STUCK, ENDLESS_RUN = "assertion violated", "invalid end state", "non-progress cycle"
FAULTS = {
    "HEADER_BEFORE_PAYLOAD": (RING, WRONG),
    "PUBLISHED_RELAXED": (RING, WRONG),
    "HEADER_READ_FIRST": (RING, WRONG),
    "COUNTED_BEFORE_READ": (RING, WRONG),
    "CLAIMS_NOT_COUNTED": (RING, WRONG),
    "CANCEL_KEEPS_PLACE": (RING, STUCK),
    "RETURNED_BEFORE_READ": (RING, WRONG),
    "MARK_BEFORE_BLOCK": (RING, WRONG),
    "RETURNS_TOO_FEW": (RING, WRONG),
    "NO_SECOND_LOOK": (SIZES["bells"], STUCK),
    "RING_WITHOUT_FENCE": (SIZES["bells"], STUCK),
    "PLACE_NOT_RUNG": (SIZES["smallest"], STUCK),
    "CLOSE_NOT_RUNG": (SIZES["bells"], STUCK),
    "END_RELAXED": (RING, WRONG),
    "LOSS_AT_FIRST_SIGHT": (RING, WRONG),
    "DEATH_NOT_SEEN": (SIZES["ring, deaths"], STUCK),
    "CUT_ENDS_AT_ONCE": (SIZES["ring, deaths"], WRONG),
    "CANCELS_FOR_EVER": (RING, ENDLESS_RUN),
    "DEVICE_RELAXED": (DEVICE, WRONG),
    "HANDED_RELAXED": (DEVICE, WRONG),
    "TWO_QUEUES": (DEVICE, WRONG),
    "COMMIT_OVERTAKES": (DEVICE, WRONG),
    "DEVICE_OVERTAKES": (SIZES["device, long ring"], WRONG),
    "NEVER_FLUSHED": (DEVICE, STUCK),
    "SLOT_USED_UNSEEN": ({**DEVICE, "POISONS": 1}, STUCK),
    "PUBLICATION_NOT_RUNG": (SIZES["device, bells"], STUCK),
    "COMPLETION_NOT_RUNG": (SIZES["device, bells"], STUCK),
    "TAKEN_BACK": (DEVICE, WRONG),
    "REWRITTEN_EARLY": (BREAKING, WRONG),
    "REWRITTEN_LANDED": (BREAKING, WRONG),
    "CLOSED_EARLY": (DEVICE, WRONG),
}

LIMIT_S = 300
MEMORY_MB = 900
MAX_DEPTH = 10000  # steps of one run; more is an error (-b), so that nothing is cut off
TRAIL_STEPS = 40
ERROR = re.compile(rf"^pan:1: ((?:{WRONG}|{STUCK}|{ENDLESS_RUN}).*?) \(at depth \d+\)", re.MULTILINE)
INCOMPLETE = re.compile(r"Search not completed|search depth|reached -DMEMLIM|out of memory")


class Failed(Exception):
    """The message says what was expected and what came."""


def skip(reason):
    """Skips, or fails if WOA_REQUIRE names spin, as tests/support/require.h does."""
    required = "spin" in os.environ.get("WOA_REQUIRE", "").split(",")
    print(("FAILED (WOA_REQUIRE)" if required else "skipped") + f": spin is unavailable: {reason}")
    sys.exit(1 if required else 77)


def call(folder, *command):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S,
                              text=True).stdout
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[0]} did not end within {LIMIT_S} s") from None


class Search:
    """One walk through the states of channel.pml with these definitions, in a folder of its own."""

    def __init__(self, folder, definitions, cycles=False, optimize="-Og"):
        self.folder = folder
        self.spin = ["spin", "-Pcc -E -x c", *(f"-D{name}={value}" for name, value in definitions.items())]
        shutil.copy(MODEL, folder)
        said = call(folder, *self.spin, "-a", "channel.pml")
        if not os.path.exists(os.path.join(folder, "pan.c")):
            raise Failed(f"spin does not take the model:\n{said}")
        kind = ["-DNP"] if cycles else ["-DSAFETY", "-DNOCOMP"]
        said = call(folder, "cc", "-w", optimize, "-DNOFAIR", f"-DMEMLIM={MEMORY_MB}", *kind, "-o", "pan", "pan.c")
        if not os.path.exists(os.path.join(folder, "pan")):
            raise Failed(f"cc does not take what spin wrote:\n{said}")
        self.output = call(folder, "./pan", f"-m{MAX_DEPTH}", "-b", *(["-l"] if cycles else []))
        error = ERROR.search(self.output)
        self.error = error and error.group(1)
        states = re.search(r"([\d.e+]+) states, stored", self.output)
        self.states = int(float(states.group(1))) if states else 0

    def complete(self):
        return re.search(r"errors: 0$", self.output, re.MULTILINE) is not None and not INCOMPLETE.search(self.output)

    def trail(self):
        """The last steps on the way to the error, and the state after them."""
        told = call(self.folder, *self.spin, "-t", "-p", "channel.pml")
        steps, _, state = told.partition("spin: trail ends")
        return "\n".join(steps.rstrip().split("\n")[-TRAIL_STEPS:]) + "\ntrail ends" + state


def check_size(definitions, cycles):
    with tempfile.TemporaryDirectory(prefix="woa-model-") as folder:
        search = Search(folder, definitions, cycles)
        if search.error:
            raise Failed(f"{search.error}; the last steps of the run:\n{search.trail()}")
        if not search.complete() or not search.states:
            raise Failed(f"the search is incomplete:\n{search.output}")
        return f"{search.states:,} states, no error"


def check_fault(name, definitions, expected):
    with tempfile.TemporaryDirectory(prefix="woa-model-") as folder:
        search = Search(folder, {**definitions, "FAULT": name}, cycles=expected == ENDLESS_RUN, optimize="-O0")
        if not search.error:
            raise Failed(f"this fault was not found:\n{search.output}")
        if not search.error.startswith(expected):
            raise Failed(f"expected '{expected}', but there is: {search.error}; the last steps:\n{search.trail()}")
        return f"found: {search.error}"


def checks():
    """(what, name, function) of every check."""
    for name, definitions in SIZES.items():
        yield "size", name, lambda d=definitions: check_size(d, cycles=False)
    for name, definitions in ENDLESS.items():
        yield "no cycle", name, lambda d=definitions: check_size(d, cycles=True)
    for name, (definitions, expected) in FAULTS.items():
        yield "fault", name, lambda n=name, d=definitions, e=expected: check_fault(n, d, e)


def faults_in_model():
    with open(MODEL, encoding="utf-8") as file:
        part = re.search(r"^// Faults.*?^#ifndef", file.read(), re.DOTALL | re.MULTILINE)
    return re.findall(r"^#define (\w+) \d+ +//", part.group(0), re.MULTILINE)


def main(names):
    for program in ("spin", "cc"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    if faults_in_model() != list(FAULTS):
        sys.exit(f"FAILED: channel.pml has the faults {faults_in_model()}, here are {list(FAULTS)}")
    chosen = [check for check in checks() if not names or check[1] in names]
    if not chosen:
        sys.exit(f"nothing is called {names}; there are {sorted({name for _, name, _ in checks()})}")
    failures = 0
    for what, name, function in chosen:
        began = time.monotonic()
        try:
            said = function()
        except Failed as failure:
            said, failures = f"FAILED: {failure}", failures + 1
        print(f"{what:9} {name:22} {time.monotonic() - began:5.1f} s  {said}", flush=True)
    print(f"{len(chosen)} checked, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
