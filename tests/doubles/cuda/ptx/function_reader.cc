#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "tests/doubles/cuda/ptx/parser.h"

namespace woa::ptx {
namespace {

constexpr std::array<std::string_view, kSpecials> kSpecialNames{
    "%tid.x",   "%tid.y",   "%tid.z",    "%ntid.x",   "%ntid.y",   "%ntid.z", "%ctaid.x",
    "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid"};

bool read_float(std::string_view text, Operand& out) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D')) {
    out.float_bytes = (text[1] | 32) == 'f' ? 4 : 8;
    out.value = std::strtoull(std::string(text.substr(2)).c_str(), nullptr, 16);
    return text.size() == 2U + 2U * out.float_bytes;
  }
  if (text.find('.') == std::string_view::npos) return false;
  out.float_bytes = 8;
  out.value = std::bit_cast<std::uint64_t>(std::strtod(std::string(text).c_str(), nullptr));
  return true;
}

bool read_list(Cursor& in, Operand& out, std::string_view end) {
  out.kind = Operand::kVector;
  while (!in.ends() && !in.is(end)) {
    if (!read_operand(in, out.list.emplace_back())) return false;
    if (!in.take(",")) break;
  }
  return in.expect(end);
}

}  // namespace

bool read_operand(Cursor& in, Operand& out) {
  if (in.take("{")) return read_list(in, out, "}");
  if (in.take("(")) return read_list(in, out, ")");
  if (in.take("[")) {
    if (!read_operand(in, out)) return false;
    out.kind = Operand::kAddress;
    while (in.take(","))  // of a texture
      if (!read_operand(in, out.list.emplace_back())) return false;
    return in.expect("]");
  }
  out.negated = in.take("!");
  if (in.now().kind == Token::kWord) {
    out.name = in.next().text;
    if (in.take("+")) out.value = in.number();
    if (in.take("|")) return read_operand(in, out.list.emplace_back());
    return in.wrong().ok();
  }
  out.kind = Operand::kNumber;
  if (in.now().kind == Token::kNumber && read_float(in.now().text, out)) return in.next(), true;
  out.value = in.number();
  return in.wrong().ok();
}

bool FunctionReader::parameters(std::vector<Piece>& out) {
  if (!in_.expect("(")) return false;
  while (!in_.ends() && !in_.is(")")) {
    Declaration declaration;
    if (!in_.expect(".param") || !read_declaration(in_, declaration)) return false;
    out.push_back(local(declaration));
    declare(declaration.name, {Name::kPiece, out.back()});
    if (!in_.take(",")) break;
  }
  return in_.expect(")");
}

bool FunctionReader::body() {
  if (!in_.expect("{")) return false;
  while (!in_.ends() && !names_.empty())
    if (!line()) return false;
  return in_.wrong().ok() && (names_.empty() || in_.expect("}")) && resolve();
}

bool FunctionReader::line() {
  if (in_.take("}")) return names_.pop_back(), true;
  if (in_.take("{")) return names_.emplace_back(), true;
  if (in_.take(";")) return true;
  if (in_.label()) {
    const std::string_view name = in_.next().text;
    in_.take(":");
    if (in_.take(".branchtargets")) return branch_targets(name);
    if (!labels_.try_emplace(name, static_cast<std::uint32_t>(function_.code.size())).second)
      return in_.invalid("the label " + std::string(name) + " stands twice");
    return true;
  }
  return in_.now().text.starts_with('.') ? directive() : statement();
}

bool FunctionReader::directive() {
  const std::string_view name = in_.next().text;
  if (name == ".loc" || name == ".file") return in_.skip_line(), true;
  if (name == ".pragma") return in_.next(), in_.expect(";");
  if (name == ".reg") return registers();
  if (name != ".local" && name != ".param" && name != ".shared") return in_.unsupported(std::string(name));
  Declaration declaration;
  if (!read_declaration(in_, declaration)) return false;
  if (name == ".shared") {
    const std::uint32_t offset =
        (shared_bytes_ + declaration.alignment - 1) / declaration.alignment * declaration.alignment;
    shared_bytes_ = offset + declaration.bytes();
    declare(declaration.name, {Name::kShared, {offset, declaration.bytes()}});
  } else {
    declare(declaration.name, {Name::kPiece, local(declaration)});
  }
  return in_.expect(";");
}

bool FunctionReader::registers() {
  const std::string_view type = in_.next().text;
  if (!type.starts_with('.') || !type_named(type.substr(1))) return in_.unsupported(".reg " + std::string(type));
  do {
    const std::string name(in_.next().text);
    if (in_.take("<")) {
      const std::uint64_t count = in_.number();
      if (!in_.expect(">")) return false;
      for (std::uint64_t k = 0; k < count; ++k)
        declare(name + std::to_string(k), {Name::kSlot, {function_.slots++, 8}});
    } else {
      declare(name, {Name::kSlot, {function_.slots++, 8}});
    }
  } while (in_.take(","));
  return in_.expect(";");
}

bool FunctionReader::statement() {
  Statement statement;
  if (in_.take("@")) {
    statement.negated = in_.take("!");
    statement.guard = in_.next().text;
  }
  statement.line = in_.now().line;
  statement.opcode = in_.next().text;
  while (!in_.ends() && !in_.is(";")) {
    if (!read_operand(in_, statement.operands.emplace_back())) return false;
    if (!in_.take(",")) break;
  }
  if (!in_.expect(";")) return false;
  const Status done = decode(statement, function_, *this);
  return done.ok() || in_.fail(done);
}

bool FunctionReader::branch_targets(std::string_view label) {
  Table table{label, {}};
  do table.targets.push_back(in_.next().text);
  while (in_.take(","));
  tables_.push_back(std::move(table));
  return in_.expect(";");
}

bool FunctionReader::resolve() {
  // A body may end without it.
  if (const Status end = decode({in_.now().line, "ret", "", false, {}}, function_, *this); !end.ok())
    return in_.fail(end);
  const auto find = [this](std::string_view label) -> std::optional<std::uint32_t> {
    const auto found = labels_.find(label);
    if (found != labels_.end()) return found->second;
    in_.invalid(function_.name + " has no label " + std::string(label));
    return std::nullopt;
  };
  for (const Jump& jump : jumps_) {
    const auto to = find(jump.label);
    if (!to) return false;
    function_.code[jump.instruction].immediate = *to;
  }
  for (const Table& table : tables_) {
    function_.tables.emplace_back();
    for (const std::string_view label : table.targets) {
      const auto to = find(label);
      if (!to) return false;
      function_.tables.back().push_back(*to);
    }
  }
  return true;
}

Piece FunctionReader::local(const Declaration& declaration) {
  const std::uint32_t offset =
      (function_.local_bytes + declaration.alignment - 1) / declaration.alignment * declaration.alignment;
  function_.local_bytes = offset + declaration.bytes();
  return {offset, declaration.bytes()};
}

void FunctionReader::declare(std::string name, Name what) { names_.back()[std::move(name)] = what; }

std::int32_t FunctionReader::constant(Constant::Kind kind, std::uint64_t value, std::uint32_t which) {
  const auto [at, fresh] = constants_.try_emplace({kind, value, which}, static_cast<std::int32_t>(function_.slots));
  if (fresh) {
    function_.constants.push_back({at->second, kind, value, which});
    ++function_.slots;
  }
  return at->second;
}

std::int32_t FunctionReader::slot(const Operand& operand) {
  if (operand.name.empty()) return constant(Constant::kValue, operand.value);
  const auto special = std::find(kSpecialNames.begin(), kSpecialNames.end(), operand.name);
  if (special != kSpecialNames.end())
    return constant(Constant::kSpecial, 0, static_cast<std::uint32_t>(special - kSpecialNames.begin()));
  return symbol(operand);
}

std::int32_t FunctionReader::symbol(const Operand& operand) {
  const std::string name(operand.name);
  for (auto scope = names_.rbegin(); scope != names_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found == scope->end()) continue;
    const Name& what = found->second;
    if (what.kind == Name::kSlot) return static_cast<std::int32_t>(what.piece.offset);
    return constant(what.kind == Name::kShared ? Constant::kValue : Constant::kLocal,
                    what.piece.offset + operand.value);
  }
  if (name == scope_.dynamic_shared && !name.empty()) return constant(Constant::kDynamicShared, operand.value);
  if (const auto found = scope_.shared.find(name); found != scope_.shared.end())
    return constant(Constant::kValue, found->second + operand.value);
  if (const auto found = scope_.variables.find(name); found != scope_.variables.end())
    return constant(Constant::kVariable, operand.value, static_cast<std::uint32_t>(found->second));
  return -1;
}

std::optional<Piece> FunctionReader::parameter(std::string_view name) {
  for (auto scope = names_.rbegin(); scope != names_.rend(); ++scope) {
    const auto found = scope->find(std::string(name));
    if (found != scope->end() && found->second.kind == Name::kPiece) return found->second.piece;
  }
  return std::nullopt;
}

std::int32_t FunctionReader::function(std::string_view name) {
  const auto found = scope_.functions.find(std::string(name));
  return found == scope_.functions.end() ? -1 : static_cast<std::int32_t>(found->second);
}

std::int32_t FunctionReader::table(std::string_view label) {
  for (std::size_t k = 0; k < tables_.size(); ++k)
    if (tables_[k].label == label) return static_cast<std::int32_t>(k);
  return -1;
}

}  // namespace woa::ptx
