/* Binary PGM and PPM files, which several programs read. */
#ifndef WOA_BENCH_MIBENCH_NETPBM_H
#define WOA_BENCH_MIBENCH_NETPBM_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "woa/woa_kernel.h"

enum { kNetpbmLongestSide = 65500, kNetpbmLongestHeader = 32, kNetpbmLargestSample = 255, kNetpbmDeepest = 65535 };

typedef struct netpbm {
  uint32_t width, height;
  const uint8_t *pixels; /* height x width x channels bytes */
} netpbm;

/* A place in the header of a file. */
typedef struct netpbm_cursor {
  const uint8_t *at, *end;
} netpbm_cursor;

static inline int netpbm_is_blank(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Skips white space, and comments: from `#` to the end of the line. */
static inline void netpbm_skip(netpbm_cursor *cursor) {
  while (cursor->at < cursor->end) {
    if (*cursor->at == '#') {
      while (cursor->at < cursor->end && *cursor->at != '\n') ++cursor->at;
    } else if (netpbm_is_blank(*cursor->at)) {
      ++cursor->at;
    } else {
      return;
    }
  }
}

/* Reads the number called `name`, of at most `limit`, and the blank behind it. */
static inline woa_status netpbm_number(netpbm_cursor *cursor, const char *name, uint32_t limit, uint32_t *value,
                                       woa_error *error) {
  netpbm_skip(cursor);
  const uint8_t *begin = cursor->at;
  *value = 0;
  for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; ++cursor->at) {
    *value = *value * 10 + (uint32_t)(*cursor->at - '0');
    if (*value > limit) {
      return woa_fail(error, WOA_UNSUPPORTED, "the header's %s is above %u, the largest that is supported", name,
                      limit);
    }
  }
  if (cursor->at == cursor->end) {
    return woa_fail(error, WOA_INVALID, "the file ends in its header, after %lld digits of the %s; copy the whole file",
                    (long long)(cursor->at - begin), name);
  }
  if (cursor->at == begin || !netpbm_is_blank(*cursor->at)) {
    return woa_fail(error, WOA_INVALID, "the header's %s has the byte 0x%02x, expected a number", name, *cursor->at);
  }
  ++cursor->at;
  return WOA_OK;
}

/* Checks that the picture's pixels lie in the file, all of them. */
static inline woa_status netpbm_find_pixels(const netpbm_cursor *cursor, uint32_t channels, netpbm *picture,
                                            woa_error *error) {
  const uint64_t found = (uint64_t)(cursor->end - cursor->at);
  const uint64_t expected = (uint64_t)picture->width * picture->height * channels;
  if (expected == 0) {
    return woa_fail(error, WOA_INVALID, "the picture has %u x %u pixels, expected at least 1 x 1", picture->width,
                    picture->height);
  }
  if (found < expected) {
    return woa_fail(
        error, WOA_INVALID,
        "the file is cut short: it has %llu bytes of pixels, expected %u x %u x %u = %llu; copy the whole file",
        (unsigned long long)found, picture->width, picture->height, channels, (unsigned long long)expected);
  }
  picture->pixels = cursor->at;
  return WOA_OK;
}

/* Reads a file that begins with `P5` (one channel) or `P6` (three). */
static inline woa_status netpbm_parse(const woa_input *file, uint32_t channels, netpbm *picture, woa_error *error) {
  const char *magic = channels == 1 ? "P5" : "P6";
  if (file->bytes == 0) return woa_fail(error, WOA_INVALID, "the file is empty, expected a picture (%s)", magic);
  if (file->bytes == 1 || memcmp(file->data, magic, 2) != 0) {
    return woa_fail(error, WOA_INVALID,
                    "the file begins with the bytes 0x%02x 0x%02x, expected `%s`; convert it to binary %s",
                    file->data[0], file->bytes > 1 ? file->data[1] : 0, magic, channels == 1 ? "PGM" : "PPM");
  }
  netpbm_cursor cursor = {file->data + 2, file->data + file->bytes};
  uint32_t largest = 0;
  woa_status status = netpbm_number(&cursor, "width", kNetpbmLongestSide, &picture->width, error);
  if (status == WOA_OK) status = netpbm_number(&cursor, "height", kNetpbmLongestSide, &picture->height, error);
  if (status == WOA_OK) status = netpbm_number(&cursor, "largest sample", kNetpbmDeepest, &largest, error);
  if (status != WOA_OK) return status;
  if (largest != kNetpbmLargestSample) {
    return woa_fail(error, WOA_UNSUPPORTED,
                    "the header's largest sample is %u, expected %d; convert the file to 8 bits a sample", largest,
                    kNetpbmLargestSample);
  }
  return netpbm_find_pixels(&cursor, channels, picture, error);
}

/* Writes a file of `height` x `width` x `channels` bytes. */
static inline woa_status netpbm_write(const woa_input *picture, uint32_t channels, woa_output *file, woa_error *error) {
  char header[kNetpbmLongestHeader];
  const int length = snprintf(header, sizeof header, "P%c\n%u %u\n%d\n", channels == 1 ? '5' : '6', picture->dims[1],
                              picture->dims[0], kNetpbmLargestSample);
  const woa_status status = woa_claim(file, "file", (uint64_t)length + picture->bytes, error);
  if (status != WOA_OK) return status;
  memcpy(file->data, header, (size_t)length);
  if (picture->bytes > 0) memcpy(file->data + length, picture->data, picture->bytes);
  return WOA_OK;
}

/* The size of the file that netpbm_write() makes, or more. */
static inline uint64_t netpbm_file_bound(const woa_input *picture) { return kNetpbmLongestHeader + picture->bytes; }

#endif /* WOA_BENCH_MIBENCH_NETPBM_H */
