// Whole numbers, bits and predicates.
#include <algorithm>
#include <bit>
#include <limits>

#include "tests/doubles/cuda/ptx/decode.h"
#include "tests/doubles/cuda/ptx/operations.h"

namespace woa::ptx {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;
template <class T>
constexpr unsigned kBits = 8 * sizeof(T);

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(std::uint64_t(a) + std::uint64_t(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(std::uint64_t(a) - std::uint64_t(b));
  }
};
struct Low {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(std::uint64_t(a) * std::uint64_t(b));
  }
};
struct High {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(static_cast<SignedWide>(a) * b >> kBits<T>);
    else
      return static_cast<T>(static_cast<Wide>(a) * b >> kBits<T>);
  }
};
// By zero the result is not specified; the hardware gives all ones.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return Sub{}(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? 1 : 0;
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return Sub{}(T{0}, a);
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? Neg{}(a) : a;
  }
};

template <class T>
void shift_left(Thread& t, const Instruction& i) {
  const auto by = get<std::uint32_t>(t, i.b);
  set<T>(t, i.d, by >= kBits<T> ? T{0} : static_cast<T>(static_cast<std::uint64_t>(get<T>(t, i.a)) << by));
}
template <class T>
void shift_right(Thread& t, const Instruction& i) {
  set<T>(t, i.d,
         static_cast<T>(get<T>(t, i.a) >> std::min(get<std::uint32_t>(t, i.b), kBits<T> - 1) >>
                        (get<std::uint32_t>(t, i.b) >= kBits<T> ? 1 : 0)));
}
template <class T, class To>
void multiply_wide(Thread& t, const Instruction& i) {
  set<To>(t, i.d, static_cast<To>(To{get<T>(t, i.a)} * To{get<T>(t, i.b)}));
}
template <class T, class To>
void mad_wide(Thread& t, const Instruction& i) {
  set<To>(t, i.d, Add{}(static_cast<To>(To{get<T>(t, i.a)} * To{get<T>(t, i.b)}), get<To>(t, i.c)));
}
template <class T>
void mad_low(Thread& t, const Instruction& i) {
  set<T>(t, i.d, Add{}(Low{}(get<T>(t, i.a), get<T>(t, i.b)), get<T>(t, i.c)));
}
template <class T>
void mad_high(Thread& t, const Instruction& i) {
  set<T>(t, i.d, Add{}(High{}(get<T>(t, i.a), get<T>(t, i.b)), get<T>(t, i.c)));
}

template <class T>
void extract(Thread& t, const Instruction& i) {  // bfe
  const T value = get<T>(t, i.a);
  const unsigned from = get<std::uint32_t>(t, i.b) & 0xFF, length = get<std::uint32_t>(t, i.c) & 0xFF;
  std::uint64_t out = 0;
  const unsigned top = std::min(from + length - 1, kBits<T> - 1);
  const bool sign = std::is_signed_v<T> && length != 0 && ((static_cast<std::uint64_t>(value) >> top) & 1) != 0;
  for (unsigned k = 0; k < kBits<T>; ++k) {
    const bool inside = k < length && from + k < kBits<T>;
    const bool bit = inside ? ((static_cast<std::uint64_t>(value) >> (from + k)) & 1) != 0 : sign;
    out |= std::uint64_t{bit} << k;
  }
  set<T>(t, i.d, static_cast<T>(out));
}
template <class T>
void insert(Thread& t, const Instruction& i) {  // bfi: a into b
  const auto& more = t.function->more;
  const unsigned from = get<std::uint32_t>(t, i.c) & 0xFF, length = get<std::uint32_t>(t, more[i.more]) & 0xFF;
  T out = get<T>(t, i.b);
  for (unsigned k = 0; k < length && from + k < kBits<T>; ++k) {
    out = static_cast<T>(out & ~(T{1} << (from + k)));
    out = static_cast<T>(out | ((get<T>(t, i.a) >> k & 1) << (from + k)));
  }
  set<T>(t, i.d, out);
}
template <bool left, bool clamp>
void funnel(Thread& t, const Instruction& i) {  // shf: b above a
  const std::uint64_t both = std::uint64_t{get<std::uint32_t>(t, i.b)} << 32 | get<std::uint32_t>(t, i.a);
  const auto asked = get<std::uint32_t>(t, i.c);
  const unsigned by = clamp ? std::min(asked, 32U) : asked & 31;
  set(t, i.d, static_cast<std::uint32_t>(left ? (both << by) >> 32 : both >> by));
}
void permute(Thread& t, const Instruction& i) {  // prmt
  const std::uint64_t both = std::uint64_t{get<std::uint32_t>(t, i.b)} << 32 | get<std::uint32_t>(t, i.a);
  const auto control = get<std::uint32_t>(t, i.c);
  std::uint32_t out = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned which = control >> (4 * k) & 15;
    auto byte = static_cast<std::uint32_t>(both >> (8 * (which & 7)) & 0xFF);
    if ((which & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    out |= byte << (8 * k);
  }
  set(t, i.d, out);
}
struct Clz {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Popc {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct Brev {
  template <class T>
  T operator()(T a) const {
    T out = 0;
    for (unsigned k = 0; k < kBits<T>; ++k) out = static_cast<T>(out << 1 | (a >> k & 1));
    return out;
  }
};
template <class T, bool high_first>
void find_bit(Thread& t, const Instruction& i) {  // bfind
  const T value = get<T>(t, i.a);
  auto bits = static_cast<std::make_unsigned_t<T>>(value < 0 ? ~value : value);
  const int zeros = std::countl_zero(bits);
  set(t, i.d,
      bits == 0 ? 0xFFFFFFFFU
                : static_cast<std::uint32_t>(high_first ? zeros : static_cast<int>(kBits<T>) - 1 - zeros));
}
template <class T>
void slct(Thread& t, const Instruction& i) {
  t.r[i.d] = get<T>(t, i.c) >= 0 ? t.r[i.a] : t.r[i.b];
}
void select(Thread& t, const Instruction& i) { t.r[i.d] = t.r[i.c] != 0 ? t.r[i.a] : t.r[i.b]; }

template <class Operation, Kinds kinds = kIntegers>
bool two(Decoder& in) {
  const auto type = in.take_type();
  in.out.run = pick<kinds>(type, []<class T>() -> Handler { return &binary<T, Operation>; });
  return in.slots(3);
}
template <class Operation, Kinds kinds>
bool one(Decoder& in) {
  const auto type = in.take_type();
  in.out.run = pick<kinds>(type, []<class T>() -> Handler { return &unary<T, Operation>; });
  return in.slots(2);
}

template <bool add>
bool multiply(Decoder& in) {
  const bool wide = in.take("wide"), high = in.take("hi");
  if (!wide && !high && !in.take("lo")) return false;
  const auto type = in.take_type();
  if (wide) {
    in.out.run = pick<kNarrow>(type, []<class T>() -> Handler {
      using To = Doubled<T>;
      if constexpr (add)
        return &mad_wide<T, To>;
      else
        return &multiply_wide<T, To>;
    });
  } else if (add) {
    in.out.run = high ? pick<kIntegers>(type, []<class T>() -> Handler { return &mad_high<T>; })
                      : pick<kIntegers>(type, []<class T>() -> Handler { return &mad_low<T>; });
  } else {
    in.out.run = high ? pick<kIntegers>(type, []<class T>() -> Handler { return &binary<T, High>; })
                      : pick<kIntegers>(type, []<class T>() -> Handler { return &binary<T, Low>; });
  }
  return in.slots(add ? 4 : 3);
}

bool shift(Decoder& in, bool left) {
  const auto type = in.take_type();
  in.out.run = left ? pick<kBitTypes>(type, []<class T>() -> Handler { return &shift_left<T>; })
                    : pick<kIntegers | kBitTypes>(type, []<class T>() -> Handler { return &shift_right<T>; });
  return in.slots(3);
}

bool bit_field(Decoder& in) {
  if (in.base() == "bfe") {
    in.out.run = pick<kIntegers>(in.take_type(), []<class T>() -> Handler { return &extract<T>; });
    return in.slots(4);
  }
  in.out.run = pick<kBitTypes>(in.take_type(), []<class T>() -> Handler { return &insert<T>; });
  if (in.count() != 5) return in.invalid("5 operands expected");
  in.out.d = in.slot(std::size_t{0});
  in.out.a = in.slot(1);
  in.out.b = in.slot(2);
  in.out.c = in.slot(3);
  in.out.more = static_cast<std::uint32_t>(in.function().more.size());
  const std::int32_t length = in.slot(4);
  in.function().more.push_back(length);
  return true;
}

bool funnel_shift(Decoder& in) {
  const bool left = in.take("l"), right = in.take("r"), clamp = in.take("clamp"), wrap = in.take("wrap");
  if (left == right || clamp == wrap || in.take_type() != Type::kB32) return false;
  in.out.run = left ? (clamp ? &funnel<true, true> : &funnel<true, false>)
                    : (clamp ? &funnel<false, true> : &funnel<false, false>);
  return in.slots(4);
}

bool counting(Decoder& in) {
  const auto type = in.take_type();
  if (in.base() == "clz")
    in.out.run = pick<kBitTypes>(type, []<class T>() -> Handler { return &unary<T, Clz>; });
  else if (in.base() == "popc")
    in.out.run = pick<kBitTypes>(type, []<class T>() -> Handler { return &unary<T, Popc>; });
  else
    in.out.run = pick<kBitTypes>(type, []<class T>() -> Handler { return &unary<T, Brev>; });
  return in.slots(2);
}

bool find(Decoder& in) {
  const bool shift_amount = in.take("shiftamt");
  const auto type = in.take_type();
  in.out.run = shift_amount ? pick<kIntegers>(type, []<class T>() -> Handler { return &find_bit<T, true>; })
                            : pick<kIntegers>(type, []<class T>() -> Handler { return &find_bit<T, false>; });
  return in.slots(2);
}

bool choose(Decoder& in) {
  const auto type = in.take_type();
  if (!type) return false;
  in.out.run = &select;
  if (in.base() == "selp") return in.slots(4);
  const auto by = in.take_type();
  in.out.run = by == Type::kS32 ? &slct<std::int32_t> : by == Type::kF32 ? &slct<float> : nullptr;
  return in.slots(4);
}

}  // namespace

std::optional<bool> decode_integer(Decoder& in) {
  const std::string_view base = in.base();
  const bool floating = in.has_float();
  if (base == "and") return two<And, kBitTypes | kPredicate>(in);
  if (base == "or") return two<Or, kBitTypes | kPredicate>(in);
  if (base == "xor") return two<Xor, kBitTypes | kPredicate>(in);
  if (base == "not") return one<Not, kBitTypes | kPredicate>(in);
  if (base == "cnot") return one<Cnot, kBitTypes>(in);
  if (base == "shl" || base == "shr") return shift(in, base == "shl");
  if (base == "bfe" || base == "bfi") return bit_field(in);
  if (base == "shf") return funnel_shift(in);
  if (base == "prmt") return in.out.run = in.take_type() == Type::kB32 ? &permute : nullptr, in.slots(4);
  if (base == "clz" || base == "popc" || base == "brev") return counting(in);
  if (base == "bfind") return find(in);
  if (base == "selp" || base == "slct") return choose(in);
  if (floating) return std::nullopt;
  if (base == "add") return two<Add>(in);
  if (base == "sub") return two<Sub>(in);
  if (base == "mul") return multiply<false>(in);
  if (base == "mad") return multiply<true>(in);
  if (base == "div") return two<Div>(in);
  if (base == "rem") return two<Rem>(in);
  if (base == "min") return two<Min>(in);
  if (base == "max") return two<Max>(in);
  if (base == "neg") return one<Neg, kSigned>(in);
  if (base == "abs") return one<Abs, kSigned>(in);
  return std::nullopt;
}

}  // namespace woa::ptx
