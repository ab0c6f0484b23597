#include "tests/doubles/cuda/ptx/parser.h"

#include <array>
#include <cstdlib>
#include <string>

namespace woa::ptx {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

bool same_sizes(const std::vector<Piece>& one, const std::vector<Piece>& other) {
  if (one.size() != other.size()) return false;
  for (std::size_t k = 0; k < one.size(); ++k)
    if (one[k].bytes != other[k].bytes) return false;
  return true;
}

// Directives of the module and its functions.
class Reader {
 public:
  Reader(std::string_view text, Program& program) : in_(text) { scope_.program = &program; }

  Status read() {
    while (!in_.ends() && directive()) {
    }
    if (in_.wrong().ok()) all_defined();
    return in_.wrong();
  }

 private:
  bool directive() {
    Program& program = *scope_.program;
    const Token token = in_.next();
    if (token.text == ".version") {
      const std::string number(in_.next().text);
      const std::size_t dot = number.find('.');
      program.version_ = static_cast<std::uint32_t>(10 * std::strtoul(number.c_str(), nullptr, 10) +
                                                    (dot == std::string::npos ? 0 : number[dot + 1] - '0'));
      return true;
    }
    if (token.text == ".target") return target();
    if (token.text == ".address_size") return in_.number() == 64 || in_.unsupported("an address size other than 64");
    if (token.text == ".file") return in_.skip_line(), true;
    if (token.text == ".section") return skip_braces();
    if (token.text == ".visible" || token.text == ".weak" || token.text == ".extern") return true;
    if (token.text == ".global" || token.text == ".const") return variable();
    if (token.text == ".shared") return shared();
    if (token.text == ".entry" || token.text == ".func") return function(token.text == ".entry");
    return in_.unsupported(std::string(token.text));
  }

  bool target() {
    const std::string_view name = in_.next().text;
    if (name.starts_with("sm_"))
      scope_.program->target_ =
          static_cast<std::uint32_t>(std::strtoul(std::string(name.substr(3)).c_str(), nullptr, 10));
    while (in_.take(",")) in_.next();  // debug
    return name.starts_with("sm_") || in_.invalid("a target sm_.. expected");
  }

  bool skip_braces() {
    while (!in_.ends() && !in_.take("}")) in_.next();
    return true;
  }

  bool variable() {
    Declaration declaration;
    if (!read_declaration(in_, declaration)) return false;
    Program& program = *scope_.program;
    const std::size_t number = program.variables_.size();
    scope_.variables[declaration.name] = number;
    program.variables_.push_back({declaration.name, {}, std::max(declaration.alignment, bytes_of(declaration.type))});
    program.addresses.push_back(0);
    std::vector<std::byte> initial;
    if (in_.take("=") && !initializer(declaration, initial)) return false;
    initial.resize(declaration.open ? initial.size() : declaration.bytes());
    program.variables_[number].initial = std::move(initial);
    return in_.expect(";");
  }

  bool initializer(const Declaration& declaration, std::vector<std::byte>& to) {
    if (!in_.take("{")) return element(declaration, to);
    while (!in_.ends() && !in_.is("}")) {
      if (in_.is("{") ? !initializer(declaration, to) : !element(declaration, to)) return false;
      if (!in_.take(",")) break;
    }
    return in_.expect("}");
  }

  bool element(const Declaration& declaration, std::vector<std::byte>& to) {
    const bool generic = in_.take("generic") && in_.expect("(");
    Operand operand;
    if (!read_operand(in_, operand)) return false;
    if (generic && (!in_.expect(")") || (in_.take("+") && (operand.value += in_.number(), false)))) return false;
    if (!operand.name.empty()) {
      const auto found = scope_.variables.find(std::string(operand.name));
      if (found == scope_.variables.end()) return in_.invalid("no variable is named " + std::string(operand.name));
      if (bytes_of(declaration.type) != 8) return in_.unsupported("an address of other than 64 bits");
      scope_.program->relocations.push_back(
          {scope_.program->variables_.size() - 1, to.size(), found->second, operand.value});
    }
    for (std::uint32_t k = 0; k < bytes_of(declaration.type); ++k)
      to.push_back(static_cast<std::byte>(operand.value >> (8 * k)));
    return true;
  }

  bool shared() {
    Declaration declaration;
    if (!read_declaration(in_, declaration)) return false;
    if (declaration.open) {
      scope_.dynamic_shared = declaration.name;
    } else {
      scope_.shared_bytes = static_cast<std::uint32_t>(round_up(scope_.shared_bytes, declaration.alignment));
      scope_.shared[declaration.name] = scope_.shared_bytes;
      scope_.shared_bytes += declaration.bytes();
    }
    return in_.expect(";");
  }

  bool function(bool entry) {
    Function parsed;
    FunctionReader reader(in_, scope_, parsed);
    if (!entry && in_.is("(") && !reader.parameters(parsed.results)) return false;
    parsed.name = in_.next().text;
    const std::size_t number = scope_.function(parsed.name);
    if (in_.is("(") && !reader.parameters(parsed.parameters)) return false;
    while (!in_.ends() && !in_.is("{") && !in_.is(";"))
      if (!hint()) return false;
    if (in_.take(";")) return true;
    if (!reader.body()) return false;
    if (scope_.program->functions[number].defined) return in_.invalid(parsed.name + " is defined a second time");
    parsed.defined = true;
    if (entry) {
      Entry made{scope_.program,
                 parsed.name,
                 {},
                 0,
                 reader.shared_bytes(),
                 parsed.local_bytes,
                 static_cast<std::uint32_t>(number)};
      for (const Piece& one : parsed.parameters) {
        made.parameters.push_back({one.offset, one.bytes});
        made.parameter_bytes = one.offset + one.bytes;
      }
      scope_.program->entries.push_back(std::move(made));
    }
    scope_.program->functions[number] = std::move(parsed);
    return true;
  }

  bool hint() {
    const std::string_view name = in_.next().text;
    if (name == ".pragma") return in_.next(), in_.expect(";");
    for (const std::string_view known : {".maxntid", ".reqntid", ".minnctapersm", ".maxnreg"}) {
      if (name != known) continue;
      do in_.number();
      while (in_.take(","));
      return true;
    }
    return name == ".noreturn" || in_.unsupported(std::string(name));
  }

  void all_defined() {
    for (const Function& function : scope_.program->functions)
      for (const Call& call : function.calls) check(call, scope_.program->functions[call.function]);
  }
  void check(const Call& call, const Function& called) {
    const std::string place = "PTX line " + std::to_string(call.line) + ": call of " + called.name;
    if (!called.defined)
      in_.fail(Status(Code::kUnsupported, place + ", which this module does not define, is not interpreted"));
    else if (!same_sizes(call.arguments, called.parameters) || !same_sizes(call.results, called.results))
      in_.fail(Status(Code::kInvalid, place + ": its parameters have other sizes"));
  }

  Cursor in_;
  ModuleScope scope_;
};

}  // namespace

std::size_t ModuleScope::function(const std::string& name) {
  const auto [at, fresh] = functions.try_emplace(name, program->functions.size());
  if (fresh) program->functions.emplace_back().name = name;
  return at->second;
}

bool Cursor::expect(std::string_view text) {
  return take(text) || invalid("\"" + std::string(text) + "\" expected, found \"" + std::string(now().text) + "\"");
}
bool Cursor::invalid(const std::string& why) {
  return fail(Status(Code::kInvalid, "PTX line " + std::to_string(now().line) + ": " + why));
}
bool Cursor::unsupported(const std::string& what) {
  return fail(
      Status(Code::kUnsupported, "PTX line " + std::to_string(now().line) + ": " + what + " is not interpreted"));
}
bool Cursor::fail(Status why) {
  if (wrong_.ok()) wrong_ = std::move(why);
  return false;
}
void Cursor::skip_line() {
  const std::uint32_t line = now().line;
  while (now().line == line && now().kind != Token::kEnd) next();
}

std::uint64_t Cursor::number() {
  const bool minus = take("-");
  if (now().kind != Token::kNumber) return invalid("a number expected, found \"" + std::string(now().text) + "\""), 0;
  const std::string text(next().text);
  char* end = nullptr;
  const std::uint64_t value =
      text.starts_with("0b") ? std::strtoull(text.c_str() + 2, &end, 2) : std::strtoull(text.c_str(), &end, 0);
  if (std::string_view(end) != "" && std::string_view(end) != "U") invalid(text + " is no whole number");
  return minus ? 0 - value : value;
}

bool read_declaration(Cursor& in, Declaration& out) {
  while (!in.ends()) {
    const std::string_view word = in.next().text;
    if (word == ".align") {
      out.alignment = static_cast<std::uint32_t>(in.number());
    } else if (word == ".ptr" || word == ".global" || word == ".const" || word == ".shared") {
      continue;  // of a parameter that is a pointer
    } else if (const auto type = type_named(word.starts_with('.') ? word.substr(1) : word); type && word[0] == '.') {
      out.type = *type;
    } else if (word.starts_with('.')) {
      return in.unsupported(std::string(word));
    } else {
      out.name = word;
      break;
    }
  }
  out.alignment = std::max(out.alignment, bytes_of(out.type));
  while (in.take("[")) {
    if (in.take("]")) {
      out.open = true;
      continue;
    }
    out.elements *= static_cast<std::uint32_t>(in.number());
    if (!in.expect("]")) return false;
  }
  return in.wrong().ok();
}

Result<std::unique_ptr<Module>> Module::parse(std::string_view text) {
  auto program = std::make_unique<Program>();
  WOA_RETURN_IF_ERROR(Reader(text, *program).read());
  return std::unique_ptr<Module>(std::move(program));
}

}  // namespace woa::ptx
