// Blocks depend on each other, so one work item hashes them all; the output's other bytes have items without work.
#include "woa_cuda.h"

WOA_FUNCTION woa_u32 sha_rotate(woa_u32 x, woa_u32 bits) { return x << bits | x >> (32 - bits); }

WOA_FUNCTION void sha_round(woa_u32 *v, woa_u32 f, woa_u32 k, woa_u32 word) {
  const woa_u32 a = sha_rotate(v[0], 5) + f + v[4] + k + word;
  v[4] = v[3];
  v[3] = v[2];
  v[2] = sha_rotate(v[1], 30);
  v[1] = v[0];
  v[0] = a;
}

WOA_FUNCTION woa_u32 sha_word(woa_u32 *w, int t, int sha1) {
  if (t >= 16) {
    const woa_u32 word = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15];
    w[t & 15] = sha1 ? sha_rotate(word, 1) : word;
  }
  return w[t & 15];
}

WOA_FUNCTION void sha_hash(woa_u32 *state, WOA_GLOBAL const woa_u8 *block, int sha1) {
  woa_u32 w[16], v[5];
  for (int k = 0; k < 16; ++k)
    w[k] = (woa_u32)block[4 * k] << 24 | (woa_u32)block[4 * k + 1] << 16 | (woa_u32)block[4 * k + 2] << 8 |
           block[4 * k + 3];
  for (int k = 0; k < 5; ++k) v[k] = state[k];
  for (int t = 0; t < 20; ++t) sha_round(v, (v[1] & v[2]) | (~v[1] & v[3]), 0x5a827999u, sha_word(w, t, sha1));
  for (int t = 20; t < 40; ++t) sha_round(v, v[1] ^ v[2] ^ v[3], 0x6ed9eba1u, sha_word(w, t, sha1));
  for (int t = 40; t < 60; ++t)
    sha_round(v, (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]), 0x8f1bbcdcu, sha_word(w, t, sha1));
  for (int t = 60; t < 80; ++t) sha_round(v, v[1] ^ v[2] ^ v[3], 0xca62c1d6u, sha_word(w, t, sha1));
  for (int k = 0; k < 5; ++k) state[k] += v[k];
}

WOA_KERNEL(sha_block, WOA_IN(woa_u8, token), WOA_OUT(woa_u32, out), int algorithm) {
  if (WOA_X != 0) return;
  woa_u32 state[5];
  for (int k = 0; k < 5; ++k) state[k] = ((WOA_GLOBAL const woa_u32 *)token)[k];
  for (woa_size at = 20; at + 64 <= token_bytes; at += 64) sha_hash(state, token + at, algorithm);
  for (int k = 0; k < 5; ++k) out[k] = state[k];
}
