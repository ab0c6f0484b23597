// Read-modify-writes.
#include <algorithm>
#include <atomic>

#include "tests/doubles/cuda/ptx/access.h"

namespace woa::ptx {
namespace {

enum class Change : std::uint8_t { kAdd, kAnd, kOr, kXor, kMin, kMax, kExchange, kCompareSwap, kInc, kDec };
struct Named {
  std::string_view name;
  Change change;
  Kinds kinds;
};
constexpr Named kChanges[] = {{"add", Change::kAdd, kIntegers},       {"and", Change::kAnd, kBitTypes},
                              {"or", Change::kOr, kBitTypes},         {"xor", Change::kXor, kBitTypes},
                              {"min", Change::kMin, kIntegers},       {"max", Change::kMax, kIntegers},
                              {"exch", Change::kExchange, kBitTypes}, {"cas", Change::kCompareSwap, kBitTypes},
                              {"inc", Change::kInc, kUnsigned},       {"dec", Change::kDec, kUnsigned}};

template <class T>
T changed(Change change, T old, T by, T with) {
  switch (change) {
    case Change::kAdd: return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(by));
    case Change::kAnd: return old & by;
    case Change::kOr: return old | by;
    case Change::kXor: return old ^ by;
    case Change::kMin: return std::min(old, by);
    case Change::kMax: return std::max(old, by);
    case Change::kExchange: return by;
    case Change::kCompareSwap: return old == by ? with : old;
    case Change::kInc: return old >= by ? T{0} : old + 1;
    case Change::kDec: return old == 0 || old > by ? by : old - 1;
  }
  return old;
}

std::memory_order in_memory(bool acquire, bool release) {
  if (release) return acquire ? std::memory_order_acq_rel : std::memory_order_release;
  return acquire ? std::memory_order_acquire : std::memory_order_relaxed;
}

template <Space space, class T>
void modify(Thread& t, const Instruction& i) {
  const Place at = place<space>(t, i, sizeof(T), true);
  if (at.at == nullptr) return;
  if (at.space == Space::kLocal) return fault(t, i, End::kIllegalAddress, t.r[i.a], "local memory has no atomics");
  const Ignored& ignored = t.block->ignored;
  const bool release = (i.order == Order::kRelease || i.order == Order::kAcquireRelease) && !ignored.release;
  const bool acquire = (i.order == Order::kAcquire || i.order == Order::kAcquireRelease) && !ignored.acquire;
  if (release) t.block->view.release(t.view, i.wide_scope);
  t.block->view.settle(t.view, at.at, at.space == Space::kShared);
  const T by = get<T>(t, i.b), with = i.c < 0 ? T{} : get<T>(t, i.c);
  const std::atomic_ref<T> word(*reinterpret_cast<T*>(at.at));
  T old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, changed(static_cast<Change>(i.choice), old, by, with),
                                     in_memory(acquire, t.view.need != 0), std::memory_order_relaxed)) {
  }
  if (acquire)
    t.block->view.acquire(t.view);
  else
    t.block->view.saw(t.view, at.at, sizeof(T));
  if (i.d >= 0) set<T>(t, i.d, old);
}

template <Space space>
struct PickModify {
  static Handler pick_type(std::optional<Type> type) {
    return pick<kIntegers | kBitTypes>(type, []<class T>() -> Handler {
      if constexpr (sizeof(T) < 4)
        return nullptr;
      else
        return &modify<space, T>;
    });
  }
};

bool allowed(Kinds kinds, Type type) {
  const bool bits = type == Type::kB32 || type == Type::kB64;
  return (kinds & (bits ? kBitTypes : is_signed(type) ? kSigned : kUnsigned)) != 0;
}

}  // namespace

std::optional<bool> decode_atomic(Decoder& in) {
  const bool reduction = in.base() == "red";
  if (in.base() != "atom" && !reduction) return std::nullopt;
  in.out.order = in.take("acquire")   ? Order::kAcquire
                 : in.take("release") ? Order::kRelease
                 : in.take("acq_rel") ? Order::kAcquireRelease
                                      : (in.take("relaxed"), Order::kRelaxed);
  take_scope(in);
  const Space space = take_space(in);
  const Named* found = nullptr;
  for (const Named& one : kChanges)
    if (in.take(one.name)) found = &one;
  const auto type = in.take_type();
  if (found == nullptr || !type || !allowed(found->kinds, *type)) return false;
  in.out.choice = static_cast<std::uint8_t>(found->change);
  in.out.run = by_space<PickModify>(space, type);
  const bool swap = found->change == Change::kCompareSwap;
  const std::size_t address = reduction ? 0 : 1;
  if (in.count() != address + (swap ? 3 : 2)) return in.invalid("another number of operands expected");
  if (!in.address(address)) return false;
  if (!reduction) in.out.d = in.slot(std::size_t{0});
  in.out.b = in.slot(address + 1);
  if (swap) in.out.c = in.slot(address + 2);
  return true;
}

}  // namespace woa::ptx
