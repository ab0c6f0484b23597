// How a stream of bytes is cut into frames, one for each instance (docs/commands.md, "Pipes").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::tools {

inline constexpr std::string_view kFrameRuleNames = "lines, u32, npy, jpeg or fixed:BYTES";

struct FrameRule {
  enum class Kind : std::uint8_t {
    kLines,  // ends with a line feed, which is not part of it; the last one may lack it
    kU32,    // 4 bytes, the lowest first: its length
    kNpy,    // an array as numpy.save() writes it
    kJpeg,   // from its first marker, SOI, to EOI
    kFixed,  // `bytes` bytes
    kRaw,    // of outputs: nothing stands between them
  };
  Kind kind = Kind::kRaw;
  std::uint64_t bytes = 0;

  // kInvalid: no rule is called so; the message lists them.
  static Result<FrameRule> parse(std::string_view text);
  // Adds what stands before and after `payload`, a payload of `type`, as a frame. Returns what of the payload goes
  // between them. kInvalid: it would be read back as something else.
  Result<std::span<const std::byte>> wrap(const PortType& type, std::span<const std::byte> payload, std::string& before,
                                          std::string& after) const;
};

// --frames, by port.
class FrameRules {
 public:
  // RULE or PORT=RULE. kInvalid: a rule or a port is unknown, or has two rules.
  static Result<FrameRules> parse(const std::vector<std::string>& arguments, const Plan& plan);
  // The rule of a port that is a stream; kRaw: it has none. kInvalid: its type has no such frames.
  Result<FrameRule> of(const std::string& port, const PortType& type);
  // Advice for a user: the payloads of an output that of() was asked for do not fit its rule.
  [[nodiscard]] std::string remedy(const std::string& port) const;
  // kInvalid: a rule that of() has never answered, which says what the user did not mean.
  [[nodiscard]] Status check_used() const;

 private:
  std::map<std::string, FrameRule> rules_;  // "": of ports without one of their own
  std::set<std::string> used_;
  std::vector<std::string> covered_;  // ports that have the rule for all, in the order of of()
};

}  // namespace woa::tools
