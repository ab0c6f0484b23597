// Compares declarations of a library's C functions that were made twice, by us and by its headers.
#pragma once

#include <cstdint>
#include <type_traits>

namespace woa::test {

template <std::size_t bytes>
struct Sized;
template <>
struct Sized<4> : std::type_identity<std::int32_t> {};
template <>
struct Sized<8> : std::type_identity<std::int64_t> {};

// A type as a call passes it: an enumeration or integer as a signed integer of its size, a pointer by what it points
// to.
template <class T>
struct Passed : std::type_identity<T> {};
template <class T>
requires(std::is_enum_v<T> || (std::is_integral_v<T> && sizeof(T) >= 4)) struct Passed<T> : Sized<sizeof(T)> {
};
template <class T>
struct Passed<const T> : std::type_identity<const typename Passed<T>::type> {};
template <class T>
struct Passed<T*> : std::type_identity<typename Passed<T>::type*> {};
template <class R, class... A>
struct Passed<R(A...)> : std::type_identity<typename Passed<R>::type(typename Passed<A>::type...)> {};
template <class R, class... A>
struct Passed<R(A..., ...)> : std::type_identity<typename Passed<R>::type(typename Passed<A>::type..., ...)> {};

}  // namespace woa::test
