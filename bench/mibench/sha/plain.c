/* SHA of a file as a plain loop, for the time of the kernels beside it. */
#include "bench/mibench/sha/plain.h"

#include <string.h>

#define ROTATE(x, bits) ((x) << (bits) | (x) >> (32 - (bits)))
#define CHOOSE(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define PARITY(b, c, d) ((b) ^ (c) ^ (d))
#define MAJORITY(b, c, d) (((b) & (c)) | ((d) & ((b) | (c))))
#define ROUND(F, a, b, c, d, e, k, i) \
  e += ROTATE(a, 5) + F(b, c, d) + (k) + ((i) < 16 ? w[(i)&15] : next(w, i, sha1)), b = ROTATE(b, 30)
#define FIVE(F, k, t)                \
  ROUND(F, a, b, c, d, e, k, t);     \
  ROUND(F, e, a, b, c, d, k, t + 1); \
  ROUND(F, d, e, a, b, c, k, t + 2); \
  ROUND(F, c, d, e, a, b, k, t + 3); \
  ROUND(F, b, c, d, e, a, k, t + 4)
#define TWENTY(F, k, t) \
  FIVE(F, k, t);        \
  FIVE(F, k, t + 5);    \
  FIVE(F, k, t + 10);   \
  FIVE(F, k, t + 15)

/* The last 16 words of the schedule are kept. */
static inline uint32_t next(uint32_t *w, int t, int sha1) {
  const uint32_t word = w[(t - 3) & 15] ^ w[(t - 8) & 15] ^ w[(t - 14) & 15] ^ w[t & 15];
  return w[t & 15] = sha1 ? ROTATE(word, 1) : word;
}

static inline void hash(const uint8_t *block, int sha1, uint32_t *h) {
  uint32_t w[16], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  memcpy(w, block, 64);
  for (int t = 0; t < 16; ++t) w[t] = __builtin_bswap32(w[t]);
  TWENTY(CHOOSE, 0x5a827999, 0);
  TWENTY(PARITY, 0x6ed9eba1, 20);
  TWENTY(MAJORITY, 0x8f1bbcdc, 40);
  TWENTY(PARITY, 0xca62c1d6, 60);
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

void plain_sha(const uint8_t *data, size_t bytes, int sha1, uint32_t *digest) {
  static const uint32_t first[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  uint8_t end[128] = {0};
  const size_t whole = bytes / 64 * 64, rest = bytes - whole, end_bytes = rest < 56 ? 64 : 128;
  const uint64_t bits = __builtin_bswap64((uint64_t)bytes * 8);
  memcpy(digest, first, sizeof first);
  for (size_t at = 0; at < whole; at += 64) sha1 ? hash(data + at, 1, digest) : hash(data + at, 0, digest);
  if (rest != 0) memcpy(end, data + whole, rest);
  end[rest] = 0x80;
  memcpy(end + end_bytes - 8, &bits, 8);
  for (size_t at = 0; at < end_bytes; at += 64) hash(end + at, sha1, digest);
}
