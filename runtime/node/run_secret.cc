#include "runtime/node/run_secret.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "runtime/base/text.h"
#include "runtime/base/unique_fd.h"

namespace woa {
namespace {

constexpr std::size_t kLeastDigits = 32, kMostDigits = 1024;

Status malformed(const std::filesystem::path& file, const std::string& what) {
  return {Code::kInvalid, "the run's secret in '" + file.string() + "' " + what +
                              "; make one with: (umask 077; od -An -N16 -tx1 /dev/urandom | tr -d ' ' > " +
                              file.string() + ")"};
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The first character that an editor does not show; empty if there is none. A CR alone ends no line.
std::string hidden_in(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text[0] == '\r' && !text.starts_with("\r\n")) return "U+000D (carriage return) without a line feed";
    const HiddenCharacter* hidden = utf8_length(text) != 0 ? hidden_character(text) : nullptr;
    if (hidden != nullptr) return name_of(*hidden, text);
  }
  return {};
}

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

Result<std::vector<std::byte>> parse(std::string_view text, const std::filesystem::path& file) {
  if (text.size() > kMostDigits) return malformed(file, "is too long");
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const std::string hidden = hidden_in(text); !hidden.empty())
    return malformed(file, "has " + hidden + ", which editors do not show");
  text = without_space(text);
  if (text.size() < kLeastDigits || text.size() % 2 != 0)
    return malformed(file, "is not an even number of at least 32 hexadecimal digits");
  std::vector<std::byte> key;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const int high = digit(text[at]), low = digit(text[at + 1]);
    if (high < 0 || low < 0) return malformed(file, "has something else than hexadecimal digits");
    key.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return key;
}

std::optional<RunSecret::Proof> hmac(const std::vector<std::byte>& key, std::span<const std::byte> message) {
  RunSecret::Proof proof{};
  unsigned bytes = 0;
  const auto* made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                          reinterpret_cast<unsigned char*>(proof.data()), &bytes);
  if (made == nullptr || bytes != proof.size()) return std::nullopt;
  return proof;
}

}  // namespace

Result<RunSecret> RunSecret::read(const std::filesystem::path& file) {
  const UniqueFd descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &about) != 0)
    return {Code::kNotFound, "cannot read the run's secret '" + file.string() + "': " + reason_of(errno)};
  if (about.st_uid != ::geteuid())
    return {Code::kInvalid, "the run's secret '" + file.string() + "' belongs to another user"};
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return {Code::kInvalid, "others may read the run's secret '" + file.string() + "': chmod 600 " + file.string()};
  std::string text(kMostDigits + 1, '\0');
  const ssize_t got = ::read(descriptor.get(), text.data(), text.size());
  if (got < 0) return {Code::kNotFound, "cannot read the run's secret '" + file.string() + "': " + reason_of(errno)};
  text.resize(static_cast<std::size_t>(got));
  auto key = parse(text, file);
  OPENSSL_cleanse(text.data(), text.size());
  if (!key.ok()) return key.status();
  if (!hmac(*key, {})) return {Code::kUnavailable, "OpenSSL computes no HMAC-SHA256 here"};
  return RunSecret(std::move(*key));
}

RunSecret::Proof RunSecret::prove(std::string_view role, std::span<const std::byte> message) const {
  std::vector<std::byte> all(role.size() + 1 + message.size());  // roles contain no zero, so it ends them unambiguously
  std::memcpy(all.data(), role.data(), role.size());
  std::copy(message.begin(), message.end(), all.begin() + static_cast<std::ptrdiff_t>(role.size()) + 1);
  const auto proof = hmac(key_, all);
  if (!proof) std::abort();  // it worked when the secret was read; no proof must ever be known to all
  return *proof;
}

bool RunSecret::holds(std::span<const std::byte> proof, std::string_view role,
                      std::span<const std::byte> message) const {
  const Proof expected = prove(role, message);
  return proof.size() == expected.size() && CRYPTO_memcmp(proof.data(), expected.data(), expected.size()) == 0;
}

}  // namespace woa
