// woa_packet.h on a CUDA device, against the golden vectors: for each packet the rule that it breaks, then the CRC with
// which the device seals it.
#include "runtime/packet/generated/woa_packet.h"
#include "woa_cuda.h"

WOA_KERNEL(packet_golden, const woa_packet *packets, woa_u64 bytes, woa_dims dims, woa_u32 *answers,
           woa_u64 answers_bytes, woa_dims answers_dims) {
  woa_packet packet = packets[WOA_X];
  answers[2 * WOA_X] = woa_packet_check(&packet);
  woa_packet_seal(&packet);
  answers[2 * WOA_X + 1] = packet.crc32c;
}
