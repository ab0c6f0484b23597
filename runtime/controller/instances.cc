// What becomes of an instance at a stage: alive, dead (poison.cc), retired (rule 5).
#include <algorithm>
#include <cstring>

#include "runtime/controller/controller.h"
#include "runtime/controller/kernel_call.h"

namespace woa {

// The stage's book about an instance that has not retired. Null while a firing of a retired instance still uses its
// place.
Controller::StageInstance* Controller::instance_at(std::uint32_t stage_id, std::uint64_t instance) noexcept {
  StageInstance& entry = books_[stage_id].instances[instance % kMaxWindow];
  if (entry.instance == instance) return &entry;
  if (entry.running > 0) return nullptr;
  drop_state(stage_id, entry);
  entry = StageInstance{};
  entry.instance = instance;
  return &entry;
}

void Controller::learn_oldest(std::uint64_t oldest) noexcept {
  if (oldest <= oldest_) return;
  oldest_ = oldest;
  retire_instances();
  retry_ready_ = true;  // another instance is the oldest now, and has more credits
}

void Controller::retire_instances() noexcept {
  if (!matches_.empty()) {
    matches_.for_each([&](std::uint32_t m) {
      if (matches_[m].instance < oldest_) drop_match(m);
    });
    const auto gone = [&](std::uint32_t s, std::uint64_t instance) {
      return instance < oldest_ && books_[s].instances[instance % kMaxWindow].running == 0;
    };
    matches_.drop_held(gone, [&](const Token& token) { release(token); });  // they have served: not counted
  }
  for (std::uint32_t s = 0; s < books_.size(); ++s) {
    if (!table_[s].local || stage(s).stateful != Stateful::kInstance) continue;
    for (StageInstance& entry : books_[s].instances) {
      if (entry.has_state && entry.instance < oldest_ && entry.running == 0) drop_state(s, entry);
    }
  }
}

void Controller::drop_state(std::uint32_t stage_id, StageInstance& entry) noexcept {
  if (!entry.has_state) return;
  entry.has_state = false;
  StageBook& book = books_[stage_id];
  if (book.loaded->kernel->retire == nullptr) return;
  void* state = &book.state[(entry.instance % kMaxWindow) * book.state_stride];
  release_by_kernel("retire", stage(stage_id).kernel, [&] { book.loaded->kernel->retire(book.loaded->self, state); });
}

// The state for a firing: made (zeroed) at the first one.
void* Controller::state_of(std::uint32_t stage_id, StageInstance& entry) noexcept {
  StageBook& book = books_[stage_id];
  if (book.state_stride == 0) return nullptr;
  if (stage(stage_id).stateful == Stateful::kRun) {
    book.run_state_made = true;
    return book.state.data();
  }
  std::max_align_t* state = &book.state[(entry.instance % kMaxWindow) * book.state_stride];
  if (!entry.has_state) std::memset(state, 0, book.state_stride * sizeof(std::max_align_t));
  entry.has_state = true;
  return state;
}

void Controller::drop_held(std::uint32_t stage_id, std::uint64_t instance) noexcept {
  matches_.drop_held([&](std::uint32_t s, std::uint64_t i) { return s == stage_id && i == instance; },
                     [&](const Token& token) { release(token); });
}

void Controller::drop_match(std::uint32_t match) noexcept {
  if (matches_[match].ready) ready_.erase(std::remove(ready_.begin(), ready_.end(), match), ready_.end());
  for (const Token& token : matches_.tokens(match)) {
    if (token.present()) drop(token);
  }
  for (std::uint32_t p = 0; p < stage(matches_[match].stage).inputs.size(); ++p)
    matches_.each_element(match, p, [&](const Token& token) { drop(token); });
  matches_.erase(match);
}

}  // namespace woa
