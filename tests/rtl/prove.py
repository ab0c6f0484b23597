#!/usr/bin/env python3
"""Proves properties of the modules of node and kernel with yosys, yosys-smtbmc and z3, and refutes mutants of them.

Usage: prove.py ROOT FOLDER [PROOF...]

properties/NAME.sv stands at the end of a copy of the module (`before`), so that it sees the module's registers. A proof is by
bounded model checking from reset and by induction over any state. A mutant is the module with one place changed: bounded
model checking must refute it or, where that would take too many steps, the induction must fail. Otherwise a proof says nothing.
"""

import os
import re
import subprocess
import sys
import time

RTL = "controllers/fpga/rtl"
PACKAGES = [
    "runtime/packet/generated/woa_packet_pkg.sv",
    "controllers/fpga/generated/wact_interface_pkg.sv",
    "controllers/fpga/rtl/wact_pkg.sv",
]


class Proof:
    """`steps`: of bounded model checking; `induction`: steps of the hypothesis. `mutants`: a text, and what takes its place.

    `cut` makes a wire arbitrary: what holds whatever its value, holds for the module. `modules`: those that it uses, by name.
    `arbitrary`: those of them whose outputs are arbitrary.
    """

    def __init__(self, name, file, steps, induction, mutants, properties=None, parameters=None, defines=None, before="\nendmodule", cut=None,
                 modules=(), arbitrary=()):
        self.name, self.file, self.steps, self.induction = name, file, steps, induction
        self.mutants, self.parameters, self.defines = mutants, parameters or {}, defines or {}
        self.before, self.cut, self.modules, self.arbitrary = before, cut, modules, arbitrary
        self.properties = properties or os.path.basename(file)
        self.module = os.path.basename(file)[:-3]


STREAM_CORE = [
    ("out_valid <= in_valid;", "out_valid <= 1'b1;"),
    ("if (rst || start) out_valid <= 1'b0;", "if (rst) out_valid <= 1'b0;"),
    ("assign in_ready  = !out_valid || out_ready;", "assign in_ready  = 1'b1;"),
]

PROOFS = [
    Proof("fifo", f"{RTL}/wact_fifo.sv", 12, 2, parameters={"WIDTH": 8, "DEPTH": 4}, mutants=[
        ("assign in_ready = !used[AW];", "assign in_ready = 1'b1;"),
        ("out_data <= entries[next[AW-1:0]];", "out_data <= entries[got[AW-1:0]];"),
        ("out_valid <= next != put;", "out_valid <= got != put;"),
        ("put <= put + 1'b1;", "put <= put + 1'b1 + (AW + 1)'(&put[AW-1:0]);"),
    ]),
    Proof("slice", f"{RTL}/wact_slice.sv", 8, 2, [
        ("out_data <= spare_valid ? spare : in_data;", "out_data <= in_data;"),
        ("else if (in_valid) spare_valid <= 1'b1;", "else if (in_valid) spare_valid <= 1'b0;"),
        ("if (!out_valid || out_ready) begin", "if (!out_valid || out_ready || spare_valid) begin"),
    ]),
    Proof("copy", "kernels/copy/copy_core.sv", 8, 2, STREAM_CORE + [("out_data <= in_data;", "out_data <= ~in_data;")],
          properties="beat_core.sv", defines={"INVERTS": 0}),
    Proof("invert", "kernels/invert/invert_core.sv", 8, 2, STREAM_CORE + [("out_data <= ~in_data;", "out_data <= in_data;")],
          properties="beat_core.sv", defines={"INVERTS": 1}),
    Proof("sharpen3x3", "kernels/sharpen3x3/sharpen3x3_core.sv", 5, 2, parameters={"LINE_BYTES": 16},
          cut=("wire [63:0] stride_wide = {32'd0, dims[63:32]} * {32'd0, dims[95:64]};", "(* anyseq *) wire [63:0] stride_wide;"),
          mutants=[
        ("wire moves = !out_valid || out_ready;", "wire moves = 1'b1;"),
        ("else begin\n          window_valid <= 1'b1;", "begin\n          window_valid <= in_left != 32'd0;"),
        ("if (in_left != 32'd0) in_left <= in_left - 32'd1;", "if (in_left > 32'd1) in_left <= in_left - 32'd1;"),
    ]),
    Proof("narrow", f"{RTL}/wact_narrow.sv", 10, 1, parameters={"WIDTH": 128}, before="\n  end\nendmodule", mutants=[
        ("assign in_ready = !full || leaves;", "assign in_ready = !full || (full && out_ready);"),
        ("full && out_ready && (out_end || out_done)", "full && out_ready && out_end"),
        ("rest <= {64'd0, rest[WIDTH-1:64]};", "rest <= rest;"),
    ]),
    Proof("widen", f"{RTL}/wact_widen.sv", 10, 1, parameters={"WIDTH": 128}, before="\n  end\nendmodule", mutants=[
        ("assign in_ready = !out_valid || out_ready;", "assign in_ready = 1'b1;"),
        ("else if (word == '0) out_data[64*k+:64] <= 64'd0;", ""),
        ("word <= in_last ? '0 : word + 1'b1;", "word <= word + 1'b1;"),
    ]),
    Proof("landing", f"{RTL}/wact_landing.sv", 8, 2, parameters={"ROUTES": 4}, mutants=[
        ("assign l_tready = frames != 3'(FRAMES) && used != (RW + 1)'(2 * ROUTES - 1);", "assign l_tready = frames != 3'(FRAMES);"),
        ("landing <= beats[got+(RW+1)'(index)];", "landing <= beats[put+(RW+1)'(index)];"),
        ("{overflows || full, full ? filling : filling + 1'b1}", "{overflows, full ? filling : filling + 1'b1}"),
    ]),
    Proof("router", f"{RTL}/wact_router.sv", 8, 2, parameters={"ROUTES": 16, "CHANNELS": 4}, mutants=[
        ("wire m_moves = !m_valid || m_ready;", "wire m_moves = 1'b1;"),
        ("wire raw_moves = !raw_valid || m_moves;", "wire raw_moves = 1'b1;"),
        ("{raw_last, raw_user, raw_final};", "{raw_last, raw_user, raw_last};"),
    ]),
    Proof("completion", f"{RTL}/wact_completion.sv", 10, 2, parameters={"STAGES": 4}, mutants=[
        ("assign told = moves && c_tlast;", "assign told = c_tvalid && c_tlast;"),
        ("assign run_ready = ran_now && moves;", "assign run_ready = ran_now && c_tvalid;"),
        ("(!sent_now || left != 2'd0)", "(!sent_now || final_left || left != 2'd0)"),
    ]),
    Proof("control", f"{RTL}/wact_control.sv", 5, 2, [
        ("wire writes = awvalid && wvalid && !bvalid;", "wire writes = awvalid && wvalid;"),
        ("assign arready = !rvalid;", "assign arready = 1'b1;"),
        ("{start, ready} <= 2'b01;", "{start, ready} <= {start, 1'b1};"),
        ("assign told = ended && !done;", "assign told = ended;"),
        ("done <= told;", "done <= 1'b0;"),
        ("raised <= (raised & ~wdata[1:0]) | events;", "raised <= raised & ~wdata[1:0];"),
    ]),
    *[Proof(f"fetch_{width}", f"{RTL}/wact_fetch.sv", 6, 2, [
        ("32'(MOST) - {22'd0, at[9:0] >> SHIFT};", "32'(MOST);"),
        ("assign arlen = burst[7:0] - 8'd1;", "assign arlen = burst[7:0];"),
        ("at <= of_input ? in : command;\n      left <= beats;", "at <= of_input ? in : command;\n      if (run_valid) left <= bytes >> SHIFT;"),
        ("assign run_taken = none || (asked && of_input);", "assign run_taken = none || asked;"),
    ], properties="wact_fetch.sv", parameters={"WIDTH": width}, before="\n  // An error marks every word of its beat.", modules=["wact_narrow"],
        arbitrary=["wact_narrow"]) for width in (64, 512)],
    Proof("directory", f"{RTL}/wact_directory.sv", 6, 2, [
        ("if (run_valid && settled) state <= silent ? END : PIECE;", "if (run_valid) state <= silent ? END : PIECE;"),
        ("if (number == 3'd7) state <= END;", "if (number == 3'd6) state <= END;"),
        ("assign ended = state == END && settled;", "assign ended = state == END;"),
        ("default: if (ended && told) state <= WAIT;", "default: if (ended) state <= WAIT;"),
    ]),
    *[Proof(f"write_{width}", f"{RTL}/wact_write.sv", 5, 2, [
        ("assign wlast = burst_left == 8'd0;", "assign wlast = burst_left == 8'd1;"),
        ("32'(MOST) - {22'd0, at[9:0] >> SHIFT};", "32'(MOST);"),
        ("(!full || (leaves && !wlast));", "(!full || leaves);"),
    ], properties="wact_write.sv", parameters={"WIDTH": width}) for width in (64, 512)],
    *[Proof(f"write_words_{width}", f"{RTL}/wact_write.sv", 5, 1, [
        ("bytes_left >= 32'd8 ? 8'hff", "bytes_left > 32'd8 ? 8'hff"),
        ("(!full || (leaves && !wlast));", "1'b1;"),
        ("bytes_left <= last_word ? 32'd0 : bytes_left - 32'd8;", "bytes_left <= bytes_left - 32'd8;"),
    ], properties="wact_write_words.sv", parameters={"WIDTH": width}) for width in (64, 128)],
    Proof("write_books", f"{RTL}/wact_write.sv", 6, 1, [
        ("{4'd0, bvalid && failed_run == 2'(k)}", "{4'd0, bvalid && run == 2'(k)}"),
        ("begun - answered < 5'd16;", "begun - answered < 5'd17;"),
        ("runs[begun[3:0]] <= run;", "runs[begun[3:0]] <= piece_run;"),
    ], properties="wact_write_books.sv"),
    Proof("dispatch", f"{RTL}/wact_dispatch.sv", 5, 2, parameters={"ROUTES": 16}, mutants=[
        ("lines == 32'd2 + ((count + 32'd7) >> 3);", "lines >= 32'd2 + (count >> 3);"),
        ("state == HEAD ? done == 32'd7 && body_left == 32'd0 :", "state == HEAD ? done == 32'd7 :"),
        ("assign word_last = state == BODY || (state == SWALLOW && left == 32'd0) ?", "assign word_last = state == BODY ?"),
        ("WAIT: if (alone) go(", "WAIT: go("),
    ]),
    Proof("collect", f"{RTL}/wact_collect.sv", 5, 2, [
        ("payload_bytes <= output_bytes :", "1'b1 :"),
        ("state <= left != 32'd1 ? FILL : NEXT;", "state <= NEXT;"),
        ("assign m_tready = from_m && (drop || word_ready);", "assign m_tready = from_m;"),
        ("assign collected = state == DONE && dispatched;", "assign collected = state == DONE;"),
        ("{6'd0, payload_bytes[31:6]} + {31'd0, payload_bytes[5:0] != 6'd0}", "{6'd0, payload_bytes[31:6]}"),
    ]),
    Proof("header", f"{RTL}/wact_header.sv", 6, 2, [
        ("state == HEAD ? !check && !hold :", "state == HEAD ? !hold :"),
        ("if (put_last) state <= in_tail ? HEAD : DROP;", "if (put_last) state <= HEAD;"),
        ("default: if (in_tail) state <= HEAD;", "default: state <= HEAD;"),
        ("wire cut = in_tail && in_end && !final_word;", "wire cut = 1'b0;"),
    ]),
    Proof("body", f"{RTL}/wact_body.sv", 6, 2, [
        ("assign feeds_ready = !feeding && !broken && !pending;", "assign feeds_ready = !feeding && !broken;"),
        ("wire last = left == 29'd1;", "wire last = left <= 29'd2;"),
        ("!collects_past && !tells && !voids && put_ready;", "!collects_past && !tells && put_ready;"),
        ("wire voids = broken && !pending;", "wire voids = broken;"),
    ]),
    Proof("socket", f"{RTL}/wact_socket.sv", 6, 2, parameters={"COUNT": 4}, modules=["wact_slice"], mutants=[
        ("if (unlinks && source == other) linked <= 1'b0;", "if (unlinks) linked <= 1'b0;"),
        (".clear(rst || core_start)", ".clear(rst)"),
        ("if (planned_for && commit) busy <= 1'b1;", "if (commit) busy <= 1'b1;"),
    ]),
    Proof("plan", f"{RTL}/wact_plan.sv", 6, 2, parameters={"STAGES": 4, "ROUTES": 4}, modules=["wact_shape", "wact_fit"],
          arbitrary=["wact_shape", "wact_fit"], mutants=[
        ("assign sends = good && frame_whole && !sent;", "assign sends = good && frame_whole;"),
        ("assign feeds = good && moves && !fed;", "assign feeds = good && moves && !fed && !sent;"),
        ("prefix_left <= 4'd8;", "prefix_left <= 4'd7;"),
        ("DRAIN:\n      if (ended) begin", "DRAIN:\n      begin"),
        ("assign frame_taken = sends && sends_ready;", "assign frame_taken = sends;"),
    ]),
    Proof("match", f"{RTL}/wact_match.sv", 6, 2, parameters={"STAGES": 2, "PLACES": 2, "PLACE_BYTES": 32}, before="\n  end\nendmodule", mutants=[
        ("assign in_ready = !turn && out_ready;", "assign in_ready = out_ready;"),
        ("wire [AW-1:0] next = turn && passes ? got + 1'b1 : got;", "wire [AW-1:0] next = turn ? got + 1'b1 : got;"),
        ("in_last && (in_bad || !busy || left == '0);", "in_last;"),
        ("place <= |hits ? hit_place : free_place;", "place <= free_place;"),
        ("if (forgets) waits <= waits & ~hits;", "if (forgets) waits <= '0;"),
    ]),
]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def model(root, folder, proof, text, name):
    """Writes the module with its properties as SMT-LIB; returns the file's name."""
    with open(os.path.join(root, "tests/rtl/properties", proof.properties), encoding="utf-8") as file:
        properties = file.read()
    source = os.path.join(folder, name + ".sv")
    with open(source, "w", encoding="utf-8") as file:
        file.write(replaced(proof, text, proof.before, "\n" + properties + proof.before[1:]))
    files = [os.path.join(root, path) for path in PACKAGES + [f"{RTL}/{module}.sv" for module in proof.modules]] + [source]
    quoted = [f'"{file}"' for file in files]  # a folder's name may have a space
    parameters = "".join(f" -chparam {key} {value}" for key, value in proof.parameters.items())
    defines = "".join(f" -D{key}={value}" for key, value in proof.defines.items())
    cuts = "".join(f"cutpoint t:*{module}*; " for module in proof.arbitrary)
    script = (f"read_verilog -sv -formal{defines} {' '.join(quoted)}; hierarchy -check -top {proof.module}{parameters}; {cuts}proc; flatten; opt -nodffe -nosdff; "
              f"memory -nordff -nomap; async2sync; dffunmap; opt_clean; write_smt2 -wires {name}.smt2")
    code, output = run(["yosys", "-q", "-p", script], folder)
    if code != 0:
        sys.exit(f"{proof.name}: yosys does not take {proof.file} with {proof.properties}:\n{output}")
    return name + ".smt2"


def replaced(proof, text, old, new):
    if text.count(old) != 1:
        sys.exit(f"{proof.name}: {proof.file} has {old!r} {text.count(old)} times, not once: mend tests/rtl/prove.py")
    return text.replace(old, new)


def solve(folder, smt2, *options):
    """True: proved. False: refuted."""
    code, output = run(["yosys-smtbmc", "--noprogress", "--unroll", "-s", "z3", *options, smt2], folder)
    if "Status: PASSED" in output:
        return True, output
    if "Status: FAILED" in output or "Status: failed" in output:
        return False, output
    sys.exit(f"yosys-smtbmc ended with {code}:\n{output}")


def prove(root, folder, proof):
    with open(os.path.join(root, proof.file), encoding="utf-8") as file:
        text = file.read()
    if proof.cut:
        text = replaced(proof, text, *proof.cut)
    began = time.monotonic()
    smt2 = model(root, folder, proof, text, proof.name)
    for options in [("-t", str(proof.steps)), ("-i", "-t", str(proof.induction))]:
        proved, output = solve(folder, smt2, *options)
        if not proved:
            sys.exit(f"{proof.name}: not proved with {' '.join(options)}:\n{output}")
    print(f"{proof.name}: proved by induction over {proof.induction} in {time.monotonic() - began:.1f} s", flush=True)
    for number, (old, new) in enumerate(proof.mutants):
        mutant = replaced(proof, text, old, new)
        began = time.monotonic()
        smt2 = model(root, folder, proof, mutant, f"{proof.name}_mutant{number}")
        proved, _ = solve(folder, smt2, "-t", str(proof.steps))
        how = "not proved" if proved else "refuted"
        if proved and solve(folder, smt2, "-i", "-t", str(proof.induction))[0]:
            sys.exit(f"{proof.name}: a module with {new!r} in place of {old!r} passes: the properties miss it")
        print(f"{proof.name}: {how} with {new!r} in {time.monotonic() - began:.1f} s", flush=True)


def main():
    root, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    chosen = sys.argv[3:]
    for proof in PROOFS:
        if not chosen or proof.name in chosen:
            prove(root, folder, proof)


if __name__ == "__main__":
    main()
