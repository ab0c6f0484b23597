// Key `needs` of a stage and of a kernel.yaml: capabilities that the controller must have.
#pragma once

#include <string>
#include <vector>

#include "compiler/parse/reader.h"

namespace woa {

struct NeedUse {
  std::string name;
  Place place;
};

// `node` may be null. Reports what is no list of names.
std::vector<NeedUse> read_needs(const YamlNode* node, Report& report);

}  // namespace woa
