// Names of files that vary with the instance: out/%04i.png.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"

namespace woa::tools {

class NamePattern {
 public:
  struct Piece {
    enum class Kind : std::uint8_t { kText, kNumber, kName };
    Kind kind = Kind::kText;
    std::string text;        // kText
    std::size_t digits = 1;  // kNumber: the fewest, with leading zeros
  };

  NamePattern() = default;
  // A plain path: `%` stands for itself.
  NamePattern(const std::filesystem::path& path) : text_(path) {
    add_text(text_);
  }                                                                        // NOLINT(google-explicit-constructor)
  NamePattern(const std::string& path) : text_(path) { add_text(text_); }  // NOLINT(google-explicit-constructor)
  // A pattern with %i (the instance's number), %0Ni (with leading zeros, N digits at least) and %n (the name of the
  // input's file, without its extension). kInvalid: any other `%`; the message lists these three.
  static Result<NamePattern> parse(const std::string& text);

  [[nodiscard]] bool numbered() const noexcept { return has(Piece::Kind::kNumber); }
  [[nodiscard]] bool named() const noexcept { return has(Piece::Kind::kName); }
  [[nodiscard]] bool varies() const noexcept { return numbered() || named(); }
  [[nodiscard]] std::string path(std::uint64_t instance, std::string_view name) const;

  [[nodiscard]] const std::string& text() const noexcept { return text_; }  // unchanged
  [[nodiscard]] const std::vector<Piece>& pieces() const noexcept { return pieces_; }

 private:
  [[nodiscard]] bool has(Piece::Kind kind) const noexcept;
  void add_text(std::string_view text);

  std::string text_;
  std::vector<Piece> pieces_;
};

// Finds, in the last part of `path`, a number's place as patterns of other tools write it: {}, {i:04}, $i, ###, *.
// Empty: there is none.
std::string foreign_placeholder(const std::filesystem::path& path);

}  // namespace woa::tools
