// The secret that a run's host shares with the nodes that join it: 128 bits or more, in a file that only its owner
// reads. It never travels; each end proves that it has it.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"

namespace woa {

class RunSecret {
 public:
  using Proof = std::array<std::byte, 32>;

  // The file holds 32 hexadecimal digits or more, and nothing else but white space around them. kInvalid: other
  // contents, or others than the owner may read it (the message has the command that fixes it). kNotFound with the
  // system's reason. kUnavailable: built without OpenSSL.
  static Result<RunSecret> read(const std::filesystem::path& file);

  // HMAC-SHA256 (RFC 2104) over `role` and `message`, so that no proof of one role serves as one of another.
  [[nodiscard]] Proof prove(std::string_view role, std::span<const std::byte> message) const;
  // True if `proof` is that of role and message. Takes the same time for every wrong proof.
  [[nodiscard]] bool holds(std::span<const std::byte> proof, std::string_view role,
                           std::span<const std::byte> message) const;

 private:
  explicit RunSecret(std::vector<std::byte> key) : key_(std::move(key)) {}
  std::vector<std::byte> key_;
};

}  // namespace woa
