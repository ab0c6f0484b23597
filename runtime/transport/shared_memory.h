// Transports whose ends map the same memory: loopback between the threads of a process, shm between processes of a
// host. A channel is a ring in that memory (ring_layout.h), so such a transport adds only where its memory is from.
#pragma once

#include <fcntl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
  explicit SharedSegment(std::unique_ptr<Mapping> memory);
  SharedSegment(UniqueFd file, std::size_t bytes);
  // Zeroed memory in a file, which other processes can open. kExhausted with the system's reason; kInvalid for 0 bytes.
  static Result<std::shared_ptr<SharedSegment>> make(std::string_view label, std::size_t bytes);
  // The segment of another process, by the descriptor that it sent; takes the descriptor over. kInvalid: it is not
  // sealed (shm_transport.h), or its size is not `bytes`.
  static Result<std::shared_ptr<SharedSegment>> open(int descriptor, std::size_t bytes);

  std::size_t bytes() const noexcept override { return bytes_; }
  Result<std::unique_ptr<Mapping>> map(Access access) override;
  // The descriptor that another process can open() it by (of a part: the whole), or -1 if it belongs to this process
  // alone. Owned by the segment.
  [[nodiscard]] int descriptor() const noexcept { return file_ == nullptr ? -1 : file_->get(); }
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }  // of a part, in the whole
  // `bytes` from `offset` on, as a segment that keeps the whole alive and has its descriptor: so one descriptor serves
  // any number of channels. kInvalid: not all within it, or `offset` is no multiple of a page.
  Result<std::shared_ptr<SharedSegment>> part(std::size_t offset, std::size_t bytes) const;
  // Bytes that take memory, since somebody wrote there: in whole pages, of the whole. Asks the system; if the memory
  // belongs to this process alone, that takes a microsecond for each 8 MiB.
  [[nodiscard]] std::uint64_t written_bytes() const noexcept;

 private:
  std::shared_ptr<const UniqueFd> file_;
  std::shared_ptr<Mapping> memory_;  // if there is no file
  std::size_t offset_ = 0, bytes_;
};

// The store that publishes a packet whose slot is written: `value` at `word`, eight bytes at an address that is a
// multiple of 8. `word` lies in the channel's segment and is valid while its sender lives.
struct Publication {
  std::atomic<std::uint64_t>* word = nullptr;  // null: not for a device, see PreparingSender::prepare()
  std::uint64_t value = 0;

  // By a thread of the host, after everything that it wrote to the payload.
  void store() const noexcept { word->store(value, std::memory_order_release); }
};

// The producer end of a channel that a device publishes packets of. The host writes the slot of a packet before its
// payload is there; the device stores the payload, and then the publication.
//
//     const Publication packet = sender.prepare(header);   // after reserve()
//     device.run(kernel, payload, packet);                 // stores packet.value at packet.word with release order
//     ... the firing's completion shows:
//     if (packet.word == nullptr) sender.publish(packet);
//     sender.flush();
//     sender.wake();
//
// The device keeps two rules. It stores each publication with release order (of system scope) after the payload, and
// the publications of a channel in the order of prepare(): the consumer takes a gap for a lost packet, and rewrite()
// shuts the channel if it sees one. The caller hands a publication over with release order, as every driver's call
// does.
//
// A prepared packet cannot be taken back: it goes out even if its instance died meanwhile. When the device provably
// stores no more on the channel (its work completed, or its context was destroyed), rewrite() puts poison in the place
// of what did not go out. The sender outlives the device's stores, and is closed when flush() answers 0: otherwise the
// consumer reports lost packets.
class PreparingSender : public Sender {
 public:
  // Writes all of a packet but its publish word, and takes the channel's next sequence. Otherwise as commit(): uses up
  // one reservation. While a packet of the host waits for its turn, a device must not overtake it: then `word` is null,
  // and the caller publishes the packet when its payload is there.
  [[nodiscard]] virtual Publication prepare(const ActivationPacket& header,
                                            std::span<const std::byte> inline_payload = {}) noexcept = 0;
  // Publishes, by the host, a prepared packet whose `word` is null, or any one if the device stores no more on the
  // channel. It takes its turn: while a packet in front of it is not out, it waits, and goes out with a later call of
  // commit(), prepare(), publish(), rewrite() or flush(). commit() and commit_sealed() are prepare() and publish(), and
  // wait in the same way.
  virtual void publish(const Publication& prepared) noexcept = 0;
  // Replaces a prepared packet that nobody will publish by `header` (poison), with the sequence of the packet, and
  // publishes it. The block that the packet named is the caller's again. False: the packet is out; nothing was changed.
  virtual bool rewrite(const Publication& prepared, const ActivationPacket& header,
                       std::span<const std::byte> inline_payload = {}) noexcept = 0;
  // Publishes what waited for its turn. Returns how many packets are not out yet. Call it when a completion shows that
  // the device has published, and then wake().
  virtual std::size_t flush() noexcept = 0;
  // The memory that holds the words of its publications. It begins with a page and is mapped while the sender lives.
  [[nodiscard]] virtual std::span<std::byte> memory() const noexcept = 0;
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
  // The producer end for a channel that a device publishes packets of, instead of open_sender().
  virtual Result<std::unique_ptr<PreparingSender>> open_preparing_sender(const ChannelSpec& spec,
                                                                         SharedSegment& segment, Doorbell consumer);
  virtual Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, SharedSegment& segment,
                                                          Doorbell producer);
};

// Marks both ends of a channel closed on behalf of a process that died. Any process that has the segment; idempotent.
// kInvalid as for opening an end.
Status close_channel(const ChannelSpec& spec, SharedSegment& segment);

}  // namespace woa
