// Makes xclbin files for tests: each part can be wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace woa::test {

// Writes numbers and texts one behind the other.
class Packed {
 public:
  template <class T>
  Packed& number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packed& text(std::string value, std::size_t bytes) {
    value.resize(bytes);
    bytes_ += value;
    return *this;
  }
  operator std::string() const { return bytes_; }  // NOLINT(google-explicit-constructor)

 private:
  std::string bytes_;
};

struct SectionBytes {
  std::uint32_t kind;
  std::string contents;
};

inline std::string unit_bytes(const std::string& name, std::uint32_t properties = 0x101, std::uint32_t type = 1) {
  return Packed().number(type).number(properties).number(std::uint64_t{0x1800000}).text(name, 64);
}
inline std::string bank_bytes(const std::string& name, std::uint64_t kib) {
  return Packed()
      .number(std::uint8_t{1})
      .number(std::uint8_t{1})
      .text("", 6)
      .number(kib)
      .number(std::uint64_t{1} << 38)
      .text(name, 16);
}
inline std::string connection_bytes(std::int32_t argument, std::int32_t unit, std::int32_t bank) {
  return Packed().number(argument).number(unit).number(bank);
}
// A count, `gap` bytes, and entries.
inline std::string table_bytes(std::int32_t count, std::size_t gap, const std::vector<std::string>& entries) {
  std::string table = Packed().number(count).text("", gap);
  for (const std::string& entry : entries) table += entry;
  return table;
}

inline const std::string kNodeText =
    "woa_wact\ncores copy - invert\nclock_mhz 300\nstages 64\nroutes 256\nchannels 32\nline_bytes 16384\nwidth 128\n";

// One unit of the node's kernel at one bank of two.
inline std::vector<SectionBytes> node_sections() {
  return {{8, table_bytes(1, 4, {unit_bytes("woa_wact:woa_wact_1")})},
          {6, table_bytes(2, 4, {bank_bytes("DDR[0]", 1024), bank_bytes("DDR[1]", 2048)})},
          {7, table_bytes(4, 0,
                          {connection_bytes(0, 0, 1), connection_bytes(1, 0, 1), connection_bytes(2, 0, 1),
                           connection_bytes(3, 0, 1)})},
          {16, kNodeText}};
}

inline constexpr std::size_t kLengthAt = 304, kCountAt = 448, kHeadersAt = 456, kHeaderBytes = 40;

// A file of these sections, each at a multiple of 8.
inline std::string xclbin_bytes(const std::vector<SectionBytes>& sections) {
  std::string headers, contents;
  const std::size_t begin = kHeadersAt + kHeaderBytes * sections.size();
  for (const auto& [kind, bytes] : sections) {
    headers += Packed()
                   .number(kind)
                   .text("", 20)
                   .number(std::uint64_t{begin + contents.size()})
                   .number(std::uint64_t{bytes.size()});
    contents += bytes;
    contents.resize((contents.size() + 7) / 8 * 8);
  }
  return std::string(Packed()
                         .text("xclbin2", kLengthAt)
                         .number(std::uint64_t{begin + contents.size()})
                         .text("", 40)
                         .text("xilinx_u50_gen3x16_xdma_5_202210_1", 64)
                         .text("0123456789abcdef", 32)
                         .number(static_cast<std::uint64_t>(sections.size()))) +
         headers + contents;
}

template <class T>
std::string with_number(std::string file, std::size_t place, T value) {
  std::memcpy(file.data() + place, &value, sizeof value);
  return file;
}

}  // namespace woa::test
