// The origin's end of one-sided communication: updates of a region that another controller owns.
//
// An update has no reply. Who wants to know when it is done polls a count; what fetching ones found comes to the origin
// with it.
//
// Three ways, and what they ask for:
//   NaiveUpdater       a packet per update over a channel (link.h). The owner must poll.
//   AggregatedUpdater  buckets of updates, each the payload of one packet over the same channel. The owner must poll.
//   HardwareUpdater    the processor's atomics on the region's mapping. Coherent regions only; the owner does nothing.
//                      Where memory is shared (loopback, shm); the others also between hosts (ofi).
//
// What holds for all of them, in the terms of MPI 3.1, section 11.7, and of libfabric's counters (fi_cntr(3)):
// - Atomicity: an update is atomic for its element, whichever ways meet there. It is not atomic for any other element
//   size: an element is to be used with one width as long as others update it.
// - Order: updates of one updater to one element are done in the order of issue. Otherwise there is none: not between
//   different elements, not between updaters, not between an updater and the owner's own work.
// - Completion at the origin: once completed() >= n, the first n updates that this updater issued are done: the owner
//   sees them, and every update issued later, by whomever learns of it, comes after them. The operand need not be kept:
//   an update is copied when it is issued.
// - Fence: flush(), then poll() until completed() is issued(). That orders what is issued later, by any way, after what
//   was issued before. flush() alone sends, and orders nothing.
// - Completion at the target: UpdateReceiver::applied() and Region::performed() count the updates that the owner can
//   see. An origin that uses hardware is counted as of its last flush().
// - Progress: packets are applied when the owner polls its UpdateReceiver, by its thread; a result and a completion
//   come after that. Hardware needs no owner: an update is complete when update() returns.
// - Failure: a peer that closes or breaks a rule ends the link; what it had applied stays applied, and completed() says
//   how much, as far as there was place to tell. Nothing is issued again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/messaging/onesided/update.h"

namespace woa::onesided {

// What became of a call. None is logged.
enum class Outcome : std::uint8_t {
  kOk,
  kBackPressured,  // no place now: poll, take results, do other work (poll what this controller owns), and try again
  kClosed,         // the owner closed or broke a rule: status() says which; nothing more will be done
  kRefused         // the update breaks a rule and was not issued: status() says which; the updater goes on
};

// One thread at a time. No call blocks, allocates or logs. Where memory is shared none makes a system call either, but
// one that looks for what has come, flush() and poll() may make one to wake an owner that sleeps.
class Updater {
 public:
  virtual ~Updater() = default;  // sends what it holds if there is place, then closes
  // Issues one update. A fetching one is back-pressured while as many values as the link has slots are not yet taken.
  // That the owner closed or broke a rule shows at once, or after the next poll(); one that is held back may still be
  // taken until its bucket is full.
  virtual Outcome update(const Update& update) noexcept = 0;
  // Sends what is held back, and wakes the owner. kBackPressured: not all of it; call again.
  virtual Outcome flush() noexcept = 0;
  // Part of the origin's duty cycle, with the time now (now_ns()): flushes what was held back for too long, tries again
  // what found no room on the wire, and looks for what has come.
  virtual void poll(std::uint64_t now_ns) noexcept = 0;
  // Old values of fetching updates, in the order of issue, at most out.size(); how many.
  virtual std::size_t take_results(std::span<std::uint64_t> out) noexcept = 0;
  // Updates issued with kOk, and how many of them, in order, are done.
  virtual std::uint64_t issued() const noexcept = 0;
  virtual std::uint64_t completed() const noexcept = 0;
  // Ok, or the first thing that went wrong: kInvalid: an update was refused; kPeerLost: the owner closed; kDataLoss:
  // the owner broke a rule.
  virtual Status status() const = 0;
};

}  // namespace woa::onesided
