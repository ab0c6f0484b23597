#include "tests/cts/packing/rig.h"
#include "tests/support/chosen_size.h"

woa::packing::LinkSpec woa::cts::link_spec() {
  constexpr std::uint64_t kNone = packing::kNoRendezvous;
  switch (test::chosen_size()) {
    case test::Size::kDefault: break;
    // The fewest blocks that let one be filled while another is read; every piece that may goes by rendezvous.
    case test::Size::kSmall: return {.blocks = 2, .block_bytes = 128, .later_pieces = 32, .rendezvous_bytes = 1};
    // The smallest link; nothing goes by rendezvous.
    case test::Size::kMin: return {.blocks = 1, .block_bytes = 64, .later_pieces = 32, .rendezvous_bytes = kNone};
  }
  return {.blocks = 8, .block_bytes = 4096, .later_pieces = 64};
}
