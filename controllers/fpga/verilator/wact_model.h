// The packet node as Verilator made it, one clock cycle at a time. Knows wires, not packets.
#pragma once

#include <cstdint>
#include <memory>

namespace woa {

// Inputs that the host side drives during a cycle.
struct WactInput {
  std::uint64_t s_tdata = 0;
  bool s_tvalid = false;
  bool s_tlast = false;
  std::uint64_t l_tdata = 0;
  bool l_tvalid = false;
  bool l_tlast = false;
  bool m_tready = true;
  bool c_tready = true;
};

// The node's outputs in a cycle, before its clock edge.
struct WactOutput {
  std::uint64_t m_tdata = 0;
  std::uint64_t c_tdata = 0;
  bool s_tready = false;
  bool l_tready = false;
  bool m_tvalid = false;
  bool m_tlast = false;
  std::uint8_t m_tuser = 0;
  bool c_tvalid = false;
  bool c_tlast = false;
  bool idle = false;
};

// Deterministic. One thread at a time. Models are independent of each other, but construct one at a time: Verilator
// keeps the last one in a global.
class WactModel {
 public:
  WactModel();  // reset, and idle
  ~WactModel();
  WactModel(const WactModel&) = delete;
  WactModel& operator=(const WactModel&) = delete;

  // One cycle of reset, then until idle. Forgets everything but the tables' words: `stages` is 0.
  void reset() noexcept;
  WactOutput cycle(const WactInput& input) noexcept;
  // One cycle each, while idle. Addresses: controllers/fpga/generated/wact_interface.h.
  void write(std::uint32_t address, std::uint32_t value) noexcept;
  std::uint32_t read(std::uint32_t address) noexcept;

 private:
  struct Top;
  std::unique_ptr<Top> top_;
};

}  // namespace woa
