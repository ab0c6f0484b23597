// Moves, conversions, comparisons.
#include <chrono>
#include <cmath>
#include <limits>

#include "tests/doubles/cuda/ptx/decode.h"
#include "tests/doubles/cuda/ptx/operations.h"

namespace woa::ptx {
namespace {

void copy(Thread& t, const Instruction& i) { t.r[i.d] = t.r[i.a]; }
void timer(Thread& t, const Instruction& i) {
  t.r[i.d] = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}
void clock(Thread& t, const Instruction& i) { t.r[i.d] = t.steps; }

// mov.b64 d, {a, b}: the first is the lowest part.
template <unsigned bits>
void pack(Thread& t, const Instruction& i) {
  std::uint64_t value = 0;
  for (std::uint32_t k = 0; k < i.count; ++k)
    value |= (t.r[t.function->more[i.more + k]] & ((1ULL << bits) - 1)) << (bits * k);
  t.r[i.a] = value;
}
template <unsigned bits>
void unpack(Thread& t, const Instruction& i) {
  const std::uint64_t value = t.r[i.a];
  for (std::uint32_t k = 0; k < i.count; ++k)
    if (const std::int32_t to = t.function->more[i.more + k]; to >= 0)
      t.r[to] = value >> (bits * k) & ((1ULL << bits) - 1);
}

bool move_vector(Decoder& in, Type type) {
  const bool packs = in.operand(1).kind == Operand::kVector;
  in.vector(packs ? 1 : 0);
  in.out.a = in.slot(packs ? std::size_t{0} : std::size_t{1});
  const std::uint32_t bits = 8 * bytes_of(type) / in.out.count;
  if (bits == 32) in.out.run = packs ? &pack<32> : &unpack<32>;
  if (bits == 16) in.out.run = packs ? &pack<16> : &unpack<16>;
  if (bits == 8) in.out.run = packs ? &pack<8> : &unpack<8>;
  return true;
}

bool move(Decoder& in) {
  const auto type = in.take_type();
  if (!type || in.count() != 2) return in.invalid("a type and 2 operands expected");
  if (in.operand(0).kind == Operand::kVector || in.operand(1).kind == Operand::kVector) return move_vector(in, *type);
  in.out.d = in.slot(std::size_t{0});
  const std::string_view from = in.operand(1).name;
  if (from == "%globaltimer" || from == "%globaltimer_lo") return in.out.run = &timer, true;
  if (from == "%clock" || from == "%clock64") return in.out.run = &clock, true;
  in.out.run = &copy;
  return in.slots(2);
}

void add_immediate(Thread& t, const Instruction& i) { t.r[i.d] = t.r[i.a] + static_cast<std::uint64_t>(i.immediate); }

bool convert_address(Decoder& in) {
  const bool to = in.take("to");
  std::uint64_t window = 0;
  if (in.take("shared"))
    window = kSharedWindow;
  else if (in.take("local") || in.take("param"))
    window = kLocalWindow;
  else if (!in.take("global") && !in.take("const"))
    return false;
  if (in.take_type() != Type::kU64) return false;
  in.out.immediate = static_cast<std::int64_t>(to ? 0 - window : window);
  in.out.run = &add_immediate;
  return in.slots(2);
}

enum class Round : std::uint8_t { kNearest, kZero, kDown, kUp };
constexpr std::uint8_t kNotRounded = 4;

template <class T>
T rounded(T value, Round how) {
  switch (how) {
    case Round::kNearest: return std::nearbyint(value);
    case Round::kZero: return std::trunc(value);
    case Round::kDown: return std::floor(value);
    case Round::kUp: return std::ceil(value);
  }
  return value;
}

template <class From, class To>
void convert(Thread& t, const Instruction& i) {
  const From value = get<From>(t, i.a);
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    constexpr bool kLarge = sizeof(From) == 8 || sizeof(To) == 8;
    const From whole = rounded(value, static_cast<Round>(i.choice));
    // 2 to the number of value bits: the first number that is too large.
    const From end = std::ldexp(From{1}, Limits::digits);
    if (std::isnan(value))
      set(t, i.d, kLarge ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1)) : To{0});
    else if (whole >= end)
      set(t, i.d, Limits::max());
    else if (whole < static_cast<From>(Limits::min()))
      set(t, i.d, Limits::min());
    else
      set(t, i.d, static_cast<To>(whole));
  } else if constexpr (std::is_same_v<From, To> && std::is_floating_point_v<To>) {
    set(t, i.d, i.choice == kNotRounded ? value : rounded(value, static_cast<Round>(i.choice)));
  } else {
    set(t, i.d, static_cast<To>(value));
  }
}

constexpr Kinds kConverted = kIntegers | kFloats | kByteTypes;

bool convert_value(Decoder& in) {
  std::uint8_t whole = kNotRounded;
  constexpr std::string_view kWhole[] = {"rni", "rzi", "rmi", "rpi"};
  for (std::uint8_t k = 0; k < 4; ++k)
    if (in.take(kWhole[k])) whole = k;
  const bool nearest = in.take("rn");
  const auto to = in.take_type(), from = in.take_type();
  if (!to || !from) return false;
  const bool loses = is_float(*to) && (!is_float(*from) || (*to == Type::kF32 && *from == Type::kF64));
  if (loses != nearest) return false;
  if ((is_float(*from) && !is_float(*to)) != (whole != kNotRounded) && !(from == to && is_float(*to))) return false;
  in.out.run = pick<kConverted>(from, [&]<class From>() -> Handler {
    return pick<kConverted>(to, []<class To>() -> Handler { return &convert<From, To>; });
  });
  in.out.choice = whole;
  return in.slots(2);
}

enum class Join : std::uint8_t { kNone, kAnd, kOr, kXor };

// Compare: a bit each for less, equal, greater, unordered.
template <class T, unsigned when>
void compare(Thread& t, const Instruction& i) {
  const T a = get<T>(t, i.a), b = get<T>(t, i.b);
  bool holds = ((when & 1) != 0 && a < b) || ((when & 2) != 0 && a == b) || ((when & 4) != 0 && a > b);
  if constexpr (std::is_floating_point_v<T>) holds = holds || ((when & 8) != 0 && (std::isnan(a) || std::isnan(b)));
  const bool other = i.c >= 0 && t.r[i.c] != 0;
  switch (static_cast<Join>(i.choice)) {
    case Join::kNone: break;
    case Join::kAnd: holds = holds && other; break;
    case Join::kOr: holds = holds || other; break;
    case Join::kXor: holds = holds != other; break;
  }
  t.r[i.d] = holds ? 1 : 0;
}

template <unsigned when>
Handler comparison(std::optional<Type> type) {
  constexpr Kinds kinds = when == 2 || when == 5 || when == 13 ? kIntegers | kBitTypes | kFloats : kIntegers | kFloats;
  return pick<kinds>(type, []<class T>() -> Handler { return &compare<T, when>; });
}

struct Comparison {
  std::string_view name;
  Handler (*make)(std::optional<Type>);
  bool floats;    // for floats alone
  bool integers;  // for integers alone
};
constexpr Comparison kComparisons[] = {
    {"eq", &comparison<2>, false, false},  {"lt", &comparison<1>, false, false},  {"le", &comparison<3>, false, false},
    {"gt", &comparison<4>, false, false},  {"ge", &comparison<6>, false, false},  {"lo", &comparison<1>, false, true},
    {"ls", &comparison<3>, false, true},   {"hi", &comparison<4>, false, true},   {"hs", &comparison<6>, false, true},
    {"ne", &comparison<5>, false, false},  {"equ", &comparison<10>, true, false}, {"neu", &comparison<13>, true, false},
    {"ltu", &comparison<9>, true, false},  {"leu", &comparison<11>, true, false}, {"gtu", &comparison<12>, true, false},
    {"geu", &comparison<14>, true, false}, {"num", &comparison<7>, true, false},  {"nan", &comparison<8>, true, false}};

bool set_predicate(Decoder& in) {
  const Comparison* found = nullptr;
  for (const Comparison& one : kComparisons)
    if (in.take(one.name)) found = &one;
  Join join = Join::kNone;
  if (in.take("and")) join = Join::kAnd;
  if (in.take("or")) join = Join::kOr;
  if (in.take("xor")) join = Join::kXor;
  const auto type = in.take_type();
  if (found == nullptr || !type || (found->floats && !is_float(*type)) || (found->integers && is_float(*type)))
    return false;
  in.out.run = found->make(type);
  in.out.choice = static_cast<std::uint8_t>(join);
  return in.slots(join == Join::kNone ? 3 : 4);
}

}  // namespace

std::optional<bool> decode_move(Decoder& in) {
  if (in.base() == "mov") return move(in);
  if (in.base() == "cvta") return convert_address(in);
  if (in.base() == "cvt") return convert_value(in);
  if (in.base() == "setp") return set_predicate(in);
  return std::nullopt;
}

}  // namespace woa::ptx
