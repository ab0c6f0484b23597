/* Bodies of kernels, compiled for the device (kernels.cu) and for the host (ptx_kernels_test.cc). WOA_DEVICE and
 * WOA_TABLE are what such a function and a constant table need there. */
typedef unsigned char body_u8;
typedef unsigned int body_u32;
typedef unsigned long long body_u64;

WOA_DEVICE void sharpen_at(body_u32 x, body_u32 y, body_u32 width, body_u32 height, const body_u8 *in, body_u8 *out) {
  if (x >= width || y >= height) return;
  const body_u32 up = y == 0 ? 0 : width, down = y == height - 1 ? 0 : width;
  const body_u32 left = x == 0 ? 0 : 1, right = x == width - 1 ? 0 : 1, at = y * width + x;
  const int sum = 5 * in[at] - in[at - up] - in[at + down] - in[at - left] - in[at + right];
  out[at] = (body_u8)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

/* Bilinear, to twice the size less one, with weights of 11 bits. */
WOA_DEVICE body_u32 blend(body_u32 a, body_u32 b, body_u32 weight) { return (2048 - weight) * a + weight * b; }
WOA_DEVICE void resize_at(body_u32 x, body_u32 y, body_u32 width, body_u32 new_width, body_u32 new_height,
                          const body_u8 *in, body_u8 *out) {
  if (x >= new_width || y >= new_height) return;
  const body_u64 px = (body_u64)x * (width - 1) * 65536 / new_width,
                 py = (body_u64)y * (width - 1) * 65536 / new_height;
  const body_u8 *const above = in + (py >> 16) * width + (px >> 16), *const below = above + width;
  const body_u32 wx = (body_u32)(px & 65535) >> 5, wy = (body_u32)(py & 65535) >> 5;
  const body_u32 value = blend(blend(above[0], above[1], wx), blend(below[0], below[1], wx), wy);
  out[(body_u64)y * new_width + x] = (body_u8)((value + (1u << 21)) >> 22);
}

WOA_DEVICE void butterfly_at(body_u64 i, body_u64 half, const double *turn, double *data) {
  const body_u64 k = i % half, a = i / half * 2 * half + k, b = a + half;
  const double re = turn[2 * k] * data[2 * b] - turn[2 * k + 1] * data[2 * b + 1];
  const double im = turn[2 * k] * data[2 * b + 1] + turn[2 * k + 1] * data[2 * b];
  const double x = data[2 * a], y = data[2 * a + 1];
  data[2 * a] = x + re;
  data[2 * a + 1] = y + im;
  data[2 * b] = x - re;
  data[2 * b + 1] = y - im;
}

/* The rounds of SHA-1 over one block of 16 words. */
WOA_DEVICE body_u32 turned(body_u32 value, int by) { return value << by | value >> (32 - by); }
WOA_DEVICE void sha_at(const body_u8 *block, body_u32 *state) {
  body_u32 w[80];
  for (int k = 0; k < 16; ++k)
    w[k] = (body_u32)block[4 * k] << 24 | (body_u32)block[4 * k + 1] << 16 | (body_u32)block[4 * k + 2] << 8 |
           block[4 * k + 3];
  for (int k = 16; k < 80; ++k) w[k] = turned(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
  body_u32 a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int k = 0; k < 80; ++k) {
    const body_u32 f = k < 20 ? (b & c) | (~b & d) : k < 40 || k >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
    const body_u32 constant = k < 20 ? 0x5A827999u : k < 40 ? 0x6ED9EBA1u : k < 60 ? 0x8F1BBCDCu : 0xCA62C1D6u;
    const body_u32 next = turned(a, 5) + f + e + constant + w[k];
    e = d;
    d = c;
    c = turned(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

/* Rare things: calls, structures by value, tables, addresses of tables, 8 and 16 bits, f32, a switch. */
struct pair {
  int first;
  double second;
  signed char rest[11];
};
WOA_TABLE int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
WOA_TABLE short squares[4] = {0, -1, 4, -9};
WOA_CALLED pair mixed(pair of, int by) {
  of.first += primes[by & 7];
  of.second = of.second / 3 + by;
  of.rest[of.first & 7] = (signed char)(of.rest[by & 7] * by);
  return of;
}
WOA_CALLED int depth(int n) { return n <= 0 ? 1 : depth(n - 1) + n * depth(n - 3); }
WOA_DEVICE void mixture_at(body_u32 i, const body_u8 *in, double *out) {
  pair at = {(int)i - 20, in[i] / 7.0, {}};
  for (int k = 0; k < 11; ++k) at.rest[k] = (signed char)in[(i + k) & 63];
  for (int k = 0; k < (int)(i & 3) + 1; ++k) at = mixed(at, at.first ^ k);
  double sum = at.second + squares[i & 3] + depth((int)(i & 7));
  switch (i % 9) {
    case 0: sum += at.rest[3]; break;
    case 1: sum = (float)sum; break;
    case 2: sum = (int)sum; break;
    case 3: sum = (double)(body_u64)(sum * sum); break;
    case 4: sum = (float)sum / 3.0f - 2; break;
    case 5: sum = (short)at.first * (double)(unsigned short)at.first; break;
    case 6: sum = (body_u8)at.first % 7 + at.first / 5 - at.first % 5; break;
    case 7: sum = at.first < 0 ? -sum : sum * 4; break;
    default: sum = sum > 100 ? 100 : sum;
  }
  out[i] = sum;
}
