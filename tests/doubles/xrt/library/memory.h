// Memory banks of a card. Each allocation has a copy on the host and one on the card, and addresses on the card that
// the host cannot touch and that are never given out twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <vector>

#include "tests/doubles/xrt/card/card.h"

namespace woa::xrt_double {

// Pages that hold the byte until somebody writes to them, with an inaccessible page on both sides. They cost memory
// only where they are written to.
class PoisonedPages {
 public:
  PoisonedPages(std::size_t bytes, std::byte poison);
  ~PoisonedPages();
  PoisonedPages(const PoisonedPages&) = delete;
  PoisonedPages& operator=(const PoisonedPages&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }  // null: out of memory

 private:
  std::size_t mapped_;
  std::byte *begin_ = nullptr, *data_ = nullptr;
};

inline constexpr std::byte kHostPoison{0xa5}, kCardPoison{0x5a};

struct Memory {
  std::uint64_t address;  // on the card
  std::size_t bytes;
  std::uint32_t bank;
  std::byte* host;
  std::unique_ptr<PoisonedPages> own_host, card;  // own_host is null where the host's copy is the caller's memory
};

class Banks final : public CardMemory {
 public:
  // Bytes of each bank, in place of the ones before. Only while nothing is allocated.
  void set(std::vector<std::uint64_t> bytes);
  [[nodiscard]] std::size_t count() const { return free_.size(); }
  // `user` is the host's copy; null: it has one of its own. Null: the bank has too few bytes left, or the host has.
  std::shared_ptr<Memory> add(std::uint32_t bank, std::size_t bytes, std::byte* user);
  void remove(const Memory& memory);

  // The card's copy. Thread-safe.
  std::span<std::byte> at(std::uint64_t address, std::size_t bytes) override;

 private:
  std::shared_mutex mutex_;
  std::vector<std::uint64_t> free_;  // bytes, by bank
  std::vector<std::uint64_t> next_;  // address, by bank
  std::map<std::uint64_t, std::shared_ptr<Memory>> by_address_;
};

}  // namespace woa::xrt_double
