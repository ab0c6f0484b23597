// Loads, stores, read-modify-writes, fences.
#include "tests/doubles/cuda/ptx/access.h"

#include <type_traits>

namespace woa::ptx {
namespace {

std::int32_t element(const Thread& t, const Instruction& i, std::uint32_t k) {
  return i.count == 1 ? i.d : t.function->more[i.more + k];
}

template <Space space, class T>
void load(Thread& t, const Instruction& i) {
  const Place at = place<space>(t, i, sizeof(T) * i.count, false);
  if (at.at == nullptr) return;
  if (i.order == Order::kAcquire && t.block->ignored.acquire) t.block->view.load_early(t.view, at.at, at.room);
  for (std::uint32_t k = 0; k < i.count; ++k) {
    const std::byte* const from = at.at + sizeof(T) * k;
    const std::uint64_t value = at.space == Space::kLocal
                                    ? read(from, sizeof(T), Order::kWeak)
                                    : t.block->view.load(t.view, from, sizeof(T), i.order, at.space == Space::kShared);
    const std::int32_t slot = element(t, i, k);
    if (slot >= 0) set<T>(t, slot, static_cast<T>(value));
  }
}

template <Space space, class T>
void store(Thread& t, const Instruction& i) {
  const Place at = place<space>(t, i, sizeof(T) * i.count, true);
  if (at.at == nullptr) return;
  for (std::uint32_t k = 0; k < i.count; ++k) {
    const Store made{at.at + sizeof(T) * k,     get<T>(t, element(t, i, k)), 0, 0, sizeof(T), i.order,
                     at.space == Space::kShared};
    if (at.space == Space::kLocal)
      write(made);
    else
      t.block->view.store(t.view, made, i.wide_scope);
  }
}

std::optional<Type> as_bits(std::optional<Type> type) {
  return type == Type::kF32 ? Type::kB32 : type == Type::kF64 ? Type::kB64 : type;
}
constexpr Kinds kAccess = kIntegers | kBitTypes | kByteTypes;
template <Space space>
struct PickLoad {
  static Handler pick_type(std::optional<Type> type) {
    return pick<kAccess>(type, []<class T>() -> Handler { return &load<space, T>; });
  }
};
template <Space space>
struct PickStore {
  static Handler pick_type(std::optional<Type> type) {
    return pick<kAccess>(type, []<class T>() -> Handler { return &store<space, std::make_unsigned_t<T>>; });
  }
};

bool take_order(Decoder& in, bool load) {
  if (in.take("volatile")) return in.out.order = Order::kRelaxed, true;
  if (in.take("relaxed"))
    in.out.order = Order::kRelaxed;
  else if (load && in.take("acquire"))
    in.out.order = Order::kAcquire;
  else if (!load && in.take("release"))
    in.out.order = Order::kRelease;
  else
    return in.take("weak"), true;
  return take_scope(in) || in.invalid("a scope expected: cta, gpu or sys");
}

bool move_data(Decoder& in, bool load) {
  if (!take_order(in, load)) return false;
  if (load) in.take("nc");
  for (const std::string_view hint : {"ca", "cg", "cs", "lu", "cv", "wb", "wt"}) in.take(hint);
  const Space space = take_space(in);
  const std::uint32_t count = in.take("v2") ? 2 : in.take("v4") ? 4 : 1;
  const auto type = in.take_type();
  if (in.count() != 2) return in.invalid("2 operands expected");
  in.vector(load ? 0 : 1);
  if (in.out.count != count) return in.invalid("the vector has another number of elements");
  in.out.run = load ? by_space<PickLoad>(space, as_bits(type)) : by_space<PickStore>(space, as_bits(type));
  return in.address(load ? 1 : 0);
}

void fence(Thread& t, const Instruction& i) {
  if (!t.block->ignored.fence) t.block->view.fence(t.view, i.choice == 1, i.wide_scope);
}

bool decode_fence(Decoder& in) {
  in.out.run = &fence;
  const bool sequential = in.base() == "membar" || in.take("sc");
  if (!sequential) in.take("acq_rel");
  in.out.choice = sequential ? 1 : 0;
  return take_scope(in) && in.slots(0);
}

}  // namespace

std::optional<bool> decode_access(Decoder& in) {
  if (in.base() == "ld" || in.base() == "ldu") return move_data(in, true);
  if (in.base() == "st") return move_data(in, false);
  if (in.base() == "fence" || in.base() == "membar") return decode_fence(in);
  return std::nullopt;
}

}  // namespace woa::ptx
