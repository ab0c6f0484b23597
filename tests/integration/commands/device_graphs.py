"""Graphs with stages on a device and on processors, for each kind of device: joins, a loop, a scatter; and pictures for others."""
import struct


def on(kind, text):
    """The graph with its device's stages on that kind of controller."""
    return text.replace("on: DEVICE", "on: " + kind)


# Two branches of one device, joined on a processor; each payload has two readers.
JOIN = """woa: 1
graph: join
inputs: {data: {type: bytes, max: 32KiB}}
stages:
  one:   {kernel: invert, in: {data: data}, max: {data: 32KiB}, on: DEVICE}
  two:   {kernel: copy, in: {data: one.data}, max: {data: 32KiB}, on: DEVICE}
  three: {kernel: invert, in: {data: one.data}, max: {data: 32KiB}, on: DEVICE}
  both:  {kernel: join2, in: {a: two.data, b: three.data}, max: {data: 64KiB}, on: "cpu:0"}
  last:  {kernel: copy, in: {data: both.data}, max: {data: 64KiB}, on: DEVICE}
outputs: {data: last.data}
"""
LOOP = """woa: 1
graph: loop
inputs: {data: {type: bytes, max: 1KiB}}
stages:
  test: {kernel: route, in: {data: [data, {from: turn.data, loop: {max: 10}}]}, max: {even: 1KiB, odd: 1KiB}, on: "cpu:0"}
  turn: {kernel: invert, in: {data: test.even}, max: {data: 1KiB}, on: DEVICE}
outputs: {data: test.odd}
"""
SCATTER = """woa: 1
graph: scatter
inputs: {text: {type: bytes, max: 1KiB}}
stages:
  lines: {kernel: split_lines, in: {data: text}, max: {line: 4KiB}, on: "cpu:0"}
  flip:  {kernel: invert, in: {data: lines.line}, max: {data: 4KiB}, on: DEVICE}
  back:  {kernel: invert, in: {data: flip.data}, max: {data: 4KiB}, on: DEVICE}
  all:   {kernel: join_lines, in: {lines: back.data}, on: "cpu:1"}
outputs: {text: all.data}
"""


def picture(height, width, channels, seed=1):
    """An image's file: dimensions, then noise."""
    data, state = bytearray(struct.pack("<III", height, width, channels).ljust(64, b"\0")), seed
    for _ in range(height * width * channels):
        state = (state * 1103515245 + 12345) % (1 << 31)
        data.append(state >> 16 & 255)
    return bytes(data)
