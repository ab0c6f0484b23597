// A firing of a kernel with one input of type `bytes` and one output, for tests with several threads.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/support/kernel_under_test.h"

namespace woa::test {

// The output's data, or nothing if the firing failed. Unlike run() it asserts nothing, which Catch allows in one thread
// only.
inline std::optional<Bytes> fire(const KernelUnderTest& kernel, const Bytes& data, std::size_t capacity) {
  woa_input in{};
  in.data = data.data();
  in.bytes = data.size();
  in.rank = 1;
  in.dims[0] = static_cast<std::uint32_t>(data.size());
  const woa_firing firing{};
  Bytes memory(capacity);
  woa_output out{};
  out.data = memory.data();
  out.capacity = capacity;
  woa_error error{};
  if (kernel.table().run(kernel.self(), &firing, &in, &out, &error) != WOA_OK) return std::nullopt;
  memory.resize(out.bytes);
  return memory;
}

}  // namespace woa::test
