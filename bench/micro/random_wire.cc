#include "bench/micro/random_wire.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "bench/micro/fabric_messenger.h"
#include "bench/micro/meeting.h"
#include "bench/micro/random_updates.h"
#include "bench/micro/sides.h"
#include "runtime/base/clock.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/spin.h"
#include "runtime/messaging/onesided/aggregated_updater.h"
#include "runtime/messaging/onesided/naive_updater.h"
#include "runtime/messaging/onesided/update_receiver.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/ofi/ofi_transport.h"

namespace woa::bench {
namespace {

using onesided::LinkSpec;
using onesided::Outcome;

// How many of the other process's numbers update this one's part.
std::uint64_t to_come(const RandomTable& table, std::uint64_t process) {
  RandomStream stream = table.stream_of(1 - process);
  std::uint64_t count = 0;
  for (std::uint64_t k = 0; k < table.part_updates(); ++k) count += table.owner_of(stream.next()) == process ? 1 : 0;
  return count;
}

// Makes the updates of `player`'s process. Both processes open before either begins; the clock stops when the updates
// of both are done, and then each checks its part. A process that is done polls until the other is, too: only a polling
// process reports its last applied updates and gets them onto the wire.
template <class Open>
Result<double> race_over_wire(const RandomTable& table, Open&& open) {
  WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(Meeting::kBytes, Memory::Sharing::kWithChildren));
  Meeting both_done(memory.bytes());
  double ns = 0;
  const auto side = [&](const Talk& talk) -> Result<Side> {
    WOA_ASSIGN_OR_RETURN(auto opened, open(talk));
    WOA_RETURN_IF_ERROR(gone_unless(!talk.swap("open").empty()));
    const std::shared_ptr player = std::move(opened);
    return Side([&ns, table, player, both_done, process = talk.number()](std::uint64_t times) mutable -> Status {
      if (times == 0) return {};
      const std::uint64_t start_ns = now_ns();
      WOA_RETURN_IF_ERROR(player->run());
      ns = static_cast<double>(now_ns() - start_ns);
      WOA_RETURN_IF_ERROR(gone_unless(both_done.meet([&] { player->poll(); })));
      return check_part(table, player->part(), process);
    });
  };
  const auto all = run_sides({0, 1, {0, 1}}, side);
  if (!all.ok()) return all;
  return ns;
}

class Part {
 public:
  Part(const RandomTable& table, std::uint64_t process) : words_(table.part_words()) { table.fill(words_, process); }
  [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

// Each process sends a bucket and takes the one that the other sent `kLag` before, so neither needs credits: the sender
// of bucket n has taken the other's n - kLag - 1, sent when the other had taken n - 2 kLag - 2 of this one's.
class BucketPlayer {
 public:
  static constexpr std::uint64_t kLag = 4, kWindow = 3 * kLag;

  BucketPlayer(const RandomTable& table, std::uint64_t process, std::shared_ptr<FabricMessenger> messenger)
      : table_(table), process_(process), part_(table, process), messenger_(std::move(messenger)) {
    for (auto& bucket : buckets_) bucket.resize(kLookAhead);
  }
  static Result<std::unique_ptr<BucketPlayer>> open(const std::string& provider, const RandomTable& table,
                                                    const Talk& talk) {
    const PeerArguments job{
        "", PeerArguments::Shape::kPipeline, kLookAhead * sizeof(std::uint64_t), kWindow, {0, 1, {0, 1}}};
    WOA_ASSIGN_OR_RETURN(auto messenger, FabricMessenger::open(provider, job, talk));
    WOA_RETURN_IF_ERROR(messenger->send({}));  // connects
    if (const auto connected = messenger->receive(); !connected.ok()) return connected.status();
    return std::make_unique<BucketPlayer>(table, talk.number(), std::move(messenger));
  }
  Status run() {
    Status status;
    const auto update = [&](std::uint64_t number) {
      if (table_.owner_of(number) == process_)
        part_.words()[table_.index_of(number)] ^= number;
      else
        buckets_[sent_ % kWindow][held_++] = number;
      return true;
    };
    const auto look = [&] { return (status = exchange()).ok(); };
    if (!run_stream(table_, process_, update, look)) return status;
    while (taken_ < sent_) WOA_RETURN_IF_ERROR(take());
    WOA_RETURN_IF_ERROR(messenger_->send({}));  // this side has taken all; then waits until the other has
    if (const auto done = messenger_->receive(); !done.ok()) return done.status();
    return messenger_->settle();
  }
  void poll() noexcept {}  // all messages have settled
  [[nodiscard]] std::span<std::uint64_t> part() noexcept { return part_.words(); }

 private:
  Status exchange() {
    const std::span numbers(buckets_[sent_++ % kWindow].data(), held_);
    held_ = 0;
    WOA_RETURN_IF_ERROR(messenger_->send(std::as_bytes(numbers)));
    return sent_ - taken_ > kLag ? take() : Status();
  }
  Status take() {
    WOA_ASSIGN_OR_RETURN(const auto bytes, messenger_->receive());
    ++taken_;
    const auto* const numbers = reinterpret_cast<const std::uint64_t*>(bytes.data());
    for (std::size_t k = 0; k < bytes.size() / sizeof(std::uint64_t); ++k)
      part_.words()[table_.index_of(numbers[k])] ^= numbers[k];
    return {};
  }

  RandomTable table_;
  std::uint64_t process_;
  Part part_;
  std::array<std::vector<std::uint64_t>, kWindow> buckets_;
  std::size_t held_ = 0;  // numbers in the bucket that is being filled
  std::uint64_t sent_ = 0, taken_ = 0;
  std::shared_ptr<FabricMessenger> messenger_;  // destroyed before the buckets that it knows
};

// Both ends, in this process, of a link in each direction. Destroyed from the last member to the first.
template <class Updater>
struct Player {
  RandomTable table;
  std::uint64_t process = 0, expected = 0;
  std::unique_ptr<OfiTransport> transport;
  std::optional<onesided::Region> region;
  onesided::Link there, here;  // `there` updates the other's part, `here` this one's
  std::unique_ptr<onesided::UpdateReceiver> receiver;
  std::unique_ptr<Updater> updater;

  [[nodiscard]] std::span<std::uint64_t> part() const {
    return {reinterpret_cast<std::uint64_t*>(region->bytes().data()), table.part_words()};
  }
  void poll() noexcept { receiver->poll(kLookAhead); }
  [[nodiscard]] bool issue(const onesided::Update& update) noexcept {
    Outcome outcome = updater->update(update);
    return outcome == Outcome::kOk || (spin_until([&] {
                                         poll();
                                         outcome = updater->update(update);
                                         return outcome != Outcome::kBackPressured;
                                       }) &&
                                       outcome == Outcome::kOk);
  }
  [[nodiscard]] bool flush() noexcept {
    Outcome outcome = Outcome::kBackPressured;
    return spin_until([&] {
             if ((outcome = updater->flush()) == Outcome::kBackPressured) poll();
             return outcome != Outcome::kBackPressured;
           }) &&
           outcome == Outcome::kOk;
  }
  [[nodiscard]] Status run() {
    const auto words = part();
    const auto update = [&](std::uint64_t number) {
      if (table.owner_of(number) != process) return issue(exclusive_or(table, number));
      words[table.index_of(number)] ^= number;
      return true;
    };
    const auto look = [&] { return poll(), flush(); };
    const bool done = run_stream(table, process, update, look) && spin_until([&] {
                        poll();
                        return updater->completed() == updater->issued() && receiver->applied() == expected;
                      });
    if (done) return {};
    if (Status status = updater->status(); !status.ok()) return status;
    return receiver->status().ok() ? gone_unless(false) : receiver->status();
  }
};

template <class Updater>
Result<std::unique_ptr<Player<Updater>>> open_player(const std::string& provider, const LinkSpec& spec,
                                                     const RandomTable& table, const Talk& talk) {
  OfiOptions options;
  options.provider = provider;
  auto out = std::make_unique<Player<Updater>>();
  WOA_ASSIGN_OR_RETURN(out->transport, make_ofi_transport(options));
  out->table = table, out->process = talk.number(), out->expected = to_come(table, talk.number());
  const std::size_t bytes = table.part_words() * sizeof(std::uint64_t);
  LoopbackTransport memory;
  WOA_ASSIGN_OR_RETURN(out->region, onesided::Region::make(memory, "table", bytes, onesided::Sharing::kExclusive));
  table.fill(out->part(), out->process);
  WOA_ASSIGN_OR_RETURN(out->there, onesided::allocate_link(*out->transport, spec, "updates"));
  WOA_ASSIGN_OR_RETURN(out->here, onesided::allocate_link(*out->transport, spec, "updates"));
  for (const onesided::Link* link :
       talk.first() ? std::array{&out->there, &out->here} : std::array{&out->here, &out->there})
    WOA_RETURN_IF_ERROR(link->connect(*out->transport, talk.swap(link->description())));
  WOA_ASSIGN_OR_RETURN(out->receiver, onesided::UpdateReceiver::open(*out->transport, spec, out->here, *out->region));
  WOA_ASSIGN_OR_RETURN(out->updater, Updater::open(*out->transport, spec, out->there, {bytes, {}}));
  return out;
}

template <class Updater>
Result<double> updates_ns(const std::string& provider, const LinkSpec& spec, const RandomTable& table) {
  return race_over_wire(table, [&](const Talk& talk) { return open_player<Updater>(provider, spec, table, talk); });
}

}  // namespace

Result<double> raw_wire_buckets_ns(const std::string& provider, const RandomTable& table) {
  return race_over_wire(table, [&](const Talk& talk) { return BucketPlayer::open(provider, table, talk); });
}

Result<double> naive_wire_updates_ns(const std::string& provider, const RandomTable& table) {
  constexpr LinkSpec kSpec{.ring_slots = kNaiveRingSlots, .buckets = 0, .bucket_units = 2, .result_slots = 1};
  return updates_ns<onesided::NaiveUpdater>(provider, kSpec, table);
}

Result<double> aggregated_wire_updates_ns(const std::string& provider, const RandomTable& table) {
  constexpr LinkSpec kSpec{.ring_slots = 16, .buckets = 8, .bucket_units = kLookAhead, .result_slots = 1};
  return updates_ns<onesided::AggregatedUpdater>(provider, kSpec, table);
}

}  // namespace woa::bench
