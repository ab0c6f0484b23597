#include "compiler/parse/yaml_tree.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler/parse/yaml_events.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

// Builds a tree from events. A function that takes an event returns whether to go on: false after a final report.
class TreeBuilder {
 public:
  explicit TreeBuilder(Report& report) : report_(report) {}

  bool take(YamlEvent event) {
    if (!event.anchor.empty()) refuse_anchor(event);
    if (!event.tag.empty()) {
      refuse(problem::kYamlTag, event.place, cat("the YAML tag ", quote(event.tag), " is not part of this language"),
             "remove the tag; every key says itself what kind of value it takes");
    }
    if (report_.full()) return false;
    switch (event.kind) {
      case YamlEvent::Kind::kDocument: return begin_document(event.place);
      case YamlEvent::Kind::kAlias:
      case YamlEvent::Kind::kScalar: return add(scalar(std::move(event)));
      case YamlEvent::Kind::kList: return open(YamlNode::Kind::kList, event.place);
      case YamlEvent::Kind::kMap: return open(YamlNode::Kind::kMap, event.place);
      case YamlEvent::Kind::kClose: return close();
      case YamlEvent::Kind::kEnd: break;
    }
    return true;
  }

  // The document, null if there is none; nothing if it has something outside the language.
  std::optional<YamlNode> result() { return refused_ ? std::nullopt : std::optional(std::move(root_)); }

 private:
  struct Open {
    YamlNode node;
    std::unordered_map<std::string, std::size_t> positions;  // of a map's keys, by name, if there are many
    bool drop = false;                                       // the value that comes next belongs to a duplicate key

    // The number of keys if `name` is none of them.
    [[nodiscard]] std::size_t position_of(const std::string& name) const {
      const std::vector<YamlNode>& keys = node.keys;
      if (positions.empty())
        return static_cast<std::size_t>(std::ranges::find(keys, name, &YamlNode::text) - keys.begin());
      const auto at = positions.find(name);
      return at == positions.end() ? keys.size() : at->second;
    }
    void add(YamlNode key) {
      constexpr std::size_t kMany = 16;
      node.keys.push_back(std::move(key));
      if (node.keys.size() < kMany) return;
      for (std::size_t k = positions.empty() ? 0 : node.keys.size() - 1; k < node.keys.size(); ++k)
        positions.emplace(node.keys[k].text, k);
    }
  };

  bool stop(std::string_view code, const Place& place, std::string text, std::string fix) {
    report_.error(code, place, std::move(text), std::move(fix));
    return false;
  }
  // Reports something outside the language, which the user must remove: there is no result() then.
  void refuse(std::string_view code, const Place& place, std::string text, std::string fix) {
    report_.error(code, place, std::move(text), std::move(fix));
    refused_ = true;
  }
  // An alias is not reported if its anchor was.
  void refuse_anchor(const YamlEvent& event) {
    if (!anchors_.insert(event.anchor).second && event.kind == YamlEvent::Kind::kAlias) return;
    refuse(problem::kAlias, event.place, "anchors and aliases (`&name`, `*name`) are not part of this language",
           "write the value out where it is used");
  }
  bool begin_document(const Place& place) {
    if (documents_++ == 0) return true;
    return stop(problem::kSecondDocument, place, "a second document begins here, but a file holds one only",
                "remove `---` and what follows, or put it in a file of its own");
  }
  static YamlNode scalar(YamlEvent event) {
    static constexpr std::array<std::string_view, 5> kNothing{"", "~", "null", "Null", "NULL"};
    if (event.plain && std::find(kNothing.begin(), kNothing.end(), event.text) != kNothing.end()) {
      event.place.length = 1;
      return {YamlNode::Kind::kNull, event.place, {}, {}, {}, false};
    }
    return {YamlNode::Kind::kScalar, event.place, std::move(event.text), {}, {}, false, event.plain};
  }
  bool open(YamlNode::Kind kind, const Place& place) {
    if (stack_.size() == kMaxYamlDepth) {
      return stop(problem::kTooDeep, place, cat("nested deeper than ", kMaxYamlDepth, " levels"),
                  "no key of this language needs that many levels; look for a bracket too much");
    }
    stack_.push_back({{kind, place, {}, {}, {}, false}, {}});
    return true;
  }
  bool close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    return add(std::move(node));
  }
  bool add(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return true;
    }
    Open& parent = stack_.back();
    if (std::exchange(parent.drop, false)) return true;
    const bool is_key = parent.node.kind == YamlNode::Kind::kMap && parent.node.keys.size() == parent.node.items.size();
    if (is_key) return add_key(std::move(node), parent);
    parent.node.items.push_back(std::move(node));
    return true;
  }
  bool add_key(YamlNode key, Open& map) {
    if (key.kind != YamlNode::Kind::kScalar) {
      return stop(problem::kWrongShape, key.place, "a key must be a plain word", "write `key: value`");
    }
    const std::size_t first = map.position_of(key.text);
    if (first == map.node.keys.size()) {
      map.add(std::move(key));
    } else {
      report_.error(problem::kDuplicateKey, key.place, cat("the key ", quote(key.text), " occurs twice in this map"),
                    "remove or rename one of them", {{map.node.keys[first].place, "it stands here first"}});
      map.drop = map.node.dropped = true;
    }
    return true;
  }

  Report& report_;
  std::vector<Open> stack_;
  YamlNode root_;
  std::set<std::string> anchors_;
  bool refused_ = false;
  int documents_ = 0;
};

struct CharacterFault {
  std::string text, fix;
};

// True if a text may have this hidden character at that byte: no line end of some programs, no control of text
// direction, and a byte order mark only where the text begins.
bool may_be_hidden(std::string_view character, std::size_t byte) {
  const bool ends_line = character.starts_with("\xE2\x80\xA8") || character.starts_with("\xE2\x80\xA9");
  return !ends_line && !begins_with_control(character) && (byte == 0 || !character.starts_with(kByteOrderMark));
}

// Why no text may have the character at that byte; nothing if it may.
std::optional<CharacterFault> character_fault(std::string_view text, std::size_t byte) {
  constexpr std::string_view kBinary = "give a text file in UTF-8; is this a compiled plan or a binary?";
  const std::string_view rest = text.substr(byte);
  const std::size_t length = utf8_length(rest);
  const auto bad_byte = [&](std::string_view wrong) {
    const auto value = static_cast<unsigned>(static_cast<unsigned char>(rest[0]));
    return CharacterFault{cat("byte ", byte, " (value ", value, ") ", wrong), std::string(kBinary)};
  };
  if (length == 0) return bad_byte("is not UTF-8 text");
  if (rest[0] == '\r' && !rest.starts_with("\r\n"))
    return CharacterFault{"U+000D (carriage return) without a line feed: only some programs end a line at it",
                          "end lines with LF or CRLF"};
  if (const HiddenCharacter* hidden = hidden_character(rest); hidden != nullptr) {
    if (may_be_hidden(rest, byte)) return std::nullopt;
    return CharacterFault{
        cat(name_of(*hidden, rest), " here, which editors do not show"),
        cat("remove it; a text in double quotes may have it as `\\u", code_point(rest).substr(2), "`")};
  }
  const bool blank = rest[0] == '\n' || rest[0] == '\r' || rest[0] == '\t';
  if (blank || !begins_with_control(rest)) return std::nullopt;
  return bad_byte(length == 1 ? "is a control character" : "begins a control character");
}

// Reports the first byte that no text may have; false then.
bool check_characters(std::uint32_t source, Report& report) {
  const std::string_view text = report.text(source);
  Place place{source, 1, 1, 1};
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] >= ' ' && text[i] <= '~' && text[i] != '%') {  // most of every file
      ++i;
      ++place.column;
      continue;
    }
    if (auto fault = character_fault(text, i)) {
      report.hide_line(place);  // a terminal would take it for commands
      report.error(problem::kNotText, place, std::move(fault->text), std::move(fault->fix));
      return false;
    }
    if (place.column == 1 && text.substr(i).starts_with("%TAG")) {  // many would take quadratic time
      report.error(problem::kYamlTag, place, "YAML's own `%TAG` is not part of this language",
                   "remove the line; every key says itself what kind of value it takes");
      return false;
    }
    const bool line_ends = text[i] == '\n';
    const std::size_t length = utf8_length(text.substr(i));
    i += length;
    place.column = line_ends ? 1 : place.column + static_cast<std::uint32_t>(length);
    if (line_ends) ++place.line;
  }
  return true;
}

}  // namespace

std::optional<YamlNode> parse_yaml(std::uint32_t source, Report& report) {
  if (report.text(source).size() > kMaxYamlBytes) {
    report.error(problem::kFileTooLarge, {source, 0, 0, 1},
                 cat("the file has ", report.text(source).size(), " bytes, at most ", kMaxYamlBytes, " are read"),
                 "split the graph, or check that this is the file you meant");
    return std::nullopt;
  }
  if (!check_characters(source, report)) return std::nullopt;
  TreeBuilder builder(report);
  YamlEvents events(source, report);
  for (bool more = true; more;) {
    std::optional<YamlEvent> event = events.next();
    if (!event) return std::nullopt;
    more = event->kind != YamlEvent::Kind::kEnd;
    if (!builder.take(std::move(*event))) return std::nullopt;
  }
  if (events.refused()) return std::nullopt;
  std::optional<YamlNode> root = builder.result();
  if (root && root->kind == YamlNode::Kind::kNull) {
    report.error(problem::kEmptyFile, {source, 0, 0, 1}, "the file is empty",
                 cat("see ", report.manual(source), " for the form of a file, or check that it was saved"));
    return std::nullopt;
  }
  return root;
}

}  // namespace woa
