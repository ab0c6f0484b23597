#!/usr/bin/env python3
"""Makes generated/* from wact.json: the node's and the kernel's interface for C++ and for SystemVerilog.

    generate.py           writes what changed
    generate.py --check   writes nothing; exit code 1 names the outputs that are stale
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
import generated  # noqa: E402

MADE = "Made by controllers/fpga/generate.py from wact.json: do not edit."
ABOUT = ("The interface of the FPGA packet node (registers, tables, streams) and of the kernel around it (arguments,\n"
         "// command and directory lines). Word addresses are in units of 32 bits. README.md in controllers/fpga explains it.")


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def groups(spec):
    """(C++ type, prefix, entries with name, value and what) of each list of numbers."""
    fields = [(name, [{**f, "value": f["lsb"]} for f in spec[f"{name}_beat"]]) for name in ("landing", "completion")]
    arguments = [{"name": a["name"], "value": k, "what": a["what"]} for k, a in enumerate(spec["kernel"]["arguments"])]
    offsets = [{"name": a["name"], "value": a["offset"], "what": f"{a['size']} bytes"} for a in spec["kernel"]["arguments"]]
    return [("Register", "reg", spec["registers"]), ("StageWord", "stage", spec["stage_words"]),
            ("RouteWord", "route", spec["route_words"]), ("LandingLsb", "landing", fields[0][1]),
            ("CompletionLsb", "completion", fields[1][1]), ("NodeRejection", "reject", spec["rejections"]),
            ("User", "user", spec["user"]), ("Argument", "argument", arguments),
            ("ArgumentOffset", "argument_at", offsets), ("CommandWord", "command", spec["command_words"]),
            ("Operation", "operation", spec["operations"]), ("DirectoryWord", "directory", spec["directory_words"]),
            ("State", "state", spec["states"])]


def constants(spec):
    return [("id", spec["id"]), ("entry_words", spec["entry_words"]), ("index_entries", spec["index_entries"]), ("chain_stages", spec["chain_stages"]),
            ("line_bytes", spec["line_bytes"]), ("command_id", spec["command_id"]),
            ("directory_id", spec["directory_id"])]


def cpp(spec):
    lines = [f"// {MADE}", "//", f"// {ABOUT}", "#pragma once", "", "#include <cstdint>", "#include <string_view>", "",
             "// clang-format off", "namespace woa::wact {", ""]
    lines += [f"inline constexpr std::uint32_t k{camel(name)} = {number(value):#x};" for name, value in constants(spec)]
    lines += [f'inline constexpr std::string_view kKernelName = "{spec["kernel"]["name"]}";']
    for kind, prefix, entries in groups(spec):
        lines += ["", f"enum {kind} : std::uint32_t {{"]
        lines += [f"  k{camel(prefix)}{camel(e['name'])} = {number(e['value']):#x},  // {e['what']}" for e in entries]
        lines += ["};"]
    return "\n".join(lines + ["", "}  // namespace woa::wact", "// clang-format on", ""])


def sv(spec):
    lines = [f"// {MADE}", "//", f"// {ABOUT}", "/* verilator lint_off UNUSEDPARAM */  // a design uses some of the names",
             "package wact_interface_pkg;"]
    lines += [f"  localparam logic [31:0] {name.upper()} = 32'h{number(value):x};" for name, value in constants(spec)]
    for _, prefix, entries in groups(spec):
        bits = 16 if prefix == "reg" else 5 if prefix == "reject" else 32
        lines += [""] + [f"  localparam logic [{bits - 1}:0] {prefix.upper()}_{e['name'].upper()} = "
                         f"{bits}'d{number(e['value'])};  // {e['what']}" for e in entries]
    return "\n".join(lines + ["endpackage", "/* verilator lint_on UNUSEDPARAM */", ""])


def main():
    spec = json.loads((HERE / "wact.json").read_text())
    outputs = {HERE / "generated" / "wact_interface.h": cpp(spec), HERE / "generated" / "wact_interface_pkg.sv": sv(spec)}
    return generated.main(outputs, "controllers/fpga/generate.py")


if __name__ == "__main__":
    sys.exit(main())
