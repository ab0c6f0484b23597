#include "compiler/check/graph.h"

namespace woa {

std::string Graph::output_name(std::uint32_t stage, std::uint32_t port) const {
  const std::string& name = stages[stage].outputs[port].name;
  return stage == kSourceStage ? name : stages[stage].name + "." + name;
}

std::string Graph::input_name(std::uint32_t stage, std::uint32_t port) const {
  const std::string& name = stages[stage].inputs[port].name;
  return stage == kSinkStage ? name : stages[stage].name + "." + name;
}

std::int32_t Graph::common(std::int32_t a, std::int32_t b) const {
  while (a != b) {
    if (depth(a) >= depth(b)) {
      a = parent(a);
    } else {
      b = parent(b);
    }
  }
  return a;
}

std::int32_t Graph::scatter_around(std::int32_t context) const {
  while (context >= 0 && !loops[static_cast<std::size_t>(context)].scatter) context = parent(context);
  return context;
}

}  // namespace woa
