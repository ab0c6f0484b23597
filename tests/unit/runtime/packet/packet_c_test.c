/* woa_packet.h compiled as C11, against every golden vector. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/packet/generated/woa_packet.h"

_Static_assert(sizeof(woa_packet) == WOA_HEADER_BYTES && _Alignof(woa_packet) == WOA_HEADER_BYTES, "one cache line");

/* In the order of WOA_REJECT_*. */
static const char *const kReasons[] = {"none",   "magic",    "version",       "kind",   "flags", "header_crc",
                                       "status", "flag_use", "payload_bytes", "device", "region"};

static woa_packet from_hex(const char *hex) {
  unsigned char bytes[WOA_HEADER_BYTES];
  woa_packet packet;
  for (size_t i = 0; i < sizeof bytes; ++i) {
    const char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
    bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
  memcpy(&packet, bytes, sizeof packet);
  return packet;
}

static int failed(const char *name, const char *expected, const char *found) {
  printf("%s: expected %s, got %s\n", name, expected, found);
  return 1;
}

/* Whatever a packet is, sealing it leaves no fault in its CRC. */
static int check_seal(const woa_packet *packet, const char *name) {
  woa_packet sealed = *packet;
  woa_packet_seal(&sealed);
  return woa_packet_check(&sealed) == WOA_REJECT_HEADER_CRC ? failed(name, "a sealed packet", "header_crc") : 0;
}

int main(void) {
  char hex[2 * WOA_HEADER_BYTES + 1], reason[32], name[128];
  int vectors = 0, failures = 0;
  FILE *file = fopen(WOA_SOURCE_DIR "/tests/golden/packet/vectors.txt", "r");
  if (file == NULL) return failed("tests/golden/packet/vectors.txt", "a readable file", "none");
  for (; fscanf(file, "%128s %31s %127s", hex, reason, name) == 3; ++vectors) {
    const woa_packet packet = from_hex(hex);
    const woa_u32 answer = woa_packet_check(&packet);
    const char *found = answer < sizeof kReasons / sizeof *kReasons ? kReasons[answer] : "(no such number)";
    if (strcmp(found, reason) != 0) failures += failed(name, reason, found);
    failures += check_seal(&packet, name);
  }
  fclose(file);
  if (vectors < 1000) failures += failed("vectors", "over 1000", "fewer");
  printf("%d vectors, %d failures\n", vectors, failures);
  return failures != 0;
}
