// Transports whose ends map the same memory: loopback between the threads of a process, shm between processes of a
// host. A channel is a ring in that memory (ring_layout.h), so such a transport adds only where its memory is from.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <memory>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/memory/pages.h"
#include "runtime/transport/channel.h"
#include "runtime/transport/doorbell.h"

namespace woa {

// What the file of a segment is sealed against.
inline constexpr int kSegmentSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// Memory that everybody who uses it maps: a file of memory, which other processes open by its descriptor, or memory of
// this process alone; all of it or a part.
class SharedSegment final : public Segment {
 public:
  explicit SharedSegment(std::unique_ptr<Mapping> memory) noexcept;
  SharedSegment(UniqueFd file, std::size_t bytes);
  // The segment of another process, by the descriptor that it sent; takes the descriptor over. kInvalid: it is not
  // sealed (shm_transport.h), or its size is not `bytes`.
  static Result<std::shared_ptr<SharedSegment>> open(int descriptor, std::size_t bytes);

  std::size_t bytes() const noexcept override { return bytes_; }
  Result<std::unique_ptr<Mapping>> map(Access access) override;
  // The descriptor that another process can open() it by (of a part: the whole), or -1 if it belongs to this process
  // alone. Owned by the segment.
  [[nodiscard]] int descriptor() const noexcept { return file_ == nullptr ? -1 : file_->get(); }
  // `bytes` from `offset` on, as a segment that keeps the whole alive and has its descriptor: so one descriptor serves
  // any number of channels. kInvalid: not all within it, or `offset` is no multiple of a page.
  Result<std::shared_ptr<SharedSegment>> part(std::size_t offset, std::size_t bytes) const;

 private:
  std::shared_ptr<const UniqueFd> file_;
  std::shared_ptr<Mapping> memory_;  // if there is no file
  std::size_t offset_ = 0, bytes_;
};

// Thread-safe: no. Everything here happens at start, before the first packet.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual std::string_view name() const noexcept = 0;  // "loopback", "shm"
  // Zeroed memory. kExhausted with the system's reason, kInvalid for 0 bytes. Costs address space only: pages are taken
  // when touched.
  virtual Result<std::shared_ptr<SharedSegment>> allocate(std::string_view label, std::size_t bytes) = 0;
  // The two ends of a channel; exactly one of each per segment, which has ring_channel_bytes().
  // wake() rings the doorbell of the other end's controller, which outlives the end. kInvalid: the segment has another
  // size, or the spec is out of bounds.
  virtual Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, SharedSegment& segment,
                                                      Doorbell consumer);
  virtual Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, SharedSegment& segment,
                                                          Doorbell producer);
};

// Marks both ends of a channel closed on behalf of a process that died. Any process that has the segment; idempotent.
// kInvalid as for opening an end.
Status close_channel(const ChannelSpec& spec, SharedSegment& segment);

}  // namespace woa
