// Made by runtime/packet/generate.py from packet.json: do not edit. docs/packet.md explains every field.
//
// The activation packet in SystemVerilog. Byte n of the packet is bits 8n to 8n+7 of a 512-bit header, and lies in beat
// n / 8 of a 64-bit stream. Fields are taken by part-select, header[WOA_TAG_LSB +: WOA_TAG_BITS] or, in a beat,
// tdata[WOA_TAG_BEAT_LSB +: WOA_TAG_BITS] of beat WOA_TAG_BEAT. Names are used with their scope (woa_packet_pkg::WOA_TAG_LSB):
// yosys 0.23 has no import. Functions assign their result for the same reason.
/* verilator lint_off UNUSEDPARAM */  // a design uses some of the names
/* verilator lint_off UNUSEDSIGNAL */ // the check does not look at every bit
package woa_packet_pkg;
  localparam logic [15:0] WOA_MAGIC = 16'h4157;
  localparam logic [7:0] WOA_VERSION = 8'd1;
  localparam integer WOA_HEADER_BITS = 512;
  localparam integer WOA_HEADER_CRC_BITS = 480;
  localparam logic [63:0] WOA_MAX_PAYLOAD_BYTES = 64'h4000000000;
  localparam logic [31:0] WOA_NO_STAGE = 32'hffffffff;

  localparam integer WOA_MAGIC_LSB = 0, WOA_MAGIC_BITS = 16, WOA_MAGIC_BEAT = 0, WOA_MAGIC_BEAT_LSB = 0;
  localparam integer WOA_VERSION_LSB = 16, WOA_VERSION_BITS = 8, WOA_VERSION_BEAT = 0, WOA_VERSION_BEAT_LSB = 16;
  localparam integer WOA_KIND_LSB = 24, WOA_KIND_BITS = 8, WOA_KIND_BEAT = 0, WOA_KIND_BEAT_LSB = 24;
  localparam integer WOA_FLAGS_LSB = 32, WOA_FLAGS_BITS = 8, WOA_FLAGS_BEAT = 0, WOA_FLAGS_BEAT_LSB = 32;
  localparam integer WOA_STATUS_LSB = 40, WOA_STATUS_BITS = 8, WOA_STATUS_BEAT = 0, WOA_STATUS_BEAT_LSB = 40;
  localparam integer WOA_PORT_LSB = 48, WOA_PORT_BITS = 16, WOA_PORT_BEAT = 0, WOA_PORT_BEAT_LSB = 48;
  localparam integer WOA_INSTANCE_LSB = 64, WOA_INSTANCE_BITS = 64, WOA_INSTANCE_BEAT = 1, WOA_INSTANCE_BEAT_LSB = 0;
  localparam integer WOA_TAG_LSB = 128, WOA_TAG_BITS = 64, WOA_TAG_BEAT = 2, WOA_TAG_BEAT_LSB = 0;
  localparam integer WOA_DEADLINE_LSB = 192, WOA_DEADLINE_BITS = 64, WOA_DEADLINE_BEAT = 3, WOA_DEADLINE_BEAT_LSB = 0;
  localparam integer WOA_STAGE_LSB = 256, WOA_STAGE_BITS = 32, WOA_STAGE_BEAT = 4, WOA_STAGE_BEAT_LSB = 0;
  localparam integer WOA_ORIGIN_LSB = 288, WOA_ORIGIN_BITS = 32, WOA_ORIGIN_BEAT = 4, WOA_ORIGIN_BEAT_LSB = 32;
  localparam integer WOA_SEQUENCE_LSB = 320, WOA_SEQUENCE_BITS = 32, WOA_SEQUENCE_BEAT = 5, WOA_SEQUENCE_BEAT_LSB = 0;
  localparam integer WOA_DEVICE_LSB = 352, WOA_DEVICE_BITS = 8, WOA_DEVICE_BEAT = 5, WOA_DEVICE_BEAT_LSB = 32;
  localparam integer WOA_ORDINAL_LSB = 360, WOA_ORDINAL_BITS = 8, WOA_ORDINAL_BEAT = 5, WOA_ORDINAL_BEAT_LSB = 40;
  localparam integer WOA_REGION_LSB = 368, WOA_REGION_BITS = 16, WOA_REGION_BEAT = 5, WOA_REGION_BEAT_LSB = 48;
  localparam integer WOA_PAYLOAD_BYTES_LSB = 384, WOA_PAYLOAD_BYTES_BITS = 64, WOA_PAYLOAD_BYTES_BEAT = 6, WOA_PAYLOAD_BYTES_BEAT_LSB = 0;
  localparam integer WOA_OFFSET_LSB = 448, WOA_OFFSET_BITS = 32, WOA_OFFSET_BEAT = 7, WOA_OFFSET_BEAT_LSB = 0;
  localparam integer WOA_CRC32C_LSB = 480, WOA_CRC32C_BITS = 32, WOA_CRC32C_BEAT = 7, WOA_CRC32C_BEAT_LSB = 32;

  localparam logic [7:0] WOA_KIND_ACTIVATE = 8'd1;
  localparam logic [7:0] WOA_KIND_POISON = 8'd2;
  localparam logic [7:0] WOA_KIND_COUNT = 8'd3;
  localparam logic [7:0] WOA_KIND_CREDIT = 8'd4;
  localparam logic [7:0] WOA_KIND_RETIRE = 8'd5;
  localparam logic [7:0] WOA_KIND_END = 8'd6;
  localparam logic [7:0] WOA_FIRST_KIND = 8'd1;
  localparam logic [7:0] WOA_LAST_KIND = 8'd6;

  localparam logic [7:0] WOA_FLAG_INLINE = 8'd1;
  localparam logic [7:0] WOA_FLAG_ABSENT = 8'd2;
  localparam logic [7:0] WOA_FLAG_HEADER_CRC = 8'd4;
  localparam logic [7:0] WOA_FLAG_PAYLOAD_CRC = 8'd8;
  localparam logic [7:0] WOA_ALL_FLAGS = 8'd15;
  localparam logic [63:0] WOA_FLAGS_OF_KINDS = 64'h00040404040d0f00;  // byte k: the flags that kind k may carry

  // Values of `device` (Arrow C device numbers); 0 = none.
  localparam logic [7:0] WOA_MEMORY_CPU = 8'd1;
  localparam logic [7:0] WOA_MEMORY_CUDA = 8'd2;
  localparam logic [7:0] WOA_MEMORY_CUDA_HOST = 8'd3;
  localparam logic [7:0] WOA_MEMORY_OPENCL = 8'd4;
  localparam logic [7:0] WOA_MEMORY_VPI = 8'd9;
  localparam logic [7:0] WOA_MEMORY_EXT_DEV = 8'd12;
  localparam logic [31:0] WOA_MEMORIES = 32'h0000121e;  // bit m: memory m exists

  // The first rule that a packet breaks.
  localparam logic [7:0] WOA_REJECT_NONE = 8'd0;
  localparam logic [7:0] WOA_REJECT_MAGIC = 8'd1;
  localparam logic [7:0] WOA_REJECT_VERSION = 8'd2;
  localparam logic [7:0] WOA_REJECT_KIND = 8'd3;
  localparam logic [7:0] WOA_REJECT_FLAGS = 8'd4;
  localparam logic [7:0] WOA_REJECT_HEADER_CRC = 8'd5;
  localparam logic [7:0] WOA_REJECT_STATUS = 8'd6;
  localparam logic [7:0] WOA_REJECT_FLAG_USE = 8'd7;
  localparam logic [7:0] WOA_REJECT_PAYLOAD_BYTES = 8'd8;
  localparam logic [7:0] WOA_REJECT_DEVICE = 8'd9;
  localparam logic [7:0] WOA_REJECT_REGION = 8'd10;

  // CRC-32C, one beat at a time: start with all ones, take beats 0 to 6 with woa_crc32c_beat and the lower half of beat 7 with
  // woa_crc32c_half; the header CRC is the complement of what is left. Each bit of a step is the parity of some bits of what
  // goes in: the rows below are that matrix, so that no synthesizer has to untangle a chain of 64 shifts.
  function automatic logic [31:0] woa_crc32c_beat(input logic [31:0] crc, input logic [63:0] beat);
    logic [63:0] x;
    x = beat ^ {32'd0, crc};
    woa_crc32c_beat[0] = ^(x & 64'h1f91caf6386f2c25);
    woa_crc32c_beat[1] = ^(x & 64'h3f2395ec70de584b);
    woa_crc32c_beat[2] = ^(x & 64'h7e472bd8e1bcb097);
    woa_crc32c_beat[3] = ^(x & 64'hfc8e57b1c379612e);
    woa_crc32c_beat[4] = ^(x & 64'he68d6595be9dee78);
    woa_crc32c_beat[5] = ^(x & 64'hd28b01dd4554f0d5);
    woa_crc32c_beat[6] = ^(x & 64'hba87c94cb2c6cd8e);
    woa_crc32c_beat[7] = ^(x & 64'h6a9e586f5de2b738);
    woa_crc32c_beat[8] = ^(x & 64'hd53cb0debbc56e71);
    woa_crc32c_beat[9] = ^(x & 64'hb5e8ab4b4fe5f0c6);
    woa_crc32c_beat[10] = ^(x & 64'h74409c60a7a4cda9);
    woa_crc32c_beat[11] = ^(x & 64'he88138c14f499b53);
    woa_crc32c_beat[12] = ^(x & 64'hce93bb74a6fc1a83);
    woa_crc32c_beat[13] = ^(x & 64'h82b6bc1f75971923);
    woa_crc32c_beat[14] = ^(x & 64'h1afcb2c8d3411e63);
    woa_crc32c_beat[15] = ^(x & 64'h35f96591a6823cc6);
    woa_crc32c_beat[16] = ^(x & 64'h6bf2cb234d04798c);
    woa_crc32c_beat[17] = ^(x & 64'hd7e596469a08f318);
    woa_crc32c_beat[18] = ^(x & 64'hb05ae67b0c7eca15);
    woa_crc32c_beat[19] = ^(x & 64'h7f2406002092b80f);
    woa_crc32c_beat[20] = ^(x & 64'hfe480c004125701f);
    woa_crc32c_beat[21] = ^(x & 64'he301d2f6ba25cc1b);
    woa_crc32c_beat[22] = ^(x & 64'hd9926f1b4c24b412);
    woa_crc32c_beat[23] = ^(x & 64'hacb514c0a0264400);
    woa_crc32c_beat[24] = ^(x & 64'h46fbe3777823a425);
    woa_crc32c_beat[25] = ^(x & 64'h8df7c6eef047484a);
    woa_crc32c_beat[26] = ^(x & 64'h047e472bd8e1bcb0);
    woa_crc32c_beat[27] = ^(x & 64'h08fc8e57b1c37961);
    woa_crc32c_beat[28] = ^(x & 64'h11f91caf6386f2c2);
    woa_crc32c_beat[29] = ^(x & 64'h23f2395ec70de584);
    woa_crc32c_beat[30] = ^(x & 64'h47e472bd8e1bcb09);
    woa_crc32c_beat[31] = ^(x & 64'h8fc8e57b1c379612);
  endfunction

  function automatic logic [31:0] woa_crc32c_half(input logic [31:0] crc, input logic [31:0] half);
    logic [31:0] x;
    x = half ^ crc;
    woa_crc32c_half[0] = ^(x & 32'h1f91caf6);
    woa_crc32c_half[1] = ^(x & 32'h3f2395ec);
    woa_crc32c_half[2] = ^(x & 32'h7e472bd8);
    woa_crc32c_half[3] = ^(x & 32'hfc8e57b1);
    woa_crc32c_half[4] = ^(x & 32'he68d6595);
    woa_crc32c_half[5] = ^(x & 32'hd28b01dd);
    woa_crc32c_half[6] = ^(x & 32'hba87c94c);
    woa_crc32c_half[7] = ^(x & 32'h6a9e586f);
    woa_crc32c_half[8] = ^(x & 32'hd53cb0de);
    woa_crc32c_half[9] = ^(x & 32'hb5e8ab4b);
    woa_crc32c_half[10] = ^(x & 32'h74409c60);
    woa_crc32c_half[11] = ^(x & 32'he88138c1);
    woa_crc32c_half[12] = ^(x & 32'hce93bb74);
    woa_crc32c_half[13] = ^(x & 32'h82b6bc1f);
    woa_crc32c_half[14] = ^(x & 32'h1afcb2c8);
    woa_crc32c_half[15] = ^(x & 32'h35f96591);
    woa_crc32c_half[16] = ^(x & 32'h6bf2cb23);
    woa_crc32c_half[17] = ^(x & 32'hd7e59646);
    woa_crc32c_half[18] = ^(x & 32'hb05ae67b);
    woa_crc32c_half[19] = ^(x & 32'h7f240600);
    woa_crc32c_half[20] = ^(x & 32'hfe480c00);
    woa_crc32c_half[21] = ^(x & 32'he301d2f6);
    woa_crc32c_half[22] = ^(x & 32'hd9926f1b);
    woa_crc32c_half[23] = ^(x & 32'hacb514c0);
    woa_crc32c_half[24] = ^(x & 32'h46fbe377);
    woa_crc32c_half[25] = ^(x & 32'h8df7c6ee);
    woa_crc32c_half[26] = ^(x & 32'h047e472b);
    woa_crc32c_half[27] = ^(x & 32'h08fc8e57);
    woa_crc32c_half[28] = ^(x & 32'h11f91caf);
    woa_crc32c_half[29] = ^(x & 32'h23f2395e);
    woa_crc32c_half[30] = ^(x & 32'h47e472bd);
    woa_crc32c_half[31] = ^(x & 32'h8fc8e57b);
  endfunction

  // The header CRC of a whole header.
  function automatic logic [31:0] woa_packet_crc(input logic [511:0] header);
    integer i;
    logic [31:0] r;
    r = 32'hffffffff;
    for (i = 0; i < 7; i = i + 1) r = woa_crc32c_beat(r, header[64 * i +: 64]);
    woa_packet_crc = ~woa_crc32c_half(r, header[479:448]);
  endfunction

  // payload_bytes agrees with kind and flags.
  function automatic logic woa_packet_payload_ok(input logic [7:0] kind, input logic [7:0] flags, input logic [63:0] bytes);
    if (kind == WOA_KIND_COUNT || kind == WOA_KIND_CREDIT) woa_packet_payload_ok = 1'b1;
    else if (bytes == 64'd0) woa_packet_payload_ok = (flags & WOA_FLAG_PAYLOAD_CRC) == 8'd0;
    else if (bytes > WOA_MAX_PAYLOAD_BYTES) woa_packet_payload_ok = 1'b0;
    else if (kind == WOA_KIND_POISON) woa_packet_payload_ok = (flags & WOA_FLAG_INLINE) != 8'd0;
    else woa_packet_payload_ok = kind == WOA_KIND_ACTIVATE && (flags & WOA_FLAG_ABSENT) == 8'd0;
  endfunction

  // The rejection of a header whose computed CRC is `crc` (woa_packet_crc, or collected beat by beat), WOA_REJECT_NONE if
  // it breaks no rule.
  function automatic logic [7:0] woa_packet_rejection(input logic [511:0] header, input logic [31:0] crc);
    logic [7:0] kind, flags, device;
    logic in_memory;
    kind = header[WOA_KIND_LSB +: 8];
    flags = header[WOA_FLAGS_LSB +: 8];
    device = header[WOA_DEVICE_LSB +: 8];
    in_memory = kind == WOA_KIND_ACTIVATE && (flags & WOA_FLAG_INLINE) == 8'd0 && header[WOA_PAYLOAD_BYTES_LSB +: 64] != 64'd0;
    if (header[WOA_MAGIC_LSB +: 16] != WOA_MAGIC) woa_packet_rejection = WOA_REJECT_MAGIC;
    else if (header[WOA_VERSION_LSB +: 8] != WOA_VERSION) woa_packet_rejection = WOA_REJECT_VERSION;
    else if (kind < WOA_FIRST_KIND || kind > WOA_LAST_KIND) woa_packet_rejection = WOA_REJECT_KIND;
    else if ((flags & ~WOA_ALL_FLAGS) != 8'd0) woa_packet_rejection = WOA_REJECT_FLAGS;
    else if (header[WOA_CRC32C_LSB +: 32] != ((flags & WOA_FLAG_HEADER_CRC) != 8'd0 ? crc : 32'd0))
      woa_packet_rejection = WOA_REJECT_HEADER_CRC;
    else if ((kind == WOA_KIND_POISON) != (header[WOA_STATUS_LSB +: 8] != 8'd0)) woa_packet_rejection = WOA_REJECT_STATUS;
    else if ((flags & ~WOA_FLAGS_OF_KINDS[{kind[2:0], 3'd0} +: 8]) != 8'd0) woa_packet_rejection = WOA_REJECT_FLAG_USE;
    else if ((flags & WOA_FLAG_ABSENT) != 8'd0 && (flags & (WOA_FLAG_INLINE | WOA_FLAG_PAYLOAD_CRC)) != 8'd0)
      woa_packet_rejection = WOA_REJECT_FLAG_USE;
    else if (!woa_packet_payload_ok(kind, flags, header[WOA_PAYLOAD_BYTES_LSB +: 64]))
      woa_packet_rejection = WOA_REJECT_PAYLOAD_BYTES;
    else if (in_memory ? (device > 8'd31 || !WOA_MEMORIES[device[4:0]])
                       : header[WOA_DEVICE_LSB +: 16] != 16'd0)  // device and ordinal
      woa_packet_rejection = WOA_REJECT_DEVICE;
    else if (kind != WOA_KIND_ACTIVATE && (header[WOA_REGION_LSB +: 16] != 16'd0 || header[WOA_OFFSET_LSB +: 32] != 32'd0))
      woa_packet_rejection = WOA_REJECT_REGION;
    else woa_packet_rejection = WOA_REJECT_NONE;
  endfunction
endpackage
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on UNUSEDPARAM */
