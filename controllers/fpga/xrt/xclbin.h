// Reads an xclbin, the file that configures a card: kernels, memory banks, platform, and the packet node
// in it. XRT's own messages do not tell why a file does not fit.
//
// A container of sections (xrt/xclbin.h of XRT 2.13). The node's description is the section USER_METADATA, which
// tools/fpga-xclbin writes: a line `woa_wact`, then lines of a key and its value (`cores` has several, `-` for a number
// without one).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"

namespace woa {

struct Xclbin {
  // One copy of a kernel, or another block of the design.
  struct Unit {
    std::string kernel, name;  // "woa_wact", "woa_wact_1"
    bool is_kernel = false;
    bool is_chained = false;  // ap_ctrl_chain: takes runs before the first has ended
    std::uint64_t address = 0;
    bool operator==(const Unit&) const = default;
  };
  struct Bank {
    std::string name;  // "HBM[0]"
    bool used = false;
    std::uint64_t bytes = 0, address = 0;
    bool operator==(const Bank&) const = default;
  };
  struct Connection {
    std::uint32_t argument = 0, unit = 0, bank = 0;  // of the kernel; position in `units`; position in `banks`
    bool operator==(const Connection&) const = default;
  };
  // The packet node as it was built.
  struct Node {
    std::vector<std::string> cores;  // by the node's numbers; empty: left out
    std::uint32_t stages = 0, routes = 0, channels = 0, line_bytes = 0, width = 0, clock_mhz = 0;
    bool operator==(const Node&) const = default;
  };

  std::array<unsigned char, 16> uuid{};
  std::string platform;  // "xilinx_u50_gen3x16_xdma_5_202210_1"
  bool has_bitstream = false;
  std::vector<Unit> units;
  std::vector<Bank> banks;
  std::vector<Connection> connections;
  std::optional<Node> node;  // none: the file has no description of it

  // Positions of the kernel's units, and of the banks that an argument of one can lie in.
  [[nodiscard]] std::vector<std::uint32_t> units_of(std::string_view kernel) const;
  [[nodiscard]] std::vector<std::uint32_t> banks_of(std::uint32_t unit, std::uint32_t argument) const;
};

// Fills a span from that byte of the file on; false: it cannot.
using ReadAt = std::function<bool(std::uint64_t offset, std::span<std::byte> bytes)>;

// Reads the parts named above of a file of `bytes`; looks at no bitstream. Takes at most some MiB of memory, whatever
// the file says. kInvalid: the message gives the place, what was found and what was expected.
Result<Xclbin> parse_xclbin(std::uint64_t bytes, const ReadAt& read);
// parse_xclbin() of a file in memory, and of a file by its name. kNotFound, kUnavailable: it cannot be read.
Result<Xclbin> parse_xclbin(std::span<const std::byte> file);
Result<Xclbin> read_xclbin(const std::filesystem::path& path);

// Ok: holds a unit of the packet node's kernel, controlled as the back-end expects, with memory at every buffer, and a
// description of it. Otherwise kUnsupported with what the file has, and what to do.
Status check_node(const Xclbin& xclbin);

// The card's platform and the one that an xclbin was built for fit, as far as names tell: cards with a base and a shell
// in two parts name "xilinx_u50_gen3x16_xdma_base_5", or "xilinx_u250_gen3x16_xdma_shell_4_1".
bool same_platform(std::string_view card, std::string_view xclbin);

}  // namespace woa
