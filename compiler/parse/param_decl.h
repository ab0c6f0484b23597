// Parameters that a kernel.yaml declares, and the values that they accept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parse/reader.h"
#include "runtime/plan/plan.h"

namespace woa {

struct ParamDecl {
  std::string name;
  ParamType type = ParamType::kString;
  std::optional<std::string> value;     // the default; absent: the graph must give one
  std::optional<std::string> min, max;  // kInt, kFloat: as written
  std::vector<std::string> choices;     // empty: any
  bool secret = false;
  std::string env;       // environment variable of a secret
  bool complete = true;  // nothing was left out because it could not be read
};

// Reads key `params` of a kernel.yaml.
std::vector<ParamDecl> read_param_decls(const YamlNode* node, Report& report);

// Why a value is not accepted: a problem's code and its text. check_param() returns nothing for an accepted value.
struct ParamFault {
  std::string_view code;
  std::string text;
};
std::optional<ParamFault> check_param(const ParamDecl& param, std::string_view value);
// The form to write instead: "write `width: N`, N from 1 to 32768". `before` precedes the value: "width: ".
std::string accepted_form(const ParamDecl& param, std::string_view before);

}  // namespace woa
