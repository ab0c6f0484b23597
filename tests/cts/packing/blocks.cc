#include "tests/cts/packing/rig.h"
#include "tests/support/chosen_size.h"

woa::packing::LinkSpec woa::cts::link_spec() {
  switch (test::chosen_size()) {
    case test::Size::kDefault: break;
    // The fewest blocks of which one can be filled while another is read.
    case test::Size::kSmall: return {.blocks = 2, .block_bytes = 128, .later_pieces = 32};
    // The smallest link that there is.
    case test::Size::kMin: return {.blocks = 1, .block_bytes = 64, .later_pieces = 32};
  }
  return {.blocks = 8, .block_bytes = 4096, .later_pieces = 64};
}
