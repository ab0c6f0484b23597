#include "runtime/transport/loopback/loopback_transport.h"

#include <unistd.h>

#include <string>

#include "runtime/memory/pages.h"

namespace woa {
namespace {

class LoopbackSegment final : public Segment {
 public:
  explicit LoopbackSegment(std::unique_ptr<Mapping> whole) noexcept
      : whole_(std::move(whole)), memory_(whole_->bytes()) {}
  LoopbackSegment(const LoopbackSegment& of, std::size_t offset, std::size_t bytes) noexcept
      : whole_(of.whole_), memory_(of.memory_.subspan(offset, bytes)) {}
  std::size_t bytes() const noexcept override { return memory_.size(); }
  int descriptor() const noexcept override { return -1; }
  std::string description() const override { return {}; }
  std::span<std::byte> memory() const noexcept { return memory_; }

 private:
  std::shared_ptr<Mapping> whole_;
  std::span<std::byte> memory_;
};

class LoopbackMapping final : public Mapping {
 public:
  explicit LoopbackMapping(std::shared_ptr<LoopbackSegment> segment) noexcept : segment_(std::move(segment)) {}
  std::span<std::byte> bytes() const noexcept override { return segment_->memory(); }

 private:
  std::shared_ptr<LoopbackSegment> segment_;
};

}  // namespace

Result<std::shared_ptr<Segment>> LoopbackTransport::allocate(std::string_view label, std::size_t bytes) {
  if (bytes == 0)
    return {Code::kInvalid, "loopback: segment '" + std::string(label) + "' of 0 bytes; it needs at least 1"};
  Result<std::unique_ptr<Mapping>> memory = map_pages(-1, bytes, Access::kReadWrite);
  if (!memory.ok()) return memory.status().with_context("loopback: segment '" + std::string(label) + "'");
  return std::shared_ptr<Segment>(std::make_shared<LoopbackSegment>(std::move(*memory)));
}

Result<std::shared_ptr<Segment>> LoopbackTransport::open(int descriptor, std::size_t) {
  if (descriptor >= 0) close(descriptor);
  return {Code::kUnsupported, "loopback: segments do not leave their process; use shm between processes"};
}

Result<std::shared_ptr<Segment>> LoopbackTransport::part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                                         std::size_t bytes) {
  const auto* own = dynamic_cast<const LoopbackSegment*>(segment.get());
  if (own == nullptr) return {Code::kInvalid, "loopback: a segment of another transport; allocate it here"};
  WOA_RETURN_IF_ERROR(check_part(name(), own->bytes(), offset, bytes));
  return std::shared_ptr<Segment>(std::make_shared<LoopbackSegment>(*own, offset, bytes));
}

Result<std::unique_ptr<Mapping>> LoopbackTransport::map(const std::shared_ptr<Segment>& segment, Access) {
  auto own = std::dynamic_pointer_cast<LoopbackSegment>(segment);
  if (own == nullptr) return {Code::kInvalid, "loopback: a segment of another transport; allocate it here"};
  return std::unique_ptr<Mapping>(std::make_unique<LoopbackMapping>(std::move(own)));
}

}  // namespace woa
