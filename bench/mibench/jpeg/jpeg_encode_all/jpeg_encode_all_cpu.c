#include "bench/mibench/jpeg/entropy.h"

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const entropy_settings *settings = self;
  const uint32_t height = ins[0].dims[0], width = ins[0].dims[1];
  entropy_room room;
  woa_status status = codec_check_image(&ins[0], error);
  if (status != WOA_OK) return status;
  uint32_t frame[2];
  memcpy(frame, ins[1].data, sizeof frame);
  if (frame[0] != height || frame[1] != width) {
    return woa_fail(error, WOA_INVALID, "the image has %u x %u pixels, expected %u x %u, as 'frame' says", width,
                    height, frame[1], frame[0]);
  }
  status = entropy_divide(firing, height, width, &room, error);
  if (status != WOA_OK) return status;
  const planes to = {room.plane[0], room.plane[1], room.plane[2]};
  codec_convert(ins[0].data, (int)height, (int)width, &to);
  entropy_image image = {.height = height, .width = width};
  for (int k = 0; k < kChannels; ++k) {
    uint16_t steps[kBlockSize];
    const int table = k == 0 ? kLuminance : kChrominance;
    codec_make_steps(table, settings->quality, steps);
    codec_transform(room.plane[k], (int)room.rows[table], (int)room.columns[table], steps, room.coefficients[k]);
    image.component[k] = room.coefficients[k];
  }
  return entropy_encode(&image, settings, &outs[0], error);
}

WOA_KERNEL_TABLE(.create = entropy_create, .destroy = free, .run = run)
