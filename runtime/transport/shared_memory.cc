#include "runtime/transport/shared_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "runtime/transport/prepared_ring.h"
#include "runtime/transport/ring_layout.h"
#include "runtime/transport/ring_receiver.h"
#include "runtime/transport/ring_sender.h"

namespace woa {
namespace {

constexpr std::size_t kMaxLabel = 200;  // memfd_create takes 249 bytes

Result<std::shared_ptr<Mapping>> map_channel(const ChannelSpec& spec, SharedSegment& segment) {
  const Result<std::size_t> bytes = ring_channel_bytes(spec);
  if (!bytes.ok()) return bytes.status();
  if (segment.bytes() != *bytes)
    return {Code::kInvalid, "channel: it has " + std::to_string(*bytes) + " bytes and its segment " +
                                std::to_string(segment.bytes()) + "; allocate ring_channel_bytes() of the same spec"};
  Result<std::unique_ptr<Mapping>> mapping = segment.map(Access::kReadWrite);
  if (!mapping.ok()) return mapping.status();
  return std::shared_ptr<Mapping>(std::move(*mapping));
}

}  // namespace

SharedSegment::SharedSegment(std::unique_ptr<Mapping> memory)
    : memory_(std::move(memory)), bytes_(memory_->bytes().size()) {}

SharedSegment::SharedSegment(UniqueFd file, std::size_t bytes)
    : file_(std::make_shared<UniqueFd>(std::move(file))), bytes_(bytes) {}

Result<std::shared_ptr<SharedSegment>> SharedSegment::make(std::string_view label, std::size_t bytes) {
  const std::string what = "shm: segment '" + std::string(label) + "' of " + std::to_string(bytes) + " bytes";
  if (bytes == 0) return {Code::kInvalid, what + "; it needs at least 1"};
  const std::string name = "woa:" + std::string(label.substr(0, kMaxLabel));
  UniqueFd file(memfd_create(name.c_str(), MFD_ALLOW_SEALING | MFD_CLOEXEC));
  if (file.get() < 0) return limit_reached(what + ": memfd_create", errno);
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
    const Status limit = limit_reached(what + ": ftruncate", errno);
    return {limit.code(), limit.message() + "; or lower the window or the ports' bounds"};
  }
  if (fcntl(file.get(), F_ADD_SEALS, kSegmentSeals) != 0)
    return {Code::kInternal, what + ": " + system_error("F_ADD_SEALS")};
  return std::make_shared<SharedSegment>(std::move(file), bytes);
}

Result<std::shared_ptr<SharedSegment>> SharedSegment::open(int descriptor, std::size_t bytes) {
  UniqueFd file(descriptor);
  if (descriptor < 0) return {Code::kInvalid, "shm: no descriptor came with the segment; the peer must send one"};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0) return {Code::kInvalid, "shm: descriptor is no memfd: " + system_error("F_GET_SEALS")};
  if ((seals & kSegmentSeals) != kSegmentSeals)
    return {Code::kInvalid, "shm: segment is not sealed against resizing (seals " + std::to_string(seals) +
                                ", expected " + std::to_string(kSegmentSeals) +
                                "); the sender must allocate it by this transport"};
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return {Code::kInvalid, "shm: " + system_error("fstat")};
  if (static_cast<std::size_t>(info.st_size) != bytes)
    return {Code::kInvalid, "shm: segment has " + std::to_string(info.st_size) + " bytes, expected " +
                                std::to_string(bytes) + "; both processes must run the same plan"};
  return std::make_shared<SharedSegment>(std::move(file), bytes);
}

Result<std::unique_ptr<Mapping>> SharedSegment::map(Access access) {
  if (file_ != nullptr) return map_pages(file_->get(), bytes_, access, offset_);
  return map_part(memory_, memory_->bytes().subspan(offset_, bytes_));
}

Result<std::shared_ptr<SharedSegment>> SharedSegment::part(std::size_t offset, std::size_t bytes) const {
  if (bytes == 0 || offset % page_bytes() != 0 || offset > bytes_ || bytes > bytes_ - offset)
    return {Code::kInvalid, "no part of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                " in a segment of " + std::to_string(bytes_) +
                                "; parts begin with a page and end inside"};
  auto part = std::make_shared<SharedSegment>(*this);
  part->offset_ += offset;
  part->bytes_ = bytes;
  return part;
}

std::uint64_t SharedSegment::written_bytes() const noexcept {
  constexpr std::uint64_t kFileUnit = 512;  // of st_blocks
  struct stat info {};
  if (file_ != nullptr)
    return ::fstat(file_->get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * kFileUnit : 0;
  return pages_in_memory(memory_->bytes()) * page_bytes();
}

Result<std::unique_ptr<Sender>> SharedMemory::open_sender(const ChannelSpec& spec, SharedSegment& segment,
                                                          Doorbell consumer) {
  Result<std::shared_ptr<Mapping>> mapping = map_channel(spec, segment);
  if (!mapping.ok()) return mapping.status();
  return std::unique_ptr<Sender>(std::make_unique<RingSender>(spec, std::move(*mapping), consumer));
}

Result<std::unique_ptr<PreparingSender>> SharedMemory::open_preparing_sender(const ChannelSpec& spec,
                                                                             SharedSegment& segment,
                                                                             Doorbell consumer) {
  Result<std::shared_ptr<Mapping>> mapping = map_channel(spec, segment);
  if (!mapping.ok()) return mapping.status();
  return std::unique_ptr<PreparingSender>(std::make_unique<PreparedRing>(spec, std::move(*mapping), consumer));
}

Result<std::unique_ptr<Receiver>> SharedMemory::open_receiver(const ChannelSpec& spec, SharedSegment& segment,
                                                              Doorbell producer) {
  Result<std::shared_ptr<Mapping>> mapping = map_channel(spec, segment);
  if (!mapping.ok()) return mapping.status();
  return std::unique_ptr<Receiver>(std::make_unique<RingReceiver>(spec, std::move(*mapping), producer));
}

Status close_channel(const ChannelSpec& spec, SharedSegment& segment) {
  const Result<std::shared_ptr<Mapping>> mapping = map_channel(spec, segment);
  if (!mapping.ok()) return mapping.status();
  const ChannelView channel(spec, (*mapping)->bytes());
  channel.words->consumer_gone.store(1, std::memory_order_release);
  channel.words->producer_gone.store(1, std::memory_order_release);
  return {};
}

}  // namespace woa
