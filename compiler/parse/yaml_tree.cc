#include "compiler/parse/yaml_tree.h"

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace woa {
namespace {

struct Stop {};  // thrown through the parser after a report, so that it ends at once

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::uint32_t source, Report& report) : source_(source), report_(report) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) return;
    stop(problem::kSecondDocument, at(mark, 1), "a second document begins here, but a file holds one only",
         "remove `---` and what follows, or put it in a file of its own");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add({YamlNode::Kind::kNull, at(mark, 1), {}, {}, {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { refuse_anchor(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    const std::size_t quotes = tag == "!" ? 2 : 0;
    add({YamlNode::Kind::kScalar, at(mark, value.size() + quotes), value, {}, {}});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  YamlNode take() { return std::move(root_); }

 private:
  struct Open {
    YamlNode node;
    std::unordered_map<std::string, Place> names;  // of a map's keys so far
    bool drop = false;                             // the value that comes next belongs to a duplicate key
  };

  [[nodiscard]] Place at(const YAML::Mark& mark, std::size_t length) const {
    return {source_, static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1),
            static_cast<std::uint32_t>(length)};
  }
  [[noreturn]] void stop(std::string_view code, const Place& place, std::string text, std::string fix) {
    report_.error(code, place, std::move(text), std::move(fix));
    throw Stop();
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor == 0) return;
    stop(problem::kAlias, at(mark, 1), "anchors and aliases (`&name`, `*name`) are not part of this language",
         "write the value out where it is used");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    stop(problem::kYamlTag, at(mark, 1), cat("the YAML tag ", quote(tag), " is not part of this language"),
         "remove the tag; every key says itself what kind of value it takes");
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (stack_.size() == kMaxYamlDepth) {
      stop(problem::kTooDeep, at(mark, 1), cat("nested deeper than ", kMaxYamlDepth, " levels"),
           "no key of this language needs that many levels; look for a bracket too much");
    }
    stack_.push_back({{kind, at(mark, 1), {}, {}, {}}, {}});
  }
  void close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }
  void add(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (std::exchange(parent.drop, false)) return;
    const bool is_key = parent.node.kind == YamlNode::Kind::kMap && parent.node.keys.size() == parent.node.items.size();
    if (is_key && !accept_key(node, parent)) return;
    (is_key ? parent.node.keys : parent.node.items).push_back(std::move(node));
  }
  bool accept_key(const YamlNode& key, Open& map) {
    if (key.kind != YamlNode::Kind::kScalar) {
      stop(problem::kWrongShape, key.place, "a key must be a plain word", "write `key: value`");
    }
    const auto [first, added] = map.names.emplace(key.text, key.place);
    if (added) return true;
    report_.error(problem::kDuplicateKey, key.place, cat("the key ", quote(key.text), " occurs twice in this map"),
                  "remove or rename one of them", {{first->second, "it stands here first"}});
    map.drop = true;
    return false;
  }

  std::uint32_t source_;
  Report& report_;
  std::vector<Open> stack_;
  YamlNode root_;
  int documents_ = 0;
};

// What the parser's complaints mean to somebody who writes a graph.
std::string explain(const std::string& complaint) {
  using namespace YAML::ErrorMsg;
  const std::array<std::pair<std::string_view, std::string_view>, 17> known{{
      {END_OF_MAP_FLOW, "a `{` opened before is not closed, or a comma is missing"},
      {END_OF_SEQ_FLOW, "a `[` opened before is not closed, or a comma is missing"},
      {END_OF_MAP, "this line does not continue the map above: check its indentation and its colon"},
      {END_OF_SEQ, "this line does not continue the list above: check its indentation"},
      {TAB_IN_INDENTATION, "a tab in the indentation: YAML takes spaces only"},
      {FLOW_END, "a `}` or `]` that closes nothing"},
      {BLOCK_ENTRY, "a list item (`- `) cannot stand here"},
      {MAP_KEY, "a key cannot stand here"},
      {MAP_VALUE, "a `: ` that follows no key: quote the text if the colon is part of it"},
      {EOF_IN_SCALAR, "the text ends within quotes"},
      {DOC_IN_SCALAR, "a line of `---` or `...` within quotes"},
      {CHAR_IN_SCALAR, "a character that cannot begin a value: quote the text"},
      {UNKNOWN_TOKEN, "a character that cannot begin a value: quote the text"},
      {INVALID_ESCAPE, "an unknown escape in double quotes: use single quotes for text with backslashes"},
      {INVALID_HEX, "a bad hexadecimal escape in double quotes"},
      {UNKNOWN_ANCHOR, "an alias (`*name`), which is not part of this language: write the value out"},
      {ALIAS_NOT_FOUND, "`*` begins an alias, which is not part of this language: quote the text"},
  }};
  for (const auto& [theirs, ours] : known) {
    if (complaint.starts_with(theirs)) return std::string(ours);
  }
  return "the text from here on is not valid YAML";
}

// Bytes of the well-formed UTF-8 character at `text`, or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool outside = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || outside ? 0 : length;
}

// Reports the first byte that no text has.
bool check_text(std::uint32_t source, Report& report) {
  const std::string_view text = report.text(source);
  Place place{source, 1, 1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    const bool control = byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t';
    if (length == 0 || control || byte == 0x7F) {
      report.error(problem::kNotText, place,
                   cat("byte ", i, " (value ", static_cast<unsigned>(byte), ") is not UTF-8 text"),
                   "give a text file in UTF-8; is this a compiled plan or a binary?");
      return false;
    }
    i += length;
    place.column = byte == '\n' ? 1 : place.column + static_cast<std::uint32_t>(length);
    if (byte == '\n') ++place.line;
  }
  return true;
}

void report_syntax(const YAML::Exception& error, std::uint32_t source, Report& report) {
  Place place{source, 0, 0, 1};
  if (!error.mark.is_null()) {
    place.line = static_cast<std::uint32_t>(error.mark.line + 1);
    place.column = static_cast<std::uint32_t>(error.mark.column + 1);
  }
  const std::string_view line = report.line(place);
  const bool tab = line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
  report.error(problem::kNotYaml, place, explain(tab ? YAML::ErrorMsg::TAB_IN_INDENTATION : error.msg),
               "see docs/graph-language.md for the form of a file");
}

}  // namespace

std::optional<YamlNode> parse_yaml(std::uint32_t source, Report& report) {
  if (report.text(source).size() > kMaxYamlBytes) {
    report.error(problem::kFileTooLarge, {source, 0, 0, 1},
                 cat("the file has ", report.text(source).size(), " bytes, at most ", kMaxYamlBytes, " are read"),
                 "split the graph, or check that this is the file you meant");
    return std::nullopt;
  }
  if (!check_text(source, report)) return std::nullopt;
  TreeBuilder builder(source, report);
  bool any = false;
  try {  // the parser throws; nothing of it leaves this function
    std::istringstream stream(report.text(source));
    YAML::Parser parser(stream);
    any = parser.HandleNextDocument(builder);
    if (any) parser.HandleNextDocument(builder);
  } catch (const Stop&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    report_syntax(error, source, report);
    return std::nullopt;
  }
  YamlNode root = builder.take();
  if (!any || root.kind == YamlNode::Kind::kNull) {
    report.error(problem::kEmptyFile, {source, 0, 0, 1}, "the file is empty",
                 "see docs/graph-language.md for the form of a file");
    return std::nullopt;
  }
  return root;
}

}  // namespace woa
