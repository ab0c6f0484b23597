#!/usr/bin/env python3
"""The demo's reference (tools/demo/reference.py) on pictures small enough to work out by hand: what judges must be right itself."""

import os
import struct
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "demo"))
import reference  # noqa: E402  (the path comes first)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, colour, lines):
    """A PNG of these rows, each (filter, filtered bytes)."""
    raw = b"".join(bytes([kind]) + bytes(line) for kind, line in lines)
    header = struct.pack(">IIBBBBB", width, len(lines), 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


class Png(unittest.TestCase):
    def read(self, data):
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            file.write(data)
            file.flush()
            return reference.read_png(file.name)

    def test_every_filter(self):
        lines = [(0, [10, 20, 30]), (1, [5, 1, 255]), (2, [1, 2, 3]), (3, [10, 0, 0]), (4, [0, 0, 250])]
        rows = [[10, 20, 30], [5, 6, 5], [6, 8, 8], [13, 10, 9], [13, 10, 3]]
        self.assertEqual(self.read(png(3, 0, lines)), (3, 5, 1, [bytes(row) for row in rows]))

    def test_colour_steps_by_pixel(self):
        self.assertEqual(self.read(png(2, 2, [(1, [1, 2, 3, 1, 1, 1])])), (2, 1, 3, [bytes([1, 2, 3, 2, 3, 4])]))

    def test_what_it_cannot_read_is_refused(self):
        for data in (b"no png at all", png(1, 3, [(0, [0])])):
            with self.assertRaises(SystemExit):
                self.read(data)


class Picture(unittest.TestCase):
    def test_same_size_is_the_identity(self):
        samples = bytes(range(5 * 3 * 2))
        self.assertEqual(b"".join(reference.resize((5, 2, 3, samples), 5, 2)), samples)

    def test_halving_takes_the_mean_of_four(self):
        samples = bytes([0, 4, 8, 100, 8, 12, 16, 104])
        self.assertEqual(list(reference.resize((4, 2, 1, samples), 2, 1)), [bytes([6, 57])])

    def test_doubling_weighs_by_quarters_and_repeats_edges(self):
        self.assertEqual(list(reference.resize((2, 1, 1, bytes([0, 100])), 4, 1)), [bytes([0, 25, 75, 100])])

    def test_sharpen_repeats_edges_and_clamps(self):
        rows = [bytes([10, 20, 30]), bytes([10, 200, 30])]
        self.assertEqual(list(reference.sharpen(rows, 1)), [bytes([0, 0, 40]), bytes([0, 255, 0])])


if __name__ == "__main__":
    unittest.main()
