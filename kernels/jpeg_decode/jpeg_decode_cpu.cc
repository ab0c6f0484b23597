// Decodes a JPEG file with libjpeg-turbo: slow integer DCT and smooth upsampling, so that every sample equals `djpeg
// -dct int`. Damage that libjpeg only warns of (a file cut short, wrong entropy data) fails the firing; a header field
// that it overrules does not.

// clang-format off: jpeglib.h needs size_t and FILE, which it does not include.
#include <cstddef>
#include <cstdio>
// clang-format on
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdint>

#include "woa/woa_kernel.h"

namespace {

// libjpeg leaves by longjmp, which runs no destructors: nothing between attempt() and fail() has one.
struct Decoder {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jmp_buf escape;
  woa_error* error;
  woa_status status;
};

// The status for an error of libjpeg. Anything not listed is damage.
woa_status status_of(int code) {
  switch (code) {
    case JERR_OUT_OF_MEMORY: return WOA_EXHAUSTED;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_COMPONENT_COUNT:
    case JERR_IMAGE_TOO_BIG:
    case JERR_SOF_UNSUPPORTED: return WOA_UNSUPPORTED;
    default: return WOA_INVALID;
  }
}

[[noreturn]] void fail(j_common_ptr info) {
  auto& decoder = *static_cast<Decoder*>(info->client_data);
  char reason[JMSG_LENGTH_MAX];
  decoder.errors.format_message(info, reason);
  decoder.status = woa_fail(decoder.error, status_of(decoder.errors.msg_code), "cannot decode the JPEG: %s", reason);
  std::longjmp(decoder.escape, 1);
}

// True for warnings about a header that contradicts the format. libjpeg follows the format, so every sample is in the
// file; cameras write such files. Any other warning may stand for samples that libjpeg made up.
bool concerns_header_only(int code) {
  return code == JWRN_JFIF_MAJOR || code == JWRN_NOT_SEQUENTIAL || code == JWRN_ADOBE_XFORM;
}

void fail_on_damage(j_common_ptr info, int level) {
  if (level < 0 && !concerns_header_only(info->err->msg_code)) fail(info);  // from 0 on: traces
}

void prepare(Decoder& decoder, woa_error* error) {
  decoder.error = error;
  decoder.status = WOA_OK;
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.info.client_data = &decoder;
  decoder.errors.error_exit = fail;
  decoder.errors.emit_message = fail_on_damage;
}

// A separate function, so that nothing local to it changes between setjmp and longjmp.
template <class Work>
void attempt(Decoder& decoder, const Work& work) {
  if (setjmp(decoder.escape) == 0) decoder.status = work();
}

woa_status read_header(Decoder& decoder, const woa_input& file) {
  if (file.bytes == 0) return woa_fail(decoder.error, WOA_INVALID, "the input is empty, expected a JPEG file");
  jpeg_decompress_struct& info = decoder.info;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, file.data, static_cast<unsigned long>(file.bytes));
  jpeg_read_header(&info, TRUE);
  if (info.out_color_space != JCS_GRAYSCALE && info.out_color_space != JCS_RGB) {
    return woa_fail(decoder.error, WOA_UNSUPPORTED,
                    "the JPEG has %d components per pixel (CMYK?), expected grey or colour: convert it to RGB",
                    info.num_components);
  }
  info.dct_method = JDCT_ISLOW;
  jpeg_calc_output_dimensions(&info);
  return WOA_OK;
}

std::uint64_t describe(const jpeg_decompress_struct& info, woa_output& image) {
  image.dims[0] = info.output_height;
  image.dims[1] = info.output_width;
  image.dims[2] = static_cast<std::uint32_t>(info.output_components);
  return std::uint64_t{image.dims[0]} * image.dims[1] * image.dims[2];
}

woa_status decode(Decoder& decoder, const woa_input& file, woa_output& image) {
  woa_status status = read_header(decoder, file);
  if (status != WOA_OK) return status;
  status = woa_claim(&image, "image", describe(decoder.info, image), decoder.error);
  if (status != WOA_OK) return status;
  jpeg_start_decompress(&decoder.info);
  const std::size_t row_bytes = std::size_t{image.dims[1]} * image.dims[2];
  while (decoder.info.output_scanline < decoder.info.output_height) {
    JSAMPROW row = image.data + decoder.info.output_scanline * row_bytes;
    jpeg_read_scanlines(&decoder.info, &row, 1);
  }
  jpeg_finish_decompress(&decoder.info);  // reads to the end, and so notices a missing end
  return WOA_OK;
}

woa_status size(void*, const woa_input* ins, woa_output* outs, woa_error* error) {
  Decoder decoder{};
  prepare(decoder, error);
  attempt(decoder, [&] {
    const woa_status status = read_header(decoder, ins[0]);
    if (status == WOA_OK) outs[0].bytes = describe(decoder.info, outs[0]);
    return status;
  });
  jpeg_destroy_decompress(&decoder.info);
  return decoder.status;
}

woa_status run(void*, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  Decoder decoder{};
  prepare(decoder, error);
  attempt(decoder, [&] { return decode(decoder, ins[0], outs[0]); });
  jpeg_destroy_decompress(&decoder.info);
  return decoder.status;
}

}  // namespace

WOA_KERNEL_TABLE(.size = size, .run = run)
