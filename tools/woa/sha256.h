// SHA-256, if this build has OpenSSL.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace woa::tools {

class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  // Call once. Empty in a build without OpenSSL.
  std::string hex();

 private:
  std::shared_ptr<void> context_;
};

}  // namespace woa::tools
