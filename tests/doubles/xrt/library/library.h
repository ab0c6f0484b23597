// Cards, the handles that callers hold, and the checks of every call.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/xrt/xclbin.h"
#include "controllers/fpga/xrt/xrt_api.h"
#include "tests/doubles/common/handles.h"
#include "tests/doubles/xrt/library/memory.h"
#include "tests/doubles/xrt/library/options.h"
#include "tests/doubles/xrt/library/unit.h"

namespace woa::xrt_double {

// A card of the machine.
struct Board {
  explicit Board(unsigned number) : index(number) {}

  struct Slot {
    std::unique_ptr<Unit> unit;          // made when the kernel is first opened
    unsigned shared = 0, exclusive = 0;  // kernels that are open
  };

  [[nodiscard]] bool failed() const;  // a run of it was slow or hung, or it is lost
  [[nodiscard]] bool lost() const;

  unsigned index;
  Banks banks;
  mutable std::mutex mutex;
  std::optional<Xclbin> xclbin;
  std::vector<Slot> slots;  // by the xclbin's units
  int lock_file = -1;       // of the word card=
};

struct Device {
  Board* board;
};

struct Kernel {
  Device* device;
  std::uint32_t slot;
  bool exclusive, is_node;
};

struct Buffer {
  Device* device;
  std::shared_ptr<Memory> memory;
  std::size_t offset, bytes;
  Buffer* parent;                  // null: it is no part
  std::atomic<unsigned> users{0};  // runs under way

  [[nodiscard]] std::uint64_t address() const { return memory->address + offset; }
  [[nodiscard]] std::byte* host() const { return memory->host + offset; }
  [[nodiscard]] std::byte* card() const { return memory->card->data() + offset; }
};

inline constexpr int kArguments = wact::kArgumentResultBytes + 1;
constexpr bool is_buffer(int argument) { return argument <= static_cast<int>(wact::kArgumentResult); }

struct Run {
  Kernel* kernel;
  void* handle = nullptr;

  struct Value {
    Buffer* buffer = nullptr;
    std::uint32_t number = 0;
    bool is_set = false;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::array<Value, kArguments> values;
  WactArguments arguments{};  // of the last start
  bool started = false, under_way = false;
  int state = xrt::kNew;
  bool stale = false;  // the next question for the state gets an old one
  xrt::RunCallback callback = nullptr;
  void* user = nullptr;
  unsigned calls_due = 0;
};

struct Library {
  Library();
  std::vector<std::unique_ptr<Board>> boards;
  doubles::Handles<Device> devices{1, "device"};
  doubles::Handles<Kernel> kernels{2, "kernel"};
  doubles::Handles<Buffer> buffers{3, "buffer"};
  doubles::Handles<Run> runs{4, "run"};
  std::atomic<bool> opened{false};  // a device was: before that, settings alone are made, which a child inherits
  std::atomic<bool> forked{false}, silent{false};
  std::array<std::atomic<std::uint64_t>, kFailures> counts{};
};
Library& library();

// Prints "woa_xrt_double: RULE: function: text" and aborts; under rules=errors it prints, sets errno, and returns
// EPERM.
int broken(std::string_view rule, std::string_view function, std::string_view text);

// A call that fails: prints its reason unless the caller silenced the library, sets errno, and returns `error`. XRT's
// functions return numbers of either sign.
int refuse(std::string_view function, int error, std::string_view reason);

// Counts a call; true: the option fail= names this one.
bool fails(Failure failure);

// False: the call is within a callback, or in a forked child.
bool enter(std::string_view function);

// An object that lives; null: a broken rule, or enter() is false.
template <class T>
T* find(doubles::Handles<T>& handles, void* handle, std::string_view function) {
  if (!enter(function)) return nullptr;
  std::string why;
  T* const object = handles.find(handle, why);
  if (object == nullptr) broken("handle", function, why);
  return object;
}

// Things of a device that are alive, as text; empty: none.
std::string leaks_of(const Device& device);

}  // namespace woa::xrt_double
