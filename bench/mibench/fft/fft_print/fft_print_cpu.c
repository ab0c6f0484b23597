#include "bench/mibench/decimal.h"
#include "bench/mibench/fft/fft.h"

enum {
  kNumberRoom = 52, /* the largest float has 39 digits, then come a point, six digits, a blank, and a tab */
  kHeadRoom = 32,   /* both lines with names, and both ends of lines */
  kPlaces = 6
};
static const uint64_t kScale = 1000000; /* 10^kPlaces */

/* Writes a number as "%f" does. A float is a whole number `mantissa` times a power of two, so shifts and one
 * multiplication are exact, and a tie goes to the even digit. */
static char *write_number(float value, char *to) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const int field = (int)(bits >> 23 & 255), power = (field != 0 ? field : 1) - 150;
  const uint64_t mantissa = (bits & 0x7fffff) | (field != 0 ? 1u << 23 : 0);
  if (power > 40) return to + sprintf(to, "%f", (double)value); /* 2^64 and above, no number */
  uint64_t scaled = mantissa << (power > 0 ? power : 0), fraction = 0;
  if (power < 0) {
    const int shift = -power < 63 ? -power : 63; /* the product has fewer than 45 bits */
    const uint64_t product = mantissa * kScale, rest = product & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    scaled = product >> shift;
    scaled += rest > half || (rest == half && (scaled & 1));
    fraction = scaled % kScale;
    scaled /= kScale;
  }
  if (bits >> 31) *to++ = '-';
  to = write_whole(scaled, to);
  *to++ = '.';
  for (int k = kPlaces - 1; k >= 0; --k, fraction /= 10) to[k] = (char)('0' + fraction % 10);
  return to + kPlaces;
}

static char *write_line(const char *name, const float *numbers, uint32_t count, char *to) {
  to += sprintf(to, "%s:\n", name);
  for (uint32_t k = 0; k < count; ++k) {
    to = write_number(numbers[k], to);
    *to++ = ' ';
    *to++ = '\t';
  }
  *to++ = '\n';
  return to;
}

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  outs[0].bytes = kHeadRoom + (uint64_t)ins[0].dims[2] * kParts * kNumberRoom;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = fft_check_whole(&ins[0], error);
  if (status == WOA_OK) status = size(self, ins, outs, error);
  if (status == WOA_OK) status = woa_claim(&outs[0], "text", outs[0].bytes, error);
  if (status != WOA_OK) return status;
  const uint32_t samples = ins[0].dims[2];
  const float *numbers = (const float *)(const void *)ins[0].data;
  char *text = (char *)outs[0].data;
  char *to = write_line("RealOut", numbers, samples, text);
  to = write_line("ImagOut", numbers + samples, samples, to);
  outs[0].bytes = (uint64_t)(to - text);
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
