#include "compiler/parse/yaml_events.h"

#include <yaml.h>

#include <algorithm>
#include <new>
#include <vector>

#include "compiler/parse/text_cursor.h"
#include "compiler/parse/yaml_syntax.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

std::string text_of(const yaml_char_t* text, std::size_t size) { return {reinterpret_cast<const char*>(text), size}; }

// The name of a tag or an anchor; empty: none.
std::string name_of(const yaml_char_t* name) { return name == nullptr ? "" : reinterpret_cast<const char*>(name); }

// Frees an event's texts.
class EventGuard {
 public:
  explicit EventGuard(yaml_event_t& event) : event_(event) {}
  ~EventGuard() { yaml_event_delete(&event_); }
  EventGuard(const EventGuard&) = delete;
  EventGuard& operator=(const EventGuard&) = delete;

 private:
  yaml_event_t& event_;
};

}  // namespace

class YamlEvents::Parser {
 public:
  Parser(std::uint32_t source, Report& report)
      : source_(source), report_(report), cursor_(report.text(source)), surrogates_(report.text(source)) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    const std::string_view text = surrogates_.text();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  std::optional<YamlEvent> next() {
    yaml_event_t event;
    do {
      if (yaml_parser_parse(&parser_, &event) == 0) {
        report_error();
        return std::nullopt;
      }
    } while (event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_END_EVENT);
    const EventGuard guard(event);
    YamlEvent out = convert(event);
    if (out.kind == YamlEvent::Kind::kScalar && out.plain) check_hidden(event);
    read_ = event.end_mark.index;
    return out;
  }
  [[nodiscard]] bool refused() const noexcept { return refused_; }

 private:
  YamlEvent convert(const yaml_event_t& event) {
    YamlEvent out;
    std::size_t length = 1;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT: out.kind = YamlEvent::Kind::kDocument; break;
      case YAML_ALIAS_EVENT:
        out.kind = YamlEvent::Kind::kAlias;
        out.anchor = name_of(event.data.alias.anchor);
        out.text = "*" + out.anchor;
        break;
      case YAML_SCALAR_EVENT:
        out.kind = YamlEvent::Kind::kScalar;
        out.text =
            surrogates_.restored(text_of(event.data.scalar.value, event.data.scalar.length), event.start_mark.index,
                                 event.data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE);
        out.tag = name_of(event.data.scalar.tag);
        out.plain = event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        out.anchor = name_of(event.data.scalar.anchor);
        length = out.text.size() + (out.plain ? 0 : 2);
        break;
      case YAML_SEQUENCE_START_EVENT:
        out.kind = YamlEvent::Kind::kList;
        out.tag = name_of(event.data.sequence_start.tag);
        out.anchor = name_of(event.data.sequence_start.anchor);
        break;
      case YAML_MAPPING_START_EVENT:
        out.kind = YamlEvent::Kind::kMap;
        out.tag = name_of(event.data.mapping_start.tag);
        out.anchor = name_of(event.data.mapping_start.anchor);
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        out.kind = YamlEvent::Kind::kClose;
        open_.pop_back();
        return out;
      default: return out;
    }
    out.place = cursor_.at(event.start_mark.index, source_, length);
    if (out.kind == YamlEvent::Kind::kList || out.kind == YamlEvent::Kind::kMap) open_.push_back(out.place);
    return out;
  }

  // Reports a hidden character in a text without quotes, unless it is one that writing needs.
  void check_hidden(const yaml_event_t& event) {
    const std::string_view text = cursor_.between(event.start_mark.index, event.end_mark.index);
    if (const auto before = before_hidden(text, false)) report_hidden_after(*before, text, event.start_mark.index);
  }
  // `first` is the number of the character that `text` begins with.
  void report_hidden_after(std::string_view before, std::string_view text, std::size_t first) {
    const auto characters = std::ranges::count_if(before, [](char c) { return (c & 0xC0) != 0x80; });
    const std::string_view rest = text.substr(before.size());
    const Place place = cursor_.at(first + static_cast<std::size_t>(characters), source_, utf8_length(rest));
    report_hidden(rest, place, report_);
    refused_ = true;
  }
  // True, after a report, if a hidden character is to blame for an error: one between the events so far and the end of
  // the line where the error was noticed.
  bool blame_hidden() {
    if (refused_) return true;
    const std::string_view text = cursor_.between(read_, parser_.problem_mark.index);
    const std::string_view line = text_from(text).substr(text.size());
    const std::string_view all = text_from(text).substr(0, text.size() + std::min(line.find('\n'), line.size()));
    const auto before = before_hidden(all, true);
    if (before) report_hidden_after(*before, all, read_);
    return before.has_value();
  }
  // The source from the beginning of `part`.
  [[nodiscard]] std::string_view text_from(std::string_view part) const {
    const std::string_view all = report_.text(source_);
    return all.substr(static_cast<std::size_t>(part.data() - all.data()));
  }

  void report_error() {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    if (blame_hidden()) return;
    const std::string_view context = parser_.context == nullptr ? "" : parser_.context;
    const std::string_view problem = parser_.problem == nullptr ? "" : parser_.problem;
    const Place place = parser_.error == YAML_READER_ERROR ? cursor_.at_byte(parser_.problem_offset, source_)
                                                           : cursor_.at(parser_.problem_mark.index, source_, 1);
    const Place began = cursor_.at(parser_.context_mark.index, source_, 1);
    report_syntax({context, problem, place, began, open_bracket()}, report_);
  }

  // The place of the innermost open list or map in brackets.
  std::optional<Place> open_bracket() {
    for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
      const std::string_view line = report_.line(*open);
      if (open->column <= line.size() && (line[open->column - 1] == '{' || line[open->column - 1] == '[')) return *open;
    }
    return std::nullopt;
  }

  std::uint32_t source_;
  Report& report_;
  TextCursor cursor_;
  Surrogates surrogates_;
  std::vector<Place> open_;  // lists and maps, from the outermost
  std::size_t read_ = 0;     // characters of the events so far
  bool refused_ = false;
  yaml_parser_t parser_{};
};

YamlEvents::YamlEvents(std::uint32_t source, Report& report) : parser_(std::make_unique<Parser>(source, report)) {}
YamlEvents::~YamlEvents() = default;
std::optional<YamlEvent> YamlEvents::next() { return parser_->next(); }
bool YamlEvents::refused() const noexcept { return parser_->refused(); }

}  // namespace woa
