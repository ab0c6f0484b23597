// Made by runtime/packet/generate.py from packet.json: do not edit.
//
// The first rule of docs/packet.md that a whole header breaks (woa_packet_pkg::WOA_REJECT_*), combinationally. A front-end that
// takes the header beat by beat saves area with woa_crc32c_beat and woa_packet_rejection of woa_packet_pkg.
module woa_packet_check (
    input  logic [512-1:0] header,
    output logic [7:0] rejection
);
  always_comb rejection = woa_packet_pkg::woa_packet_rejection(header, woa_packet_pkg::woa_packet_crc(header));
endmodule
