#include "controllers/gpu/cuda/resident_worker.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "runtime/base/clock.h"

namespace woa {
namespace {

constexpr std::uint64_t kIdleNs = 20'000'000;  // a worker without firings gives its multiprocessor back after so long
constexpr std::size_t kLine = 64;
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kFiringAt = 2;  // words of a slot in front of the firing: turn, number of publications
constexpr std::size_t kControlBytes = sizeof(woa_worker_control);
static_assert(kControlBytes % kLine == 0 && std::atomic_ref<std::uint64_t>::is_always_lock_free);

constexpr std::size_t whole_lines(std::size_t bytes) noexcept { return (bytes + kLine - 1) / kLine * kLine; }

// Before the slot's memory: what the device reads of a firing.
constexpr std::size_t record_bytes(const WorkerShape& shape) noexcept {
  return whole_lines(kWord * (kFiringAt + shape.words + 2 * ResidentWorker::kMostPublications));
}

}  // namespace

ResidentWorker::ResidentWorker(const cuda::Library& cuda, cuda::Function entry, const WorkerShape& shape)
    : cuda_(cuda),
      entry_(entry),
      shape_(shape),
      slots_(std::bit_ceil(std::uint64_t{std::max(shape.firings, 1U)})),
      memory_offset_(record_bytes(shape)),
      slot_bytes_(memory_offset_ + whole_lines(shape.memory_bytes)) {}

Result<std::unique_ptr<ResidentWorker>> ResidentWorker::make(const cuda::Library& cuda, cuda::Function entry,
                                                             const WorkerShape& shape) {
  std::unique_ptr<ResidentWorker> worker(new ResidentWorker(cuda, entry, shape));
  WOA_RETURN_IF_ERROR(worker->open());
  return worker;
}

Status ResidentWorker::open() {
  const std::size_t bytes = kControlBytes + slots_ * slot_bytes_;
  void* memory = nullptr;
  if (const auto code = cuda_.host_alloc(&memory, bytes, cuda::kHostAllocPortable | cuda::kHostAllocMapped);
      code != cuda::kSuccess)
    return cuda_failure("cuMemHostAlloc of " + std::to_string(bytes) + " bytes for a resident worker", code);
  memory_ = static_cast<std::byte*>(memory);
  std::memset(memory_, 0, bytes);
  if (const auto code = cuda_.host_device_pointer(&device_, memory, 0); code != cuda::kSuccess)
    return cuda_failure("cuMemHostGetDevicePointer", code);
  if (const auto code = cuda_.stream_create(&stream_, cuda::kStreamNonBlocking); code != cuda::kSuccess)
    return cuda_failure("cuStreamCreate", code);
  return {};
}

// A kernel that has not left may still store: its memory is the process's until that ends.
ResidentWorker::~ResidentWorker() {
  if (memory_ == nullptr || word(offsetof(woa_worker_control, parked)).load(std::memory_order_acquire) != epoch_)
    return;
  if (stream_ != nullptr) {
    cuda_.stream_synchronize(stream_);  // it has left, or is about to
    cuda_.stream_destroy(stream_);
  }
  cuda_.host_free(memory_);
}

std::uint64_t* ResidentWorker::slot(std::uint64_t firing) const noexcept {
  return reinterpret_cast<std::uint64_t*>(memory_ + kControlBytes + (firing & (slots_ - 1)) * slot_bytes_);
}

std::atomic_ref<std::uint64_t> ResidentWorker::word(std::size_t offset) const noexcept {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_ + offset));
}

std::uint64_t ResidentWorker::done() const noexcept {
  return word(offsetof(woa_worker_control, done)).load(std::memory_order_acquire);
}

ResidentWorker::SlotMemory ResidentWorker::slot_memory() const noexcept {
  std::byte* const at = reinterpret_cast<std::byte*>(slot(submitted_)) + memory_offset_;
  return {{at, slot_bytes_ - memory_offset_}, device_ + static_cast<std::uint64_t>(at - memory_)};
}

// The kernel stores `parked` and then looks at the turn, this stores the turn and then looks at `parked`, all in one
// order: so one of them sees the other.
Status ResidentWorker::submit(std::span<const std::uint64_t> words,
                              std::span<const DevicePublication> publications) noexcept {
  assert(words.size() == shape_.words && publications.size() <= kMostPublications && has_room());
  std::uint64_t* const at = slot(submitted_);
  at[1] = publications.size();
  std::uint64_t* to = std::copy(words.begin(), words.end(), at + kFiringAt);
  for (const DevicePublication& publication : publications) {
    *to++ = publication.word | (publication.behind ? 1 : 0);
    *to++ = publication.value;
  }
  std::atomic_ref(at[0]).store(++submitted_, std::memory_order_seq_cst);
  const bool parked = word(offsetof(woa_worker_control, parked)).load(std::memory_order_seq_cst) == epoch_;
  return parked ? launch() : Status();
}

// Behind the kernel of the epoch before, if that has not ended: the stream is in order.
Status ResidentWorker::launch() noexcept {
  woa_worker worker{device_ + kControlBytes, slots_, slot_bytes_, device_, ++epoch_, kIdleNs};
  std::size_t bytes = sizeof worker;
  std::array<void*, 5> extra{cuda::kLaunchBuffer, &worker, cuda::kLaunchBufferBytes, &bytes, cuda::kLaunchEnd};
  const auto code = cuda_.launch(entry_, 1, 1, 1, shape_.block[0], shape_.block[1], shape_.block[2],
                                 shape_.shared_bytes, stream_, nullptr, extra.data());
  if (code == cuda::kSuccess) return {};
  --epoch_;
  return cuda_failure("the launch of a resident worker", code);
}

bool ResidentWorker::stop(std::uint64_t limit_ns) noexcept {
  word(offsetof(woa_worker_control, stop)).store(epoch_, std::memory_order_release);
  const auto parked = word(offsetof(woa_worker_control, parked));
  for (const std::uint64_t end = now_ns() + limit_ns; parked.load(std::memory_order_acquire) != epoch_;) {
    if (now_ns() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace woa
