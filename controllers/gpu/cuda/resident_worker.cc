#include "controllers/gpu/cuda/resident_worker.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace woa {
namespace {

constexpr std::uint64_t kIdleNs = 20'000'000;  // a worker without firings gives its multiprocessor back after so long
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kFiringAt = 2;  // words of a slot in front of the firing: turn, number of publications
constexpr std::size_t kControlBytes = sizeof(woa_worker_control);
static_assert(kControlBytes % FiringMemory::kAlignment == 0 && std::atomic_ref<std::uint64_t>::is_always_lock_free);

// Before the slot's memory: what the device reads of a firing.
constexpr std::size_t record_bytes(const WorkerShape& shape) noexcept {
  return FiringMemory::whole_lines(kWord * (kFiringAt + shape.words + 2 * ResidentWorker::kMostPublications));
}

}  // namespace

ResidentWorker::ResidentWorker(const CudaContext& context, cuda::Function entry, const WorkerShape& shape)
    : context_(context),
      entry_(entry),
      shape_(shape),
      slots_(std::bit_ceil(std::uint64_t{std::max(shape.firings, 1U)})),
      memory_offset_(record_bytes(shape)),
      slot_bytes_(memory_offset_ + FiringMemory::whole_lines(shape.memory_bytes)) {}

Result<std::unique_ptr<ResidentWorker>> ResidentWorker::make(const CudaContext& context, cuda::Function entry,
                                                             const WorkerShape& shape) {
  std::unique_ptr<ResidentWorker> worker(new ResidentWorker(context, entry, shape));
  WOA_RETURN_IF_ERROR(worker->open());
  return worker;
}

Status ResidentWorker::open() {
  auto memory = PinnedMemory::make(context_, kControlBytes + slots_ * slot_bytes_);
  if (!memory.ok()) return memory.status();
  memory_ = std::move(*memory);
  auto stream = context_.make_stream(true);
  if (!stream.ok()) return stream.status();
  stream_ = std::move(*stream);
  return {};
}

// A kernel that has not left may still store.
ResidentWorker::~ResidentWorker() {
  if (stream_ == nullptr || has_left()) return;
  new PinnedMemory(std::move(memory_));
  (void)stream_.release();
}

std::size_t ResidentWorker::slot(std::uint64_t firing) const noexcept {
  return kControlBytes + (firing & (slots_ - 1)) * slot_bytes_;
}

std::atomic_ref<std::uint64_t> ResidentWorker::word(std::size_t offset) const noexcept {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_.host(offset)));
}

bool ResidentWorker::has_left() const noexcept {
  return word(offsetof(woa_worker_control, parked)).load(std::memory_order_acquire) == epoch_;
}

std::uint64_t ResidentWorker::done() const noexcept {
  return word(offsetof(woa_worker_control, done)).load(std::memory_order_acquire);
}

FiringMemory ResidentWorker::slot_memory() const noexcept {
  const std::size_t at = slot(submitted_) + memory_offset_;
  return {{memory_.host(at), slot_bytes_ - memory_offset_}, memory_.device(at)};
}

// The kernel stores `parked` and then looks at the turn, this stores the turn and then looks at `parked`, all in one
// order: so one of them sees the other.
Status ResidentWorker::submit(std::span<const std::uint64_t> words,
                              std::span<const DevicePublication> publications) noexcept {
  assert(words.size() == shape_.words && publications.size() <= kMostPublications && has_room());
  auto* const at = reinterpret_cast<std::uint64_t*>(memory_.host(slot(submitted_)));
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
  const woa_worker worker{memory_.device(kControlBytes), slots_, slot_bytes_, memory_.device(), ++epoch_, kIdleNs};
  Status status = cuda_launch(context_.cuda(), "the launch of a resident worker",
                              {.function = entry_, .block = shape_.block, .shared_bytes = shape_.shared_bytes},
                              stream_.get(), std::as_bytes(std::span(&worker, 1)));
  if (!status.ok()) --epoch_;
  return status;
}

// `parked` does not say that the kernel has ended: it looks once more, in memory that is freed soon.
void ResidentWorker::stop() noexcept {
  word(offsetof(woa_worker_control, stop)).store(epoch_, std::memory_order_release);
}

}  // namespace woa
