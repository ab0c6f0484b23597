// A back-end around another one: it checks that firings point into the mappings that the two got.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/controller/backend.h"

namespace woa::test {

// The system can copy a byte from an address, and to it. The byte keeps its value.
struct Reach {
  bool read = false, written = false;
};
inline Reach reach(std::byte* at) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const bool read = ::write(ends[1], at, 1) == 1;
  const Reach reach{read, read && ::read(ends[0], at, 1) == 1};
  ::close(ends[0]);
  ::close(ends[1]);
  return reach;
}

// Counts of all back-ends of a run.
struct MappingCounts {
  std::atomic<std::size_t> inputs{0}, outputs{0}, words{0};  // that lie where the mappings say
  std::atomic<std::size_t> mapped{0}, unmapped{0};           // mappings of back-ends that went
};

class MappedBackend final : public Backend {
 public:
  MappedBackend(std::unique_ptr<Backend> inner, MappingCounts& counts) : counts_(counts), inner_(std::move(inner)) {}
  ~MappedBackend() override {
    inner_.reset();
    for (const BackendMapping& mapping : mappings_)
      ++(reach(&mapping.bytes.back()).read ? counts_.mapped : counts_.unmapped);
  }
  const DeviceDescription& description() const noexcept override { return inner_->description(); }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override {
    for (const EdgePlan& edge : plan.edges) behind_headers_ = std::max(behind_headers_, edge.inline_bytes);
    return inner_->load(plan, stages, wakeup);
  }
  Status allocate(std::span<const DeviceRegion> regions) override { return inner_->allocate(regions); }
  Result<RegionNumbers> map(std::span<const BackendMapping> mappings) override {
    mappings_.assign(mappings.begin(), mappings.end());
    return inner_->map(mappings);
  }
  [[nodiscard]] RunsIn runs_in() const noexcept override { return inner_->runs_in(); }
  Start start(Firing& firing) noexcept override {
    std::size_t inputs = 0, outputs = 0, words = 0;
    if (!holds_all(firing, inputs, outputs, words)) {
      firing.code = Code::kBrokenContract;
      firing.message = "points into no mapping";
      return Start::kCompleted;
    }
    const Start start = inner_->start(firing);
    if (start == Start::kBusy) return start;
    counts_.inputs += inputs;
    counts_.outputs += outputs;
    counts_.words += words;
    return start;
  }
  std::size_t poll(std::span<Firing*> done) noexcept override { return inner_->poll(done); }

 private:
  bool holds_all(const Firing& firing, std::size_t& inputs, std::size_t& outputs, std::size_t& words) const {
    for (const woa_input& input : firing.inputs) {
      if (input.absent != 0 || input.data == nullptr || input.bytes <= behind_headers_) continue;
      const BackendMapping* const mapping = find(input.data, input.bytes, true);
      if (mapping == nullptr || !is_of(*mapping, firing.stage)) return false;
      ++inputs;
    }
    for (const woa_output& output : firing.outputs) {
      if (output.data == nullptr) continue;
      const BackendMapping* const mapping = find(output.data, output.capacity, true);
      if (mapping == nullptr || mapping->access != Access::kReadWrite || !is_of(*mapping, firing.stage)) return false;
      ++outputs;
    }
    for (const Publication& publication : firing.publications) {
      if (publication.word == nullptr) continue;
      const BackendMapping* const mapping = find(publication.word, sizeof *publication.word, false);
      if (mapping == nullptr || mapping->access != Access::kReadWrite || !mapping->may_register) return false;
      ++words;
    }
    return true;
  }
  static bool is_of(const BackendMapping& mapping, std::uint32_t stage) {
    return std::ranges::find(mapping.stages, stage) != mapping.stages.end();
  }
  // The mapping that holds so many bytes; null: none does.
  const BackendMapping* find(const void* data, std::uint64_t bytes, bool in_region) const {
    const auto* const begin = static_cast<const std::byte*>(data);
    const auto found = std::ranges::find_if(mappings_, [&](const BackendMapping& mapping) {
      const std::byte* const first = mapping.bytes.data();
      return mapping.region.has_value() == in_region && begin >= first && begin + bytes <= first + mapping.bytes.size();
    });
    return found == mappings_.end() ? nullptr : &*found;
  }

  MappingCounts& counts_;
  std::unique_ptr<Backend> inner_;
  std::vector<BackendMapping> mappings_;
  std::uint32_t behind_headers_ = 0;  // an input of so many bytes may have come there
};

// Wraps what the factory makes.
inline BackendFactory mapped(BackendFactory factory, MappingCounts& counts) {
  factory.make = [make = std::move(factory.make), &counts](
                     std::uint32_t ordinal, const ControllerPlan& controller) -> Result<std::unique_ptr<Backend>> {
    auto inner = make(ordinal, controller);
    if (!inner.ok()) return inner.status();
    return std::unique_ptr<Backend>(std::make_unique<MappedBackend>(std::move(*inner), counts));
  };
  return factory;
}

}  // namespace woa::test
