// Made by tools/fpga-resources with yosys 0.23: do not edit.
//
// Parts of an fpga that the packet node takes by itself: all but the kernels' cores. For xrt, with the kernel around it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

// clang-format off
namespace woa {

struct FpgaNode {
  std::string_view backend, family;
  std::uint64_t luts = 0, ffs = 0, brams = 0, dsps = 0;
};
inline constexpr std::array kFpgaNodes{
    FpgaNode{"verilator", "xc7", 8387, 6127, 22, 4},
    FpgaNode{"verilator", "xcup", 7894, 5197, 37, 4},  // 84f2b2c3
    FpgaNode{"xrt", "xc7", 13403, 9693, 6, 4},
    FpgaNode{"xrt", "xcup", 12701, 10111, 19, 4},  // 0c140412
};

}  // namespace woa
// clang-format on
