// The fewest blocks of which one can be filled while another is read.
#include "tests/cts/packing/rig.h"

woa::packing::LinkSpec woa::cts::link_spec() { return {.blocks = 2, .block_bytes = 128, .later_pieces = 32}; }
