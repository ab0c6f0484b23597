// Refuses all modules, until the interpreter is there.
#include "tests/doubles/cuda/ptx/interpreter.h"

namespace woa::ptx {
woa::Result<std::unique_ptr<Module>> Module::parse(std::string_view) {
  return {Code::kUnsupported, "this double has no interpreter"};
}
Outcome run(const Launch&, Memory&, const Weather&, const std::atomic<bool>&, std::unique_ptr<LateStores>*) {
  return {};
}
}  // namespace woa::ptx
