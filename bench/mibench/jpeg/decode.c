/* clang-format off: jpeglib.h needs size_t and FILE, which it does not include. */
#include <stddef.h>
#include <stdio.h>
/* clang-format on */
#include <jerror.h>
#include <jpeglib.h>
#include <setjmp.h>

#include "bench/mibench/jpeg/entropy.h"

typedef struct decoder {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  const woa_input *file;
  int16_t *const *component; /* null: the size is enough */
  uint16_t *steps;
  woa_error *error;
  woa_status status;
} decoder;

_Noreturn static void fail(j_common_ptr info) {
  decoder *d = info->client_data;
  char reason[JMSG_LENGTH_MAX];
  d->errors.format_message(info, reason);
  d->status =
      woa_fail(d->error, WOA_INVALID, "cannot decode the JPEG of %llu bytes: %s; expected a whole, undamaged file",
               (unsigned long long)d->file->bytes, reason);
  longjmp(d->escape, 1);
}

/* Warnings of damage fail, since libjpeg makes coefficients up. A header that contradicts the format does not. */
static void fail_on_damage(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && code != JWRN_JFIF_MAJOR && code != JWRN_NOT_SEQUENTIAL && code != JWRN_ADOBE_XFORM) fail(info);
}

static int is_supported(const struct jpeg_decompress_struct *info) {
  if (info->num_components != kChannels || info->jpeg_color_space != JCS_YCbCr) return 0;
  for (int k = 0; k < kChannels; ++k) {
    const int expected = k == 0 ? 2 : 1;
    const jpeg_component_info *component = &info->comp_info[k];
    if (component->h_samp_factor != expected || component->v_samp_factor != expected) return 0;
  }
  return 1;
}

static woa_status read_header(decoder *d) {
  struct jpeg_decompress_struct *info = &d->info;
  if (d->file->bytes == 0) return woa_fail(d->error, WOA_INVALID, "the file is empty, expected a JPEG");
  jpeg_create_decompress(info);
  jpeg_mem_src(info, d->file->data, (unsigned long)d->file->bytes);
  jpeg_read_header(info, TRUE);
  if (is_supported(info)) return WOA_OK;
  return woa_fail(d->error, WOA_UNSUPPORTED,
                  "the JPEG has %d components, the first with %d x %d samples, expected Y, Cb and Cr with 2 x 2 "
                  "samples of Y for one of the others; convert it to 4:2:0",
                  info->num_components, info->comp_info[0].h_samp_factor, info->comp_info[0].v_samp_factor);
}

static woa_status copy_steps(decoder *d) {
  for (int k = 0; k < kChannels; ++k) {
    const JQUANT_TBL *table = d->info.comp_info[k].quant_table;
    if (table == NULL) return woa_fail(d->error, WOA_INVALID, "component %d has no table of steps", k);
    for (int n = 0; n < kBlockSize; ++n) d->steps[k * kBlockSize + n] = (uint16_t)table->quantval[n];
  }
  return WOA_OK;
}

static void copy_component(decoder *d, int number, jvirt_barray_ptr array) {
  struct jpeg_decompress_struct *info = &d->info;
  const jpeg_component_info *component = &info->comp_info[number];
  const size_t row_bytes = component->width_in_blocks * sizeof(JBLOCK);
  int16_t *to = d->component[number];
  for (JDIMENSION row = 0; row < component->height_in_blocks; ++row, to += row_bytes / sizeof *to) {
    JBLOCKARRAY from = info->mem->access_virt_barray((j_common_ptr)info, array, row, 1, FALSE);
    memcpy(to, from[0], row_bytes);
  }
}

static woa_status read_file(decoder *d) {
  woa_status status = read_header(d);
  if (status != WOA_OK || d->component == NULL) return status;
  jvirt_barray_ptr *arrays = jpeg_read_coefficients(&d->info);
  for (int k = 0; k < kChannels; ++k) copy_component(d, k, arrays[k]);
  status = copy_steps(d);
  jpeg_finish_decompress(&d->info); /* reads to the end, and so notices a missing end */
  return status;
}

/* A function of its own, so that nothing local to it changes between setjmp and longjmp. */
static void attempt(decoder *d) {
  if (setjmp(d->escape) == 0) d->status = read_file(d);
}

static woa_status decode(decoder *d) {
  d->info.err = jpeg_std_error(&d->errors);
  d->info.client_data = d;
  d->errors.error_exit = fail;
  d->errors.emit_message = fail_on_damage;
  attempt(d);
  jpeg_destroy_decompress(&d->info);
  return d->status;
}

woa_status entropy_measure(const woa_input *file, uint32_t *height, uint32_t *width, woa_error *error) {
  decoder d = {.file = file, .error = error, .status = WOA_OK};
  const woa_status status = decode(&d);
  *height = d.info.image_height;
  *width = d.info.image_width;
  return status;
}

woa_status entropy_decode(const woa_input *file, int16_t *const component[kChannels],
                          uint16_t steps[kChannels * kBlockSize], woa_error *error) {
  decoder d = {.file = file, .component = component, .steps = steps, .error = error, .status = WOA_OK};
  return decode(&d);
}
