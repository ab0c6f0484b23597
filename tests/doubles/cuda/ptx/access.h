// Places in memory, by address and space.
#pragma once

#include "tests/doubles/cuda/ptx/decode.h"
#include "tests/doubles/cuda/ptx/operations.h"

namespace woa::ptx {

struct Place {
  std::byte* at = nullptr;
  Space space = Space::kGlobal;
  std::uint64_t room = 0;  // of global memory, from there to the end of its extent
};

template <Space space>
Place place(Thread& t, const Instruction& i, std::uint32_t bytes, bool store) {
  std::uint64_t address = t.r[i.a] + static_cast<std::uint64_t>(i.immediate);
  Space where = space;
  const std::uint64_t given = address;
  if constexpr (space == Space::kGeneric) {
    where = Space::kGlobal;
    if (address >= kSharedWindow) {
      where = address >= kLocalWindow ? Space::kLocal : Space::kShared;
      address &= 0xFFFF'FFFFU;
    }
  }
  if (address % bytes != 0) return fault(t, i, End::kMisaligned, given, "the address is not aligned"), Place{};
  if (where == Space::kGlobal) {
    const Extent* const extent = t.block->extents.find(address);
    const char* why = extent == nullptr                                     ? "nothing is allocated or registered there"
                      : extent->bytes - (address - extent->address) < bytes ? "it passes the end of an allocation"
                      : store && !extent->store                             ? "this memory is read-only"
                                                                            : nullptr;
    if (why != nullptr) return fault(t, i, End::kIllegalAddress, given, why), Place{};
    const std::uint64_t offset = address - extent->address;
    return {extent->memory + offset, where, extent->bytes - offset};
  }
  std::vector<std::byte>& memory = where == Space::kShared ? t.block->shared : t.local;
  if (space != Space::kGeneric && where == Space::kShared) address &= 0xFFFF'FFFFU;
  if (address + bytes > memory.size() || address > memory.size())
    return fault(t, i, End::kIllegalAddress, given,
                 where == Space::kShared ? "past the block's shared memory" : "past the thread's local memory"),
           Place{};
  return {memory.data() + address, where};
}

template <template <Space> class Pick>
Handler by_space(Space space, std::optional<Type> type) {
  switch (space) {
    case Space::kGeneric: return Pick<Space::kGeneric>::pick_type(type);
    case Space::kGlobal: return Pick<Space::kGlobal>::pick_type(type);
    case Space::kShared: return Pick<Space::kShared>::pick_type(type);
    case Space::kLocal: return Pick<Space::kLocal>::pick_type(type);
  }
  return nullptr;
}
inline Space take_space(Decoder& in) {
  if (in.take("global") || in.take("const")) return Space::kGlobal;
  if (in.take("shared") || in.take("shared::cta")) return Space::kShared;
  if (in.take("local") || in.take("param")) return Space::kLocal;
  return Space::kGeneric;
}

inline bool take_scope(Decoder& in) {  // true: there is one
  if (in.take("cta")) return in.out.wide_scope = false, true;
  return in.take("gpu") || in.take("sys") || in.take("gl");
}

}  // namespace woa::ptx
