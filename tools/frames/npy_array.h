// Arrays as NumPy saves them: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::tools {

// True if a file of this name holds a NumPy array where a port of `type` is read or written. A port of `bytes` takes
// files as they are.
bool is_npy(const std::filesystem::path& file, const PortType& type);

// True if a file that begins so may hold an array of NumPy.
bool is_npy(std::span<const std::byte> begin);

struct NpyArray {
  std::string element;              // "f64"; empty: payloads have none like it
  std::vector<std::uint32_t> dims;  // row-major
  std::size_t header_bytes = 0;     // the data follow
  std::uint64_t data_bytes = 0;
  Status refused;  // kInvalid: payloads do not have such elements, or such an order; the message says how to save it
};

// Parses the start of a file, as NumPy reads those that others wrote, too: all of its header, or the file's first
// kMostNpyHeader bytes. kInvalid: no array of NumPy, or nobody can tell how many bytes its data have.
inline constexpr std::size_t kMostNpyHeader = 4096;
Result<NpyArray> parse_npy(std::span<const std::byte> begin);

// Writes the dimensions that a payload of `type` begins with into `room` and returns their bytes. kInvalid: elements or
// dimensions are not those of `type`. kTooLarge: there is no room.
Result<std::uint64_t> write_prefix(const PortType& type, const std::string& element,
                                   std::span<const std::uint32_t> dims, std::span<std::byte> room);

// The header of a file with the data of `payload`, a payload of `type`.
std::string npy_header(const PortType& type, std::span<const std::byte> payload);

}  // namespace woa::tools
