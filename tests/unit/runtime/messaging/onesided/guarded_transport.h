// Memory with a page behind it that nobody may touch.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/transport/ring_transport.h"
#include "tests/support/need.h"

namespace woa::test {

// loopback's channels, in segments with a page without access behind each: an access beyond a segment of whole pages
// ends the process.
class GuardedTransport final : public RingTransport {
 public:
  std::string_view name() const noexcept override { return "guarded"; }
  Result<std::shared_ptr<Segment>> allocate(std::string_view, std::size_t bytes) override {
    return std::shared_ptr<Segment>(std::make_shared<Guarded>(bytes));
  }
  Result<std::shared_ptr<Segment>> open(int, std::size_t) override { return {Code::kUnsupported, "one process"}; }
  Result<std::shared_ptr<Segment>> part(const std::shared_ptr<Segment>&, std::size_t, std::size_t) override {
    return {Code::kUnsupported, "whole segments are guarded"};
  }
  Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access) override {
    return std::unique_ptr<Mapping>(std::make_unique<View>(std::static_pointer_cast<Guarded>(segment)));
  }

 private:
  static constexpr std::size_t kPage = 4096;

  class Guarded final : public Segment {
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
    std::size_t bytes() const noexcept override { return bytes_; }
    int descriptor() const noexcept override { return -1; }
    std::string description() const override { return {}; }
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return {at_, bytes_}; }

   private:
    std::size_t bytes_, pages_;
    std::byte* at_;
  };
  class View final : public Mapping {
   public:
    explicit View(std::shared_ptr<Guarded> segment) : segment_(std::move(segment)) {}
    std::span<std::byte> bytes() const noexcept override { return segment_->memory(); }

   private:
    std::shared_ptr<Guarded> segment_;
  };
};

}  // namespace woa::test
