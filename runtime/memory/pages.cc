#include "runtime/memory/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace woa {
namespace {

class Pages final : public Mapping {
 public:
  explicit Pages(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
  ~Pages() override { munmap(bytes_.data(), bytes_.size()); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::span<std::byte> bytes() const noexcept override { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

class Part final : public Mapping {
 public:
  Part(std::shared_ptr<const void> owner, std::span<std::byte> bytes) noexcept
      : owner_(std::move(owner)), bytes_(bytes) {}
  std::span<std::byte> bytes() const noexcept override { return bytes_; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<std::byte> bytes_;
};

}  // namespace

std::string system_error(const char* call) { return std::string(call) + ": " + reason_of(errno); }

Result<std::unique_ptr<Mapping>> map_pages(int descriptor, std::size_t bytes, Access access, std::size_t offset) {
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* at = mmap(nullptr, bytes, protection, flags, descriptor, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return limit_reached("mapping " + std::to_string(bytes) + " bytes: mmap", errno);
  return std::unique_ptr<Mapping>(std::make_unique<Pages>(std::span(static_cast<std::byte*>(at), bytes)));
}

std::unique_ptr<Mapping> map_part(std::shared_ptr<const void> owner, std::span<std::byte> bytes) {
  return std::make_unique<Part>(std::move(owner), bytes);
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::uint64_t pages_in_memory(std::span<std::byte> bytes) noexcept {
  std::array<unsigned char, 4096> flags;
  std::uint64_t pages = 0;
  for (std::size_t at = 0; at < bytes.size(); at += flags.size() * page_bytes()) {
    const std::size_t length = std::min(bytes.size() - at, flags.size() * page_bytes());
    if (::mincore(bytes.data() + at, length, flags.data()) != 0) continue;
    const auto end = flags.begin() + static_cast<std::ptrdiff_t>((length + page_bytes() - 1) / page_bytes());
    pages += static_cast<std::uint64_t>(
        std::count_if(flags.begin(), end, [](unsigned char flag) { return (flag & 1U) != 0; }));
  }
  return pages;
}

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

}  // namespace woa
