#include "runtime/messaging/onesided/apply.h"

namespace woa::onesided {
namespace {

// Reads once: the value checked is the value used.
std::uint64_t read(const std::uint64_t& word) noexcept { return __atomic_load_n(&word, __ATOMIC_RELAXED); }

// Does the updates at the start of `units` that are of one kind and keep the rules; returns how many. The subtraction
// gives the offset if the kind is right, else a number beyond every region.
template <Operation kOperation, Element Word, Sharing kSharing>
std::size_t apply_run(std::span<const Unit> units, std::span<Word> elements) noexcept {
  constexpr std::uint64_t kKind = kind_of(kOperation, kWidthOf<Word>);
  Word* const base = elements.data();
  const std::uint64_t count = elements.size();
  std::size_t done = 0;
  for (const Unit& unit : units) {
    const std::uint64_t element = element_of(read(unit.place) - kKind, kWidthOf<Word>);
    if (element >= count) break;
    const auto operand = static_cast<Word>(read(unit.operand));
    if constexpr (kSharing == Sharing::kExclusive) {
      perform_alone<Word>(kOperation, base[element], operand, 0);
    } else {
      perform_atomically<Word>(kOperation, base[element], operand, 0);
    }
    ++done;
  }
  return done;
}

template <Element Word, Sharing kSharing>
std::size_t apply_run_of(Operation operation, std::span<const Unit> units, std::span<std::byte> bytes) noexcept {
  const std::span elements(reinterpret_cast<Word*>(bytes.data()), bytes.size() / sizeof(Word));
  switch (operation) {
    case Operation::kPut: return apply_run<Operation::kPut, Word, kSharing>(units, elements);
    case Operation::kSum: return apply_run<Operation::kSum, Word, kSharing>(units, elements);
    case Operation::kXor: return apply_run<Operation::kXor, Word, kSharing>(units, elements);
    case Operation::kMin: return apply_run<Operation::kMin, Word, kSharing>(units, elements);
    case Operation::kMax: return apply_run<Operation::kMax, Word, kSharing>(units, elements);
    case Operation::kFetchAdd:
    case Operation::kCompareSwap: return 0;
  }
  return 0;
}

template <Element Word>
std::size_t apply_run_of(Operation operation, std::span<const Unit> units, const Region& region) noexcept {
  return region.sharing() == Sharing::kExclusive
             ? apply_run_of<Word, Sharing::kExclusive>(operation, units, region.bytes())
             : apply_run_of<Word, Sharing::kCoherent>(operation, units, region.bytes());
}

struct Step {
  std::size_t units = 0;  // 0: refused
  Refusal refusal = Refusal::kNone;
  Update update;
};

// Does the first update of `units` alone.
Step apply_one(std::span<const Unit> units, const Region& region, Returns& returns) noexcept {
  Update update = update_of(read(units[0].place), read(units[0].operand));
  if (const Refusal refusal = check(update, region.bytes().size()); refusal != Refusal::kNone)
    return {0, refusal, update};
  const std::size_t count = update.operation == Operation::kCompareSwap ? 2 : 1;
  if (units.size() < count) return {0, Refusal::kTruncated, update};
  if (count == 2) {
    update.expected = read(units[1].place);
    if (read(units[1].operand) != 0) return {0, Refusal::kReserved, update};
  }
  const std::uint64_t old = region.perform(update);
  if (fetches(update.operation)) returns.add(old);
  return {count, Refusal::kNone, update};
}

}  // namespace

Applied apply(std::span<const Unit> units, const Region& region, Returns& returns) noexcept {
  Applied result;
  while (!units.empty()) {
    const Step step = apply_one(units, region, returns);
    result.refusal = step.refusal;
    result.refused = step.update;
    if (step.units == 0) return result;
    units = units.subspan(step.units);
    ++result.updates;
    if (units.empty() || fetches(step.update.operation)) continue;
    const std::size_t run = step.update.width == Width::k32
                                ? apply_run_of<std::uint32_t>(step.update.operation, units, region)
                                : apply_run_of<std::uint64_t>(step.update.operation, units, region);
    units = units.subspan(run);
    result.updates += run;
  }
  return result;
}

}  // namespace woa::onesided
