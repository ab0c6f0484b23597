/* The block function of SHA-0 and SHA-1, and the message that it hashes: the data, padded to whole blocks.
 *
 * SHA-0 (1993) and SHA-1 differ in one rotation of the schedule. A state is five words in the processor's order. */
#ifndef WOA_MIBENCH_SHA_H
#define WOA_MIBENCH_SHA_H

#include "bench/mibench/kept_number.h"

enum {
  kWords = 5,
  kStateBytes = kWords * 4,
  kBlockBytes = 64,
  kMostChunk = 8192, /* kernel.yaml has the same */
  kLengthBytes = 8   /* of the length at the end of the message */
};

static const uint32_t kFirstState[kWords] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

static inline uint32_t rotate(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

static inline uint32_t big_endian(const uint8_t *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return __builtin_bswap32(word);
}

/* The word of round `t`. Sixteen words are kept; from round 16 on a new one takes the place of the oldest. */
static inline uint32_t word_of(uint32_t *w, int t, int sha1) {
  if (t < 16) return w[t];
  const uint32_t word = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15];
  return w[t & 15] = sha1 ? rotate(word, 1) : word;
}

/* All 80 rounds are written out, so that indices are constants: that takes two thirds of a loop's time. The names of
 * the five words change places from round to round, so that no word moves. */
#define SHA_CHOOSE(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define SHA_PARITY(b, c, d) ((b) ^ (c) ^ (d))
#define SHA_MAJORITY(b, c, d) (((b) & (c)) | ((d) & ((b) | (c))))
#define SHA_ROUND(F, a, b, c, d, e, k, t)                       \
  (e) += rotate(a, 5) + F(b, c, d) + (k) + word_of(w, t, sha1); \
  (b) = rotate(b, 30)
#define SHA_FIVE(F, k, t)                  \
  SHA_ROUND(F, a, b, c, d, e, k, t);       \
  SHA_ROUND(F, e, a, b, c, d, k, (t) + 1); \
  SHA_ROUND(F, d, e, a, b, c, k, (t) + 2); \
  SHA_ROUND(F, c, d, e, a, b, k, (t) + 3); \
  SHA_ROUND(F, b, c, d, e, a, k, (t) + 4)
#define SHA_TWENTY(F, k, t) \
  SHA_FIVE(F, k, t);        \
  SHA_FIVE(F, k, (t) + 5);  \
  SHA_FIVE(F, k, (t) + 10); \
  SHA_FIVE(F, k, (t) + 15)

static inline void hash_block(uint32_t *state, const uint8_t *block, int sha1) {
  uint32_t w[16];
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int k = 0; k < 16; ++k) w[k] = big_endian(block + 4 * k);
  SHA_TWENTY(SHA_CHOOSE, 0x5a827999, 0);
  SHA_TWENTY(SHA_PARITY, 0x6ed9eba1, 20);
  SHA_TWENTY(SHA_MAJORITY, 0x8f1bbcdc, 40);
  SHA_TWENTY(SHA_PARITY, 0xca62c1d6, 60);
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

static inline void hash_blocks(uint32_t *state, const uint8_t *data, uint64_t bytes, int sha1) {
  if (sha1) {
    for (uint64_t at = 0; at < bytes; at += kBlockBytes) hash_block(state, data + at, 1);
  } else {
    for (uint64_t at = 0; at < bytes; at += kBlockBytes) hash_block(state, data + at, 0);
  }
}

/* The size of the message: data, one bit, zeros, and the length of the data in bits fill whole blocks. */
static inline uint64_t message_bytes(uint64_t data_bytes) {
  return (data_bytes + kLengthBytes) / kBlockBytes * kBlockBytes + kBlockBytes;
}

/* Writes the bytes `at` to `at + bytes` of the message of `data`. */
static inline void copy_message(uint8_t *to, const uint8_t *data, uint64_t data_bytes, uint64_t at, uint64_t bytes) {
  const uint64_t left = at < data_bytes ? data_bytes - at : 0, copied = left < bytes ? left : bytes;
  if (copied != 0) memcpy(to, data + at, copied);
  if (copied == bytes) return;
  memset(to + copied, 0, bytes - copied);
  if (at + copied == data_bytes) to[copied] = 0x80;
  if (at + bytes != message_bytes(data_bytes)) return;
  const uint64_t bits = __builtin_bswap64(data_bytes * 8);
  memcpy(to + bytes - kLengthBytes, &bits, kLengthBytes);
}

/* Keeps the parameter `chunk`: the bytes of the message in a token. */
static inline woa_status keep_chunk(const woa_param *params, size_t count, void **self, woa_error *error) {
  int64_t chunk = 0;
  const woa_status status = woa_param_int(params, count, "chunk", kBlockBytes, kMostChunk, &chunk, error);
  if (status != WOA_OK) return status;
  if (chunk % kBlockBytes == 0) return keep_number(chunk, self, error);
  return woa_fail(error, WOA_INVALID, "parameter 'chunk' is %lld, expected a multiple of %d bytes, such as %lld",
                  (long long)chunk, kBlockBytes, (long long)(chunk / kBlockBytes * kBlockBytes));
}

/* Keeps the parameter `algorithm`: 1 for SHA-1. */
static inline woa_status keep_algorithm(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_choice(params, count, "algorithm", "sha0", "sha1", self, error);
}

/* Writes a state as MiBench prints it. */
static inline woa_status write_digest(const woa_input *in, woa_output *out, woa_error *error) {
  uint32_t h[kWords];
  char line[64];
  if (in->bytes != kStateBytes) {
    return woa_fail(error, WOA_INVALID, "the state has %llu bytes, expected %d", (unsigned long long)in->bytes,
                    kStateBytes);
  }
  memcpy(h, in->data, kStateBytes);
  const int bytes = snprintf(line, sizeof line, "%08x %08x %08x %08x %08x\n", h[0], h[1], h[2], h[3], h[4]);
  const woa_status status = woa_claim(out, "text", (uint64_t)bytes, error);
  if (status == WOA_OK) memcpy(out->data, line, (size_t)bytes);
  return status;
}

#endif
