// Memory with a page behind it that nobody may touch.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/transport/shared_memory.h"
#include "tests/support/need.h"

namespace woa::test {

// loopback's channels, in segments with a page without access behind each: an access beyond a segment of whole pages
// ends the process.
class GuardedTransport final : public SharedMemory {
 public:
  std::string_view name() const noexcept override { return "guarded"; }
  Result<std::shared_ptr<SharedSegment>> allocate(std::string_view, std::size_t bytes) override {
    return std::make_shared<SharedSegment>(std::make_unique<Guarded>(bytes));
  }

 private:
  static constexpr std::size_t kPage = 4096;

  class Guarded final : public Mapping {
   public:
    explicit Guarded(std::size_t bytes) : bytes_(bytes), pages_((bytes + kPage - 1) / kPage * kPage) {
      void* at = mmap(nullptr, pages_ + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      REQUIRE(at != MAP_FAILED);
      at_ = static_cast<std::byte*>(at);
      REQUIRE(mprotect(at_ + pages_, kPage, PROT_NONE) == 0);
    }
    ~Guarded() override { munmap(at_, pages_ + kPage); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    std::span<std::byte> bytes() const noexcept override { return {at_, bytes_}; }

   private:
    std::size_t bytes_, pages_;
    std::byte* at_;
  };
};

}  // namespace woa::test
