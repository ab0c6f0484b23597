// What a process tells another about one of its segments, so that the other can write there. Parsed from a peer: any
// bytes may come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"

namespace woa::ofi {

struct SegmentDescription {
  std::string provider;
  std::string address;                // of the endpoint, as libfabric names it
  std::uint32_t segment = 0;          // as immediates name it
  std::uint32_t immediate_bytes = 0;  // that the provider carries with a write
  std::uint64_t bytes = 0, base = 0, key = 0;

  [[nodiscard]] std::string encode() const;
  // kInvalid says what is wrong: length, version, checksum, or a field out of bounds.
  static Result<SegmentDescription> decode(std::string_view bytes);
};

}  // namespace woa::ofi
