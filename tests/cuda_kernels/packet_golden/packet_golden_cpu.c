#include "runtime/packet/generated/woa_packet.h"
#include "woa/woa_kernel.h"

static woa_status size(void *self, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)error;
  const uint64_t count = ins[0].bytes / sizeof(woa_packet);
  outs[0].bytes = count * 2 * sizeof(uint32_t);
  outs[0].dims[0] = (uint32_t)count;
  outs[0].dims[1] = 2;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_output found = outs[0];
  size(self, ins, &found, error);
  const woa_status status = woa_claim(&outs[0], "answers", found.bytes, error);
  if (status != WOA_OK) return status;
  memcpy(outs[0].dims, found.dims, sizeof found.dims);
  for (uint32_t k = 0; k < found.dims[0]; ++k) {
    woa_packet packet;
    memcpy(&packet, ins[0].data + k * sizeof packet, sizeof packet);
    uint32_t answer[2];
    answer[0] = woa_packet_check(&packet);
    woa_packet_seal(&packet);
    answer[1] = packet.crc32c;
    memcpy(outs[0].data + k * sizeof answer, answer, sizeof answer);
  }
  return WOA_OK;
}

WOA_KERNEL_TABLE(.size = size, .run = run)
