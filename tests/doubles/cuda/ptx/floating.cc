// Floating point, rounded to nearest even as IEEE 754 says; nothing is contracted.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/doubles/cuda/ptx/decode.h"
#include "tests/doubles/cuda/ptx/operations.h"

namespace woa::ptx {
namespace {

// A device's NaN of 32 bits is always this one.
template <class T>
T canonical(T value) {
  if constexpr (sizeof(T) == 4)
    return std::isnan(value) ? std::bit_cast<float>(0x7FFFFFFFU) : value;
  else
    return value;
}

struct Plus {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a + b);
  }
};
struct Minus {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a - b);
  }
};
struct Times {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a * b);
  }
};
struct Over {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a / b);
  }
};
// A number beside a NaN wins; -0 is less than +0.
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    if (std::isnan(a)) return canonical(b);
    return std::isnan(b) || a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct Most {
  template <class T>
  T operator()(T a, T b) const {
    if (std::isnan(a)) return canonical(b);
    return std::isnan(b) || a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
struct Root {
  template <class T>
  T operator()(T a) const {
    return canonical(std::sqrt(a));
  }
};
struct Reciprocal {
  template <class T>
  T operator()(T a) const {
    return canonical(T{1} / a);
  }
};
struct Opposite {
  template <class T>
  T operator()(T a) const {
    return -a;
  }
};
struct Magnitude {
  template <class T>
  T operator()(T a) const {
    return std::fabs(a);
  }
};

template <class T>
void fused(Thread& t, const Instruction& i) {
  set(t, i.d, canonical(std::fma(get<T>(t, i.a), get<T>(t, i.b), get<T>(t, i.c))));
}
template <class T>
void copysign(Thread& t, const Instruction& i) {
  set(t, i.d, std::copysign(get<T>(t, i.b), get<T>(t, i.a)));
}

bool nearest(Decoder& in, bool required) {
  return in.take("rn") || !required || in.unsupported("without .rn the assembler may contract it");
}

template <class Operation>
bool two(Decoder& in, bool rounded) {
  if (!nearest(in, rounded)) return false;
  in.out.run = pick<kFloats>(in.take_type(), []<class T>() -> Handler { return &binary<T, Operation>; });
  return in.slots(3);
}
template <class Operation>
bool one(Decoder& in, bool rounded) {
  if (!nearest(in, rounded)) return false;
  in.out.run = pick<kFloats>(in.take_type(), []<class T>() -> Handler { return &unary<T, Operation>; });
  return in.slots(2);
}
bool fused_multiply(Decoder& in) {
  if (!nearest(in, true)) return false;
  in.out.run = pick<kFloats>(in.take_type(), []<class T>() -> Handler { return &fused<T>; });
  return in.slots(4);
}
bool copy_sign(Decoder& in) {
  in.out.run = pick<kFloats>(in.take_type(), []<class T>() -> Handler { return &copysign<T>; });
  return in.slots(3);
}

}  // namespace

std::optional<bool> decode_float(Decoder& in) {
  const std::string_view base = in.base();
  if (!in.has_float()) return std::nullopt;
  if (base == "add") return two<Plus>(in, true);
  if (base == "sub") return two<Minus>(in, true);
  if (base == "mul") return two<Times>(in, true);
  if (base == "div") return two<Over>(in, true);
  if (base == "fma" || base == "mad") return fused_multiply(in);
  if (base == "min") return two<Least>(in, false);
  if (base == "max") return two<Most>(in, false);
  if (base == "sqrt") return one<Root>(in, true);
  if (base == "rcp") return one<Reciprocal>(in, true);
  if (base == "neg") return one<Opposite>(in, false);
  if (base == "abs") return one<Magnitude>(in, false);
  if (base == "copysign") return copy_sign(in);
  return std::nullopt;
}

}  // namespace woa::ptx
