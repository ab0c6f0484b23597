// Encodes an image as JPEG with libjpeg-turbo, straight into the reserved output. Uses libjpeg's defaults, so that the
// file equals the one that `cjpeg -quality Q` writes.

// clang-format off: jpeglib.h needs size_t and FILE, which it does not include.
#include <cstddef>
#include <cstdio>
// clang-format on
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdint>
#include <new>

#include "woa/woa_kernel.h"

namespace {

constexpr std::int64_t kMaxQuality = 100;

struct Settings {
  int quality;
};

// libjpeg leaves by longjmp, which runs no destructors: nothing between encode() and fail() has one.
struct Encoder {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  jpeg_destination_mgr destination;
  std::jmp_buf escape;
  woa_output* file;
  woa_error* error;
  woa_status status;
  std::uint64_t bytes;    // written so far, without those in the buffer that libjpeg is filling
  std::size_t room;       // size of the buffer that libjpeg is filling
  JOCTET overflow[4096];  // takes bytes beyond the file's room, so that the error gives the size needed
};

Encoder& encoder_of(void* client_data) { return *static_cast<Encoder*>(client_data); }

// The status for an error of libjpeg.
woa_status encode_status_of(int code) {
  switch (code) {
    case JERR_OUT_OF_MEMORY: return WOA_EXHAUSTED;
    case JERR_IMAGE_TOO_BIG: return WOA_UNSUPPORTED;
    default: return WOA_KERNEL_FAILED;
  }
}

[[noreturn]] void fail(j_common_ptr info) {
  Encoder& encoder = encoder_of(info->client_data);
  char reason[JMSG_LENGTH_MAX];
  encoder.errors.format_message(info, reason);
  encoder.status =
      woa_fail(encoder.error, encode_status_of(encoder.errors.msg_code), "cannot encode the image: %s", reason);
  std::longjmp(encoder.escape, 1);
}

void ignore_message(j_common_ptr, int) {}  // libjpeg would print it

void fill(Encoder& encoder, JOCTET* buffer, std::size_t room) {
  encoder.room = room;
  encoder.destination.next_output_byte = buffer;
  encoder.destination.free_in_buffer = room;
}

void begin_file(j_compress_ptr info) {
  Encoder& encoder = encoder_of(info->client_data);
  if (encoder.file->capacity > 0) return fill(encoder, encoder.file->data, encoder.file->capacity);
  fill(encoder, encoder.overflow, sizeof encoder.overflow);
}

// libjpeg calls it when the buffer is full to its last byte, whatever `free_in_buffer` says.
boolean continue_file(j_compress_ptr info) {
  Encoder& encoder = encoder_of(info->client_data);
  encoder.bytes += encoder.room;
  fill(encoder, encoder.overflow, sizeof encoder.overflow);
  return TRUE;
}

void end_file(j_compress_ptr info) {
  Encoder& encoder = encoder_of(info->client_data);
  encoder.bytes += encoder.room - encoder.destination.free_in_buffer;
}

void prepare(Encoder& encoder, woa_output& file, woa_error* error) {
  encoder.file = &file;
  encoder.error = error;
  encoder.status = WOA_OK;
  encoder.info.err = jpeg_std_error(&encoder.errors);
  encoder.info.client_data = &encoder;
  encoder.errors.error_exit = fail;
  encoder.errors.emit_message = ignore_message;
  encoder.destination.init_destination = begin_file;
  encoder.destination.empty_output_buffer = continue_file;
  encoder.destination.term_destination = end_file;
}

void write_image(Encoder& encoder, const woa_input& image, int quality) {
  jpeg_compress_struct& info = encoder.info;
  jpeg_create_compress(&info);
  info.dest = &encoder.destination;
  info.image_height = image.dims[0];
  info.image_width = image.dims[1];
  info.input_components = static_cast<int>(image.dims[2]);
  info.in_color_space = image.dims[2] == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, FALSE);
  jpeg_start_compress(&info, TRUE);
  const std::size_t row_bytes = std::size_t{image.dims[1]} * image.dims[2];
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.data + info.next_scanline * row_bytes);  // libjpeg reads it only
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
}

// A separate function, so that nothing local to it changes between setjmp and longjmp.
void encode(Encoder& encoder, const woa_input& image, int quality) {
  if (setjmp(encoder.escape) == 0) write_image(encoder, image, quality);
  jpeg_destroy_compress(&encoder.info);
}

woa_status check_dims(const woa_input& image, woa_error* error) {
  const std::uint32_t height = image.dims[0], width = image.dims[1], channels = image.dims[2];
  if (channels != 1 && channels != 3) {
    return woa_fail(error, WOA_UNSUPPORTED,
                    "the image has %u channels, expected 1 (grey) or 3 (RGB): JPEG has no alpha", channels);
  }
  if (height != 0 && width != 0) return WOA_OK;
  return woa_fail(error, WOA_INVALID, "an image of %u x %u pixels is empty, which JPEG cannot express", width, height);
}

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  std::int64_t quality = 0;
  const woa_status status = woa_param_int(params, count, "quality", 1, kMaxQuality, &quality, error);
  if (status != WOA_OK) return status;
  *self = new (std::nothrow) Settings{static_cast<int>(quality)};
  return *self != nullptr ? WOA_OK : woa_fail(error, WOA_EXHAUSTED, "no memory for the settings");
}

void destroy(void* self) { delete static_cast<Settings*>(self); }

woa_status run(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const woa_status status = check_dims(ins[0], error);
  if (status != WOA_OK) return status;
  Encoder encoder{};
  prepare(encoder, outs[0], error);
  encode(encoder, ins[0], static_cast<Settings*>(self)->quality);
  return encoder.status != WOA_OK ? encoder.status : woa_claim(&outs[0], "jpeg", encoder.bytes, error);
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .run = run)
