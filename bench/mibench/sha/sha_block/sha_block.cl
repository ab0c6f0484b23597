/* Blocks depend on each other, so one work item hashes them all; the output's other bytes have items without work. */
uint sha_rotate(uint x, uint bits) { return rotate(x, bits); }

void sha_round(uint *v, uint f, uint k, uint word) {
  const uint a = sha_rotate(v[0], 5) + f + v[4] + k + word;
  v[4] = v[3];
  v[3] = v[2];
  v[2] = sha_rotate(v[1], 30);
  v[1] = v[0];
  v[0] = a;
}

uint sha_word(uint *w, int t, int sha1) {
  if (t >= 16) {
    const uint word = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15];
    w[t & 15] = sha1 ? sha_rotate(word, 1) : word;
  }
  return w[t & 15];
}

void sha_hash(uint *state, global const uchar *block, int sha1) {
  uint w[16], v[5];
  for (int k = 0; k < 16; ++k)
    w[k] = (uint)block[4 * k] << 24 | (uint)block[4 * k + 1] << 16 | (uint)block[4 * k + 2] << 8 | block[4 * k + 3];
  for (int k = 0; k < 5; ++k) v[k] = state[k];
  for (int t = 0; t < 20; ++t) sha_round(v, (v[1] & v[2]) | (~v[1] & v[3]), 0x5a827999u, sha_word(w, t, sha1));
  for (int t = 20; t < 40; ++t) sha_round(v, v[1] ^ v[2] ^ v[3], 0x6ed9eba1u, sha_word(w, t, sha1));
  for (int t = 40; t < 60; ++t)
    sha_round(v, (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]), 0x8f1bbcdcu, sha_word(w, t, sha1));
  for (int t = 60; t < 80; ++t) sha_round(v, v[1] ^ v[2] ^ v[3], 0xca62c1d6u, sha_word(w, t, sha1));
  for (int k = 0; k < 5; ++k) state[k] += v[k];
}

kernel void sha_block(global const uchar *token, uint token_bytes, uint4 token_dims, global uchar *out, uint out_bytes,
                      uint4 out_dims, int algorithm) {
  if (get_global_id(0) != 0) return;
  uint state[5];
  for (int k = 0; k < 5; ++k) state[k] = ((global const uint *)token)[k];
  for (uint at = 20; at + 64 <= token_bytes; at += 64) sha_hash(state, token + at, algorithm);
  for (int k = 0; k < 5; ++k) ((global uint *)out)[k] = state[k];
}
