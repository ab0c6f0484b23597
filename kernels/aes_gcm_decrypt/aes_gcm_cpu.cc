// AES-256-GCM, both ways: kernel aes_gcm_encrypt is this file compiled with WOA_AES_GCM_ENCRYPTS.
// A packet is a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes; no additional data are authenticated.
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "woa/woa_kernel.h"

namespace {

#ifdef WOA_AES_GCM_ENCRYPTS
constexpr bool kEncrypts = true;
#else
constexpr bool kEncrypts = false;
#endif

constexpr std::uint64_t kNonceBytes = 12;
constexpr std::uint64_t kTagBytes = 16;
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kKeyDigits = 2 * kKeyBytes;
constexpr std::uint64_t kMaxUpdateBytes = 1 << 30;  // OpenSSL counts in int

struct Key {
  std::array<std::uint8_t, kKeyBytes> bytes{};
  ~Key() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// The number of the UTF-8 character that `text` begins with, or of its first byte if that begins none.
unsigned number_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 1;
  if (length == 1 || text.size() < length) return byte(0);
  unsigned number = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) number = number << 6 | (byte(i) & 0x3FU);
  return number;
}

// Errors give the position of a wrong character, and its number only if an editor may hide it.
woa_status parse_key(std::string_view digits, const char* source, Key& key, woa_error* error) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int value = digit_value(digits[i]);
    const bool shown = (digits[i] >= ' ' && digits[i] <= '~') || digits[i] == '\n';
    if (!shown) {
      return woa_fail(error, WOA_INVALID, "%s: character %zu is U+%04X, which editors may hide: remove it", source,
                      i + 1, number_of(digits.substr(i)));
    }
    if (i >= kKeyDigits) continue;
    if (value < 0) {
      return woa_fail(error, WOA_INVALID, "%s: character %zu is not one of the %zu hexadecimal digits of a key", source,
                      i + 1, kKeyDigits);
    }
    std::uint8_t& byte = key.bytes[i / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
  }
  if (digits.size() == kKeyDigits) return WOA_OK;
  return woa_fail(error, WOA_INVALID, "%s holds %s characters than an AES-256 key: expected %zu hexadecimal digits",
                  source, digits.size() < kKeyDigits ? "fewer" : "more", kKeyDigits);
}

woa_status read_key_file(const char* path, Key& key, woa_error* error) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";       // some editors begin a file with it
  std::array<char, kByteOrderMark.size() + kKeyDigits + 3> text{};  // room for a line end and a character too many
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return woa_fail(error, WOA_UNAVAILABLE, "key_file: %s: %s", std::strerror(errno), path);
  std::setvbuf(file, nullptr, _IONBF, 0);  // no copy of the key stays in a buffer of the library
  const std::size_t length = std::fread(text.data(), 1, text.size(), file);
  const int failure = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (failure != 0) return woa_fail(error, WOA_UNAVAILABLE, "key_file: %s: %s", std::strerror(failure), path);
  std::string_view digits(text.data(), length);
  if (digits.starts_with(kByteOrderMark)) digits.remove_prefix(kByteOrderMark.size());
  if (digits.ends_with('\n')) digits.remove_suffix(digits.ends_with("\r\n") ? 2 : 1);
  const woa_status status = parse_key(digits, "key_file", key, error);
  OPENSSL_cleanse(text.data(), text.size());
  return status;
}

woa_status read_key(const woa_param* params, size_t count, Key& key, woa_error* error) {
  const char* path = woa_param_text(params, count, "key_file");
  if (path != nullptr && *path != '\0') return read_key_file(path, key, error);
  const char* digits = woa_param_text(params, count, "key");
  if (digits != nullptr && *digits != '\0') return parse_key(digits, "parameter key", key, error);
  return woa_fail(error, WOA_UNAVAILABLE,
                  "no key: give parameter key_file, a file of %zu hexadecimal digits, or the secret parameter key",
                  kKeyDigits);
}

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  std::unique_ptr<Key> key(new (std::nothrow) Key);
  if (key == nullptr) return woa_fail(error, WOA_EXHAUSTED, "no memory for a key");
  const woa_status status = read_key(params, count, *key, error);
  if (status == WOA_OK) *self = key.release();
  return status;
}

void destroy(void* self) { delete static_cast<Key*>(self); }

// OpenSSL itself failed: out of memory, or a build without AES-GCM.
woa_status fail_in_openssl(const char* what, woa_error* error) {
  std::array<char, 120> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  ERR_clear_error();  // the queue belongs to the thread, which other kernels use too
  return woa_fail(error, WOA_KERNEL_FAILED, "OpenSSL cannot %s: %s", what, reason.data());
}

Context start(const Key& key, const std::uint8_t* nonce) {
  Context context(EVP_CIPHER_CTX_new());
  const bool ok = context != nullptr && EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(),
                                                          nonce, kEncrypts ? 1 : 0) == 1;
  return ok ? std::move(context) : nullptr;
}

bool update(EVP_CIPHER_CTX* context, const std::uint8_t* from, std::uint64_t bytes, std::uint8_t* to) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t step = std::min(bytes - done, kMaxUpdateBytes);
    int written = 0;
    if (EVP_CipherUpdate(context, to + done, &written, from + done, static_cast<int>(step)) != 1) return false;
    done += step;
  }
  return true;
}

// Encrypting: ends the message. Decrypting: false if the tag is wrong.
bool finish(EVP_CIPHER_CTX* context) {
  std::array<std::uint8_t, kTagBytes> rest{};  // stays empty: GCM has no padding
  int written = 0;
  return EVP_CipherFinal_ex(context, rest.data(), &written) == 1;
}

woa_status encrypt_size(void*, const woa_input* ins, woa_output* outs, woa_error*) {
  outs[0].bytes = kNonceBytes + ins[0].bytes + kTagBytes;
  return WOA_OK;
}

woa_status encrypt(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const woa_input& plain = ins[0];
  woa_output& packet = outs[0];
  const woa_status claimed = woa_claim(&packet, "cipher", kNonceBytes + plain.bytes + kTagBytes, error);
  if (claimed != WOA_OK) return claimed;
  std::uint8_t* text = packet.data + kNonceBytes;
  if (RAND_bytes(packet.data, kNonceBytes) != 1) return fail_in_openssl("draw a nonce", error);
  const Context context = start(*static_cast<Key*>(self), packet.data);
  const bool ok = context != nullptr && update(context.get(), plain.data, plain.bytes, text) && finish(context.get()) &&
                  EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, text + plain.bytes) == 1;
  return ok ? WOA_OK : fail_in_openssl("encrypt", error);
}

woa_status decrypt_size(void*, const woa_input* ins, woa_output* outs, woa_error* error) {
  if (ins[0].bytes < kNonceBytes + kTagBytes) {
    return woa_fail(error, WOA_INVALID, "the packet has %llu bytes, fewer than its nonce and tag (%llu)",
                    static_cast<unsigned long long>(ins[0].bytes),
                    static_cast<unsigned long long>(kNonceBytes + kTagBytes));
  }
  outs[0].bytes = ins[0].bytes - kNonceBytes - kTagBytes;
  return WOA_OK;
}

// OpenSSL checks the tag only after it has written the text, so a wrong tag wipes the text. Nobody has seen it: a
// failed firing's output is never sent.
woa_status authenticate(EVP_CIPHER_CTX* context, woa_output& plain, woa_error* error) {
  if (finish(context)) return WOA_OK;
  if (plain.bytes > 0) OPENSSL_cleanse(plain.data, plain.bytes);
  plain.bytes = plain.written = 0;
  ERR_clear_error();
  return woa_fail(error, WOA_UNAUTHENTIC,
                  "the packet is not authentic: it was made with another key, or changed afterwards");
}

woa_status decrypt(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const woa_input& packet = ins[0];
  woa_output& plain = outs[0];
  const woa_status sized = decrypt_size(self, ins, outs, error);
  if (sized != WOA_OK) return sized;
  const woa_status claimed = woa_claim(&plain, "plain", plain.bytes, error);
  if (claimed != WOA_OK) return claimed;
  const std::uint8_t* text = packet.data + kNonceBytes;
  std::array<std::uint8_t, kTagBytes> tag{};  // a copy: OpenSSL takes a pointer to non-const
  std::memcpy(tag.data(), text + plain.bytes, tag.size());
  const Context context = start(*static_cast<Key*>(self), packet.data);
  if (context == nullptr || !update(context.get(), text, plain.bytes, plain.data) ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) != 1) {
    return fail_in_openssl("decrypt", error);
  }
  return authenticate(context.get(), plain, error);
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .size = kEncrypts ? encrypt_size : decrypt_size,
                 .run = kEncrypts ? encrypt : decrypt)
