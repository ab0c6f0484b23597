"""Instructions that a firing and a hop execute. Counts, not times: they hold on a busy machine."""
import os
import re
import subprocess
import unittest

import harness

# At most, above the kernels for a firing, with the kernel for a hop. Processors with other instructions (CRC, copies) differ by
# some per cent.
BOUNDS = {"firing": 1150, "hop": 2300}

COUNT = 20000
DRIVEN = os.path.join(harness.BUILD, "tests", "driven_path")
# A kernel that looked long under the instrument would be timed each time, and have a duty cycle of its own.
CLOCK = os.path.join(harness.BUILD, "tests", "libticking_clock.so")
KERNELS = os.path.join(harness.BUILD, "kernels")

harness.need_program("valgrind", "valgrind")


def executed(path, count):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", DRIVEN, path, str(count), KERNELS],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S * 2,
                          env=harness.preloading(CLOCK))
    error = done.stderr.decode(errors="replace")
    found = re.search(r"Collected : (\d+)", error)
    if done.returncode != 0 or found is None:
        raise AssertionError(error[-2000:])
    return int(found.group(1))


def each(path):
    """Instructions for each of `path`, without start and end."""
    return (executed(path, 2 * COUNT) - executed(path, COUNT)) / COUNT


class Instructions(unittest.TestCase):
    def check(self, path, count):
        print(f"{path}: {count:.0f} instructions, at most {BOUNDS[path]}")
        self.assertGreater(count, 0)
        self.assertLessEqual(count, BOUNDS[path])

    def test_a_firing(self):
        self.check("firing", each("firing") - each("kernels"))

    def test_a_hop(self):
        self.check("hop", each("hop"))


if __name__ == "__main__":
    harness.main()
