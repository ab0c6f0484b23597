// The smallest link that there is.
#include "tests/cts/packing/rig.h"

woa::packing::LinkSpec woa::cts::link_spec() { return {.blocks = 1, .block_bytes = 64, .later_pieces = 32}; }
