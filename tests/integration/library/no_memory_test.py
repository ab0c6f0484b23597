#!/usr/bin/env python3
"""Memory is refused once at each place where a program's calls of the library allocate: no abort, no hang, no leak."""
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile

BUILD = os.environ["WOA_BUILD_DIR"]
PROGRAM = os.path.join(BUILD, "tests", "no_memory")
REFUSE = os.path.join(BUILD, "tests", "librefuse_memory.so")
EVERY = int(os.environ.get("WOA_EVERY_PLACE", "4"))  # of the places, one in so many
LIMIT_S = 60
FINE = (None, "not met", "says nothing", "of another library")
OTHERS = "nlohmann::"  # its destructors need memory, and end the program where there is none; docs/embedding.md says so


def run(mode, scratch, **more):
    """How the program ends: its exit status (below 0: a signal; None: it hangs) and what it printed."""
    environment = {**os.environ, "LD_PRELOAD": REFUSE, "TMPDIR": scratch, **more}
    with subprocess.Popen([PROGRAM, mode], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as program:
        try:
            printed, _ = program.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, 9)
            return None, program.communicate()[0]
    return program.returncode, printed


def places(mode, scratch, **more):
    """Each place that the program meets, with its frames."""
    file = os.path.join(scratch, f"places-{mode}-{len(more)}")
    code, printed = run(mode, scratch, WOA_PLACES_FILE=file, **more)
    assert code == 0, printed
    with open(file, encoding="utf-8") as lines:
        return dict(line.rstrip("\n").split(" ", 1) for line in lines)


def of_another_library(frames):
    """True if the innermost function of the project's files is another library's, compiled from its header."""
    ours = next(frame for frame in frames.split() if frame.startswith(("libwoa.", "+")))
    file = os.path.join(BUILD, "libwoa.so" if ours.startswith("libwoa.") else "woa")
    name = subprocess.run(["addr2line", "-f", "-C", "-e", file, hex(int(ours.split("+")[1], 16) - 1)], stdout=subprocess.PIPE, text=True).stdout
    return OTHERS in name


def verdict(mode, place, scratch, first):
    """None if all is well; else what went wrong."""
    file = os.path.join(scratch, f"refused-{mode}-{place}")
    more = {"WOA_REFUSE_FIRST": "1"} if first else {}
    code, printed = run(mode, scratch, WOA_REFUSE=place, WOA_PLACES_FILE=file, **more)
    if not os.path.exists(file):
        return "not met"
    os.unlink(file)
    if code is None:
        return "hangs: " + printed[-300:]
    if code != 0:
        return f"ends with {code}: " + printed[-300:]
    _, _, measure, _, after = printed.splitlines()[-1].split()  # the loader keeps its last error for a while
    if not first and after != measure:
        return f"leaks: {printed.splitlines()[-1]}"
    if printed.count("failed") == 0:
        return "says nothing"
    return None


def main():
    modes = sys.argv[1:] or ["own", "processes"]
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for mode in modes:
            usual, once = places(mode, scratch), places(mode, scratch, WOA_REFUSE_FIRST="1")
            tried = [(place, False) for place in usual][::EVERY] + [(place, True) for place in once if place not in usual][::EVERY]
            said = collections.Counter()
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for (place, first), wrong in zip(tried, pool.map(lambda each: verdict(mode, each[0], scratch, each[1]), tried)):
                    frames = (once if first else usual)[place]
                    if wrong not in FINE and of_another_library(frames):
                        wrong = "of another library"
                    said[(wrong or "well").split(":")[0]] += 1
                    if wrong not in FINE:
                        bad += 1
                        print(f"{mode} {place}{' in the first round' if first else ''}: {wrong}\n  {frames}", flush=True)
            print(f"{mode}: {len(tried)} places: " + ", ".join(f"{count} {what}" for what, count in said.items()), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
