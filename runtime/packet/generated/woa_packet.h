/* Made by runtime/packet/generate.py from packet.json: do not edit. docs/packet.md explains every field.
 *
 * The activation packet in C11, OpenCL C 1.2 and CUDA: layout, CRC, check and seal. Little-endian machines only.
 * A packet is copied out of shared memory before it is checked, so all functions take private copies. */
#ifndef WOA_PACKET_H
#define WOA_PACKET_H

#if defined(__OPENCL_VERSION__)
typedef uchar woa_u8;
typedef ushort woa_u16;
typedef uint woa_u32;
typedef ulong woa_u64;
#elif defined(__CUDACC__) || defined(__CUDA__) /* as in kernels/woa_cuda.h; NVRTC and a clang without CUDA have no headers */
typedef unsigned char woa_u8;
typedef unsigned short woa_u16;
typedef unsigned int woa_u32;
typedef unsigned long long woa_u64;
#else
#include <stdint.h>
typedef uint8_t woa_u8;
typedef uint16_t woa_u16;
typedef uint32_t woa_u32;
typedef uint64_t woa_u64;
#endif

#if defined(__CUDACC__) || defined(__CUDA__)
#define WOA_PACKET_FUNCTION __attribute__((host)) __attribute__((device)) static inline
#else
#define WOA_PACKET_FUNCTION static inline
#endif

#define WOA_MAGIC 0x4157u
#define WOA_VERSION 1u
#define WOA_HEADER_BYTES 64u
#define WOA_OFFSET_UNIT_BYTES 64u
#define WOA_MAX_PAYLOAD_BYTES ((woa_u64)0x4000000000)
#define WOA_NO_STAGE 0xffffffffu

#define WOA_KIND_ACTIVATE 1u
#define WOA_KIND_POISON 2u
#define WOA_KIND_COUNT 3u
#define WOA_KIND_CREDIT 4u
#define WOA_KIND_RETIRE 5u
#define WOA_KIND_END 6u
#define WOA_FIRST_KIND 1u
#define WOA_LAST_KIND 6u

#define WOA_FLAG_INLINE 1u
#define WOA_FLAG_ABSENT 2u
#define WOA_FLAG_HEADER_CRC 4u
#define WOA_FLAG_PAYLOAD_CRC 8u
#define WOA_ALL_FLAGS 15u
#define WOA_FLAGS_OF_KINDS ((woa_u64)0x00040404040d0f00) /* byte k: the flags that kind k may carry */

/* Values of `device` (Arrow C device numbers); 0 = none. */
#define WOA_MEMORY_CPU 1u
#define WOA_MEMORY_CUDA 2u
#define WOA_MEMORY_CUDA_HOST 3u
#define WOA_MEMORY_OPENCL 4u
#define WOA_MEMORY_VPI 9u
#define WOA_MEMORY_EXT_DEV 12u
#define WOA_MEMORIES 0x0000121eu /* bit m: memory m exists */

/* What woa_packet_check answers: 0, or the first rule that the packet breaks. */
#define WOA_REJECT_NONE 0u
#define WOA_REJECT_MAGIC 1u
#define WOA_REJECT_VERSION 2u
#define WOA_REJECT_KIND 3u
#define WOA_REJECT_FLAGS 4u
#define WOA_REJECT_HEADER_CRC 5u
#define WOA_REJECT_STATUS 6u
#define WOA_REJECT_FLAG_USE 7u
#define WOA_REJECT_PAYLOAD_BYTES 8u
#define WOA_REJECT_DEVICE 9u
#define WOA_REJECT_REGION 10u

typedef struct __attribute__((aligned(64))) woa_packet {
  woa_u16 magic;         /* 0 */
  woa_u8 version;        /* 2 */
  woa_u8 kind;           /* 3 */
  woa_u8 flags;          /* 4 */
  woa_u8 status;         /* 5 */
  woa_u16 port;          /* 6 */
  woa_u64 instance;      /* 8 */
  woa_u64 tag;           /* 16 */
  woa_u64 deadline;      /* 24 */
  woa_u32 stage;         /* 32 */
  woa_u32 origin;        /* 36 */
  woa_u32 sequence;      /* 40 */
  woa_u8 device;         /* 44 */
  woa_u8 ordinal;        /* 45 */
  woa_u16 region;        /* 46 */
  woa_u64 payload_bytes; /* 48 */
  woa_u32 offset;        /* 56 */
  woa_u32 crc32c;        /* 60 */
} woa_packet;

/* CRC-32C of bytes 0 to 60 - 1. Bit by bit: no table, so that it costs a device no memory. */
WOA_PACKET_FUNCTION woa_u32 woa_packet_crc(const woa_packet *packet) {
  const woa_u8 *bytes = (const woa_u8 *)packet;
  woa_u32 crc = 0xffffffffu;
  for (woa_u32 i = 0; i < 60u; ++i) {
    crc ^= bytes[i];
    for (woa_u32 bit = 0; bit < 8u; ++bit) crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1u)));
  }
  return ~crc;
}

/* Sets the header CRC flag and field: the last thing done to a header. */
WOA_PACKET_FUNCTION void woa_packet_seal(woa_packet *packet) {
  packet->flags = (woa_u8)(packet->flags | WOA_FLAG_HEADER_CRC);
  packet->crc32c = woa_packet_crc(packet);
}

/* 1 if payload_bytes agrees with kind and flags. */
WOA_PACKET_FUNCTION int woa_packet_payload_ok(const woa_packet *packet) {
  if (packet->kind == WOA_KIND_COUNT || packet->kind == WOA_KIND_CREDIT) return 1;
  if (packet->payload_bytes == 0) return (packet->flags & WOA_FLAG_PAYLOAD_CRC) == 0;
  if (packet->payload_bytes > WOA_MAX_PAYLOAD_BYTES) return 0;
  if (packet->kind == WOA_KIND_POISON) return (packet->flags & WOA_FLAG_INLINE) != 0;
  return packet->kind == WOA_KIND_ACTIVATE && (packet->flags & WOA_FLAG_ABSENT) == 0;
}

/* 1 if device and ordinal name a memory where there is a payload in one, and nothing elsewhere. */
WOA_PACKET_FUNCTION int woa_packet_device_ok(const woa_packet *packet) {
  if (packet->kind == WOA_KIND_ACTIVATE && packet->payload_bytes != 0 && (packet->flags & WOA_FLAG_INLINE) == 0)
    return packet->device < 32u && ((WOA_MEMORIES >> packet->device) & 1u) != 0;
  return packet->device == 0 && packet->ordinal == 0;
}

/* The first rule that the packet breaks, WOA_REJECT_NONE if none. Checks the header alone: region and offset are
 * checked by the receiver against its own table. */
WOA_PACKET_FUNCTION woa_u32 woa_packet_check(const woa_packet *packet) {
  const woa_u32 flags = packet->flags;
  if (packet->magic != WOA_MAGIC) return WOA_REJECT_MAGIC;
  if (packet->version != WOA_VERSION) return WOA_REJECT_VERSION;
  if (packet->kind < WOA_FIRST_KIND || packet->kind > WOA_LAST_KIND) return WOA_REJECT_KIND;
  if ((flags & ~WOA_ALL_FLAGS) != 0) return WOA_REJECT_FLAGS;
  if (packet->crc32c != ((flags & WOA_FLAG_HEADER_CRC) != 0 ? woa_packet_crc(packet) : 0u))
    return WOA_REJECT_HEADER_CRC;
  if ((packet->kind == WOA_KIND_POISON) != (packet->status != 0)) return WOA_REJECT_STATUS;
  if ((flags & ~(woa_u32)(WOA_FLAGS_OF_KINDS >> (8u * packet->kind))) != 0) return WOA_REJECT_FLAG_USE;
  if ((flags & WOA_FLAG_ABSENT) != 0 && (flags & (WOA_FLAG_INLINE | WOA_FLAG_PAYLOAD_CRC)) != 0)
    return WOA_REJECT_FLAG_USE;
  if (!woa_packet_payload_ok(packet)) return WOA_REJECT_PAYLOAD_BYTES;
  if (!woa_packet_device_ok(packet)) return WOA_REJECT_DEVICE;
  if (packet->kind != WOA_KIND_ACTIVATE && (packet->region | packet->offset) != 0) return WOA_REJECT_REGION;
  return WOA_REJECT_NONE;
}

#endif
