#include "tests/doubles/xrt/card/card.h"

#include <Vwact_kernel_512.h>
#include <Vwact_kernel_64.h>
#include <verilated.h>
#ifdef WOA_RTL_COVERAGE
#include <verilated_cov.h>

#include <string>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "tests/doubles/common/rules.h"

namespace woa {
namespace {

using kernel_registers::kContinue, kernel_registers::kControl, kernel_registers::kDone, kernel_registers::kStart;

void require(bool kept, const char* channel, const char* rule) {
  if (!kept) doubles::broken("woa_xrt_card", "axi", channel, rule, false);
}

}  // namespace

class Card::Wires {
 public:
  virtual ~Wires() = default;
  virtual void cycle() = 0;
  virtual void reset() = 0;
  virtual std::uint32_t read(std::uint32_t offset) = 0;
  virtual void write(std::uint32_t offset, std::uint32_t value, std::uint8_t strobes = 15) = 0;
  [[nodiscard]] virtual bool interrupts() const = 0;
  std::uint64_t cycles = 0;
};

// The wires of one width, and the memory as an AXI4 slave: answers in order, with seeded delays and pauses.
template <class Top>
class Card::WiresOf final : public Wires {
 public:
  WiresOf(CardMemory& memory, std::uint64_t seed) : memory_(memory), pauses_(seed != 0), random_(seed) { reset(); }
  ~WiresOf() override {
    top_.final();
#ifdef WOA_RTL_COVERAGE  // the test that reports structural coverage, tests/rtl/coverage.py
    static unsigned cards = 0;
    const std::string name = "/kernel" + std::to_string(8 * kBeat) + "-" + std::to_string(cards++) + ".dat";
    context_.coveragep()->write((WOA_RTL_COVERAGE + name).c_str());
#endif
  }

  void cycle() override {
    offer();
    top_.ap_clk = 0;
    top_.eval();
    if (top_.ap_rst_n) look();
    const bool reads = top_.m_axi_gmem_arvalid && top_.m_axi_gmem_arready;
    const bool read = top_.m_axi_gmem_rvalid && top_.m_axi_gmem_rready;
    const bool writes = top_.m_axi_gmem_awvalid && top_.m_axi_gmem_awready;
    const bool wrote = top_.m_axi_gmem_wvalid && top_.m_axi_gmem_wready;
    const bool answered = top_.m_axi_gmem_bvalid && top_.m_axi_gmem_bready;
    if (reads) reads_.push_back(burst("ar", top_.m_axi_gmem_araddr, top_.m_axi_gmem_arlen + 1u, pause(60)));
    if (writes) writes_.push_back(burst("aw", top_.m_axi_gmem_awaddr, top_.m_axi_gmem_awlen + 1u, 0));
    if (wrote) gather();
    if (read) next_beat(reads_);
    if (answered) answers_.pop_front();
    top_.ap_clk = 1;
    top_.eval();
    ++cycles;
  }

  // The memory is reset with the kernel: it forgets what it was asked for.
  void reset() override {
    top_.ap_rst_n = 0;
    for (int k = 0; k < 4; ++k) cycle();
    reads_.clear();
    writes_.clear();
    answers_.clear();
    top_.m_axi_gmem_rvalid = top_.m_axi_gmem_bvalid = 0;
    read_taken_ = false;
    for (Offer* offer : {&ar_, &aw_, &w_}) offer->forget();
    top_.ap_rst_n = 1;
  }

  std::uint32_t read(std::uint32_t offset) override {
    return kernel_registers::read(
        top_, [this] { cycle(); }, offset);
  }
  void write(std::uint32_t offset, std::uint32_t value, std::uint8_t strobes) override {
    kernel_registers::write(
        top_, [this] { cycle(); }, offset, value, strobes);
  }

  [[nodiscard]] bool interrupts() const override { return top_.__SYM__interrupt; }  // Verilator's name for it

 private:
  // An offer of the kernel on one channel: it stands, unchanged, until it is taken.
  class Offer {
   public:
    template <class... Parts>
    void look(const char* channel, bool valid, bool ready, const Parts&... parts) {
      std::array<std::byte, (1 + ... + sizeof(Parts))> now{std::byte{valid}};
      static_assert(sizeof now <= sizeof shown_);
      std::size_t at = 1;
      if (valid) ((std::memcpy(now.data() + at, &parts, sizeof parts), at += sizeof parts), ...);
      require(!stands_ || std::memcmp(now.data(), shown_.data(), sizeof now) == 0, channel,
              "an offer was changed or withdrawn before it was taken");
      std::memcpy(shown_.data(), now.data(), sizeof now);
      stands_ = valid && !ready;
    }
    void forget() { stands_ = false; }

   private:
    bool stands_ = false;
    std::array<std::byte, 80> shown_{};
  };
  static constexpr std::size_t kBeat = sizeof(Top::m_axi_gmem_rdata);
  struct Beat {
    std::array<std::byte, kBeat> bytes;
    std::uint64_t strobes = 0;
  };
  struct Burst {  // that the kernel asked for
    std::uint64_t address = 0;
    unsigned beats = 0;  // that are still to come
    unsigned wait = 0;   // cycles until its answer begins
    std::vector<Beat> written;
  };

  unsigned pause(unsigned most) { return pauses_ ? static_cast<unsigned>(random_() % most) : 0; }
  bool rests() { return pauses_ && random_() % 4 == 0; }

  void look() {
    ar_.look("ar", top_.m_axi_gmem_arvalid, top_.m_axi_gmem_arready, top_.m_axi_gmem_araddr, top_.m_axi_gmem_arlen);
    aw_.look("aw", top_.m_axi_gmem_awvalid, top_.m_axi_gmem_awready, top_.m_axi_gmem_awaddr, top_.m_axi_gmem_awlen);
    w_.look("w", top_.m_axi_gmem_wvalid, top_.m_axi_gmem_wready, top_.m_axi_gmem_wdata, top_.m_axi_gmem_wstrb,
            top_.m_axi_gmem_wlast);
  }

  static Burst burst(const char* channel, std::uint64_t address, unsigned beats, unsigned wait) {
    require(address % kBeat == 0, channel, "a burst begins within a beat of the bus");
    require(address % 4096 + beats * kBeat <= 4096, channel, "a burst crosses a boundary of 4 KiB");
    return {address, beats, wait, {}};
  }

  // Sets the memory's wires for the next cycle. An offer stands until it is taken.
  void offer() {
    top_.m_axi_gmem_arready = !rests();
    top_.m_axi_gmem_awready = !rests();
    top_.m_axi_gmem_wready = !writes_.empty() && !rests();
    if (!reads_.empty() && reads_.front().wait > 0) --reads_.front().wait;
    if (!top_.m_axi_gmem_rvalid || read_taken_) {
      top_.m_axi_gmem_rvalid = !reads_.empty() && reads_.front().wait == 0 && !rests();
      if (top_.m_axi_gmem_rvalid) load(reads_.front());
    }
    read_taken_ = false;
    for (Burst& burst : answers_) burst.wait -= burst.wait > 1 ? 1 : 0;
    top_.m_axi_gmem_bvalid = !answers_.empty() && answers_.front().wait == 1;
    top_.m_axi_gmem_bresp = !top_.m_axi_gmem_bvalid || store(answers_.front()) ? 0 : 3;
  }

  void load(const Burst& burst) {
    std::array<std::byte, kBeat> beat{};
    const std::span<std::byte> whole = memory_.at(burst.address, kBeat);
    bool known = !whole.empty();
    if (known) std::memcpy(beat.data(), whole.data(), kBeat);
    for (std::size_t k = 0; k < kBeat && whole.empty(); k += 8) {
      const std::span<std::byte> word = memory_.at(burst.address + k, 8);
      known = known || (k == 0 && !word.empty());  // what lies behind the end of a buffer need not be memory
      if (!word.empty()) std::memcpy(beat.data() + k, word.data(), 8);
    }
    std::memcpy(&top_.m_axi_gmem_rdata, beat.data(), kBeat);
    top_.m_axi_gmem_rresp = known ? 0 : 3;
    top_.m_axi_gmem_rlast = burst.beats == 1;
  }

  void next_beat(std::deque<Burst>& bursts) {
    read_taken_ = true;
    bursts.front().address += kBeat;
    if (--bursts.front().beats == 0) bursts.pop_front();
  }

  void gather() {
    Burst& burst = writes_.front();
    require(top_.m_axi_gmem_wlast == (burst.beats == 1), "w", "WLAST is not at the burst's last beat");
    Beat& beat = burst.written.emplace_back();
    std::memcpy(beat.bytes.data(), &top_.m_axi_gmem_wdata, kBeat);
    beat.strobes = top_.m_axi_gmem_wstrb;
    if (--burst.beats != 0) return;
    burst.wait = 2 + pause(60);
    answers_.push_back(std::move(burst));
    writes_.pop_front();
  }

  // False: some of it is no memory.
  bool store(const Burst& burst) {
    bool known = true;
    std::uint64_t address = burst.address;
    for (const Beat& beat : burst.written) {
      for (std::size_t k = 0, count = 0; k < kBeat; k += count) {  // bytes that are written, then some that are not
        const std::uint64_t strobes = beat.strobes >> k;
        const int alike = strobes % 2 == 1 ? std::countr_one(strobes) : std::countr_zero(strobes);
        count = std::min(static_cast<std::size_t>(alike), kBeat - k);
        if (strobes % 2 == 0) continue;
        const std::span<std::byte> place = memory_.at(address + k, count);
        known = known && !place.empty();
        if (!place.empty()) std::memcpy(place.data(), beat.bytes.data() + k, count);
      }
      address += kBeat;
    }
    return known;
  }

  struct OneThread : VerilatedContext {
    OneThread() { threads(1); }
  };
  CardMemory& memory_;
  const bool pauses_;
  std::mt19937_64 random_;
  OneThread context_;
  Top top_{&context_};
  std::deque<Burst> reads_, writes_, answers_;  // what is written is in memory once it is answered
  bool read_taken_ = false;
  Offer ar_, aw_, w_;
};

Card::Card(CardMemory& memory, CardOptions options) {
  if (options.width == 64) {
    wires_ = std::make_unique<WiresOf<Vwact_kernel_64>>(memory, options.seed);
  } else {
    wires_ = std::make_unique<WiresOf<Vwact_kernel_512>>(memory, options.seed);
  }
}

Card::~Card() = default;

bool Card::can_start() { return (wires_->read(kControl) & kStart) == 0; }

void Card::start(const WactArguments& arguments) {
  while (!can_start()) wires_->cycle();
  kernel_registers::start(arguments, [this](std::uint32_t at, std::uint32_t value) { wires_->write(at, value); });
}

bool Card::ended() {
  if ((wires_->read(kControl) & kDone) == 0) return false;
  wires_->write(kControl, kContinue);
  return true;
}

void Card::clock(unsigned count) {
  for (unsigned k = 0; k < count; ++k) wires_->cycle();
}

std::uint64_t Card::cycles() const noexcept { return wires_->cycles; }
std::uint32_t Card::read_register(std::uint32_t offset) { return wires_->read(offset); }
void Card::write_register(std::uint32_t offset, std::uint32_t value, std::uint8_t strobes) {
  wires_->write(offset, value, strobes);
}
bool Card::interrupts() const noexcept { return wires_->interrupts(); }
void Card::reset() { wires_->reset(); }

}  // namespace woa
