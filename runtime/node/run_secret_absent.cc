// Built without OpenSSL: nothing is proved, so nobody joins.
#include "runtime/node/run_secret.h"

namespace woa {

Result<RunSecret> RunSecret::read(const std::filesystem::path& /*file*/) {
  return {Code::kUnavailable, std::string("nodes cannot join a run: ") + WOA_WHY_NOT};
}

RunSecret::Proof RunSecret::prove(std::string_view /*role*/, std::span<const std::byte> /*message*/) const {
  return {};
}

bool RunSecret::holds(std::span<const std::byte> /*proof*/, std::string_view /*role*/,
                      std::span<const std::byte> /*message*/) const {
  return false;
}

}  // namespace woa
