// Pages of memory from the system, and mappings of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/base/status.h"

namespace woa {

// Memory that this process has mapped; unmapped by the destructor. Aligned to 4096 bytes.
class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual std::span<std::byte> bytes() const noexcept = 0;
};

enum class Access : std::uint8_t { kRead, kReadWrite };

// Maps `bytes` of `descriptor` from `offset` on, or zeroed private memory if it is -1. kExhausted with the system's
// reason.
Result<std::unique_ptr<Mapping>> map_pages(int descriptor, std::size_t bytes, Access access, std::size_t offset = 0);

// `bytes` of memory that `owner` keeps alive, and the mapping with it.
std::unique_ptr<Mapping> map_part(std::shared_ptr<const void> owner, std::span<std::byte> bytes);

// Of this machine: what offsets of mappings, and so of a segment's parts, are multiples of.
std::size_t page_bytes() noexcept;
// `bytes`, rounded up to whole pages.
std::size_t whole_pages(std::size_t bytes) noexcept;

// How many pages of them are in memory. Looks at each page; what was never written is passed over quickly.
std::uint64_t pages_in_memory(std::span<std::byte> bytes) noexcept;

// "call: the system's reason" for the current errno (reason_of).
std::string system_error(const char* call);

}  // namespace woa
