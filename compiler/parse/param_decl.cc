#include "compiler/parse/param_decl.h"

#include <algorithm>
#include <array>
#include <compare>

namespace woa {
namespace {

constexpr std::array<std::string_view, 5> kTypeNames{"int", "float", "string", "bool", "file"};

// Compares two values of a type that has an order; nothing if one of them is not of the type.
std::optional<std::partial_ordering> compare(ParamType type, std::string_view a, std::string_view b) {
  if (type == ParamType::kInt) {
    const auto x = parse_signed(a), y = parse_signed(b);
    return x && y ? std::optional<std::partial_ordering>(*x <=> *y) : std::nullopt;
  }
  const auto x = parse_decimal(a), y = parse_decimal(b);
  return x && y ? std::optional(*x <=> *y) : std::nullopt;
}

bool is_of_type(ParamType type, std::string_view value) { return normal_value(type, value).has_value(); }

std::optional<ParamType> read_type(const MapReader& map, Report& report) {
  const YamlNode* type = map.need("type", "type: int");
  if (type == nullptr) return std::nullopt;
  const auto found = std::find(kTypeNames.begin(), kTypeNames.end(), type->text);
  if (type->kind == YamlNode::Kind::kScalar && found != kTypeNames.end()) {
    return static_cast<ParamType>(found - kTypeNames.begin());
  }
  report.error(problem::kBadValue, type->place, cat("the type of a parameter is ", quote(type->text)),
               "write `int`, `float`, `string`, `bool` or `file`");
  return std::nullopt;
}

std::optional<std::string> read_bound(const MapReader& map, std::string_view key, const ParamDecl& param,
                                      Report& report) {
  const YamlNode* node = map.get(key);
  if (node == nullptr) return std::nullopt;
  const bool numeric = param.type == ParamType::kInt || param.type == ParamType::kFloat;
  const bool whole = param.type != ParamType::kInt || node->plain || is_in_digits(node->text);  // like whole_number()
  if (numeric && whole && is_of_type(param.type, node->text)) return node->text;
  report.error(problem::kBadValue, node->place, cat(quote(key), " is ", quote(node->text)),
               numeric ? "write a number of the parameter's type" : "only `int` and `float` have bounds");
  return std::nullopt;
}

void read_secret(const MapReader& map, ParamDecl& param, const Place& place, Report& report) {
  if (const YamlNode* secret = map.get("secret")) param.secret = read_bool(*secret, "`secret`", report).value_or(false);
  if (const YamlNode* env = map.get("env")) {
    param.env = read_name(*env, "the name of an environment variable", report).value_or("");
  }
  if (param.secret != (map.get("env") != nullptr)) {
    report.error(problem::kBadKernel, place,
                 cat("parameter ", quote(param.name), " needs both `secret: true` and `env`, or neither"),
                 "write `secret: true, env: NAME`: the value comes from that environment variable only");
  }
  if (param.secret && param.value) {
    report.error(problem::kBadKernel, place, cat("secret parameter ", quote(param.name), " has a default"),
                 "remove it");
  }
}

ParamDecl read_param_decl(const YamlNode& key, const YamlNode& value, Report& report) {
  ParamDecl param;
  const std::size_t errors = report.errors();
  param.complete = false;
  param.name = key.text;
  const MapReader map(&value, cat("parameter ", quote(key.text)),
                      {"type", "default", "min", "max", "choices", "secret", "env"}, report);
  const std::optional<ParamType> type = read_type(map, report);
  if (!type) return param;
  param.type = *type;
  param.min = read_bound(map, "min", param, report);
  param.max = read_bound(map, "max", param, report);
  if (const YamlNode* choices = map.get("choices");
      choices != nullptr && expect_list(*choices, "`choices`", "`[a, b]`", report)) {
    for (const YamlNode& item : choices->items) {
      if (auto text = read_text(item, "a choice", report)) param.choices.push_back(*text);
    }
  }
  if (const YamlNode* preset = map.get("default")) {
    param.value = read_text(*preset, "`default`", report);
    const bool no_file = param.type == ParamType::kFile && param.value == "";  // means no file
    if (const auto fault = param.value && !no_file ? check_param(param, *param.value) : std::nullopt) {
      report.error(fault->code, preset->place, fault->text, "give a default that the kernel accepts");
    }
  }
  read_secret(map, param, key.place, report);
  param.complete = report.errors() == errors;
  return param;
}

}  // namespace

std::vector<ParamDecl> read_param_decls(const YamlNode* node, Report& report) {
  std::vector<ParamDecl> params;
  if (node == nullptr || !expect_map(*node, "`params`", "`NAME: {type: int}`", report)) return params;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const bool name = read_name(node->keys[i], "the name of a parameter", report).has_value();
    if (name && expect_map(node->items[i], cat("parameter ", quote(node->keys[i].text)), "`{type: int}`", report)) {
      params.push_back(read_param_decl(node->keys[i], node->items[i], report));
    }
  }
  return params;
}

std::string accepted_form(const ParamDecl& param, std::string_view before) {
  const auto written = [&](std::string_view value) { return quote(cat(before, value)); };
  if (!param.choices.empty())
    return cat("write ", written(param.choices.front()), param.choices.size() > 1 ? ", or another of these" : "");
  if (param.type == ParamType::kBool) return cat("write ", written("true"), " or ", written("false"));
  const std::string range = param.min && param.max ? cat("N from ", *param.min, " to ", *param.max)
                            : param.min            ? cat("N from ", *param.min)
                            : param.max            ? cat("N up to ", *param.max)
                                                   : cat("N of type ", to_string(param.type));
  return cat("write ", written("N"), ", ", range);
}

std::optional<ParamFault> check_param(const ParamDecl& param, std::string_view value) {
  const std::string start = cat("parameter ", quote(param.name), " is ", quote(value), ", expected ");
  if (!is_of_type(param.type, value))
    return ParamFault{problem::kBadParam, cat(start, "a value of type ", to_string(param.type))};
  const bool low = param.min && compare(param.type, value, *param.min) == std::partial_ordering::less;
  const bool high = param.max && compare(param.type, value, *param.max) == std::partial_ordering::greater;
  if (low || high) {
    const std::string range = !param.max   ? cat("at least ", *param.min)
                              : !param.min ? cat("at most ", *param.max)
                                           : cat(*param.min, " to ", *param.max);
    return ParamFault{problem::kParamRange, start + range};
  }
  const auto meant = normal_value(param.type, value);
  const bool chosen = param.choices.empty() || std::ranges::any_of(param.choices, [&](const std::string& choice) {
                        return normal_value(param.type, choice) == meant;
                      });
  if (!chosen) return ParamFault{problem::kParamChoice, cat(start, "one of ", quote_list(param.choices))};
  return std::nullopt;
}

}  // namespace woa
