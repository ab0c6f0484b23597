#!/usr/bin/env python3
"""Makes generated/* and the tables of docs/packet.md from packet.json and templates/*.

    generate.py           writes what changed
    generate.py --check   writes nothing; exit code 1 names the outputs that are stale
"""
import json
import pathlib
import re
import string
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
import generated  # noqa: E402

DOCS = HERE.parent.parent / "docs" / "packet.md"
C_TYPES = {1: "woa_u8", 2: "woa_u16", 4: "woa_u32", 8: "woa_u64"}
BEAT_BYTES = 8


def camel(name):
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def validate(spec):
    """Fields are naturally aligned and leave no gap; numbers of a list are distinct."""
    end = 0
    for field in spec["fields"]:
        if field["offset"] != end or field["offset"] % field["size"] != 0:
            sys.exit(f"packet.json: field {field['name']} is at {field['offset']}, expected {end}, aligned to its size")
        end += field["size"]
    if end != spec["header_bytes"]:
        sys.exit(f"packet.json: the fields end at {end}, expected header_bytes = {spec['header_bytes']}")
    for group in ("kinds", "flags", "memories"):
        values = [entry["value"] for entry in spec[group]]
        if len(set(values)) != len(values):
            sys.exit(f"packet.json: a number occurs twice in {group}")


def flags_of_kinds(spec):
    """Byte k holds the flags that kind k may carry."""
    bits = {flag["name"]: flag["value"] for flag in spec["flags"]}
    return sum(sum(bits[name] for name in kind["flags"]) << 8 * kind["value"] for kind in spec["kinds"])


def constants(spec):
    kinds = [kind["value"] for kind in spec["kinds"]]
    return {
        "magic": spec["magic"]["value"],
        "magic_hex": spec["magic"]["value"][2:],
        "version": spec["version"],
        "header_bytes": spec["header_bytes"],
        "header_bits": 8 * spec["header_bytes"],
        "offset_unit_bytes": spec["offset_unit_bytes"],
        "max_payload_bytes": spec["max_payload_bytes"],
        "max_payload_hex": spec["max_payload_bytes"][2:],
        "no_stage": spec["no_stage"],
        "no_stage_hex": spec["no_stage"][2:],
        "crc_polynomial": spec["crc"]["polynomial"],
        "crc_bytes": spec["crc"]["covers_bytes"],
        "crc_bits": 8 * spec["crc"]["covers_bytes"],
        "first_kind": min(kinds),
        "last_kind": max(kinds),
        "all_flags": sum(flag["value"] for flag in spec["flags"]),
        "flags_of_kinds": f"0x{flags_of_kinds(spec):016x}",
        "flags_of_kinds_hex": f"{flags_of_kinds(spec):016x}",
        "memories": f"0x{sum(1 << memory['value'] for memory in spec['memories']):08x}",
        "memories_hex": f"{sum(1 << memory['value'] for memory in spec['memories']):08x}",
    }


def c_defines(prefix, entries):
    return "\n".join(f"#define WOA_{prefix}_{name.upper()} {value}u" for name, value in entries)


def c_field(field):
    declaration = f"{C_TYPES[field['size']]} {field['name']};"
    return f"  {declaration:<22} /* {field['offset']} */"


def c_parts(spec):
    return {
        "c_fields": "\n".join(c_field(field) for field in spec["fields"]),
        "c_kinds": c_defines("KIND", named(spec["kinds"])),
        "c_flags": c_defines("FLAG", named(spec["flags"])),
        "c_memories": c_defines("MEMORY", named(spec["memories"])),
        "c_rejections": c_defines("REJECT", rejections(spec)),
    }


def cpp_field(field):
    return f"  std::uint{8 * field['size']}_t {field['name']} = {field.get('default', '0')};"


def cpp_list(items):
    return textwrap.fill(", ".join(items), width=110, initial_indent="    ", subsequent_indent="    ")


def cpp_enum(entries):
    return cpp_list(f"{camel(name)} = {value}" for name, value in entries)


def cpp_names(entries):
    return cpp_list(f'"{name}"' for name, _ in entries)


def cpp_parts(spec):
    return {
        "cpp_fields": "\n".join(cpp_field(field) for field in spec["fields"]),
        "cpp_kinds": cpp_enum(named(spec["kinds"])),
        "cpp_flags": cpp_enum(named(spec["flags"])),
        "cpp_memories": cpp_enum([("none", 0)] + named(spec["memories"])),
        "cpp_rejections": cpp_enum([("none", 0)] + rejections(spec)),
        "cpp_kind_names": cpp_names(named(spec["kinds"])),
        "cpp_rejection_names": cpp_names([("none", 0)] + rejections(spec)),
        "cpp_asserts": "\n".join(
            f"static_assert(offsetof(ActivationPacket, {f['name']}) == {f['offset']} && "
            f"sizeof(ActivationPacket::{f['name']}) == {f['size']});" for f in spec["fields"]),
    }


def sv_field(field):
    name, lsb, bits = field["name"].upper(), 8 * field["offset"], 8 * field["size"]
    beat, beat_lsb = field["offset"] // BEAT_BYTES, 8 * (field["offset"] % BEAT_BYTES)
    return (f"  localparam integer WOA_{name}_LSB = {lsb}, WOA_{name}_BITS = {bits}, "
            f"WOA_{name}_BEAT = {beat}, WOA_{name}_BEAT_LSB = {beat_lsb};")


def sv_constants(prefix, entries):
    return "\n".join(f"  localparam logic [7:0] WOA_{prefix}_{name.upper()} = 8'd{value};" for name, value in entries)


def sv_crc(function, bits, polynomial):
    """Row r of the matrix of `bits` CRC steps: the input bits that go into bit r."""
    def steps(word):
        for _ in range(bits):
            word = (word >> 1) ^ (polynomial if word & 1 else 0)
        return word
    columns = [steps(1 << bit) for bit in range(bits)]
    rows = [sum((column >> row & 1) << bit for bit, column in enumerate(columns)) for row in range(32)]
    return "\n".join(f"    {function}[{row}] = ^(x & {bits}'h{mask:0{bits // 4}x});" for row, mask in enumerate(rows))


def sv_parts(spec):
    polynomial = int(spec["crc"]["polynomial"], 16)
    return {
        "sv_fields": "\n".join(sv_field(field) for field in spec["fields"]),
        "sv_kinds": sv_constants("KIND", named(spec["kinds"])),
        "sv_flags": sv_constants("FLAG", named(spec["flags"])),
        "sv_memories": sv_constants("MEMORY", named(spec["memories"])),
        "sv_crc_beat": sv_crc("woa_crc32c_beat", 64, polynomial),
        "sv_crc_half": sv_crc("woa_crc32c_half", 32, polynomial),
        "sv_rejections": sv_constants("REJECT", [("none", 0)] + rejections(spec)),
    }


def named(entries):
    return [(entry["name"], entry["value"]) for entry in entries]


def rejections(spec):
    return [(entry["name"], number) for number, entry in enumerate(spec["rejections"], start=1)]


def table(head, rows):
    lines = [head, ["---:" if name in ("number", "offset", "size", "bit") else "---" for name in head]] + rows
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def tables(spec):
    return {
        "fields": table(["offset", "size", "field", "meaning"],
                        [[f["offset"], f["size"], f["name"], f["meaning"]] for f in spec["fields"]]),
        "kinds": table(["number", "kind", "flags it may carry", "meaning"],
                       [[k["value"], k["name"], ", ".join(k["flags"]), k["meaning"]] for k in spec["kinds"]]),
        "flags": table(["bit", "flag", "meaning"], [[f["value"], f["name"], f["meaning"]] for f in spec["flags"]]),
        "memories": table(["number", "memory", "meaning"],
                          [[m["value"], m["name"], m["meaning"]] for m in spec["memories"]]),
        "rejections": table(["number", "reason", "the rule that was broken"],
                            [[n, r["name"], r["rule"]] for n, r in enumerate(spec["rejections"], start=1)]),
    }


def document(spec):
    """docs/packet.md with the text between its <!-- table NAME --> and <!-- end --> marks replaced."""
    made = tables(spec)
    return re.sub(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", lambda m: m[1] + made[m[2]] + "\n" + m[3],
                  DOCS.read_text(), flags=re.DOTALL)


def outputs(spec):
    parts = constants(spec) | c_parts(spec) | cpp_parts(spec) | sv_parts(spec)
    made = {HERE / "generated" / template.stem: string.Template(template.read_text()).substitute(parts)
            for template in sorted((HERE / "templates").glob("*.in"))}
    return made | {DOCS: document(spec)}


def main():
    spec = json.loads((HERE / "packet.json").read_text())
    validate(spec)
    return generated.main(outputs(spec), "runtime/packet/generate.py")


if __name__ == "__main__":
    sys.exit(main())
