#include "tests/doubles/cuda/ptx/decode.h"
namespace woa::ptx {
std::optional<bool> decode_atomic(Decoder&) { return std::nullopt; }
}  // namespace woa::ptx
