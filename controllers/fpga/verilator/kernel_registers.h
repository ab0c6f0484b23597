// The control registers of the kernel `woa_wact`, on the wires of a class that Verilator made of it. `cycle` clocks it
// once. One access at a time: then the kernel is always ready.
#pragma once

#include <cstdint>

#include "controllers/fpga/generated/wact_interface.h"

namespace woa {

// The kernel's arguments, by wact.json. Addresses are those of the memory behind its port.
struct WactArguments {
  std::uint64_t command = 0, input = 0, output = 0, result = 0;
  std::uint32_t command_bytes = 0, input_bytes = 0, output_bytes = 0, result_bytes = 0;
};

namespace kernel_registers {

// The register at 0, by ap_ctrl_chain (Vitis, "Kernel Interface Requirements").
inline constexpr std::uint32_t kControl = 0x00, kStart = 1, kDone = 2, kContinue = 16;

template <class Top, class Cycle>
std::uint32_t read(Top& top, Cycle&& cycle, std::uint32_t offset) {
  top.s_axi_control_araddr = static_cast<std::uint8_t>(offset);
  top.s_axi_control_arvalid = 1;
  cycle();
  top.s_axi_control_arvalid = 0;
  top.s_axi_control_rready = 1;
  const std::uint32_t value = top.s_axi_control_rdata;
  cycle();
  top.s_axi_control_rready = 0;
  return value;
}

// Bit k of `strobes`: byte k is written.
template <class Top, class Cycle>
void write(Top& top, Cycle&& cycle, std::uint32_t offset, std::uint32_t value, std::uint8_t strobes = 15) {
  top.s_axi_control_awaddr = static_cast<std::uint8_t>(offset);
  top.s_axi_control_wdata = value;
  top.s_axi_control_wstrb = strobes;
  top.s_axi_control_awvalid = top.s_axi_control_wvalid = 1;
  cycle();
  top.s_axi_control_awvalid = top.s_axi_control_wvalid = 0;
  top.s_axi_control_bready = 1;
  cycle();
  top.s_axi_control_bready = 0;
}

// Writes the arguments, then the start, by `write`(offset, value).
template <class Write>
void start(const WactArguments& a, Write&& write) {
  const auto address = [&](std::uint32_t at, std::uint64_t value) {
    write(at, static_cast<std::uint32_t>(value));
    write(at + 4, static_cast<std::uint32_t>(value >> 32));
  };
  address(wact::kArgumentAtCommand, a.command);
  address(wact::kArgumentAtInput, a.input);
  address(wact::kArgumentAtOutput, a.output);
  address(wact::kArgumentAtResult, a.result);
  write(wact::kArgumentAtCommandBytes, a.command_bytes);
  write(wact::kArgumentAtInputBytes, a.input_bytes);
  write(wact::kArgumentAtOutputBytes, a.output_bytes);
  write(wact::kArgumentAtResultBytes, a.result_bytes);
  write(kControl, kStart);
}

}  // namespace kernel_registers
}  // namespace woa
