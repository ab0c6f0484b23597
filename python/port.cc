#include "python/port.h"

#include <algorithm>
#include <array>
#include <utility>

namespace woa::python {

Element Element::of(const std::string& name) {
  static const std::array<std::pair<const char*, Element>, 10> all{{{"u8", {'B', 1}},
                                                                    {"i8", {'b', 1}},
                                                                    {"u16", {'H', 2}},
                                                                    {"i16", {'h', 2}},
                                                                    {"u32", {'I', 4}},
                                                                    {"i32", {'i', 4}},
                                                                    {"u64", {'Q', 8}},
                                                                    {"i64", {'q', 8}},
                                                                    {"f32", {'f', 4}},
                                                                    {"f64", {'d', 8}}}};
  const auto found = std::ranges::find_if(all, [&](const auto& each) { return name == each.first; });
  return found == all.end() ? Element{} : found->second;
}

std::string Port::to_string() const {
  if (is_bytes) return "bytes, at most " + std::to_string(max_bytes);
  std::string text = type;
  for (std::size_t d = 0; d < dims.size(); ++d)
    text += (d == 0 ? "[" : ", ") + (dims[d].name.empty() ? std::to_string(dims[d].size) : dims[d].name);
  return dims.empty() ? text : text + "]";
}

bool Port::is_fixed() const {
  return !is_bytes && std::ranges::all_of(dims, [](const Dim& dim) { return dim.size != 0; });
}

std::vector<Port> ports_of(const woa_plan* plan, woa_direction direction) {
  std::vector<Port> all;
  woa_port port;
  for (std::uint32_t k = 0; woa_plan_port(plan, direction, k, &port) == WOA_OK; ++k) {
    Port& made = all.emplace_back();
    made.name = port.name;
    made.type = port.element;
    made.is_bytes = made.type == "bytes";
    made.element = Element::of(made.type);
    made.max_bytes = port.max_bytes;
    for (std::uint32_t d = 0; d < port.rank; ++d)
      made.dims.push_back({port.dims[d].name, port.dims[d].size, port.dims[d].max});
  }
  return all;
}

}  // namespace woa::python
