// Each operation against C++ with random operands.
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "tests/unit/doubles/cuda/ptx_rig.h"

namespace woa::ptx {
namespace {

using U = std::uint64_t;
using I = std::int64_t;
using Reference = std::function<U(U, U, U)>;

// `text` names registers by class and number: 0 is the result, 1 to 3 are the operands.
struct Case {
  std::string text;
  Reference wanted;
};

struct Class {
  const char *name, *type, *load;
};
constexpr Class kClasses[] = {
    {"%rd", "b64", "b64"}, {"%rs", "b16", "b16"}, {"%r", "b32", "b32"}, {"%fd", "f64", "f64"}, {"%f", "f32", "f32"}};

bool names(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  return at != std::string::npos && (at + name.size() == text.size() || std::isdigit(text[at + name.size()]) == 0);
}

std::string module_of(const std::string& text) {
  std::string code =
      ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry one(.param .u64 from, .param .u64 to)\n{\n"
      ".reg .b64 %at<6>;\n.reg .b32 %q<4>;\n.reg .pred %p<4>;\n";
  for (const Class& one : kClasses) code += std::string(".reg .") + one.type + " " + one.name + "<8>;\n";
  code +=
      "ld.param.u64 %at0, [from];\nld.param.u64 %at1, [to];\nmov.u32 %q0, %tid.x;\nmul.wide.u32 %at2, %q0, 24;\n"
      "add.s64 %at0, %at0, %at2;\nmul.wide.u32 %at3, %q0, 8;\nadd.s64 %at1, %at1, %at3;\n";
  for (int k = 1; k <= 3; ++k) {
    const std::string number = std::to_string(k), place = ", [%at0+" + std::to_string(8 * (k - 1)) + "];\n";
    for (const Class& one : kClasses)
      if (names(text, one.name + number))
        code += std::string("ld.global.") + one.load + " " + one.name + number + place;
    if (names(text, "%p" + number)) code += "ld.global.u32 %q1" + place + "setp.ne.u32 %p" + number + ", %q1, 0;\n";
  }
  code += text + ";\nmov.b64 %at4, 0;\nst.global.b64 [%at1], %at4;\n";
  for (const Class& one : kClasses)
    if (names(text, std::string(one.name) + "0"))
      code += std::string("st.global.") + one.load + " [%at1], " + one.name + "0;\n";
  if (names(text, "%p0")) code += "selp.u32 %q2, 1, 0, %p0;\nst.global.u32 [%at1], %q2;\n";
  return code + "ret;\n}\n";
}

template <class T>
U narrow(T value) {  // what the store leaves in 64 bits
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<U>(value);
  else
    return static_cast<U>(static_cast<std::make_unsigned_t<T>>(value));
}
template <class T>
T as(U bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

U some(std::mt19937_64& random) {
  static const std::vector<U> kEdges = {0,
                                        1,
                                        2,
                                        7,
                                        31,
                                        32,
                                        33,
                                        63,
                                        64,
                                        0x7F,
                                        0x80,
                                        0xFF,
                                        0x7FFF,
                                        0x8000,
                                        0xFFFF,
                                        0x7FFFFFFF,
                                        0x80000000,
                                        0xFFFFFFFF,
                                        0x7FFFFFFFFFFFFFFF,
                                        0x8000000000000000,
                                        0xFFFFFFFFFFFFFFFF,
                                        std::bit_cast<U>(1.5),
                                        std::bit_cast<U>(-0.0),
                                        std::bit_cast<U>(1e19),
                                        std::bit_cast<U>(-3.7e9),
                                        std::bit_cast<U>(INFINITY + 0.0),
                                        std::bit_cast<U>(std::nan("")),
                                        std::bit_cast<std::uint32_t>(2.5F),
                                        std::bit_cast<std::uint32_t>(-1e10F),
                                        std::bit_cast<std::uint32_t>(1e-40F),
                                        std::bit_cast<std::uint32_t>(INFINITY),
                                        0x7FC00000};
  switch (random() % 6) {
    case 0: return kEdges[random() % kEdges.size()];
    case 1: return random() % 100;
    case 2: return narrow(static_cast<double>(static_cast<I>(random() % 2000) - 1000) / 8);
    case 3: return narrow(static_cast<float>(static_cast<I>(random() % 2000) - 1000) / 8);
    default: return random();
  }
}

bool same_float(const std::string& text, U found, U wanted) {
  if (names(text, "%fd0")) return std::isnan(as<double>(found)) && std::isnan(as<double>(wanted));
  return names(text, "%f0") && std::isnan(as<float>(found)) && std::isnan(as<float>(wanted));
}

void check(const Case& one) {
  INFO(one.text);
  constexpr std::size_t kThreads = 512;
  Rig rig(module_of(one.text));
  std::mt19937_64 random(7);
  std::vector<U> in(3 * kThreads), out(kThreads);
  for (U& value : in) value = some(random);
  const U from = rig.memory.add(in, false), to = rig.memory.add(out);
  const Outcome end = rig.launch("one", {1, 1, 1}, {kThreads, 1, 1}, {from, to});
  INFO(end.what);
  REQUIRE(end.end == End::kDone);
  for (std::size_t k = 0; k < kThreads; ++k) {
    const U a = in[3 * k], b = in[3 * k + 1], c = in[3 * k + 2], wanted = one.wanted(a, b, c);
    INFO(std::hex << a << " " << b << " " << c << ": " << out[k] << ", expected " << wanted);
    if (out[k] != wanted && !same_float(one.text, out[k], wanted)) REQUIRE(out[k] == wanted);
  }
}

const char* reg(std::size_t bytes) { return bytes == 2 ? "%rs" : bytes == 4 ? "%r" : "%rd"; }
template <class T>
std::string type() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}
std::string with(const std::string& opcode, std::initializer_list<const char*> registers) {
  std::string out = opcode, separator = " ";
  int number = 0;
  for (const char* const one : registers) {
    out += separator + one + std::to_string(number++);
    separator = ", ";
  }
  return out;
}

template <class T>
T high(T a, T b) {  // schoolbook, in halves
  constexpr int kHalf = 4 * sizeof(T);
  const U mask = (U{1} << kHalf) - 1;
  const U x = static_cast<std::make_unsigned_t<T>>(a), y = static_cast<std::make_unsigned_t<T>>(b);
  const U low = (x & mask) * (y & mask), one = (x >> kHalf) * (y & mask), other = (x & mask) * (y >> kHalf);
  const U middle = (low >> kHalf) + (one & mask) + (other & mask);
  auto out = static_cast<T>((x >> kHalf) * (y >> kHalf) + (one >> kHalf) + (other >> kHalf) + (middle >> kHalf));
  if (std::is_signed_v<T> && a < 0) out = static_cast<T>(static_cast<U>(out) - y);
  if (std::is_signed_v<T> && b < 0) out = static_cast<T>(static_cast<U>(out) - x);
  return out;
}

template <class T>
void check_integers() {
  const char* const r = reg(sizeof(T));
  const std::string t = type<T>();
  const auto two = [&](const std::string& opcode, T (*wanted)(T, T)) {
    check({with(opcode + "." + t, {r, r, r}), [=](U a, U b, U) { return narrow<T>(wanted(as<T>(a), as<T>(b))); }});
  };
  two("add", [](T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); });
  two("sub", [](T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); });
  two("mul.lo", [](T a, T b) { return static_cast<T>(static_cast<U>(a) * static_cast<U>(b)); });
  two("mul.hi", [](T a, T b) { return high<T>(a, b); });
  two("min", [](T a, T b) { return a < b ? a : b; });
  two("max", [](T a, T b) { return a < b ? b : a; });
  two("div", [](T a, T b) -> T {
    if (b == 0) return static_cast<T>(-1);
    return std::is_signed_v<T> && b == static_cast<T>(-1) ? static_cast<T>(0 - static_cast<U>(a))
                                                          : static_cast<T>(a / b);
  });
  two("rem", [](T a, T b) -> T {
    if (b == 0) return a;
    return std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0} : static_cast<T>(a % b);
  });
  check({with("mad.lo." + t, {r, r, r, r}), [](U a, U b, U c) { return narrow<T>(static_cast<T>(a * b + c)); }});
  check({with("mad.hi." + t, {r, r, r, r}),
         [](U a, U b, U c) { return narrow<T>(static_cast<T>(static_cast<U>(high<T>(as<T>(a), as<T>(b))) + c)); }});
  check({with("shr." + t, {r, r, "%r"}), [](U a, U b, U) {
           T value = as<T>(a);
           for (std::uint32_t k = 0; k < std::min<std::uint32_t>(as<std::uint32_t>(b), 64); ++k)
             value = static_cast<T>(value >> 1);
           return narrow<T>(value);
         }});
  const auto compare = [&](const std::string& how, bool (*wanted)(T, T)) {
    check({"setp." + how + "." + t + " %p0, " + r + "1, " + r + "2",
           [=](U a, U b, U) { return U{wanted(as<T>(a), as<T>(b))}; }});
    check({"setp." + how + ".and." + t + " %p0, " + r + "1, " + r + "2, %p3",
           [=](U a, U b, U c) { return U{wanted(as<T>(a), as<T>(b)) && as<std::uint32_t>(c) != 0}; }});
  };
  compare("eq", [](T a, T b) { return a == b; });
  compare("ne", [](T a, T b) { return a != b; });
  compare("lt", [](T a, T b) { return a < b; });
  compare("le", [](T a, T b) { return a <= b; });
  compare("gt", [](T a, T b) { return a > b; });
  compare("ge", [](T a, T b) { return a >= b; });
  if constexpr (sizeof(T) < 8) {
    using To = std::conditional_t<std::is_signed_v<T>, I, U>;
    const char* const wide = reg(2 * sizeof(T));
    const U mask = sizeof(T) == 2 ? 0xFFFFFFFF : ~U{0};
    check({with("mul.wide." + t, {wide, r, r}),
           [=](U a, U b, U) { return static_cast<U>(To{as<T>(a)} * To{as<T>(b)}) & mask; }});
    check({with("mad.wide." + t, {wide, r, r, wide}),
           [=](U a, U b, U c) { return (static_cast<U>(To{as<T>(a)} * To{as<T>(b)}) + c) & mask; }});
  }
  if constexpr (std::is_signed_v<T>) {
    check({with("neg." + t, {r, r}), [](U a, U, U) { return narrow<T>(static_cast<T>(0 - a)); }});
    check({with("abs." + t, {r, r}),
           [](U a, U, U) { return narrow<T>(as<T>(a) < 0 ? static_cast<T>(0 - a) : as<T>(a)); }});
  }
}

TEST_CASE("whole numbers of 16, 32 and 64 bits", "[ptx]") {
  check_integers<std::uint16_t>();
  check_integers<std::int16_t>();
  check_integers<std::uint32_t>();
  check_integers<std::int32_t>();
  check_integers<std::uint64_t>();
  check_integers<std::int64_t>();
}

template <class T>
void check_bits() {
  const char* const r = reg(sizeof(T));
  const std::string t = "b" + std::to_string(8 * sizeof(T));
  check({with("and." + t, {r, r, r}), [](U a, U b, U) { return narrow<T>(as<T>(a & b)); }});
  check({with("or." + t, {r, r, r}), [](U a, U b, U) { return narrow<T>(as<T>(a | b)); }});
  check({with("xor." + t, {r, r, r}), [](U a, U b, U) { return narrow<T>(as<T>(a ^ b)); }});
  check({with("not." + t, {r, r}), [](U a, U, U) { return narrow<T>(as<T>(~a)); }});
  check({with("cnot." + t, {r, r}), [](U a, U, U) { return U{as<T>(a) == 0}; }});
  check({with("shl." + t, {r, r, "%r"}), [](U a, U b, U) {
           T value = as<T>(a);
           for (std::uint32_t k = 0; k < std::min<std::uint32_t>(as<std::uint32_t>(b), 64); ++k)
             value = static_cast<T>(value << 1);
           return narrow<T>(value);
         }});
  check({"selp." + t + " " + r + "0, " + r + "1, " + r + "2, %p3",
         [](U a, U b, U c) { return narrow<T>(as<T>(as<std::uint32_t>(c) != 0 ? a : b)); }});
  check({"slct." + t + ".s32 " + r + "0, " + r + "1, " + r + "2, %r3",
         [](U a, U b, U c) { return narrow<T>(as<T>(as<std::int32_t>(c) >= 0 ? a : b)); }});
  check({"mov." + t + " " + r + "0, " + r + "1", [](U a, U, U) { return narrow<T>(as<T>(a)); }});
  if constexpr (sizeof(T) > 2) {
    const auto bit = [](U a, int k) { return (a >> k & 1) != 0; };
    constexpr int kBits = 8 * sizeof(T);
    check({"popc." + t + " %r0, " + r + "1", [=](U a, U, U) {
             U count = 0;
             for (int k = 0; k < kBits; ++k) count += bit(a, k) ? 1 : 0;
             return count;
           }});
    check({"clz." + t + " %r0, " + r + "1", [=](U a, U, U) {
             U count = 0;
             while (count < kBits && !bit(a, kBits - 1 - static_cast<int>(count))) ++count;
             return count;
           }});
    check({with("brev." + t, {r, r}), [=](U a, U, U) {
             U out = 0;
             for (int k = 0; k < kBits; ++k) out |= U{bit(a, k)} << (kBits - 1 - k);
             return out;
           }});
    check({"bfi." + t + " " + r + "0, " + r + "1, " + r + "2, %r3, 5", [=](U a, U b, U c) {
             U out = as<T>(b);
             const U from = c & 0xFF;
             for (U k = 0; k < 5 && from + k < kBits; ++k)
               out = (out & ~(U{1} << (from + k))) | (a >> k & 1) << (from + k);
             return out;
           }});
  }
}

template <class T>
void check_fields() {
  const char* const r = reg(sizeof(T));
  constexpr U kBits = 8 * sizeof(T);
  check({"bfe." + type<T>() + " " + r + "0, " + r + "1, %r2, %r3", [](U a, U b, U c) {
           const U from = b & 0xFF, length = c & 0xFF;
           U out = 0;
           U sign = 0;
           if (std::is_signed_v<T> && length > 0) sign = a >> std::min(from + length - 1, kBits - 1) & 1;
           for (U k = 0; k < kBits; ++k) out |= (k < length && from + k < kBits ? a >> (from + k) & 1 : sign) << k;
           return out;
         }});
  check({"bfind." + type<T>() + " %r0, " + r + "1", [](U a, U, U) {
           const T value = as<T>(a);
           const U bits = narrow<T>(value < 0 ? static_cast<T>(~value) : value);
           U found = 0xFFFFFFFF;
           for (U k = 0; k < kBits; ++k)
             if ((bits >> k & 1) != 0) found = k;
           return found;
         }});
}

TEST_CASE("bits", "[ptx]") {
  check_bits<std::uint16_t>();
  check_bits<std::uint32_t>();
  check_bits<std::uint64_t>();
  check_fields<std::uint32_t>();
  check_fields<std::int32_t>();
  check_fields<std::uint64_t>();
  check_fields<std::int64_t>();
  const auto funnel = [](bool left, bool clamp) {
    return [=](U a, U b, U c) {
      const U by = clamp ? std::min<U>(as<std::uint32_t>(c), 32) : c & 31;
      const U low = as<std::uint32_t>(a), up = as<std::uint32_t>(b);
      if (left) return by == 0 ? up : (by == 32 ? low : (up << by | low >> (32 - by)) & 0xFFFFFFFF);
      return by == 0 ? low : (by == 32 ? up : (low >> by | up << (32 - by)) & 0xFFFFFFFF);
    };
  };
  check({"shf.l.wrap.b32 %r0, %r1, %r2, %r3", funnel(true, false)});
  check({"shf.l.clamp.b32 %r0, %r1, %r2, %r3", funnel(true, true)});
  check({"shf.r.wrap.b32 %r0, %r1, %r2, %r3", funnel(false, false)});
  check({"shf.r.clamp.b32 %r0, %r1, %r2, %r3", funnel(false, true)});
  check({"prmt.b32 %r0, %r1, %r2, %r3", [](U a, U b, U c) {
           std::uint8_t bytes[8];
           for (int k = 0; k < 4; ++k) {
             bytes[k] = static_cast<std::uint8_t>(a >> 8 * k);
             bytes[4 + k] = static_cast<std::uint8_t>(b >> 8 * k);
           }
           U out = 0;
           for (int k = 0; k < 4; ++k) {
             const U which = c >> 4 * k & 15;
             U byte = bytes[which & 7];
             if ((which & 8) != 0) byte = byte >= 0x80 ? 0xFF : 0;
             out |= byte << 8 * k;
           }
           return out;
         }});
  check({"and.pred %p0, %p1, %p2",
         [](U a, U b, U) { return U{as<std::uint32_t>(a) != 0 && as<std::uint32_t>(b) != 0}; }});
  check(
      {"or.pred %p0, %p1, %p2", [](U a, U b, U) { return U{as<std::uint32_t>(a) != 0 || as<std::uint32_t>(b) != 0}; }});
  check({"xor.pred %p0, %p1, %p2",
         [](U a, U b, U) { return U{(as<std::uint32_t>(a) != 0) != (as<std::uint32_t>(b) != 0)}; }});
  check({"not.pred %p0, %p1", [](U a, U, U) { return U{as<std::uint32_t>(a) == 0}; }});
  check({"mov.pred %p0, %p1", [](U a, U, U) { return U{as<std::uint32_t>(a) != 0}; }});
  check({"mov.b64 %rd0, {%r1, %r2}", [](U a, U b, U) { return b << 32 | as<std::uint32_t>(a); }});
  check({"mov.b64 {%r4, %r0}, %rd1", [](U a, U, U) { return a >> 32; }});
  check({"mov.b32 %r0, {%rs1, %rs2}", [](U a, U b, U) { return (b & 0xFFFF) << 16 | (a & 0xFFFF); }});
  check({"mov.u32 %r0, 7; @!%p1 mov.u32 %r0, 9; @%p2 add.s32 %r0, %r0, -2",
         [](U a, U b, U) { return U{(as<std::uint32_t>(a) == 0 ? 9U : 7U) - (as<std::uint32_t>(b) != 0 ? 2U : 0U)}; }});
}

template <class T>
void check_floats() {
  const char* const r = sizeof(T) == 4 ? "%f" : "%fd";
  const std::string t = sizeof(T) == 4 ? "f32" : "f64";
  const auto two = [&](const std::string& opcode, T (*wanted)(T, T)) {
    check({with(opcode + "." + t, {r, r, r}), [=](U a, U b, U) { return narrow<T>(wanted(as<T>(a), as<T>(b))); }});
  };
  two("add.rn", [](T a, T b) { return a + b; });
  two("sub.rn", [](T a, T b) { return a - b; });
  two("mul.rn", [](T a, T b) { return a * b; });
  two("div.rn", [](T a, T b) { return a / b; });
  two("min", [](T a, T b) { return a == b ? (std::signbit(a) ? a : b) : std::isnan(b) || a < b ? a : b; });
  two("max", [](T a, T b) { return a == b ? (std::signbit(a) ? b : a) : std::isnan(b) || a > b ? a : b; });
  two("copysign", [](T a, T b) { return std::copysign(b, a); });
  const auto one = [&](const std::string& opcode, T (*wanted)(T)) {
    check({with(opcode + "." + t, {r, r}), [=](U a, U, U) { return narrow<T>(wanted(as<T>(a))); }});
  };
  one("sqrt.rn", [](T a) { return std::sqrt(a); });
  one("rcp.rn", [](T a) { return 1 / a; });
  one("neg", [](T a) { return -a; });
  one("abs", [](T a) { return std::abs(a); });
  check({with("fma.rn." + t, {r, r, r, r}),
         [](U a, U b, U c) { return narrow<T>(std::fma(as<T>(a), as<T>(b), as<T>(c))); }});
  const auto compare = [&](const std::string& how, bool (*wanted)(T, T)) {
    check({"setp." + how + "." + t + " %p0, " + r + "1, " + r + "2",
           [=](U a, U b, U) { return U{wanted(as<T>(a), as<T>(b))}; }});
  };
  compare("eq", [](T a, T b) { return a == b; });
  compare("ne", [](T a, T b) { return a < b || b < a; });
  compare("lt", [](T a, T b) { return a < b; });
  compare("le", [](T a, T b) { return a <= b; });
  compare("gt", [](T a, T b) { return a > b; });
  compare("ge", [](T a, T b) { return a >= b; });
  compare("equ", [](T a, T b) { return !(a < b || b < a); });
  compare("neu", [](T a, T b) { return a != b; });
  compare("ltu", [](T a, T b) { return !(a >= b); });
  compare("leu", [](T a, T b) { return !(a > b); });
  compare("gtu", [](T a, T b) { return !(a <= b); });
  compare("geu", [](T a, T b) { return !(a < b); });
  compare("num", [](T a, T b) { return !std::isunordered(a, b); });
  compare("nan", [](T a, T b) { return std::isunordered(a, b); });
}

TEST_CASE("floating point of 32 and 64 bits", "[ptx]") {
  check_floats<float>();
  check_floats<double>();
}

template <class From, class To>
void check_truncation(const std::string& text) {
  check({text, [](U a, U, U) {
           const From value = as<From>(a);
           const auto low = static_cast<long double>(std::numeric_limits<To>::min()),
                      up = static_cast<long double>(std::numeric_limits<To>::max());
           if (std::isnan(value)) return sizeof(From) == 8 || sizeof(To) == 8 ? U{1} << (8 * sizeof(To) - 1) : U{0};
           const long double whole = std::trunc(static_cast<long double>(value));
           return narrow<To>(whole <= low  ? std::numeric_limits<To>::min()
                             : whole >= up ? std::numeric_limits<To>::max()
                                           : static_cast<To>(whole));
         }});
}

TEST_CASE("conversions", "[ptx]") {
  check({"cvt.u64.u32 %rd0, %r1", [](U a, U, U) { return U{as<std::uint32_t>(a)}; }});
  check({"cvt.s64.s32 %rd0, %r1", [](U a, U, U) { return static_cast<U>(I{as<std::int32_t>(a)}); }});
  check({"cvt.u32.u64 %r0, %rd1", [](U a, U, U) { return U{as<std::uint32_t>(a)}; }});
  check({"cvt.s32.s8 %r0, %r1", [](U a, U, U) { return narrow<std::int32_t>(as<std::int8_t>(a)); }});
  check({"cvt.u16.u32 %rs0, %r1", [](U a, U, U) { return a & 0xFFFF; }});
  check({"cvt.s16.s8 %rs0, %rs1", [](U a, U, U) { return narrow<std::int16_t>(as<std::int8_t>(a)); }});
  check({"cvt.s64.s16 %rd0, %rs1", [](U a, U, U) { return static_cast<U>(I{as<std::int16_t>(a)}); }});
  check({"cvt.rn.f32.s32 %f0, %r1", [](U a, U, U) { return narrow(static_cast<float>(as<std::int32_t>(a))); }});
  check({"cvt.rn.f32.u64 %f0, %rd1", [](U a, U, U) { return narrow(static_cast<float>(a)); }});
  check({"cvt.rn.f64.s64 %fd0, %rd1", [](U a, U, U) { return narrow(static_cast<double>(static_cast<I>(a))); }});
  check({"cvt.rn.f64.u32 %fd0, %r1", [](U a, U, U) { return narrow(static_cast<double>(as<std::uint32_t>(a))); }});
  check({"cvt.rn.f64.s16 %fd0, %rs1", [](U a, U, U) { return narrow(static_cast<double>(as<std::int16_t>(a))); }});
  check({"cvt.rn.f32.f64 %f0, %fd1", [](U a, U, U) { return narrow(static_cast<float>(as<double>(a))); }});
  check({"cvt.f64.f32 %fd0, %f1", [](U a, U, U) { return narrow(static_cast<double>(as<float>(a))); }});
  check({"cvt.rmi.f64.f64 %fd0, %fd1", [](U a, U, U) { return narrow(std::floor(as<double>(a))); }});
  check({"cvt.rpi.f32.f32 %f0, %f1", [](U a, U, U) { return narrow(std::ceil(as<float>(a))); }});
  check({"cvt.rni.f64.f64 %fd0, %fd1", [](U a, U, U) { return narrow(std::nearbyint(as<double>(a))); }});
  check_truncation<double, std::int32_t>("cvt.rzi.s32.f64 %r0, %fd1");
  check_truncation<double, std::uint32_t>("cvt.rzi.u32.f64 %r0, %fd1");
  check_truncation<double, std::int64_t>("cvt.rzi.s64.f64 %rd0, %fd1");
  check_truncation<double, std::uint64_t>("cvt.rzi.u64.f64 %rd0, %fd1");
  check_truncation<float, std::int32_t>("cvt.rzi.s32.f32 %r0, %f1");
  check_truncation<float, std::uint32_t>("cvt.rzi.u32.f32 %r0, %f1");
  check_truncation<float, std::uint64_t>("cvt.rzi.u64.f32 %rd0, %f1");
}

}  // namespace
}  // namespace woa::ptx
