#include "tests/doubles/cuda/ptx/decode.h"

#include <algorithm>
#include <array>
#include <utility>

namespace woa::ptx {
namespace {

constexpr std::array<std::string_view, 15> kTypes{"pred", "b8", "b16", "b32", "b64", "u8",  "u16", "u32",
                                                  "u64",  "s8", "s16", "s32", "s64", "f32", "f64"};
constexpr std::array<std::uint8_t, 15> kBytes{1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  for (std::size_t k = 0; k < kTypes.size(); ++k)
    if (kTypes[k] == name) return static_cast<Type>(k);
  return std::nullopt;
}
std::uint32_t bytes_of(Type type) { return kBytes[static_cast<std::size_t>(type)]; }
bool is_signed(Type type) { return type >= Type::kS8 && type <= Type::kS64; }
bool is_float(Type type) { return type >= Type::kF32; }

Decoder::Decoder(const Statement& statement, Function& function, Names& names)
    : statement_(statement), function_(function), names_(names) {
  out.line = statement.line;
  std::string_view rest = statement.opcode;
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    parts_.push_back(rest.substr(0, dot));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  if (parts_.empty()) parts_.emplace_back();
  base_ = parts_.front();
  parts_.erase(parts_.begin());
}

bool Decoder::take(std::string_view part) {
  for (auto at = parts_.begin(); at != parts_.end(); ++at) {
    if (*at != part) continue;
    parts_.erase(at);
    return true;
  }
  return false;
}

std::optional<Type> Decoder::take_type() {
  for (auto at = parts_.begin(); at != parts_.end(); ++at) {
    const std::optional<Type> type = type_named(*at);
    if (!type) continue;
    parts_.erase(at);
    return type;
  }
  return std::nullopt;
}

bool Decoder::has_float() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](std::string_view part) { return part == "f32" || part == "f64"; });
}

std::int32_t Decoder::slot(const Operand& operand) {
  if (operand.kind != Operand::kName && operand.kind != Operand::kNumber) {
    invalid("an operand is no register and no number");
    return 0;
  }
  if (operand.negated || !operand.list.empty()) {
    unsupported(operand.negated ? "! before an operand" : "a second part of an operand");
    return 0;
  }
  const std::int32_t slot = names_.slot(operand);
  if (slot < 0) invalid("nothing is named " + std::string(operand.name));
  return std::max(slot, 0);
}

bool Decoder::slots(std::size_t expected) {
  if (count() != expected)
    return invalid(std::to_string(expected) + " operands expected, found " + std::to_string(count()));
  const std::array<std::int32_t*, 4> where{&out.d, &out.a, &out.b, &out.c};
  for (std::size_t k = 0; k < expected; ++k) *where[k] = slot(k);
  return wrong_.ok();
}

bool Decoder::address(std::size_t number) {
  if (count() <= number || operand(number).kind != Operand::kAddress) return invalid("an address in brackets expected");
  Operand base = operand(number);
  out.immediate = static_cast<std::int64_t>(base.value);
  base.value = 0;
  base.kind = base.name.empty() ? Operand::kNumber : Operand::kName;
  out.a = slot(base);
  return wrong_.ok();
}

void Decoder::vector(std::size_t number) {
  if (operand(number).kind != Operand::kVector) {
    out.d = slot(number);
    return;
  }
  out.count = static_cast<std::uint8_t>(operand(number).list.size());
  out.more = static_cast<std::uint32_t>(function_.more.size());
  for (const Operand& one : operand(number).list) {
    const std::int32_t at = one.name == "_" ? -1 : slot(one);
    function_.more.push_back(at);
  }
}

bool Decoder::invalid(std::string why) {
  if (wrong_.ok())
    wrong_ = Status(Code::kInvalid, "PTX line " + std::to_string(statement_.line) + ": " +
                                        std::string(statement_.opcode) + ": " + std::move(why));
  return false;
}

bool Decoder::unsupported(std::string why) {
  if (wrong_.ok())
    wrong_ = Status(Code::kUnsupported, "PTX line " + std::to_string(statement_.line) + ": " +
                                            std::string(statement_.opcode) + " is not interpreted" +
                                            (why.empty() ? "" : ": " + why));
  return false;
}

Status Decoder::finish(bool decoded) {
  if (!wrong_.ok()) return wrong_;
  if (!decoded || !parts_.empty() || out.run == nullptr) unsupported("");
  if (!statement_.guard.empty()) {
    Operand guard;
    guard.name = statement_.guard;
    out.guard = slot(guard);
    out.negated = statement_.negated;
  }
  if (!wrong_.ok()) return wrong_;
  function_.code.push_back(out);
  return {};
}

Status decode(const Statement& statement, Function& function, Names& names) {
  Decoder decoder(statement, function, names);
  for (auto* family : {&decode_integer, &decode_float, &decode_move, &decode_access, &decode_atomic, &decode_control})
    if (const std::optional<bool> done = family(decoder)) return decoder.finish(*done);
  return decoder.finish(false);
}

}  // namespace woa::ptx
