// The ports of a graph, and the types that Python's buffers have for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "woa/woa.h"

namespace woa::python {

// An element type of the graph language, in the words of Python's module `struct`.
struct Element {
  char format = 'B';
  std::uint32_t bytes = 1;
  static Element of(const std::string& name);
};

struct Port {
  struct Dim {
    std::string name;
    std::uint32_t size = 0, max = 0;  // as in woa_port
  };
  std::string name, type;
  bool is_bytes = false;
  bool is_output = false;  // of a kernel, that a function of Python writes
  Element element;
  std::vector<Dim> dims;
  std::uint64_t max_bytes = 0;

  // "f64[h, 4]"
  [[nodiscard]] std::string to_string() const;
  // False: a token's size varies.
  [[nodiscard]] bool is_fixed() const;
};

std::vector<Port> ports_of(const woa_plan* plan, woa_direction direction);

}  // namespace woa::python
