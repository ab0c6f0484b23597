#include "tests/doubles/xrt/library/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace woa::xrt_double {
namespace {

constexpr std::size_t kFile = 4 << 20;
// No process has addresses with this bit, on 64-bit x86 and Arm.
constexpr std::uint64_t kCardAddresses = std::uint64_t{1} << 53;
constexpr unsigned kBankShift = 44;
constexpr std::size_t kLine = 64;         // which the card may read as a whole
constexpr std::uint64_t kGap = 64 << 10;  // behind an allocation: an overrun meets no other one

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t in_pages(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }

// A file of nothing but the poison, which pages are private copies of.
int poison_file(std::byte poison) {
  const int file = memfd_create("poison", MFD_CLOEXEC);
  const std::vector<std::byte> bytes(kFile, poison);
  if (file < 0 || write(file, bytes.data(), kFile) != static_cast<ssize_t>(kFile)) {
    std::perror("woa_xrt_double: memfd_create");
    std::abort();
  }
  return file;
}

int file_of(std::byte poison) {
  static const int host = poison_file(kHostPoison), card = poison_file(kCardPoison);
  return poison == kHostPoison ? host : card;
}

}  // namespace

PoisonedPages::PoisonedPages(std::size_t bytes, std::byte poison) : mapped_(in_pages(bytes) + 2 * page()) {
  void* const at = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return;
  begin_ = static_cast<std::byte*>(at);
  for (std::size_t done = 0; done < in_pages(bytes); done += kFile) {
    const std::size_t part = std::min(kFile, in_pages(bytes) - done);
    if (mmap(begin_ + page() + done, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
             file_of(poison), 0) == MAP_FAILED)
      return;
  }
  data_ = begin_ + page();
}

PoisonedPages::~PoisonedPages() {
  if (begin_ != nullptr) munmap(begin_, mapped_);
}

void Banks::set(std::vector<std::uint64_t> bytes) {
  const std::unique_lock lock(mutex_);
  free_ = std::move(bytes);
  for (std::size_t bank = next_.size(); bank < free_.size(); ++bank)
    next_.push_back(kCardAddresses + (std::uint64_t{bank} << kBankShift));
}

std::shared_ptr<Memory> Banks::add(std::uint32_t bank, std::size_t bytes, std::byte* user) {
  const std::unique_lock lock(mutex_);
  if (in_pages(bytes) > free_[bank]) return nullptr;
  auto memory = std::make_shared<Memory>();
  memory->address = next_[bank];
  memory->bytes = bytes;
  memory->bank = bank;
  memory->card = std::make_unique<PoisonedPages>(bytes, kCardPoison);
  if (user == nullptr) memory->own_host = std::make_unique<PoisonedPages>(bytes, kHostPoison);
  memory->host = user == nullptr ? memory->own_host->data() : user;
  if (memory->card->data() == nullptr || memory->host == nullptr) return nullptr;
  free_[bank] -= in_pages(bytes);
  next_[bank] += in_pages(bytes) + kGap;
  by_address_[memory->address] = memory;
  return memory;
}

void Banks::remove(const Memory& memory) {
  const std::unique_lock lock(mutex_);
  free_[memory.bank] += in_pages(memory.bytes);
  by_address_.erase(memory.address);
}

std::span<std::byte> Banks::at(std::uint64_t address, std::size_t bytes) {
  const std::shared_lock lock(mutex_);
  auto next = by_address_.upper_bound(address);
  if (next == by_address_.begin()) return {};
  const Memory& memory = *(--next)->second;
  const std::uint64_t offset = address - memory.address;
  const std::size_t end = (memory.bytes + kLine - 1) / kLine * kLine;
  if (offset > end || bytes > end - offset) return {};
  return {memory.card->data() + offset, bytes};
}

}  // namespace woa::xrt_double
