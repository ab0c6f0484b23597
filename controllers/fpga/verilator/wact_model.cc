#include "controllers/fpga/verilator/wact_model.h"

#include <Vwact_node.h>
#include <verilated.h>
#ifdef WOA_RTL_COVERAGE
#include <verilated_cov.h>

#include <string>
#endif

namespace woa {

struct WactModel::Top {
  // One per model. By default a context starts a thread per core, which only multi-threaded models need.
  struct OneThread : VerilatedContext {
    OneThread() { threads(1); }
  };
  OneThread context;
  Vwact_node node{&context};
};

WactModel::WactModel() : top_(std::make_unique<Top>()) { reset(); }

WactModel::~WactModel() {
  top_->node.final();
#ifdef WOA_RTL_COVERAGE  // the test that reports structural coverage, tests/rtl/coverage.py
  static unsigned models = 0;
  top_->context.coveragep()->write((WOA_RTL_COVERAGE "/" + std::to_string(models++) + ".dat").c_str());
#endif
}

void WactModel::reset() noexcept {
  top_->node.rst = 1;
  cycle({});
  top_->node.rst = 0;
  while (!cycle({}).idle) {
  }
}

WactOutput WactModel::cycle(const WactInput& input) noexcept {
  Vwact_node& node = top_->node;
  node.s_tdata = input.s_tdata;
  node.s_tvalid = input.s_tvalid;
  node.s_tlast = input.s_tlast;
  node.l_tdata = input.l_tdata;
  node.l_tvalid = input.l_tvalid;
  node.l_tlast = input.l_tlast;
  node.m_tready = input.m_tready;
  node.c_tready = input.c_tready;
  node.clk = 0;
  node.eval();  // outputs that depend on inputs within the cycle
  const WactOutput output{.m_tdata = node.m_tdata,
                          .c_tdata = node.c_tdata,
                          .s_tready = node.s_tready != 0,
                          .l_tready = node.l_tready != 0,
                          .m_tvalid = node.m_tvalid != 0,
                          .m_tlast = node.m_tlast != 0,
                          .m_tuser = node.m_tuser,
                          .c_tvalid = node.c_tvalid != 0,
                          .c_tlast = node.c_tlast != 0,
                          .idle = node.idle != 0};
  node.clk = 1;
  node.eval();
  return output;
}

void WactModel::write(std::uint32_t address, std::uint32_t value) noexcept {
  Vwact_node& node = top_->node;
  node.r_address = static_cast<std::uint16_t>(address);
  node.r_wdata = value;
  node.r_write = 1;
  cycle({});
  node.r_write = 0;
}

std::uint32_t WactModel::read(std::uint32_t address) noexcept {
  Vwact_node& node = top_->node;
  node.r_address = static_cast<std::uint16_t>(address);
  node.r_read = 1;
  cycle({});
  node.r_read = 0;
  return node.r_rdata;
}

}  // namespace woa
