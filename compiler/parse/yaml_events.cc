#include "compiler/parse/yaml_events.h"

#include <yaml.h>

#include <array>
#include <new>

#include "compiler/parse/text_cursor.h"

namespace woa {
namespace {

struct Complaint {
  std::string_view context, problem, means;  // an empty context is any
};

constexpr std::array<Complaint, 21> kComplaints{{
    {"while parsing a flow mapping", "did not find expected ',' or '}'",
     "a `{` opened before is not closed, or a comma is missing"},
    {"while parsing a flow sequence", "did not find expected ',' or ']'",
     "a `[` opened before is not closed, or a comma is missing"},
    {"while parsing a block mapping", "did not find expected key",
     "this line does not continue the map above: check its indentation and its colon"},
    {"while parsing a block collection", "did not find expected '-' indicator",
     "this line does not continue the list above: check its indentation"},
    {"", "did not find expected <document start>",
     "nothing can follow here: check the indentation, and what is open above"},
    {"while parsing a flow node", "did not find expected node content",
     "a value is missing here, or a `{` or `[` opened before is not closed"},
    {"", "did not find expected node content", "a value is missing here, or a bracket closes nothing"},
    {"", "found a tab character", "a tab in the indentation: YAML takes spaces only"},
    {"", "block sequence entries are not allowed", "a list item (`- `) cannot stand here"},
    {"", "mapping keys are not allowed", "a key cannot stand here"},
    {"", "mapping values are not allowed", "a `: ` that follows no key: quote the text if the colon is part of it"},
    {"", "could not find expected ':'", "a key without its colon: check this line and the one before"},
    {"while scanning a quoted scalar", "found unexpected end of stream", "the text ends within quotes"},
    {"while scanning a quoted scalar", "found unexpected document indicator", "a line of `---` or `...` within quotes"},
    {"", "found character that cannot start any token", "a character that cannot begin a value: quote the text"},
    {"", "found unknown escape character",
     "an unknown escape in double quotes: use single quotes for text with backslashes"},
    {"", "did not find expected hexdecimal number", "a bad hexadecimal escape in double quotes"},
    {"", "found invalid Unicode character escape code", "a bad hexadecimal escape in double quotes"},
    {"", "control characters are not allowed", "a character that YAML does not take"},
    {"while scanning an alias", "", "`*` begins an alias, which is not part of this language: quote the text"},
    {"while scanning an anchor", "", "`&` begins an anchor, which is not part of this language: quote the text"},
}};

std::string text_of(const yaml_char_t* text, std::size_t size) { return {reinterpret_cast<const char*>(text), size}; }

std::string tag_of(const yaml_char_t* tag) { return tag == nullptr ? "" : reinterpret_cast<const char*>(tag); }

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
  Parser(std::uint32_t source, Report& report) : source_(source), report_(report), cursor_(report.text(source)) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    const std::string& text = report.text(source);
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
    return convert(event);
  }

 private:
  YamlEvent convert(const yaml_event_t& event) {
    YamlEvent out;
    std::size_t length = 1;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT: out.kind = YamlEvent::Kind::kDocument; break;
      case YAML_ALIAS_EVENT: out.kind = YamlEvent::Kind::kAlias; break;
      case YAML_SCALAR_EVENT:
        out.kind = YamlEvent::Kind::kScalar;
        out.text = text_of(event.data.scalar.value, event.data.scalar.length);
        out.tag = tag_of(event.data.scalar.tag);
        out.plain = event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        out.anchored = event.data.scalar.anchor != nullptr;
        length = out.text.size() + (out.plain ? 0 : 2);
        break;
      case YAML_SEQUENCE_START_EVENT:
        out.kind = YamlEvent::Kind::kList;
        out.tag = tag_of(event.data.sequence_start.tag);
        out.anchored = event.data.sequence_start.anchor != nullptr;
        break;
      case YAML_MAPPING_START_EVENT:
        out.kind = YamlEvent::Kind::kMap;
        out.tag = tag_of(event.data.mapping_start.tag);
        out.anchored = event.data.mapping_start.anchor != nullptr;
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: out.kind = YamlEvent::Kind::kClose; return out;
      default: return out;
    }
    out.place = cursor_.at(event.start_mark.index, source_, length);
    return out;
  }

  void report_error() {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const std::string_view context = parser_.context == nullptr ? "" : parser_.context;
    const std::string_view problem = parser_.problem == nullptr ? "" : parser_.problem;
    const Place place = parser_.error == YAML_READER_ERROR ? cursor_.at_byte(parser_.problem_offset, source_)
                                                           : cursor_.at(parser_.problem_mark.index, source_, 1);
    const std::string_view line = report_.line(place);
    const bool tab = line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
    report_.error(problem::kNotYaml, place,
                  std::string(explain_yaml_error(context, tab ? "found a tab character" : problem)),
                  "see docs/graph-language.md for the form of a file");
  }

  std::uint32_t source_;
  Report& report_;
  TextCursor cursor_;
  yaml_parser_t parser_{};
};

YamlEvents::YamlEvents(std::uint32_t source, Report& report) : parser_(std::make_unique<Parser>(source, report)) {}
YamlEvents::~YamlEvents() = default;
std::optional<YamlEvent> YamlEvents::next() { return parser_->next(); }

std::string_view explain_yaml_error(std::string_view context, std::string_view problem) noexcept {
  for (const Complaint& known : kComplaints) {
    if (context.starts_with(known.context) && problem.starts_with(known.problem)) return known.means;
  }
  return "the text from here on is not valid YAML";
}

}  // namespace woa
