#include "compiler/parse/file_kind.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "compiler/parse/yaml_events.h"
#include "compiler/parse/yaml_tree.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

using Keys = std::set<std::string>;

bool is_well_formed(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Adds the keys of the outermost map. False: the YAML has an error.
bool add_root_keys(const std::string& text, Keys& keys) {
  Report unread;
  YamlEvents events(unread.add_source("", text), unread);
  std::size_t depth = 0;
  bool in_map = false, key_next = true;
  while (const auto event = events.next()) {
    using Kind = YamlEvent::Kind;
    if (event->kind == Kind::kEnd) return true;
    if (event->kind == Kind::kDocument) continue;
    if (depth == 1 && in_map && event->kind == Kind::kScalar && key_next) keys.insert(event->text);
    const bool opens = event->kind == Kind::kMap || event->kind == Kind::kList;
    if (depth == 0) in_map = event->kind == Kind::kMap;
    if (depth == 1 && !opens && event->kind != Kind::kClose) key_next = !key_next;
    if (event->kind == Kind::kClose && --depth == 1) key_next = !key_next;
    if (opens) ++depth;
  }
  return false;
}

// Adds the words before a colon that begin the lines with the least indentation.
void add_line_keys(std::string_view text, Keys& keys) {
  std::size_t least = std::string_view::npos;
  Keys found;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end, text.size()))) {
    end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = line.find_first_not_of(" \t\r\n");
    if (indent == std::string_view::npos || line[indent] == '#' || line.starts_with("---")) continue;
    const std::size_t begin = std::min(line.find_first_not_of(" \t{,\"'"), line.size());
    const std::size_t stop = line.find_first_of(" \t\"':", begin);
    const std::size_t after = line.find_first_not_of(" \t\"'", stop);
    if (after == std::string_view::npos || line[after] != ':') continue;
    if (indent < least) found.clear();
    least = std::min(least, indent);
    if (indent == least) found.insert(std::string(line.substr(begin, stop - begin)));
  }
  keys.merge(found);
}

FileKind kind_of_keys(const Keys& keys) {
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return keys.contains(name); });
  };
  if (any({"woa_machine"})) return FileKind::kMachine;
  if (any({"woa_kernel"})) return FileKind::kKernel;
  if (any({"woa_profile"})) return FileKind::kProfile;
  const bool misspelt = any({"graph"}) && any({"stages"}) && any({"outputs", "inputs"});  // `woa` is
  if (!any({"woa"}) && !misspelt) return FileKind::kOther;
  const bool brings = any({"graphs", "kernels", "includes"});
  return brings && !any({"graph", "inputs", "stages", "outputs"}) ? FileKind::kLibrary : FileKind::kGraph;
}

}  // namespace

FileKind file_kind(const std::string& text) {
  Keys keys;
  const bool readable = text.size() <= kMaxYamlBytes && is_well_formed(text);
  if (!readable || !add_root_keys(text, keys)) add_line_keys(text, keys);
  return kind_of_keys(keys);
}

}  // namespace woa
