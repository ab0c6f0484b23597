#include "tools/woa/failure_report.h"

#include <map>
#include <tuple>

#include "runtime/base/text.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

using Likeness = std::tuple<Code, std::string, std::string>;

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// The key that alike failures share.
Likeness likeness(const FailedInstance& failed) {
  std::string message = failed.failure.message, alike;
  for (const auto& [name, source] : failed.inputs) replace_all(message, source, "FILE");
  for (const char c : message) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !alike.ends_with('#')) alike += digit ? '#' : c;
  }
  return {failed.failure.code, failed.failure.stage, alike};
}

// "1 to 3, 7".
std::string ranges(const std::vector<std::uint64_t>& instances) {
  constexpr int kShown = 5;
  std::string text;
  int shown = 0;
  for (std::size_t first = 0, next = 0; first < instances.size(); first = next) {
    for (next = first + 1; next < instances.size() && instances[next] == instances[next - 1] + 1;) ++next;
    if (shown++ == kShown) return text + ", ...";
    text += (first == 0 ? "" : ", ") + std::to_string(instances[first]);
    if (next - first > 1) text += (next - first == 2 ? ", " : " to ") + std::to_string(instances[next - 1]);
  }
  return text;
}

std::string sources(const FailedInstance& failed) {
  std::string text;
  for (const auto& [name, source] : failed.inputs)
    text += (text.empty() ? " (" : ", ") + name + "=" + printable(source);
  return text.empty() ? text : text + ")";
}

void print_group(const FailedInstance& first, const std::vector<std::uint64_t>& others) {
  const Failure& failure = first.failure;
  const std::string at = failure.stage.empty() ? "" : " at stage " + failure.stage;
  print_error({failure.code, "instance " + std::to_string(first.instance) + sources(first) + " failed" + at + ": " +
                                 failure.message});
  if (!others.empty())
    print_error({failure.code, counted(others.size(), "more instance") + " failed alike" + at + ": " + ranges(others) +
                                   "; --json says how each did"});
}

}  // namespace

void print_failures(const std::vector<FailedInstance>& failures) {
  struct Group {
    const FailedInstance* first;
    std::vector<std::uint64_t> others;
  };
  std::vector<Group> groups;
  std::map<Likeness, std::size_t> known;
  for (const FailedInstance& failed : failures) {
    const auto [group, added] = known.emplace(likeness(failed), groups.size());
    if (added)
      groups.push_back({&failed, {}});
    else
      groups[group->second].others.push_back(failed.instance);
  }
  for (const Group& group : groups) print_group(*group.first, group.others);
}

}  // namespace woa::tools
