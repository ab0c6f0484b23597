#include "controllers/cpu/guarded_ports.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace woa {
namespace {

Status protect(std::span<const std::byte> pages, int access) {
  // The system takes an address that it may write to; nothing is written.
  if (::mprotect(const_cast<std::byte*>(pages.data()), pages.size(), access) == 0) return {};
  return {Code::kExhausted, system_error("mprotect")};
}

// Takes over what the kernel has set; the memory stays what it was.
void give_back(const woa_output& view, woa_output& own) noexcept {
  const woa_output before = own;
  own = view;
  own.data = before.data;
  own.elements = before.elements;
}

}  // namespace

Status wrote_outside(const OutputPortPlan& port, std::uint32_t element, const char* where, std::uint64_t bytes) {
  const std::string of = port.many == 0 ? "" : "element " + std::to_string(element) + " of ";
  return {Code::kBrokenContract, std::string("the kernel wrote ") + where + " the " + std::to_string(bytes) +
                                     " bytes of " + of + "output '" + port.name + "'"};
}

Status GuardedPorts::Area::take(std::uint64_t bytes) {
  const std::size_t page = page_bytes();
  const std::size_t room = std::max(whole_pages(bytes), page);
  if (room_.size() < room) {
    WOA_ASSIGN_OR_RETURN(auto pages, map_pages(-1, room + 2 * page, Access::kReadWrite));
    WOA_RETURN_IF_ERROR(protect(pages->bytes().first(page), PROT_NONE));
    WOA_RETURN_IF_ERROR(protect(pages->bytes().last(page), PROT_NONE));
    pages_ = std::move(pages);
    room_ = pages_->bytes().subspan(page, room);
  }
  WOA_RETURN_IF_ERROR(protect(room_, PROT_READ | PROT_WRITE));  // it may have been an input before
  end_ = reinterpret_cast<std::uint8_t*>(room_.data()) + room_.size();
  data_ = end_ - in_whole_lines(bytes);
  bytes_ = bytes;
  begin_ = end_ - room;
  std::fill(begin_, data_, kUntouched);
  std::fill(data_ + bytes_, end_, kUntouched);
  return {};
}

Status GuardedPorts::Area::allow_only_reading() const { return protect(room_, PROT_READ); }

const char* GuardedPorts::Area::stray_write() const noexcept {
  const auto untouched = [](std::uint8_t byte) { return byte == kUntouched; };
  if (!std::all_of(data_ + bytes_, end_, untouched)) return "behind";
  return std::all_of(begin_, data_, untouched) ? nullptr : "before";
}

Result<GuardedPorts::Area*> GuardedPorts::take_area(std::uint64_t bytes) {
  if (used_ == areas_.size()) areas_.push_back(std::make_unique<Area>());
  Area* const area = areas_[used_++].get();
  WOA_RETURN_IF_ERROR(
      area->take(bytes).with_context("--guard: memory of " + std::to_string(bytes) + " bytes for a port"));
  return area;
}

// A port that scatters has no memory of its own.
Status GuardedPorts::lend(woa_output& own, woa_output& view, std::uint32_t port, std::uint32_t element) {
  view = own;
  if (own.data == nullptr) return {};
  WOA_ASSIGN_OR_RETURN(Area* const area, take_area(own.capacity));
  view.data = area->data();
  lent_.push_back({area, &own, &view, port, element});
  return {};
}

Status GuardedPorts::enter_outputs(const StagePlan& stage, Firing& firing) {
  outputs_.resize(firing.outputs.size());
  scattered_.resize(firing.outputs.size());
  for (std::uint32_t p = 0; p < outputs_.size(); ++p) {
    woa_output& own = firing.outputs[p];
    WOA_RETURN_IF_ERROR(lend(own, outputs_[p], p, 0));
    if (own.elements == nullptr) continue;
    scattered_[p].resize(stage.outputs[p].many);
    outputs_[p].elements = scattered_[p].data();
    for (std::uint32_t e = 0; e < scattered_[p].size(); ++e)
      WOA_RETURN_IF_ERROR(lend(own.elements[e], scattered_[p][e], p, e));
  }
  return {};
}

// A block that a kernel changes in place is input and output at once.
Status GuardedPorts::lend_copy(woa_input& view) {
  if (view.data == nullptr) return {};
  const auto in_place = std::ranges::find_if(lent_, [&](const Lent& lent) { return lent.own->data == view.data; });
  if (in_place != lent_.end()) {
    view.data = static_cast<std::uint8_t*>(std::memcpy(in_place->view->data, view.data, view.bytes));
    return {};
  }
  WOA_ASSIGN_OR_RETURN(Area* const area, take_area(view.bytes));
  view.data = static_cast<std::uint8_t*>(std::memcpy(area->data(), view.data, view.bytes));
  return area->allow_only_reading();
}

Status GuardedPorts::enter_inputs(Firing& firing) {
  inputs_.assign(firing.inputs.begin(), firing.inputs.end());
  gathered_.resize(inputs_.size());
  for (std::size_t p = 0; p < inputs_.size(); ++p) {
    woa_input& view = inputs_[p];
    WOA_RETURN_IF_ERROR(lend_copy(view));
    if (view.elements == nullptr) continue;
    gathered_[p].assign(view.elements, view.elements + view.count);
    view.elements = gathered_[p].data();
    for (woa_input& element : gathered_[p]) WOA_RETURN_IF_ERROR(lend_copy(element));
  }
  return {};
}

Status GuardedPorts::enter(const StagePlan& stage, Firing& firing) {
  used_ = 0;
  lent_.clear();
  scratch_ = nullptr;
  WOA_RETURN_IF_ERROR(enter_outputs(stage, firing));
  WOA_RETURN_IF_ERROR(enter_inputs(firing));
  if (firing.scratch == nullptr) return {};
  WOA_ASSIGN_OR_RETURN(Area* const area, take_area(firing.scratch_bytes));
  scratch_ = area;
  firing.scratch = area->data();
  return {};
}

Status GuardedPorts::find_stray_write(const StagePlan& stage) const {
  for (const Lent& lent : lent_) {
    const char* const where = lent.area->stray_write();
    if (where == nullptr) continue;
    return wrote_outside(stage.outputs[lent.port], lent.element, where, lent.own->capacity);
  }
  const char* const where = scratch_ == nullptr ? nullptr : scratch_->stray_write();
  if (where == nullptr) return {};
  return {Code::kBrokenContract, std::string("the kernel wrote ") + where + " its " +
                                     std::to_string(stage.scratch_bytes) + " bytes of scratch"};
}

Status GuardedPorts::leave(const StagePlan& stage, Firing& firing) {
  for (std::size_t p = 0; p < outputs_.size(); ++p) give_back(outputs_[p], firing.outputs[p]);
  for (const Lent& lent : lent_) {
    if (lent.view->written != 0)
      std::memcpy(lent.own->data, lent.area->data(), std::min(lent.view->bytes, lent.own->capacity));
    give_back(*lent.view, *lent.own);
  }
  return find_stray_write(stage);
}

}  // namespace woa
