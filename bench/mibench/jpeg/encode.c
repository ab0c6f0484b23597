/* clang-format off: jpeglib.h needs size_t and FILE, which it does not include. */
#include <stddef.h>
#include <stdio.h>
/* clang-format on */
#include <jpeglib.h>
#include <setjmp.h>

#include "bench/mibench/jpeg/entropy.h"
#include "bench/mibench/kept_number.h"

enum { kLargest = 1023 }; /* of a coefficient; the first of a block may be -1024 */

typedef struct encoder {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  jmp_buf escape;
  const entropy_image *image;
  const entropy_settings *settings;
  woa_output *out;
  woa_error *error;
  woa_status status;
  uint64_t bytes;        /* written so far, without those in the buffer that libjpeg is filling */
  size_t room;           /* size of the buffer that libjpeg is filling */
  JOCTET overflow[4096]; /* takes bytes beyond the output's room, so that the error gives the size needed */
} encoder;

_Noreturn static void fail(j_common_ptr info) {
  encoder *e = info->client_data;
  char reason[JMSG_LENGTH_MAX];
  e->errors.format_message(info, reason);
  e->status = woa_fail(e->error, WOA_KERNEL_FAILED, "cannot encode the coefficients: %s", reason);
  longjmp(e->escape, 1);
}

static void ignore_message(j_common_ptr info, int level) { (void)info, (void)level; }

static void fill(encoder *e, JOCTET *buffer, size_t room) {
  e->room = room;
  e->destination.next_output_byte = buffer;
  e->destination.free_in_buffer = room;
}

static void begin_file(j_compress_ptr info) {
  encoder *e = info->client_data;
  if (e->out->capacity > 0) {
    fill(e, e->out->data, e->out->capacity);
  } else {
    fill(e, e->overflow, sizeof e->overflow);
  }
}

static boolean continue_file(j_compress_ptr info) {
  encoder *e = info->client_data;
  e->bytes += e->room;
  fill(e, e->overflow, sizeof e->overflow);
  return TRUE;
}

static void end_file(j_compress_ptr info) {
  encoder *e = info->client_data;
  e->bytes += e->room - e->destination.free_in_buffer;
}

static void prepare(encoder *e) {
  struct jpeg_compress_struct *info = &e->info;
  info->err = jpeg_std_error(&e->errors);
  info->client_data = e;
  e->errors.error_exit = fail;
  e->errors.emit_message = ignore_message;
  e->destination.init_destination = begin_file;
  e->destination.empty_output_buffer = continue_file;
  e->destination.term_destination = end_file;
}

static JDIMENSION round_up(JDIMENSION value, int to) {
  return (value + (JDIMENSION)to - 1) / (JDIMENSION)to * (JDIMENSION)to;
}

static void copy_component(encoder *e, int number, jvirt_barray_ptr array) {
  struct jpeg_compress_struct *info = &e->info;
  const jpeg_component_info *component = &info->comp_info[number];
  const size_t row_bytes = component->width_in_blocks * sizeof(JBLOCK);
  const int16_t *from = e->image->component[number];
  for (JDIMENSION row = 0; row < component->height_in_blocks; ++row, from += row_bytes / sizeof *from) {
    JBLOCKARRAY to = info->mem->access_virt_barray((j_common_ptr)info, array, row, 1, TRUE);
    memcpy(to[0], from, row_bytes);
  }
}

static void write_file(encoder *e) {
  struct jpeg_compress_struct *info = &e->info;
  jvirt_barray_ptr arrays[kChannels];
  jpeg_create_compress(info);
  info->dest = &e->destination;
  info->image_height = e->image->height;
  info->image_width = e->image->width;
  info->input_components = kChannels;
  info->in_color_space = JCS_RGB;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, e->settings->quality, FALSE);
  info->optimize_coding = e->settings->coding != kBaseline;
  if (e->settings->coding == kProgressive) jpeg_simple_progression(info);
  for (int k = 0; k < kChannels; ++k) {
    jpeg_component_info *component = &info->comp_info[k];
    const uint32_t height = info->image_height, width = info->image_width;
    component->width_in_blocks = k == 0 ? codec_blocks(width) : codec_chroma_blocks(width);
    component->height_in_blocks = k == 0 ? codec_blocks(height) : codec_chroma_blocks(height);
    arrays[k] = info->mem->request_virt_barray(
        (j_common_ptr)info, JPOOL_IMAGE, TRUE, round_up(component->width_in_blocks, component->h_samp_factor),
        round_up(component->height_in_blocks, component->v_samp_factor), (JDIMENSION)component->v_samp_factor);
  }
  jpeg_write_coefficients(info, arrays);
  for (int k = 0; k < kChannels; ++k) copy_component(e, k, arrays[k]);
  jpeg_finish_compress(info);
}

/* A function of its own, so that nothing local to it changes between setjmp and longjmp. */
static void attempt(encoder *e) {
  if (setjmp(e->escape) == 0) write_file(e);
  jpeg_destroy_compress(&e->info);
}

/* Fails for numbers that no picture of 8 bits a sample has: libjpeg's vector code has no codes for them. */
static woa_status check_coefficients(const int16_t *coefficients, uint64_t blocks, const char *name, woa_error *error) {
  for (uint64_t block = 0; block < blocks; ++block, coefficients += kBlockSize) {
    int beyond = coefficients[0] < -kLargest - 1 || coefficients[0] > kLargest;
    for (int k = 1; k < kBlockSize; ++k) beyond |= coefficients[k] < -kLargest || coefficients[k] > kLargest;
    if (!beyond) continue;
    return woa_fail(error, WOA_INVALID, "block %llu of '%s' has a coefficient beyond %d, expected those of a picture",
                    (unsigned long long)block, name, kLargest);
  }
  return WOA_OK;
}

static woa_status check_components(const entropy_image *image, woa_error *error) {
  static const char *const names[kChannels] = {"y", "cb", "cr"};
  woa_status status = WOA_OK;
  for (int k = 0; k < kChannels && status == WOA_OK; ++k) {
    const uint64_t rows = k == 0 ? codec_blocks(image->height) : codec_chroma_blocks(image->height);
    const uint64_t columns = k == 0 ? codec_blocks(image->width) : codec_chroma_blocks(image->width);
    status = check_coefficients(image->component[k], rows * columns, names[k], error);
  }
  return status;
}

woa_status entropy_encode(const entropy_image *image, const entropy_settings *settings, woa_output *out,
                          woa_error *error) {
  const woa_status status = check_components(image, error);
  if (status != WOA_OK) return status;
  encoder e = {.image = image, .settings = settings, .out = out, .error = error, .status = WOA_OK};
  prepare(&e);
  attempt(&e);
  return e.status != WOA_OK ? e.status : woa_claim(out, "jpeg", e.bytes, error);
}

static int find_coding(const char *text) {
  static const char *const names[] = {"baseline", "optimal", "progressive"};
  for (int k = kBaseline; k <= kProgressive; ++k) {
    if (text != NULL && strcmp(text, names[k]) == 0) return k;
  }
  return -1;
}

woa_status entropy_create(const woa_param *params, size_t count, void **self, woa_error *error) {
  int64_t quality = 0;
  const woa_status status = woa_param_int(params, count, "quality", 1, 100, &quality, error);
  if (status != WOA_OK) return status;
  const char *text = woa_param_text(params, count, "coding");
  const int coding = find_coding(text);
  if (coding < 0) {
    return woa_fail(error, WOA_INVALID, "parameter 'coding' is '%.32s', expected baseline, optimal or progressive",
                    text != NULL ? text : "");
  }
  const entropy_settings settings = {(int)quality, coding};
  return keep(&settings, sizeof settings, self, error);
}
