#include "tests/cts/packing/rig.h"

woa::packing::LinkSpec woa::cts::link_spec() { return {.blocks = 8, .block_bytes = 4096, .later_pieces = 64}; }
