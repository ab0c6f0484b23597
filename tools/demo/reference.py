#!/usr/bin/env python3
"""The demo's independent reference: what decode, resize and sharpen must give, in plain Python, without the runtime.

The photograph is decoded by `djpeg -dct int`; resizing and sharpening follow the specifications
kernels/resize_bilinear/resize_bilinear.md and kernels/sharpen3x3/sharpen3x3.md. This file reads the PNG by itself.

Usage: reference.py PHOTO.jpg PICTURE.png     exit code 1 and the first differing pixel if they are not equal
"""

import struct
import subprocess
import sys
import zlib


def decode_jpeg(path):
    """(width, height, channels, samples) by djpeg: P6 for colour, P5 for grey."""
    data = subprocess.run(["djpeg", "-dct", "int", "-pnm", path], check=True, stdout=subprocess.PIPE).stdout
    magic, width, height, depth = data[:64].split(maxsplit=4)[:4]
    header = len(magic) + len(width) + len(height) + len(depth) + 4
    if depth != b"255":
        sys.exit(f"reference: djpeg gave {depth} levels, not 255")
    return int(width), int(height), {b"P5": 1, b"P6": 3}[magic], data[header:]


def positions(size, new_size):
    """Per output position: the two source positions and the weight of the second, in 1/2048."""
    for i in range(new_size):
        p = max(0, (2 * i + 1) * size * 2**15 // new_size - 2**15)
        yield p // 2**16, min(p // 2**16 + 1, size - 1), p % 2**16 // 2**5


def resize(image, new_width, new_height):
    """Rows of the resized picture, one after the other."""
    width, height, channels, samples = image
    stride = width * channels
    columns = [(x0 * channels + c, x1 * channels + c, 2048 - w, w) for x0, x1, w in positions(width, new_width)
               for c in range(channels)]
    for y0, y1, v in positions(height, new_height):
        above, below = samples[y0 * stride:(y0 + 1) * stride], samples[y1 * stride:(y1 + 1) * stride]
        u = 2048 - v
        yield bytes([(u * (a * above[l] + b * above[r]) + v * (a * below[l] + b * below[r]) + 2**21) // 2**22
                     for l, r, a, b in columns])


def sharpen(rows, channels):
    """5 times the centre less its four neighbours, clamped to a byte; edges are repeated outwards."""
    clamp = bytes(min(max(value, 0), 255) for value in range(-4 * 255, 5 * 255 + 1))
    rows = list(rows)
    for y, row in enumerate(rows):
        up, down = rows[max(y - 1, 0)], rows[min(y + 1, len(rows) - 1)]
        left, right = row[:channels] + row[:-channels], row[channels:] + row[-channels:]
        yield bytes([clamp[5 * c - u - d - l - r + 1020] for c, u, d, l, r in zip(row, up, down, left, right)])


def png_chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("reference: the picture is not a PNG")
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def paeth(left, up, corner):
    estimate = left + up - corner
    distances = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
    nearest = min(distances)
    return left if distances[0] == nearest else up if distances[1] == nearest else corner


def unfilter(kind, line, up, step):
    """One row of a PNG: `line` is changed in place; `up` is the row above, `step` the bytes of a pixel."""
    if kind == 1:
        for i in range(step, len(line)):
            line[i] = (line[i] + line[i - step]) & 255
    elif kind == 2:
        line[:] = bytes([(a + b) & 255 for a, b in zip(line, up)])
    elif kind == 3:
        for i in range(len(line)):
            line[i] = (line[i] + ((line[i - step] if i >= step else 0) + up[i]) // 2) & 255
    elif kind == 4:
        for i in range(len(line)):
            left, corner = (line[i - step], up[i - step]) if i >= step else (0, 0)
            line[i] = (line[i] + paeth(left, up[i], corner)) & 255
    elif kind != 0:
        sys.exit(f"reference: PNG filter {kind} does not exist")


def read_png(path):
    """(width, height, channels, rows) of an 8-bit grey or RGB picture that is not interlaced."""
    with open(path, "rb") as file:
        chunks = list(png_chunks(file.read()))
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if depth != 8 or colour not in (0, 2) or interlaced:
        sys.exit(f"reference: expected an 8-bit grey or RGB PNG, found depth {depth}, colour type {colour}")
    channels = {0: 1, 2: 3}[colour]
    raw = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    stride = width * channels
    rows, up = [], bytes(stride)
    for y in range(height):
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(raw[y * (stride + 1)], line, up, channels)
        up = bytes(line)
        rows.append(up)
    return width, height, channels, rows


def main(photo, picture):
    image = decode_jpeg(photo)
    width, height, channels, rows = read_png(picture)
    if channels != image[2]:
        sys.exit(f"reference: the photograph has {image[2]} channels, the picture {channels}")
    reference = list(sharpen(resize(image, width, height), channels))
    if [len(row) for row in reference] != [len(row) for row in rows]:
        sys.exit("reference: it has another shape than the picture: mend reference.py")
    for y, expected in enumerate(reference):
        if expected != rows[y]:
            x = next(i for i in range(len(expected)) if expected[i] != rows[y][i])
            sys.exit(f"reference: row {y}, column {x // channels}, channel {x % channels}: "
                     f"expected {expected[x]}, found {rows[y][x]}")
    print(f"{width}x{height}: every pixel equals the reference")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: reference.py PHOTO.jpg PICTURE.png")
    main(*sys.argv[1:])
