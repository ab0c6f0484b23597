#include "runtime/transport/ofi/fabric.h"

#include <rdma/fi_errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/transport/ofi/library.h"
#include "runtime/transport/ofi/port.h"
#include "runtime/transport/ofi/waits.h"

namespace woa::ofi {
namespace {

constexpr std::size_t kBatch = 64;  // more than one call of libfabric takes in, so that nothing piles up
constexpr int kMostBatches = 8;     // of one look

}  // namespace

Fabric::Fabric(FabricObjects objects) : objects_(std::move(objects)) {}

Fabric::~Fabric() {
  const std::uint64_t begin = now_ns();
  while (leaving_ > 0 && now_ns() - begin < kCloseNs) progress(false);
  end_connections(objects_.address);
  objects_.endpoint.reset();  // before the operations, whose contexts it may still hold
}

Result<Registration> Fabric::register_memory(std::span<std::byte> memory, RemoteAccess access) {
  const std::lock_guard lock(mutex_);
  return Registration::make(objects_, memory, access);
}

Status Fabric::discard_messages() {
  const std::lock_guard lock(mutex_);
  WOA_ASSIGN_OR_RETURN(strays_, Strays::open(objects_));
  return {};
}

void Fabric::deregister(Registration registration) {
  const std::lock_guard lock(mutex_);
  const Registration gone = std::move(registration);
}

void Fabric::keep(std::unique_ptr<Mapping> memory) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(memory));
}

Result<fi_addr_t> Fabric::insert(std::string_view address) {
  const std::lock_guard lock(mutex_);
  fi_addr_t peer = FI_ADDR_UNSPEC;
  std::string whole(address);  // the provider takes as many bytes as its own addresses have, whatever the peer sent
  whole.resize(std::max(whole.size(), sizeof(sockaddr_storage)));
  const int count = fi_av_insert(objects_.addresses.get(), whole.data(), 1, &peer, 0, nullptr);
  if (count != 1)
    return fabric_failure(Code::kInvalid, "ofi: the provider does not take the peer's address: fi_av_insert",
                          count < 0 ? -count : FI_EINVAL, "both ends must use the same provider");
  return peer;
}

// Each number in its turn: what a peer still writes into a segment that is gone must not reach the next one.
Result<std::uint32_t> Fabric::add(Mailbox& mailbox) {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t tried = 0; tried < kSegments; ++tried) {
    const std::uint32_t number = next_segment_++ % kSegments;
    if (number >= mailboxes_.size()) mailboxes_.resize(number + 1, nullptr);
    if (mailboxes_[number] != nullptr) continue;
    mailboxes_[number] = &mailbox;
    return number;
  }
  return {Code::kExhausted, "ofi: a process has at most " + std::to_string(kSegments) +
                                " segments; use fewer channels and outputs between hosts"};
}

void Fabric::remove(std::uint32_t segment) noexcept {
  const std::lock_guard lock(mutex_);
  mailboxes_[segment] = nullptr;
}

Operation* Fabric::make_operations(std::uint32_t segment, std::size_t count) {
  const std::lock_guard lock(mutex_);
  operations_.push_back(std::make_unique<Operation[]>(count));
  operation_counts_.push_back(count);
  for (std::size_t k = 0; k < count; ++k) operations_.back()[k].segment = segment;
  return operations_.back().get();
}

Post Fabric::outcome(ssize_t code, std::uint64_t& counter) noexcept {
  if (code == 0) ++counter;
  if (code == -FI_EAGAIN) ++counters_.refused;
  return code == 0 ? Post::kPosted : code == -FI_EAGAIN ? Post::kBusy : Post::kFailed;
}

Post Fabric::write(const Piece& piece, const Target& target, Operation& operation) noexcept {
  const std::lock_guard lock(mutex_);
  return outcome(fi_writedata(objects_.endpoint.get(), piece.at, piece.bytes, piece.descriptor,
                              target.immediate.encode(), target.peer, target.address, target.key, &operation.context),
                 counters_.writes);
}

Post Fabric::write(const Piece& header, const Piece& payload, const Target& target, Operation& operation) noexcept {
  const std::array pieces{header, payload};
  const std::lock_guard lock(mutex_);
  return gather(pieces, target, operation, 0, counters_.gathered);
}

Post Fabric::write_line(const Piece& line, const Target& target, Operation& operation) noexcept {
  if (line.bytes > objects_.info->tx_attr->inject_size) return write(line, target, operation);
  const std::lock_guard lock(mutex_);
  // Not fi_inject_writedata: when the peer is gone, libfabric 1.17's ofi_rxm looks into the context of the write that
  // failed, and an injected one has none. One that completes has, behind its copy of the bytes.
  return gather(std::span(&line, 1), target, operation, FI_INJECT | FI_COMPLETION, counters_.injected);
}

Post Fabric::write_last(const Piece& piece, const Target& target, Operation& operation) noexcept {
  const std::lock_guard lock(mutex_);
  const Post post = gather(std::span(&piece, 1), target, operation, FI_COMPLETION, counters_.gathered);
  if (post == Post::kPosted) ++leaving_, operation.leaving.store(true, std::memory_order_relaxed);
  return post;
}

Post Fabric::gather(std::span<const Piece> pieces, const Target& target, Operation& operation, std::uint64_t flags,
                    std::uint64_t& counter) noexcept {
  std::array<iovec, 2> vector{};
  std::array<void*, 2> descriptors{};
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    vector[k] = {const_cast<std::byte*>(pieces[k].at), pieces[k].bytes};
    descriptors[k] = pieces[k].descriptor;
    bytes += pieces[k].bytes;
  }
  const fi_rma_iov remote{target.address, bytes, target.key};
  fi_msg_rma message{};
  message.msg_iov = vector.data(), message.iov_count = pieces.size(), message.desc = descriptors.data();
  message.addr = target.peer, message.rma_iov = &remote, message.rma_iov_count = 1;
  message.context = &operation.context, message.data = target.immediate.encode();
  return outcome(fi_writemsg(objects_.endpoint.get(), &message, FI_REMOTE_CQ_DATA | flags), counter);
}

void Fabric::progress(bool attending) noexcept {
  if (attending) attend();
  const std::unique_lock lock(mutex_, std::try_to_lock);
  looks_.fetch_add(1, std::memory_order_relaxed);
  if (!lock.owns_lock()) return;
  if (strays_ != nullptr) strays_->retry();
  std::array<fi_cq_data_entry, kBatch> entries;
  for (int batch = 0; batch < kMostBatches; ++batch) {
    const ssize_t count = fi_cq_read(objects_.completions.get(), entries.data(), entries.size());
    if (count == -FI_EAVAIL) {
      while (on_error()) {
      }
      continue;
    }
    if (count <= 0) return;
    const std::uint64_t now = now_ns();
    for (const fi_cq_data_entry& entry : std::span(entries).first(static_cast<std::size_t>(count)))
      on_entry(entry, now);
    if (static_cast<std::size_t>(count) < entries.size()) return;  // an empty look costs as much as a full one
  }
}

// A message's flags are its sender's choice: only the context says what a completion is of.
bool Fabric::is_message(const void* context) noexcept {
  if (strays_ == nullptr || !strays_->take(context)) return false;
  ++counters_.messages;
  return true;
}

void Fabric::on_entry(const fi_cq_data_entry& entry, std::uint64_t now) noexcept {
  if (is_message(entry.op_context)) return;
  if ((entry.flags & FI_REMOTE_CQ_DATA) == 0) {
    if (entry.op_context != nullptr) has_left(*static_cast<Operation*>(entry.op_context));
    return;
  }
  ++counters_.arrived;
  const Immediate immediate = Immediate::decode(entry.data);
  Mailbox* mailbox = immediate.segment < mailboxes_.size() ? mailboxes_[immediate.segment] : nullptr;
  if (mailbox == nullptr)
    ++counters_.strays;
  else
    mailbox->arrive(immediate, now);
}

// A write failed after it had been taken. Which one it was shows in its context, if it had one. False: none is left.
bool Fabric::on_error() noexcept {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(objects_.completions.get(), &entry, 0) <= 0) return false;
  if (is_message(entry.op_context)) return true;
  ++counters_.errors;
  if (entry.op_context == nullptr) return true;
  for (std::size_t k = 0; k < operations_.size(); ++k) {
    auto* at = static_cast<Operation*>(entry.op_context);
    if (at < operations_[k].get() || at >= operations_[k].get() + operation_counts_[k]) continue;
    has_left(*at);
    Mailbox* mailbox = mailboxes_[at->segment];
    if (mailbox != nullptr) mailbox->lose(Lost::kWire, entry.err);
    return true;
  }
  return true;
}

void Fabric::has_left(Operation& operation) noexcept {
  if (operation.leaving.exchange(false, std::memory_order_release)) --leaving_;
}

int Fabric::prepare_wait() noexcept {
  if (objects_.wait_descriptor < 0) return kNoDescriptor;
  const std::lock_guard lock(mutex_);
  std::array<fid*, 1> objects{&objects_.completions->fid};
  return fi_trywait(objects_.fabric.get(), objects.data(), 1) == 0 ? objects_.wait_descriptor : kLookFirst;
}

FabricCounters Fabric::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace woa::ofi
