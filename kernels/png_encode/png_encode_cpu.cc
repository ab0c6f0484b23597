// Encodes an image as PNG with libpng, straight into the reserved output. The same image, level and zlib give the same
// file.
#include <png.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "woa/woa_kernel.h"

namespace {

// Every line uses the filter Sub. On photographs libpng's adaptive choice for each line takes half as long again and
// gives a larger file.
constexpr int kFilter = PNG_FILTER_SUB;
constexpr std::size_t kChunkBytes = 64 * 1024;  // size of an IDAT chunk; libpng's default is an eighth of it
constexpr std::int64_t kMaxLevel = 9;

struct Settings {
  std::int64_t level;
};

// libpng leaves by longjmp, which runs no destructors: nothing between encode() and fail() has one.
struct Encoder {
  const woa_input& image;
  woa_output& file;
  woa_error* error;
  int level;
  std::uint64_t bytes = 0;  // written so far, including those that had no room
  woa_status status = WOA_OK;
};

[[noreturn]] void fail(png_structp png, png_const_charp reason) {
  auto& encoder = *static_cast<Encoder*>(png_get_error_ptr(png));
  encoder.status = woa_fail(encoder.error, WOA_KERNEL_FAILED, "libpng cannot encode the image: %s", reason);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}  // libpng would print it

// Counts bytes beyond the capacity too, so that the error gives the size needed.
void write_bytes(png_structp png, png_bytep data, std::size_t count) {
  auto& encoder = *static_cast<Encoder*>(png_get_io_ptr(png));
  if (encoder.bytes + count <= encoder.file.capacity) std::memcpy(encoder.file.data + encoder.bytes, data, count);
  encoder.bytes += count;
}

void flush(png_structp) {}

int color_type(std::uint32_t channels) {
  return channels == 1 ? PNG_COLOR_TYPE_GRAY : channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
}

void write_image(png_structp png, png_infop info, Encoder& encoder) {
  const std::uint32_t* dims = encoder.image.dims;
  const std::size_t row_bytes = std::size_t{dims[1]} * dims[2];
  png_set_write_fn(png, &encoder, write_bytes, flush);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(png, encoder.level);
  png_set_compression_buffer_size(png, kChunkBytes);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, kFilter);
  png_set_IHDR(png, info, dims[1], dims[0], 8, color_type(dims[2]), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (std::uint32_t y = 0; y < dims[0]; ++y) png_write_row(png, encoder.image.data + y * row_bytes);
  png_write_end(png, info);
}

void encode(Encoder& encoder) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, fail, ignore_warning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    encoder.status = woa_fail(encoder.error, WOA_EXHAUSTED, "no memory for libpng");
  } else if (setjmp(png_jmpbuf(png)) == 0) {
    write_image(png, info, encoder);
  }
  png_destroy_write_struct(&png, &info);
}

woa_status check_dims(const woa_input& image, woa_error* error) {
  const std::uint32_t height = image.dims[0], width = image.dims[1], channels = image.dims[2];
  if (channels != 1 && channels != 3 && channels != 4) {
    return woa_fail(error, WOA_UNSUPPORTED,
                    "the image has %u channels, expected 1 (grey), 3 (RGB) or 4 (RGB and alpha)", channels);
  }
  if (height != 0 && width != 0) return WOA_OK;
  return woa_fail(error, WOA_INVALID, "an image of %u x %u pixels is empty, which PNG cannot express", width, height);
}

woa_status create(const woa_param* params, size_t count, void** self, woa_error* error) {
  std::int64_t level = 0;
  const woa_status status = woa_param_int(params, count, "level", 0, kMaxLevel, &level, error);
  if (status != WOA_OK) return status;
  *self = new (std::nothrow) Settings{level};
  return *self != nullptr ? WOA_OK : woa_fail(error, WOA_EXHAUSTED, "no memory for the settings");
}

void destroy(void* self) { delete static_cast<Settings*>(self); }

woa_status run(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const woa_status status = check_dims(ins[0], error);
  if (status != WOA_OK) return status;
  Encoder encoder{ins[0], outs[0], error, static_cast<int>(static_cast<Settings*>(self)->level)};
  encode(encoder);
  return encoder.status != WOA_OK ? encoder.status : woa_claim(&outs[0], "png", encoder.bytes, error);
}

}  // namespace

WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .run = run)
