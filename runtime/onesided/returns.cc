#include "runtime/onesided/returns.h"

#include <algorithm>

namespace woa::onesided {
namespace {

// The memory starts zeroed, as the words do.
ReturnWords* words_of(const Mapping& mapping) { return reinterpret_cast<ReturnWords*>(mapping.bytes().data()); }

std::span<ResultSlot> slots_of(const Mapping& mapping) {
  const std::span<std::byte> bytes = mapping.bytes().subspan(sizeof(ReturnWords));
  return {reinterpret_cast<ResultSlot*>(bytes.data()), bytes.size() / sizeof(ResultSlot)};
}

Result<std::shared_ptr<Mapping>> map(Transport& transport, const std::shared_ptr<Segment>& segment, Access access) {
  auto mapping = transport.map(segment, access);
  if (!mapping.ok()) return mapping.status();
  return std::shared_ptr<Mapping>(std::move(*mapping));
}

}  // namespace

std::size_t returns_bytes(std::uint32_t result_slots) noexcept {
  return sizeof(ReturnWords) + result_slots * sizeof(ResultSlot);
}

Result<Returns> Returns::open(Transport& transport, const std::shared_ptr<Segment>& segment) {
  auto mapping = map(transport, segment, Access::kReadWrite);
  if (!mapping.ok()) return mapping.status();
  return Returns(std::move(*mapping));
}

Returns::Returns(std::shared_ptr<Mapping> mapping) noexcept
    : mapping_(std::move(mapping)), words_(words_of(*mapping_)), slots_(slots_of(*mapping_)) {}

void Returns::add(std::uint64_t value) noexcept {
  slots_[fetched_++ & (slots_.size() - 1)].store(value, std::memory_order_relaxed);
}

void Returns::publish(std::uint64_t applied) noexcept {
  words_->fetched.store(fetched_, std::memory_order_release);
  words_->applied.store(applied, std::memory_order_release);
}

Result<Landing> Landing::open(Transport& transport, const std::shared_ptr<Segment>& segment) {
  auto mapping = map(transport, segment, Access::kRead);
  if (!mapping.ok()) return mapping.status();
  return Landing(std::move(*mapping));
}

Landing::Landing(std::shared_ptr<Mapping> mapping) noexcept
    : mapping_(std::move(mapping)), words_(words_of(*mapping_)), slots_(slots_of(*mapping_)) {}

bool Landing::expect() noexcept {
  if (expected_ - taken_ == slots_.size()) return false;
  ++expected_;
  return true;
}

std::size_t Landing::take(std::span<std::uint64_t> out) noexcept {
  // Never more than was asked for, whatever a broken owner says.
  const std::uint64_t there = std::min(words_->fetched.load(std::memory_order_acquire), expected_);
  std::size_t count = 0;
  while (count < out.size() && taken_ < there)
    out[count++] = slots_[taken_++ & (slots_.size() - 1)].load(std::memory_order_relaxed);
  return count;
}

}  // namespace woa::onesided
