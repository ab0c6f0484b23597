#!/usr/bin/env python3
"""Makes what program.yaml asks for: text.py text|digest|mibench FILE.

text: 311,824 bytes, the size of MiBench's small input. digest: their SHA-0, by the rounds as the standard of 1993 has
them. mibench: the digest of MiBench's own small input. The seed is fixed.
"""
import random
import struct
import sys

SEED = 20261127
SIZE = 311824
MIBENCH = "320c22e9 7b1ed440 77d2e55a bbe2481a 2b24a55b\n"
FIRST = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)


def text():
    drawn = random.Random(SEED)
    return bytes(drawn.choices(b"etaoinshrdlucmfwypvbgkjqxz    \n,.", k=SIZE))


def rotated(word, bits):
    return (word << bits | word >> (32 - bits)) & 0xFFFFFFFF


def next_state(state, block):
    w = list(struct.unpack(">16I", block))
    for t in range(16, 80):
        w.append(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16])
    a, b, c, d, e = state
    for t in range(80):
        if t < 20:
            f, k = b & c | ~b & d, 0x5A827999
        elif t < 40:
            f, k = b ^ c ^ d, 0x6ED9EBA1
        elif t < 60:
            f, k = b & c | b & d | c & d, 0x8F1BBCDC
        else:
            f, k = b ^ c ^ d, 0xCA62C1D6
        a, b, c, d, e = (rotated(a, 5) + f + e + w[t] + k) & 0xFFFFFFFF, a, rotated(b, 30), c, d
    return tuple((x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d, e)))


def sha0(data):
    """The line that the program prints."""
    padded = data + b"\x80" + b"\0" * ((55 - len(data)) % 64) + struct.pack(">Q", len(data) * 8)
    state = FIRST
    for at in range(0, len(padded), 64):
        state = next_state(state, padded[at:at + 64])
    return "%08x %08x %08x %08x %08x\n" % state


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("text", "digest", "mibench"):
        sys.exit("usage: text.py text|digest|mibench FILE")
    made = {"text": text, "digest": lambda: sha0(text()).encode(), "mibench": lambda: MIBENCH.encode()}[sys.argv[1]]()
    with open(sys.argv[2], "wb") as file:
        file.write(made)


if __name__ == "__main__":
    main()
