// The origin's end of one-sided communication: updates of a region that another controller owns.
//
// An update has no reply. To learn when it is done, poll a count; fetched values come to the origin with it.
//
// Three updaters, and what they need:
//   NaiveUpdater       a packet per update over a channel (link.h). The owner must poll.
//   AggregatedUpdater  buckets of updates, each the payload of one packet over the same channel. The owner must poll.
//   HardwareUpdater    the processor's atomics on the region's mapping. Coherent regions only; the owner does nothing.
//                      Shared memory only (loopback, shm); the others also between hosts (ofi).
//
// Guarantees of all of them, in the terms of MPI 3.1, section 11.7, and of libfabric's counters (fi_cntr(3)):
// - Atomicity: an update is atomic for its element, whichever updaters meet there. It is not atomic for any other
//   element size: use an element with one width as long as others update it.
// - Order: updates of one updater to one element are done in the order of issue. There is no other order: not between
//   different elements, not between updaters, not between an updater and the owner's own work.
// - Completion at the origin: once completed() >= n, the first n updates that this updater issued are done: the owner
//   sees them, and every update issued later by anyone who learns of it comes after them. The operand need not be kept:
//   an update is copied when it is issued.
// - Fence: flush(), then poll() until completed() is issued(). This orders later updates, of any updater, after earlier
//   ones. flush() alone sends, and orders nothing.
// - Completion at the owner (MPI's target): UpdateReceiver::applied() and Region::performed() count the updates that
// the owner can
//   see. An origin that uses hardware is counted as of its last flush().
// - Progress: packets are applied when the owner polls its UpdateReceiver, by its thread; results and completions come
//   after that. Hardware needs no owner: an update is complete when update() returns.
// - Failure: a peer that closes or breaks a rule ends the link; the updates that it had applied stay applied, and
//   completed() counts them as far as there was room to tell. Nothing is issued again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/messaging/onesided/update.h"

namespace woa::onesided {

// The outcome of a call. None is logged.
enum class Outcome : std::uint8_t {
  kOk,
  kBackPressured,  // no room now: poll, take results, do other work (poll what this controller owns), and try again
  kClosed,         // the owner closed or broke a rule: status() says which; nothing more will be done
  kRefused         // the update breaks a rule and was not issued: status() says which; the updater goes on
};

// One thread at a time. No call blocks, allocates or logs. With shared memory only calls that poll for returns, flush()
// and poll() may make a system call, to wake a sleeping owner.
class Updater {
 public:
  virtual ~Updater() = default;  // sends held updates if there is room, then closes
  // Issues one update. A fetching one is back-pressured while as many values as the link has slots are not yet taken.
  // If the owner closed or broke a rule, this shows at once, or after the next poll(); until then an update that goes
  // into an open bucket may still answer kOk.
  virtual Outcome update(const Update& update) noexcept = 0;
  // Sends what is held back, and wakes the owner. kBackPressured: not all of it; call again.
  virtual Outcome flush() noexcept = 0;
  // Part of the origin's duty cycle, with the time now (now_ns()): flushes updates held back for too long, retries what
  // found no room on the wire, and polls for returns.
  virtual void poll(std::uint64_t now_ns) noexcept = 0;
  // Writes old values of fetching updates, in the order of issue, at most out.size(); returns how many.
  virtual std::size_t take_results(std::span<std::uint64_t> out) noexcept = 0;
  // Updates issued with kOk, and how many of them, in order, are done.
  virtual std::uint64_t issued() const noexcept = 0;
  virtual std::uint64_t completed() const noexcept = 0;
  // Ok, or the first failure: kInvalid: an update was refused; kPeerLost: the owner closed; kDataLoss: the owner broke
  // a rule.
  virtual Status status() const = 0;
};

}  // namespace woa::onesided
