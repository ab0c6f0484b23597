#include "controllers/fpga/verilator/wact_kernel_model.h"

#include <Vwact_kernel_64.h>
#include <verilated.h>

#include <cstring>
#include <deque>
#include <vector>

namespace woa {
namespace {

using kernel_registers::kContinue, kernel_registers::kControl, kernel_registers::kDone;

constexpr std::uint8_t kDecodeError = 3;  // of AXI: there is no such memory
constexpr std::size_t kBeatBytes = 8;
// After this many cycles in which no beat moves, the kernel counts as broken.
constexpr std::uint64_t kStuckCycles = 1'000'000;

class Model final : public WactKernelModel {
 public:
  explicit Model(std::size_t memory_bytes) : memory_(memory_bytes) { reset(); }
  ~Model() override { top_.final(); }

  [[nodiscard]] std::span<std::byte> memory() noexcept override { return memory_; }

  Status run(const WactArguments& arguments) override {
    kernel_registers::start(arguments, [this](std::uint32_t at, std::uint32_t value) { write(at, value); });
    for (quiet_ = 0; quiet_ < kStuckCycles;) {
      if ((read(kControl) & kDone) == 0) continue;
      write(kControl, kContinue);
      return {};
    }
    return {Code::kInternal, "the model of the packet node's kernel hangs"};
  }

 private:
  // A burst under way: its next beat's address, and how many beats are to come.
  struct Burst {
    std::uint64_t address = 0;
    unsigned beats = 0;
    bool known = true;  // all of it was memory, so far
  };
  struct OneThread : VerilatedContext {
    OneThread() { threads(1); }
  };

  void reset() {
    top_.ap_rst_n = 0;
    for (int k = 0; k < 4; ++k) cycle();
    top_.ap_rst_n = 1;
  }

  std::uint32_t read(std::uint32_t offset) {
    return kernel_registers::read(
        top_, [this] { cycle(); }, offset);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    kernel_registers::write(
        top_, [this] { cycle(); }, offset, value);
  }

  // The place of a beat; null: there is no such memory.
  std::byte* at(std::uint64_t address) {
    return address % kBeatBytes == 0 && address + kBeatBytes <= memory_.size() ? memory_.data() + address : nullptr;
  }

  void cycle() {
    offer();
    top_.ap_clk = 0;
    top_.eval();
    take();
    top_.ap_clk = 1;
    top_.eval();
  }

  // The memory's wires in this cycle.
  void offer() {
    top_.m_axi_gmem_arready = top_.m_axi_gmem_awready = 1;
    top_.m_axi_gmem_wready = !writes_.empty();
    top_.m_axi_gmem_rvalid = !reads_.empty();
    if (!reads_.empty()) {
      const std::byte* const beat = at(reads_.front().address);
      if (beat != nullptr) std::memcpy(&top_.m_axi_gmem_rdata, beat, kBeatBytes);
      top_.m_axi_gmem_rresp = beat == nullptr ? kDecodeError : 0;
      top_.m_axi_gmem_rlast = reads_.front().beats == 1;
    }
    top_.m_axi_gmem_bvalid = !answers_.empty();
    top_.m_axi_gmem_bresp = answers_.empty() || answers_.front() ? 0 : kDecodeError;
  }

  // Beats that move at the end of this cycle.
  void take() {
    ++quiet_;
    const bool answered = top_.m_axi_gmem_bvalid && top_.m_axi_gmem_bready;
    if (top_.m_axi_gmem_rvalid && top_.m_axi_gmem_rready) {
      quiet_ = 0;
      step(reads_);
    }
    if (top_.m_axi_gmem_wvalid && top_.m_axi_gmem_wready) {
      quiet_ = 0;
      Burst& burst = writes_.front();
      store(burst);
      if (burst.beats == 1) answers_.push_back(burst.known);
      step(writes_);
    }
    if (answered) answers_.pop_front();
    if (top_.m_axi_gmem_arvalid) reads_.push_back({top_.m_axi_gmem_araddr, top_.m_axi_gmem_arlen + 1U});
    if (top_.m_axi_gmem_awvalid) writes_.push_back({top_.m_axi_gmem_awaddr, top_.m_axi_gmem_awlen + 1U});
  }

  static void step(std::deque<Burst>& bursts) {
    bursts.front().address += kBeatBytes;
    if (--bursts.front().beats == 0) bursts.pop_front();
  }

  void store(Burst& burst) {
    std::byte* const place = at(burst.address);
    burst.known = burst.known && place != nullptr;
    for (std::size_t k = 0; place != nullptr && k < kBeatBytes; ++k)
      if ((top_.m_axi_gmem_wstrb >> k & 1) != 0)
        place[k] = static_cast<std::byte>(top_.m_axi_gmem_wdata >> 8 * k & 0xff);
  }

  std::vector<std::byte> memory_;
  OneThread context_;
  Vwact_kernel_64 top_{&context_};
  std::deque<Burst> reads_, writes_;
  std::deque<bool> answers_;  // to bursts that were written; false: an error
  std::uint64_t quiet_ = 0;   // cycles since a beat moved
};

}  // namespace

Result<std::unique_ptr<WactKernelModel>> WactKernelModel::make(std::size_t memory_bytes) {
  return std::unique_ptr<WactKernelModel>(std::make_unique<Model>(memory_bytes));
}

}  // namespace woa
