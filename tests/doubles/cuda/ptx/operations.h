// Handlers by type.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "tests/doubles/cuda/ptx/decode.h"
#include "tests/doubles/cuda/ptx/machine.h"

namespace woa::ptx {

using Kinds = unsigned;
inline constexpr Kinds kUnsigned = 1, kSigned = 2, kBitTypes = 4, kPredicate = 8, kFloats = 16, kNarrowOnly = 32,
                       kByteTypes = 64;
inline constexpr Kinds kIntegers = kUnsigned | kSigned, kNarrow = kIntegers | kNarrowOnly;

template <Kinds kind>
using Kind = std::integral_constant<Kinds, kind>;

template <class T>
using Doubled = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>,
                                   std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>;

// The handler that `make` gives for the C++ type; null: the kinds do not hold the type.
template <Kinds kinds, class Make>
Handler pick(std::optional<Type> type, Make make) {
  const auto when = [&]<Kinds kind, class T>(std::integral_constant<Kinds, kind>, T) -> Handler {
    if constexpr ((kinds & kind) == 0 || (sizeof(T) == 8 && (kinds & kNarrowOnly) != 0))
      return nullptr;
    else
      return make.template operator()<T>();
  };
  if (!type) return nullptr;
  switch (*type) {
    case Type::kPred: return when(Kind<kPredicate>{}, bool{});
    case Type::kB8:
    case Type::kU8: return when(Kind<kByteTypes>{}, std::uint8_t{});
    case Type::kS8: return when(Kind<kByteTypes>{}, std::int8_t{});
    case Type::kB16: return when(Kind<kBitTypes>{}, std::uint16_t{});
    case Type::kU16: return when(Kind<kUnsigned>{}, std::uint16_t{});
    case Type::kS16: return when(Kind<kSigned>{}, std::int16_t{});
    case Type::kB32: return when(Kind<kBitTypes>{}, std::uint32_t{});
    case Type::kU32: return when(Kind<kUnsigned>{}, std::uint32_t{});
    case Type::kS32: return when(Kind<kSigned>{}, std::int32_t{});
    case Type::kB64: return when(Kind<kBitTypes>{}, std::uint64_t{});
    case Type::kU64: return when(Kind<kUnsigned>{}, std::uint64_t{});
    case Type::kS64: return when(Kind<kSigned>{}, std::int64_t{});
    case Type::kF32: return when(Kind<kFloats>{}, float{});
    case Type::kF64: return when(Kind<kFloats>{}, double{});
  }
  return nullptr;
}

template <class T, class Operation>
void unary(Thread& t, const Instruction& i) {
  set(t, i.d, Operation{}(get<T>(t, i.a)));
}
template <class T, class Operation>
void binary(Thread& t, const Instruction& i) {
  set(t, i.d, Operation{}(get<T>(t, i.a), get<T>(t, i.b)));
}

}  // namespace woa::ptx
