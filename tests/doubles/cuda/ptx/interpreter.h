// Runs PTX as the shipped kernels have it, with the memory order that PTX promises and no more. Part of the test double
// of libcuda.so.1.
//
// A store waits in a buffer of its thread. It becomes visible to others late and in any order, except as the PTX memory
// consistency model says: a barrier orders a block's threads, a fence or release orders what came before it (stores of
// the block's threads before a barrier included) with the thread's stores behind it, and an acquire lets loads behind
// it see what was released. A weak load may see what the block read at that address before, until the block acquires.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"

namespace woa::ptx {

// A piece of global memory that the device may access, at one host address.
struct Extent {
  std::uint64_t address = 0, bytes = 0;  // no bytes: nothing is there
  std::byte* memory = nullptr;
  bool store = false;  // false: may only be loaded from
  bool host = false;   // the host reads and writes it meanwhile: only operations of scope sys are in order there
};

// Global memory, by device address.
class Memory {
 public:
  virtual ~Memory() = default;
  // The extent that holds this device address. The interpreter keeps the answer until its launch ends. Any thread.
  virtual Extent find(std::uint64_t address) noexcept = 0;
};

// Things that the interpreter leaves out, so that tests show that somebody would notice.
struct Ignored {
  bool fence = false;          // fence and membar order nothing
  bool release = false;        // st.release is st.relaxed
  bool acquire = false;        // ld.acquire is a weak load
  bool barrier_order = false;  // bar.sync waits, and orders no memory
  bool barrier = false;        // bar.sync does not wait either
};

struct Weather {
  std::uint64_t seed = 1;  // of all delays and orders
  Ignored ignored = {};
};

struct Parameter {
  std::uint32_t offset = 0, bytes = 0;
};

class Module;

// An entry of a module, which outlives it.
struct Entry {
  const Module* module = nullptr;
  std::string name;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
  std::uint32_t number = 0;
};

struct Variable {
  std::string name;
  std::vector<std::byte> initial;
  std::uint32_t alignment = 1;
};

class Module {
 public:
  // kInvalid: line, and what is wrong there. kUnsupported: an instruction or directive that is not interpreted, by its
  // name and line.
  static Result<std::unique_ptr<Module>> parse(std::string_view text);
  virtual ~Module() = default;
  [[nodiscard]] virtual const Entry* entry(std::string_view name) const noexcept = 0;  // null: there is none
  // Variables of global and constant memory. The caller places all before the first launch, and then copies `initial`
  // there: an address in it is right once its variable is placed.
  [[nodiscard]] virtual std::span<const Variable> variables() const noexcept = 0;
  virtual void place(std::size_t variable, std::uint64_t address) noexcept = 0;
  [[nodiscard]] virtual std::uint32_t version() const noexcept = 0;  // 63 for .version 6.3
  [[nodiscard]] virtual std::uint32_t target() const noexcept = 0;   // 75 for sm_75
};

struct Launch {
  const Entry* entry = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::vector<std::byte> parameters;
};

enum class End : std::uint8_t { kDone, kIllegalAddress, kMisaligned, kTrapped, kStopped };

struct Outcome {
  End end = End::kDone;
  std::uint64_t address = 0;  // of a fault
  std::string what;           // "invert, line 34: st.u8 to 0x...: 1 byte past an allocation"
};

// Stores that a finished launch has made, and nobody need see yet. The destructor applies them: the caller destroys it
// before work that is ordered behind the launch, and before it tells the host that the launch has ended.
class LateStores {
 public:
  virtual ~LateStores() = default;
};

// Runs a grid on the calling thread, and returns when all its threads have ended. Other launches run at the same time
// on other threads. `stop` ends it soon; then its end is kStopped. `late`: if not null, gets stores that are not
// visible yet, or null.
Outcome run(const Launch& launch, Memory& memory, const Weather& weather, const std::atomic<bool>& stop,
            std::unique_ptr<LateStores>* late);

}  // namespace woa::ptx
