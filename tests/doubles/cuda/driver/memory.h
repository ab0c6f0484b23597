// Memory that kernels and copies may touch: device memory, and host memory that was allocated or registered for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "controllers/gpu/cuda/cuda_api.h"
#include "tests/doubles/cuda/ptx/interpreter.h"

namespace woa::cuda_double {

class ContextState;

enum class Origin { kDevice, kVariable, kHostAlloc, kRegistered };

// Stays for the life of the process, since an operation may name it after its end.
struct Range {
  Origin origin = Origin::kDevice;
  const ContextState* context = nullptr;
  bool portable = false;  // other contexts may touch it, too
  bool read_only = false;
  std::uint64_t device = 0;  // address on the device; the host's differs, except for kHostAlloc
  std::byte* storage = nullptr;
  std::size_t bytes = 0;
  std::atomic<std::uint64_t> users{0};  // operations under way; relaxed, so that it orders nothing
};

// An operation's hold on ranges.
class Uses {
 public:
  Uses() = default;
  Uses(Uses&& other) noexcept : ranges_(std::move(other.ranges_)) { other.ranges_.clear(); }
  Uses& operator=(Uses&&) = delete;
  ~Uses() { end(); }
  void add(Range* range);
  void end();

 private:
  std::vector<Range*> ranges_;
};

class MemoryMap {
 public:
  // Null: the device has no such room.
  Range* add_device(const ContextState* context, std::size_t bytes, Origin origin);
  Range* add_host_alloc(const ContextState* context, std::size_t bytes, bool portable);
  // The caller has checked the pages. Null: part of it is known already.
  Range* add_registered(const ContextState* context, void* at, std::size_t bytes, bool portable, bool read_only,
                        bool reachable);
  void remove(Range* range);
  void remove_all_of(const ContextState* context);

  // The range that holds all these bytes, and that `context` may touch; else null.
  Range* on_device(const ContextState* context, std::uint64_t address, std::size_t bytes);
  Range* on_host(const ContextState* context, const void* at, std::size_t bytes);
  // The range that begins there, of any context.
  Range* begins_on_device(std::uint64_t address);
  Range* begins_on_host(const void* at);
  std::vector<const Range*> all_of(const ContextState* context);
  std::size_t free_bytes();

 private:
  using Ranges = std::map<std::uint64_t, Range*>;
  static Range* find(const Ranges& ranges, std::uint64_t address, std::size_t bytes, bool host);
  bool overlaps_host(std::uint64_t begin, std::size_t bytes);
  void insert(Range* range, bool reachable);

  std::shared_mutex mutex_;  // shared by readers, which it does not order
  Ranges by_device_, by_host_;
  std::vector<std::unique_ptr<Range>> ever_;
  std::size_t device_bytes_ = 0;
};

MemoryMap& memory_map();

// The interpreter's view: `context`'s.
class View final : public ptx::Memory {
 public:
  explicit View(const ContextState* context) : context_(context) {}
  ptx::Extent find(std::uint64_t address) noexcept override;

 private:
  const ContextState* context_;
};

}  // namespace woa::cuda_double
