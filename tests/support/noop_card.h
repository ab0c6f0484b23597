// The verilated kernel behind XRT's no-op shim, on the host's copies of the buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tests/doubles/xrt/card/card.h"
#include "tests/support/noop_xrt.h"

namespace woa::test {

class NoopCard {
 public:
  void operator()(const NoopRun& run) {
    const auto address = [&](wact::Argument argument) { return reinterpret_cast<std::uint64_t>(run.memory[argument]); };
    const auto number = [&](wact::Argument argument) { return run.value[argument]; };
    parts_->card.start(arguments_of(address, number));
    do parts_->card.clock(64);
    while (!parts_->card.ended());
  }

 private:
  struct HostMemory final : CardMemory {
    std::span<std::byte> at(std::uint64_t address, std::size_t bytes) override {
      return {reinterpret_cast<std::byte*>(address), bytes};
    }
  };
  struct Parts {
    HostMemory memory;
    Card card{memory};
  };
  std::shared_ptr<Parts> parts_ = std::make_shared<Parts>();
};

}  // namespace woa::test
