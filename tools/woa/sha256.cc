#include "tools/woa/sha256.h"

#ifdef WOA_HAVE_OPENSSL
#include <openssl/evp.h>

#include <array>
#include <string_view>

namespace woa::tools {

static EVP_MD_CTX* evp(const std::shared_ptr<void>& context) { return static_cast<EVP_MD_CTX*>(context.get()); }

Sha256::Sha256() : context_(EVP_MD_CTX_new(), [](EVP_MD_CTX* context) { EVP_MD_CTX_free(context); }) {
  EVP_DigestInit_ex(evp(context_), EVP_sha256(), nullptr);
}

void Sha256::add(std::span<const std::byte> bytes) { EVP_DigestUpdate(evp(context_), bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(evp(context_), digest.data(), &length);
  std::string text;
  for (unsigned k = 0; k < length; ++k) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += {kDigits[digest[k] >> 4], kDigits[digest[k] & 15]};
  }
  return text;
}

}  // namespace woa::tools
#else
namespace woa::tools {

Sha256::Sha256() = default;
void Sha256::add(std::span<const std::byte>) {}
std::string Sha256::hex() { return {}; }

}  // namespace woa::tools
#endif
