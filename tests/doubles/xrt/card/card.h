// A card with the kernel `woa_wact`, as Verilator made it from the RTL, and a memory behind its AXI port. Tests only.
// A burst or an offer that breaks AXI's rules ends the process with the rule's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/verilator/kernel_registers.h"

namespace woa {

class CardMemory {
 public:
  virtual ~CardMemory() = default;
  // The card's own copy of these bytes. Empty: there is no such memory, which the bus answers with an error.
  virtual std::span<std::byte> at(std::uint64_t address, std::size_t bytes) = 0;
};

// From a run of XRT's: `address(argument)` of the buffers, `number(argument)` of the sizes.
template <class Address, class Number>
WactArguments arguments_of(const Address& address, const Number& number) {
  return {.command = address(wact::kArgumentCommand),
          .input = address(wact::kArgumentInput),
          .output = address(wact::kArgumentOutput),
          .result = address(wact::kArgumentResult),
          .command_bytes = number(wact::kArgumentCommandBytes),
          .input_bytes = number(wact::kArgumentInputBytes),
          .output_bytes = number(wact::kArgumentOutputBytes),
          .result_bytes = number(wact::kArgumentResultBytes)};
}

struct CardOptions {
  std::uint64_t seed = 0;  // of the memory's delays and pauses; 0: none
  unsigned width = 512;    // bits of the memory's data: 64 or 512
};

// One thread at a time. Cards are independent of each other, but construct one at a time, as WactModel.
class Card {
 public:
  explicit Card(CardMemory& memory, CardOptions options = {});  // `memory` outlives it
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  // The kernel would take a run at once.
  [[nodiscard]] bool can_start();
  // Writes the arguments and starts a run; clocks the card until it has been taken.
  void start(const WactArguments& arguments);
  // True once for each run, in the order of the starts: it has ended. Tells the kernel to go on.
  bool ended();
  void clock(unsigned cycles);
  [[nodiscard]] std::uint64_t cycles() const noexcept;
  // The control registers, as the kernel's header describes them. `offset` in bytes.
  std::uint32_t read_register(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint32_t value,
                      std::uint8_t strobes = 15);  // bit k: byte k is written
  [[nodiscard]] bool interrupts() const noexcept;  // the kernel's wire
  // Holds the kernel's reset for a few cycles; runs under way are forgotten.
  void reset();

 private:
  class Wires;
  template <class Top>
  class WiresOf;
  std::unique_ptr<Wires> wires_;
};

}  // namespace woa
