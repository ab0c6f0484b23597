#include "tools/frames/frame_rule.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/scalar.h"
#include "runtime/base/text.h"
#include "tools/frames/npy_array.h"

namespace woa::tools {
namespace {

using Kind = FrameRule::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 4> kNamed{
    {{"lines", Kind::kLines}, {"u32", Kind::kU32}, {"npy", Kind::kNpy}, {"jpeg", Kind::kJpeg}}};
constexpr std::string_view kFixed = "fixed:";

bool begins_and_ends(std::span<const std::byte> payload, std::byte last) {
  const auto marker = [](std::span<const std::byte> at, std::byte second) {
    return at[0] == std::byte{0xFF} && at[1] == second;
  };
  return payload.size() >= 4 && marker(payload.first(2), std::byte{0xD8}) && marker(payload.last(2), last);
}

Status unfit(const std::string& found, const std::string& expected) {
  return {Code::kInvalid, found + ": " + expected};
}

// The rule as --frames takes it.
std::string to_string(const FrameRule& rule) {
  if (rule.kind == Kind::kFixed) return std::string(kFixed) + std::to_string(rule.bytes);
  const auto named = std::ranges::find(kNamed, rule.kind, [](const auto& each) { return each.second; });
  return named == kNamed.end() ? "" : std::string(named->first);
}

}  // namespace

Result<FrameRule> FrameRule::parse(std::string_view text) {
  for (const auto& [name, kind] : kNamed)
    if (text == name) return FrameRule{kind, 0};
  if (text.starts_with(kFixed)) {
    const auto bytes = parse_digits(text.substr(kFixed.size()));
    if (bytes && *bytes > 0) return FrameRule{Kind::kFixed, *bytes};
  }
  return {Code::kInvalid, "'" + std::string(text) + "' is no rule for frames: give " + std::string(kFrameRuleNames) +
                              ", such as fixed:64"};
}

Result<std::span<const std::byte>> FrameRule::wrap(const PortType& type, std::span<const std::byte> payload,
                                                   std::string& before, std::string& after) const {
  switch (kind) {
    case Kind::kLines:
      if (std::ranges::find(payload, std::byte{'\n'}) != payload.end())
        return unfit("a line feed is in the output", "its reader would see two lines");
      after += '\n';
      return payload;
    case Kind::kU32:
      if (!std::in_range<std::uint32_t>(payload.size()))
        return unfit(counted(payload.size(), "byte"), "a frame of u32 has less than 4 GiB");
      for (std::size_t k = 0; k < 4; ++k) before += static_cast<char>(payload.size() >> (8 * k) & 0xFF);
      return payload;
    case Kind::kNpy: before += npy_header(type, payload); return payload.subspan(type.prefix_bytes());
    case Kind::kJpeg:
      if (begins_and_ends(payload, std::byte{0xD9})) return payload;
      return unfit("the output is no JPEG file", "its reader would not find its end");
    case Kind::kFixed:
      if (payload.size() == bytes) return payload;
      return unfit(counted(payload.size(), "byte"), "expected " + std::to_string(bytes) + ", as --frames has it");
    case Kind::kRaw: break;
  }
  return payload;
}

namespace {

template <class Each>
void for_each_port(const Plan& plan, const Each& each) {
  for (const OutputPortPlan& port : plan.stages[kSourceStage].outputs) each(port.name);
  for (const InputPortPlan& port : plan.stages[kSinkStage].inputs) each(port.name);
}

bool has_port(const Plan& plan, const std::string& name) {
  bool found = false;
  for_each_port(plan, [&](const std::string& port) { found = found || port == name; });
  return found;
}

std::string names_of(const Plan& plan) {
  std::vector<std::string> names;
  for_each_port(plan, [&](const std::string& port) { names.push_back(port); });
  return list_of(names);
}

}  // namespace

Result<FrameRules> FrameRules::parse(const std::vector<std::string>& arguments, const Plan& plan) {
  FrameRules rules;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = equals == std::string::npos ? "" : argument.substr(0, equals);
    const auto rule = FrameRule::parse(argument.substr(equals == std::string::npos ? 0 : equals + 1));
    if (!rule.ok()) return rule.status().with_context("--frames");
    if (equals != std::string::npos && !has_port(plan, name))
      return {Code::kInvalid, "--frames " + argument + ": the graph has no input or output '" + name +
                                  "'; expected RULE or one of " + names_of(plan) + " in front of =RULE"};
    if (!rules.rules_.emplace(name, *rule).second)
      return {Code::kInvalid, "--frames was given twice for " + (name.empty() ? "all ports" : "'" + name + "'")};
  }
  return rules;
}

Result<FrameRule> FrameRules::of(const std::string& port, const PortType& type) {
  auto found = rules_.find(port);
  if (found == rules_.end()) found = rules_.find("");
  if (found == rules_.end()) return FrameRule();
  used_.insert(found->first);
  if (found->first.empty()) covered_.push_back(port);
  if (found->second.kind == Kind::kNpy && type.dims.empty())
    return {Code::kInvalid, "--frames npy: '" + port + "' is of type bytes, which is no array; give --frames " + port +
                                "=u32, or another rule"};
  return found->second;
}

// The rule for all ports stays where others need it.
std::string FrameRules::remedy(const std::string& port) const {
  const std::string rule = "--frames " + port + "=u32";
  const auto other = std::ranges::find_if(covered_, [&](const std::string& each) { return each != port; });
  if (rules_.contains(port) || other == covered_.end()) return "give " + rule;
  return "add " + rule + ", or give --frames " + *other + "=" + to_string(rules_.at("")) +
         " in the place of --frames " + to_string(rules_.at("")) + ", and '" + port + "' has no frames";
}

Status FrameRules::check_used() const {
  for (const auto& [name, rule] : rules_) {
    if (used_.contains(name)) continue;
    return {Code::kInvalid, name.empty() ? "--frames: no input or output is a pipe; give --in NAME=- or --out NAME=-"
                                         : "--frames " + name + "=...: '" + name + "' is no pipe; give it as " + name +
                                               "=-, or as the name of a pipe"};
  }
  return {};
}

}  // namespace woa::tools
