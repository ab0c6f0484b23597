#!/usr/bin/env python3
"""Writes vectors.txt: packets, each with the rejection that every implementation must answer.

Independent of runtime/packet on purpose: layout, CRC and expectations are written down here again, from docs/packet.md.
A line is 128 hexadecimal digits (bytes 0 to 63), the reason, the vector's name.

    make_vectors.py           writes vectors.txt
    make_vectors.py --check   writes nothing; exit code 1 if vectors.txt differs
"""
import itertools
import pathlib
import struct
import sys

OUT = pathlib.Path(__file__).resolve().parent / "vectors.txt"
LAYOUT = struct.Struct("<HBBBBHQQQIIIBBHQII")
NAMES = ("magic version kind flags status port instance tag deadline stage origin sequence device ordinal region "
         "payload_bytes offset crc32c").split()
BITS = dict(zip(NAMES, (16, 8, 8, 8, 8, 16, 64, 64, 64, 32, 32, 32, 8, 8, 16, 64, 32, 32)))
INLINE, ABSENT, HEADER_CRC, PAYLOAD_CRC = 1, 2, 4, 8
REASONS = "magic version kind flags header_crc status flag_use payload_bytes device region".split()

COMMON = {"magic": 0x4157, "version": 1, "port": 2, "instance": 7, "tag": 0x105, "deadline": 123456789, "stage": 3,
          "origin": 2, "sequence": 41}
KINDS = {
    "activate": COMMON | {"kind": 1, "device": 1, "region": 5, "payload_bytes": 4096, "offset": 16},
    "poison": COMMON | {"kind": 2, "flags": INLINE, "status": 10, "payload_bytes": 29},
    "count": COMMON | {"kind": 3, "payload_bytes": 64},
    "credit": COMMON | {"kind": 4, "payload_bytes": 1000},
    "retire": COMMON | {"kind": 5},
    "end": COMMON | {"kind": 6},
}

# The rejection that the value of one field causes in a packet that is right otherwise; fields not listed are accepted.
# One reason per value of sweep(): 0, 1, all ones, a pattern.
EVERY_KIND = {
    "magic": ("magic",) * 4,
    "version": ("version", "none", "version", "version"),
    "crc32c": ("none", "header_crc", "header_crc", "header_crc"),
}
CONTROL = EVERY_KIND | {
    "flags": ("none", "flag_use", "flags", "flags"),
    "status": ("none", "status", "status", "status"),
    "device": ("none", "device", "device", "device"),
    "ordinal": ("none", "device", "device", "device"),
    "region": ("none", "region", "region", "region"),
    "offset": ("none", "region", "region", "region"),
}
WITHOUT_PAYLOAD = CONTROL | {"payload_bytes": ("none", "payload_bytes", "payload_bytes", "payload_bytes")}
SWEPT = {
    # The kind swept to 1 makes each other packet an activate.
    "activate": EVERY_KIND | {
        "kind": ("kind", "none", "kind", "kind"),
        "flags": ("none", "device", "flags", "flags"),
        "status": ("none", "status", "status", "status"),
        "device": ("device", "none", "device", "device"),
        "payload_bytes": ("device", "none", "payload_bytes", "payload_bytes"),
    },
    "poison": CONTROL | {
        "kind": ("kind", "status", "kind", "kind"),
        "flags": ("payload_bytes", "none", "flags", "flags"),
        "status": ("status", "none", "none", "none"),
        "payload_bytes": ("none", "none", "payload_bytes", "payload_bytes"),
    },
    "count": CONTROL | {"kind": ("kind", "device", "kind", "kind")},
    "credit": CONTROL | {"kind": ("kind", "device", "kind", "kind")},
    "retire": WITHOUT_PAYLOAD | {"kind": ("kind", "none", "kind", "kind")},
    "end": WITHOUT_PAYLOAD | {"kind": ("kind", "none", "kind", "kind")},
}


def crc32c(data):
    """Long division, bit by bit: the first bit is the lowest of the first byte."""
    register = 0xFFFFFFFF
    for byte in data:
        for bit in range(8):
            feedback = (register ^ byte >> bit) & 1
            register >>= 1
            if feedback:
                register ^= 0x82F63B78
    return register ^ 0xFFFFFFFF


def pack(fields, seal=False, crc_error=0):
    values = {name: 0 for name in NAMES} | fields
    if seal:
        values["flags"] |= HEADER_CRC
        values["crc32c"] = crc32c(LAYOUT.pack(*values.values())[:60])
    values["crc32c"] ^= crc_error
    return LAYOUT.pack(*values.values())


def sweep(bits):
    return {"0": 0, "1": 1, "max": 2**bits - 1, "pattern": 0xA5C3F01B96D2E874 >> (64 - bits)}


def swept_fields():
    """Every field of every kind at 0, 1, max and a pattern; sealed too where that does not change what is swept."""
    for (kind, base), field in itertools.product(KINDS.items(), NAMES):
        reasons = SWEPT[kind].get(field, ("none",) * 4)
        for (label, value), reason in zip(sweep(BITS[field]).items(), reasons):
            yield pack(base | {field: value}), reason, f"{kind}.{field}={label}"
            if field not in ("flags", "crc32c"):
                yield pack(base | {field: value}, seal=True), reason, f"{kind}.{field}={label},sealed"


def flag_sets():
    """All sixteen flag sets of every kind, with a payload that suits them where there is one."""
    block = {"device": 1, "payload_bytes": 4096}
    inline = {"device": 0, "payload_bytes": 100}
    empty = {"device": 0, "payload_bytes": 0}
    fitting = {
        "activate": {0: block, INLINE: inline, ABSENT: empty, PAYLOAD_CRC: block, INLINE | PAYLOAD_CRC: inline},
        "poison": {0: empty, INLINE: inline, INLINE | PAYLOAD_CRC: inline},
    }
    for (kind, base), flags in itertools.product(KINDS.items(), range(8)):
        flags = (flags & 3) | (flags & 4) << 1  # without the header CRC flag, which `seal` sets
        payload = fitting.get(kind, {0: {}}).get(flags)
        reason = "none" if payload is not None else "flag_use"
        if kind == "poison" and flags == PAYLOAD_CRC:
            reason = "payload_bytes"  # allowed to poison, but nothing that is not inline can have it
        for seal in (False, True):
            fields = base | (payload or {}) | {"flags": flags}
            yield pack(fields, seal), reason, f"{kind}.flags={flags}" + (",sealed" if seal else ",plain")


def payloads():
    activate, poison = KINDS["activate"], KINDS["poison"]
    empty = activate | {"device": 0, "payload_bytes": 0}
    yield pack(activate | {"payload_bytes": 2**38}), "none", "activate.largest"
    yield pack(activate | {"payload_bytes": 2**38 + 1}), "payload_bytes", "activate.too_large"
    yield pack(activate | {"payload_bytes": 2**38, "flags": INLINE, "device": 0}), "none", "inline.largest"
    yield pack(activate | {"payload_bytes": 2**38 + 1, "flags": INLINE, "device": 0}), "payload_bytes", "inline.too_large"
    yield pack(empty), "none", "empty.with_block"
    yield pack(empty | {"region": 0xFFFF, "offset": 0xFFFFFFFF}), "none", "empty.with_last_block"
    yield pack(empty | {"flags": INLINE}), "none", "empty.inline"
    yield pack(empty | {"flags": ABSENT}), "none", "absent.with_block"
    yield pack(activate | {"flags": ABSENT}), "payload_bytes", "absent.with_payload"
    yield pack(empty | {"flags": PAYLOAD_CRC}), "payload_bytes", "empty.payload_crc"
    yield pack(empty | {"flags": INLINE | PAYLOAD_CRC}), "payload_bytes", "empty.inline_payload_crc"
    yield pack(activate | {"flags": INLINE, "device": 0}), "none", "inline.with_block"
    yield pack(activate | {"flags": INLINE, "device": 0, "ordinal": 1}), "device", "inline.ordinal"
    yield pack(empty | {"ordinal": 1}), "device", "empty.ordinal"
    yield pack(empty | {"device": 1}), "device", "empty.device"
    yield pack(poison | {"flags": 0}), "payload_bytes", "poison.payload_not_inline"
    yield pack(poison | {"flags": 0, "payload_bytes": 0}), "none", "poison.empty"
    yield pack(poison | {"payload_bytes": 2**38}), "none", "poison.largest"
    yield pack(poison | {"payload_bytes": 2**38 + 1}), "payload_bytes", "poison.too_large"


def memories():
    known = {1, 2, 3, 4, 9, 12}
    for device in list(range(0, 48)) + [64 + 1, 128 + 1, 255 - 31 + 1]:
        reason = "none" if device in known else "device"
        yield pack(KINDS["activate"] | {"device": device, "ordinal": 3}), reason, f"memory={device}"


def numbers():
    for kind in (k for k in range(256) if k not in range(1, 7)):
        yield pack(COMMON | {"kind": kind}), "kind", f"kind={kind}"
    for status in range(1, 17):
        yield pack(KINDS["poison"] | {"status": status}), "none", f"poison.code={status}"
    for bit in range(4, 8):
        yield pack(KINDS["activate"] | {"flags": 1 << bit}, seal=True), "flags", f"activate.flag_bit={bit}"
    yield pack(KINDS["activate"] | {"origin": 0xFFFFFFFF}), "none", "activate.origin=run"
    yield pack(KINDS["activate"] | {"magic": 0x5741}), "magic", "activate.magic=swapped"


def header_crcs():
    for kind, base in KINDS.items():
        yield pack(base, seal=True), "none", f"{kind}.sealed"
        for bit in range(32):
            yield pack(base, seal=True, crc_error=1 << bit), "header_crc", f"{kind}.crc_bit={bit}"
        sealed = pack(base, seal=True)
        zero = sealed[:60] + bytes(4)
        yield zero, "header_crc", f"{kind}.crc=0,flagged"
        yield sealed[:4] + bytes([sealed[4] & ~HEADER_CRC]) + sealed[5:], "header_crc", f"{kind}.crc_without_flag"
    sealed = pack(KINDS["activate"], seal=True)
    for byte in range(8, 60):
        damaged = sealed[:byte] + bytes([sealed[byte] ^ 0x10]) + sealed[byte + 1:]
        yield damaged, "header_crc", f"activate.damaged_byte={byte}"


BREAKS = {"magic": {"magic": 0x4158}, "version": {"version": 2}, "kind": {"kind": 7}, "flags": {"flags": 0x40}, "header_crc": {},
          "status": {"status": 1}, "flag_use": {"flags": INLINE}, "payload_bytes": {"payload_bytes": 1}, "device": {"device": 1},
          "region": {"region": 1}}


def broken(reasons, seal):
    """A retire packet that breaks all of `reasons`."""
    fields = dict(KINDS["retire"])
    for reason in reasons:
        for name, value in BREAKS[reason].items():
            fields[name] = fields.get(name, 0) | value if name == "flags" else value
    return pack(fields, seal, crc_error=0x80000000 if "header_crc" in reasons else 0)


def orders():
    """Rules broken together: the first in order is the answer."""
    for seal in (False, True):
        suffix = ",sealed" if seal else ""
        for first, second in itertools.combinations(REASONS, 2):
            yield broken((first, second), seal), first, f"both.{first}+{second}{suffix}"
        for number, first in enumerate(REASONS):
            yield broken(REASONS[number:], seal), first, f"all_from.{first}{suffix}"


def main():
    groups = (swept_fields, flag_sets, payloads, memories, numbers, header_crcs, orders)
    vectors = [vector for group in groups for vector in group()]
    names = [name for _, _, name in vectors]
    assert len(set(names)) == len(names), "two vectors have one name"
    assert {reason for _, reason, _ in vectors} == {"none", *REASONS}, "a reason has no vector"
    text = "".join(f"{data.hex()} {reason} {name}\n" for data, reason, name in vectors)
    if "--check" in sys.argv[1:]:
        if OUT.read_text() != text:
            print("vectors.txt differs from what make_vectors.py writes: run it and commit the result", file=sys.stderr)
            return 1
        return 0
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
