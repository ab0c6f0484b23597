// The parts that a module may have: refusals with their line, memory spaces, control flow.
#include "tests/unit/doubles/cuda/ptx_rig.h"

namespace woa::ptx {
namespace {

const std::string kHead = ".version 6.3\n.target sm_75\n.address_size 64\n";  // 3 lines

// An entry with pointers %in and %out, this thread's number in %t, registers of each kind; statements from line 12.
std::string entry(const std::string& body, const std::string& before = "") {
  return kHead + before +
         ".visible .entry one(.param .u64 from, .param .u64 to)\n{\n"
         ".reg .b64 %in, %out, %a<8>;\n.reg .b32 %t, %r<8>;\n.reg .b16 %s<8>;\n.reg .f32 %f<4>;\n.reg .f64 %d<4>;\n"
         ".reg .pred %p<4>;\nld.param.u64 %in, [from]; ld.param.u64 %out, [to]; mov.u32 %t, %tid.x;\n" +
         body + "\nret;\n}\n";
}

void refused(const std::string& text, Code code, const std::string& why) {
  INFO(why);
  const auto parsed = Module::parse(text);
  REQUIRE(!parsed.ok());
  CHECK(parsed.status().code() == code);
  INFO(parsed.status().message());
  CHECK(parsed.status().message().find(why) != std::string::npos);
}

TEST_CASE("what is not interpreted is refused by name and line", "[ptx]") {
  const auto unsupported = [](const std::string& body, const std::string& name) {
    refused(entry(body), Code::kUnsupported, "PTX line 13: " + name);
  };
  REQUIRE(Module::parse(entry("")).ok());
  unsupported("shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;", "shfl.sync.bfly.b32 is not interpreted");
  unsupported("add.rn.ftz.f32 %f0, %f1, %f2;", "add.rn.ftz.f32 is not interpreted");
  unsupported("add.f32 %f0, %f1, %f2;", "add.f32 is not interpreted: without .rn the assembler may contract it");
  unsupported("sin.approx.f32 %f0, %f1;", "sin.approx.f32 is not interpreted");
  unsupported("add.sat.s32 %r0, %r1, %r2;", "add.sat.s32 is not interpreted");
  unsupported("cvt.rn.f32.s32.sat %f0, %r1;", "cvt.rn.f32.s32.sat is not interpreted");
  unsupported("cvt.f32.s32 %f0, %r1;", "cvt.f32.s32 is not interpreted");
  unsupported("bar.sync 1, 64;", "bar.sync is not interpreted: a barrier other than 0 of all threads");
  unsupported("bar.red.popc.u32 %r0, 0, %p1;", "bar.red.popc.u32 is not interpreted");
  unsupported("atom.global.add.f32 %f0, [%in], %f1;", "atom.global.add.f32 is not interpreted");
  unsupported("vote.sync.any.pred %p0, %p1, -1;", "vote.sync.any.pred is not interpreted");
  unsupported("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%in, {%r0}];", "tex.1d.v4.f32.s32 is not interpreted");
  unsupported("setp.eq.u32 %p0|%p1, %r1, %r2;", "setp.eq.u32 is not interpreted: a second part of an operand");
  unsupported(".callprototype _;", ".callprototype");
  refused(kHead + ".tex .u32 picture;\n", Code::kUnsupported, "PTX line 4: .tex is not interpreted");
  refused(".version 6.3\n.target sm_75\n.address_size 32\n", Code::kUnsupported, "an address size other than 64");
  refused(entry("call.uni helper, ();", ".func helper();\n"), Code::kUnsupported,
          "PTX line 14: call of helper, which this module does not define");
}

TEST_CASE("what is wrong is refused with its line", "[ptx]") {
  const auto invalid = [](const std::string& body, const std::string& why) {
    refused(entry(body), Code::kInvalid, "PTX line 13: " + why);
  };
  invalid("add.s32 %r0, %r1;", "add.s32: 3 operands expected, found 2");
  invalid("add.s32 %r0, %r1, %r99;", "add.s32: nothing is named %r99");
  invalid("ld.global.u32 %r0, %in;", "ld.global.u32: an address in brackets expected");
  invalid("ld.global.v2.u32 {%r0, %r1, %r2}, [%in];", "ld.global.v2.u32: the vector has another number of elements");
  invalid("ld.relaxed.global.u32 %r0, [%in];", "ld.relaxed.global.u32: a scope expected: cta, gpu or sys");
  invalid("mov.u32 %r0 5;", "\";\" expected, found \"5\"");
  invalid("L: L: ret;", "the label L stands twice");
  refused(entry("bra NOWHERE;"), Code::kInvalid, "one has no label NOWHERE");
  refused(kHead + ".entry one()\n{\nret;\n", Code::kInvalid, "\"}\" expected");
  refused(entry("{ .param .b32 p; call.uni helper, (p); }", ".func helper(.param .b64 q)\n{\nret;\n}\n"),
          Code::kInvalid, "call of helper: its parameters have other sizes");
}

// The words that 32 threads leave in `out`.
template <class T>
std::vector<T> results(const std::string& text, std::size_t count = 32) {
  Rig rig(text);
  rig.dynamic_shared = 256;
  std::vector<std::uint64_t> in(64);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = 0x8182838485868788U * (k + 1);
  std::vector<T> out(count);
  const std::uint64_t from = rig.memory.add(in, false), to = rig.memory.add(out);
  const Outcome end = rig.launch("one", {1, 1, 1}, {32, 1, 1}, {from, to});
  INFO(end.what);
  REQUIRE(end.end == End::kDone);
  return out;
}

const std::string kMine = "mul.wide.u32 %a0, %t, 8; add.s64 %a1, %out, %a0; add.s64 %a2, %in, %a0;\n";

TEST_CASE("loads extend by their type, vectors keep their order", "[ptx]") {
  const auto one = [](const std::string& body) { return results<std::uint64_t>(entry(kMine + body)).at(0); };
  CHECK(one("ld.global.s8 %r0, [%in]; cvt.s64.s32 %a4, %r0; st.global.u64 [%a1], %a4;") == 0xFFFFFFFFFFFFFF88U);
  CHECK(one("ld.global.u8 %r0, [%in+1]; cvt.s64.s32 %a4, %r0; st.global.u64 [%a1], %a4;") == 0x87);
  CHECK(one("ld.global.s16 %a4, [%in+2]; st.global.u64 [%a1], %a4;") == 0xFFFFFFFFFFFF8586U);
  CHECK(one("ld.global.u32 %a4, [%in+4]; st.global.u64 [%a1], %a4;") == 0x81828384U);
  CHECK(one("ld.global.v2.u32 {%r0, %r1}, [%in]; st.global.v2.u32 [%a1], {%r1, %r0};") == 0x8586878881828384U);
  CHECK(one("ld.global.v4.u16 {%s0, %s1, %s2, %s3}, [%in]; st.global.v4.u16 [%a1], {%s3, %s2, %s1, %s0};") ==
        0x8788858683848182U);
  CHECK(one("ld.global.nc.v4.u8 {%s0, _, _, %s3}, [%in]; st.global.u8 [%a1], %s3; st.global.u8 [%a1+1], %s0;") ==
        0x8885);
  CHECK(one("ld.volatile.global.u64 %a4, [%in]; st.volatile.global.u64 [%a1], %a4;") == 0x8182838485868788U);
}

TEST_CASE("spaces: shared, dynamic, local, tables, generic addresses", "[ptx]") {
  const std::string shared =
      ".shared .align 8 .b8 part[256]; mov.u64 %a3, part; add.s64 %a3, %a3, %a0; ld.global.u64 %a4, [%a2];\n"
      "st.shared.u64 [%a3], %a4; cvta.shared.u64 %a5, %a3; ld.u64 %a6, [%a5]; cvta.to.shared.u64 %a7, %a5;\n"
      "ld.shared.u64 %a4, [%a7]; xor.b64 %a6, %a6, %a4; add.s64 %a6, %a6, %a4; st.global.u64 [%a1], %a6;";
  const std::string dynamic =
      ".shared .align 4 .b8 before[4]; mov.u64 %a3, more; add.s64 %a3, %a3, %a0; ld.global.u64 %a4, [%a2];\n"
      "st.shared.u64 [%a3], %a4; ld.shared.u64 %a6, [%a3]; st.global.u64 [%a1], %a6;";
  const std::string local =
      ".local .align 8 .b8 depot[32]; mov.u64 %a3, depot; ld.global.u64 %a4, [%a2]; st.local.u64 [%a3+8], %a4;\n"
      "cvta.local.u64 %a5, %a3; ld.u64 %a6, [%a5+8]; st.u64 [%a5+16], %a6; ld.local.u64 %a6, [depot+16];\n"
      "st.global.u64 [%a1], %a6;";
  const std::string extern_shared = ".extern .shared .align 16 .b8 more[];\n";
  for (const std::string& text : {entry(kMine + shared), entry(kMine + dynamic, extern_shared), entry(kMine + local)}) {
    const auto out = results<std::uint64_t>(text);
    for (std::size_t k = 0; k < out.size(); ++k) CHECK(out[k] == 0x8182838485868788U * (k + 1));
  }
  const std::string tables =
      ".const .align 4 .b8 table[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3};\n"
      ".global .align 8 .u64 places[3] = {generic(table), generic(table)+4, 7};\n"
      ".global .f64 half = 0d3FE0000000000000;\n.const .u32 grid[2][2] = {{5, 6}, {7, 8}};\n";
  const auto one = [&](const std::string& body) { return results<std::uint64_t>(entry(kMine + body, tables)).at(0); };
  CHECK(one("ld.const.u32 %a4, [table+8]; st.global.u64 [%a1], %a4;") == 3);
  CHECK(one("ld.global.u64 %a4, [places+8]; ld.u32 %a5, [%a4]; st.global.u64 [%a1], %a5;") == 2);
  CHECK(one("ld.global.u64 %a4, [half]; st.global.u64 [%a1], %a4;") == 0x3FE0000000000000U);
  CHECK(one("mov.u64 %a4, grid; ld.const.u32 %a5, [%a4+12]; st.global.u64 [%a1], %a5;") == 8);
}

TEST_CASE("read-modify-writes on global and shared memory", "[ptx]") {
  for (const std::string space : {".global", ".shared"}) {
    const auto total = [&](const std::string& opcode, const std::string& operands, const std::string& first) {
      const std::string at = space == ".shared" ? "%a3" : "%out";
      const auto out = results<std::uint32_t>(
          entry(".shared .align 4 .b8 part[4]; mov.u64 %a3, part;\nsetp.ne.u32 %p0, %t, 0; @%p0 bra L;\nst" + space +
                ".u32 [" + at + "], " + first + ";\nL: bar.sync 0;\n" + opcode.substr(0, opcode.find('.')) + space +
                opcode.substr(opcode.find('.')) + " " + (opcode[0] == 'a' ? "%r1, " : "") + "[" + at + "], " +
                operands + ";\nbar.sync 0;\nld" + space + ".u32 %r2, [" + at + "];\nst.global.u32 [%out], %r2;"));
      return out.at(0);
    };
    CHECK(total("atom.add.u32", "%t", "4") == 4 + 31 * 16);
    CHECK(total("red.add.s32", "-1", "4") == static_cast<std::uint32_t>(4 - 32));
    CHECK(total("red.max.u32", "%t", "4") == 31);
    CHECK(total("atom.min.s32", "%t", "4") == 0);
    CHECK(total("red.or.b32", "%t", "32") == 63);
    CHECK(total("atom.and.b32", "12", "7") == 4);
    CHECK(total("atom.xor.b32", "%t", "7") == 7);
    CHECK(total("atom.exch.b32", "9", "7") == 9);
    CHECK(total("atom.cas.b32", "%t, 40", "7") == 40);
    CHECK(total("atom.inc.u32", "9", "0") == 2);
    CHECK(total("atom.dec.u32", "9", "0") == 8);
  }
}

TEST_CASE("jumps by a table, places in the grid, exit, sleep", "[ptx]") {
  const auto out = results<std::uint32_t>(entry(
      "mul.wide.u32 %a0, %t, 4; add.s64 %a1, %out, %a0; mov.u32 %r0, 9;\nsetp.gt.u32 %p0, %t, 2; @%p0 bra DONE;\n"
      "targets: .branchtargets A, B, DONE;\nbrx.idx %t, targets;\nA: mov.u32 %r0, 1; bra.uni DONE;\n"
      "B: mov.u32 %r0, 2; nanosleep.u32 100;\nDONE: st.global.u32 [%a1], %r0; setp.eq.u32 %p1, %t, 5; @%p1 exit;"));
  CHECK((out[0] == 1 && out[1] == 2 && out[2] == 9 && out[31] == 9));

  Rig rig(
      entry("mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.x;\n"
            "mov.u32 %r4, %nctaid.y; mad.lo.s32 %r5, %r2, %r4, %r1; mad.lo.s32 %r5, %r5, %r3, %r0;\n"
            "mov.u32 %r6, %ntid.x; mov.u32 %r7, %ntid.y; mov.u32 %r1, %tid.y; mad.lo.s32 %r0, %r1, %r6, %t;\n"
            "mul.lo.s32 %r6, %r6, %r7; mad.lo.s32 %r0, %r5, %r6, %r0; mul.wide.u32 %a0, %r0, 4;\n"
            "add.s64 %a1, %out, %a0; red.global.add.u32 [%a1], 1;"));
  std::vector<std::uint32_t> visits(3 * 5 * 2 * 8 * 4);
  const std::uint64_t to = rig.memory.add(visits);
  REQUIRE(rig.launch("one", {3, 5, 2}, {8, 4, 1}, {0, to}).end == End::kDone);
  CHECK(visits == std::vector<std::uint32_t>(visits.size(), 1));
}

TEST_CASE("faults of shared, local and misaligned accesses, and trap", "[ptx]") {
  const auto end = [](const std::string& body) {
    Rig rig(entry(body));
    std::vector<std::uint64_t> words(4);
    const std::uint64_t at = rig.memory.add(words);
    const Outcome outcome = rig.launch("one", {1, 1, 1}, {1, 1, 1}, {at, at});
    INFO(outcome.what);
    CHECK(outcome.what.find("one, PTX line 13: ") == 0);
    return outcome.end;
  };
  CHECK(end(".shared .align 4 .b8 part[4]; mov.u64 %a0, part; st.shared.u32 [%a0+16], %t;") == End::kIllegalAddress);
  CHECK(end("mov.u64 %a0, 4000; ld.local.u32 %r0, [%a0];") == End::kIllegalAddress);
  CHECK(end("ld.global.v2.u64 {%a0, %a1}, [%in+8];") == End::kMisaligned);
  CHECK(end("ld.global.u16 %s0, [%in+1];") == End::kMisaligned);
  CHECK(end("ld.global.u64 %a0, [%in+32];") == End::kIllegalAddress);
  CHECK(end("ld.u64 %a0, [0];") == End::kIllegalAddress);
  CHECK(end("trap;") == End::kTrapped);
}

}  // namespace
}  // namespace woa::ptx
