// The packet node as an RTL kernel of XRT: `woa_wact`. A run of it carries out one command; wact.json describes its arguments,
// commands and results, docs/adr/0065-a-run-is-a-command-buffer.md says why they are so.
//
// Up to four runs are taken. The next is read while the node works on one and the results of another are written. They end in
// order. A run whose command is wrong, or whose memory fails, ends with its directory's state, and the next one finds the node
// as it was. Where even the directory has no place, the run ends in silence.
/* verilator lint_off SYMRSVDWORD */  // `interrupt` is XRT's name
module wact_kernel #(
    parameter integer STAGES = 64,
    parameter integer ROUTES = 256,
    parameter integer CHANNELS = 64,
    parameter integer LINE_BYTES = 16384,
    parameter integer WIDTH = 512,         // of the memory's data: 64 to 512
    parameter logic [31:0] CORES = 32'h3f  // of wact_cores.sv, those of one input: here is no match table
) (
    input  logic               ap_clk,
    input  logic               ap_rst_n,
    output logic               interrupt,
    input  logic [        6:0] s_axi_control_awaddr,
    input  logic               s_axi_control_awvalid,
    output logic               s_axi_control_awready,
    input  logic [       31:0] s_axi_control_wdata,
    input  logic [        3:0] s_axi_control_wstrb,
    input  logic               s_axi_control_wvalid,
    output logic               s_axi_control_wready,
    output logic [        1:0] s_axi_control_bresp,
    output logic               s_axi_control_bvalid,
    input  logic               s_axi_control_bready,
    input  logic [        6:0] s_axi_control_araddr,
    input  logic               s_axi_control_arvalid,
    output logic               s_axi_control_arready,
    output logic [       31:0] s_axi_control_rdata,
    output logic [        1:0] s_axi_control_rresp,
    output logic               s_axi_control_rvalid,
    input  logic               s_axi_control_rready,
    output logic [       63:0] m_axi_gmem_araddr,
    output logic [        7:0] m_axi_gmem_arlen,
    output logic [        2:0] m_axi_gmem_arsize,
    output logic [        1:0] m_axi_gmem_arburst,
    output logic               m_axi_gmem_arvalid,
    input  logic               m_axi_gmem_arready,
    input  logic [  WIDTH-1:0] m_axi_gmem_rdata,
    input  logic [        1:0] m_axi_gmem_rresp,
    input  logic               m_axi_gmem_rlast,
    input  logic               m_axi_gmem_rvalid,
    output logic               m_axi_gmem_rready,
    output logic [       63:0] m_axi_gmem_awaddr,
    output logic [        7:0] m_axi_gmem_awlen,
    output logic [        2:0] m_axi_gmem_awsize,
    output logic [        1:0] m_axi_gmem_awburst,
    output logic               m_axi_gmem_awvalid,
    input  logic               m_axi_gmem_awready,
    output logic [  WIDTH-1:0] m_axi_gmem_wdata,
    output logic [WIDTH/8-1:0] m_axi_gmem_wstrb,
    output logic               m_axi_gmem_wlast,
    output logic               m_axi_gmem_wvalid,
    input  logic               m_axi_gmem_wready,
    input  logic [        1:0] m_axi_gmem_bresp,
    input  logic               m_axi_gmem_bvalid,
    output logic               m_axi_gmem_bready
);
  localparam logic [2:0] SIZE = 3'($clog2(WIDTH / 8));
  localparam logic [1:0] INCREMENTS = 2'b01;
  wire clk = ap_clk, rst = !ap_rst_n;
  assign {s_axi_control_bresp, s_axi_control_rresp} = 4'd0;
  assign {m_axi_gmem_arsize, m_axi_gmem_awsize} = {SIZE, SIZE};
  assign {m_axi_gmem_arburst, m_axi_gmem_awburst} = {INCREMENTS, INCREMENTS};

  // The runs under way, by the low two bits of their number. Each part works on the run that its pointer names.
  logic [2:0] taken, fetched, dispatched, known, collected, ended;
  logic [383:0] arguments[4];
  logic [3:0] skipped, silent;  // wrong arguments; no place for a directory
  logic [63:0] begin_of[4], now;
  logic [31:0] operation_of[4], ticket_of[4], routes_of[4];
  logic [3:0] bad_of, error_of, full_of;
  logic [31:0] packets_of[4], lines_of[4], completions_of[4], written_of[4];

  wire run_valid, told, ends;
  wire run_ready = taken - ended != 3'd4;
  wire [383:0] run;
  wact_control control (
      .clk, .rst, .awaddr(s_axi_control_awaddr), .awvalid(s_axi_control_awvalid), .awready(s_axi_control_awready),
      .wdata(s_axi_control_wdata), .wstrb(s_axi_control_wstrb), .wvalid(s_axi_control_wvalid),
      .wready(s_axi_control_wready), .bvalid(s_axi_control_bvalid), .bready(s_axi_control_bready),
      .araddr(s_axi_control_araddr), .arvalid(s_axi_control_arvalid), .arready(s_axi_control_arready),
      .rdata(s_axi_control_rdata), .rvalid(s_axi_control_rvalid), .rready(s_axi_control_rready), .interrupt,
      .run_valid, .run_ready, .arguments(run), .busy(taken != ended), .ended(ends), .told);

  wire [383:0] fetches = arguments[fetched[1:0]], dispatches = arguments[dispatched[1:0]], collects = arguments[collected[1:0]],
               writes = arguments[ended[1:0]];
  wire [31:0] run_command = run[256+:32], run_in = run[288+:32], run_result = run[352+:32];
  wire run_silent = run[192+:6] != 6'd0 || run_result < 32'd64;
  wire run_skips = run_silent || run[0+:6] != 6'd0 || run_command == 32'd0 || run_command[5:0] != 6'd0 ||
                   (run_in != 32'd0 && run[64+:6] != 6'd0) || run[128+:6] != 6'd0;

  wire fetch_taken, word_valid, word_ready, word_error, word_last;
  wire [63:0] word;
  wact_fetch #(.WIDTH(WIDTH)) fetch (
      .clk, .rst, .run_valid(fetched != taken), .run_skip(skipped[fetched[1:0]]), .command(fetches[0+:64]), .in(fetches[64+:64]),
      .command_bytes(fetches[256+:32]), .in_bytes(fetches[288+:32]), .run_taken(fetch_taken), .araddr(m_axi_gmem_araddr),
      .arlen(m_axi_gmem_arlen), .arvalid(m_axi_gmem_arvalid), .arready(m_axi_gmem_arready), .rdata(m_axi_gmem_rdata),
      .rresp(m_axi_gmem_rresp), .rvalid(m_axi_gmem_rvalid), .rready(m_axi_gmem_rready), .word_valid, .word_ready, .word,
      .word_error, .word_last);

  wire node_idle, dispatch_known, dispatch_bad, dispatch_failed, dispatch_taken, answers, r_write, r_read;
  wire [31:0] operation, ticket, routes, r_wdata, r_rdata;
  wire [15:0] write_address, read_address;
  wire [63:0] s_tdata, l_tdata, m_tdata, c_tdata;
  wire s_tvalid, s_tready, s_tlast, l_tvalid, l_tready, l_tlast, m_tvalid, m_tready, m_tlast, c_tvalid, c_tready, c_tlast;
  wire [1:0] m_tuser;
  wact_dispatch #(.STAGES(STAGES), .ROUTES(ROUTES)) dispatch (
      .clk, .rst, .run_valid(dispatched != taken), .run_skip(skipped[dispatched[1:0]]), .command_words(dispatches[259+:29]),
      .in_bytes(dispatches[288+:32]), .alone(known == collected && node_idle), .known(dispatch_known), .operation, .ticket,
      .routes_of_stage(routes), .bad(dispatch_bad), .finished(answers), .run_taken(dispatch_taken), .run_failed(dispatch_failed),
      .word_valid, .word_ready, .word, .word_error, .word_last, .r_write, .r_address(write_address), .r_wdata, .s_tdata,
      .s_tvalid, .s_tready, .s_tlast, .l_tdata, .l_tvalid, .l_tready, .l_tlast);

  wact_node #(.STAGES(STAGES), .ROUTES(ROUTES), .CHANNELS(CHANNELS), .LINE_BYTES(LINE_BYTES), .PLACES(0), .WIDTH(64),
              .CORES(CORES)) node (
      .clk, .rst, .r_write, .r_read, .r_address(r_read ? read_address : write_address), .r_wdata, .r_rdata, .idle(node_idle),
      .s_tdata, .s_tvalid, .s_tready, .s_tlast, .l_tdata, .l_tvalid, .l_tready, .l_tlast, .m_tdata, .m_tvalid, .m_tready, .m_tlast,
      .m_tuser, .c_tdata, .c_tvalid, .c_tready, .c_tlast);

  wire collect_done, no_room, collect_piece, collect_offers, collect_keeps;
  wire [31:0] packets, packet_lines, completions, written, collect_bytes;
  wire [63:0] collect_address, collect_word;
  wire [1:0] c = collected[1:0];
  wire piece_ready, write_ready;
  logic of_directory;  // the piece that is being written
  wire directory_piece, directory_offers;
  wact_collect collect (
      .clk, .rst, .run_valid(collected != known), .fires(!bad_of[c] && operation_of[c] == wact_interface_pkg::OPERATION_FIRE),
      .describes(!bad_of[c] && operation_of[c] == wact_interface_pkg::OPERATION_DESCRIBE), .routes(routes_of[c]),
      .dispatched(collected != dispatched), .output_address(collects[128+:64]), .result_address(collects[192+:64]),
      .output_bytes(collects[320+:32]), .result_bytes(collects[352+:32]), .answered(answers), .collected(collect_done), .no_room, .packets,
      .packet_lines, .completions, .written, .r_read, .r_address(read_address), .r_rdata, .m_tdata, .m_tvalid, .m_tready, .m_tlast,
      .m_void(m_tuser[1]), .c_tdata, .c_tvalid, .c_tready, .c_tlast, .piece_valid(collect_piece),
      .piece_ready(piece_ready && !directory_piece), .piece_address(collect_address), .piece_bytes(collect_bytes),
      .word_valid(collect_offers), .word_ready(write_ready && !of_directory), .word(collect_word), .keep(collect_keeps));

  // The oldest run, whose directory is written.
  wire [1:0] e = ended[1:0];
  wire [3:0] settled;
  wire failed;
  wire [1:0] failed_run;
  wire [31:0] state = error_of[e] ? wact_interface_pkg::STATE_MEMORY : bad_of[e] ? wact_interface_pkg::STATE_BAD_COMMAND :
                      full_of[e] ? wact_interface_pkg::STATE_NO_ROOM : wact_interface_pkg::STATE_DONE;
  wire [63:0] cycles = now - begin_of[e];
  wire [63:0] directory_address, directory_word;
  wire [31:0] directory_bytes;
  wact_directory directory (
      .clk, .rst, .run_valid(ended != collected), .silent(silent[e]), .result_address(writes[192+:64]),
      .fields({cycles[31:0], written_of[e], completions_of[e], lines_of[e], packets_of[e], state, ticket_of[e], operation_of[e]}),
      .cycles_high(cycles[63:32]), .ended(ends), .told, .settled(settled[e]), .piece_valid(directory_piece), .piece_ready,
      .piece_address(directory_address), .piece_bytes(directory_bytes), .word_valid(directory_offers),
      .word_ready(write_ready && of_directory), .word(directory_word));

  wact_write #(.WIDTH(WIDTH)) write (
      .clk, .rst, .piece_valid(directory_piece || collect_piece), .piece_ready,
      .piece_address(directory_piece ? directory_address : collect_address),
      .piece_bytes(directory_piece ? directory_bytes : collect_bytes), .piece_run(directory_piece ? e : c),
      .word_valid(of_directory ? directory_offers : collect_offers), .word_ready(write_ready),
      .word(of_directory ? directory_word : collect_word), .keep(of_directory || collect_keeps), .awaddr(m_axi_gmem_awaddr),
      .awlen(m_axi_gmem_awlen), .awvalid(m_axi_gmem_awvalid), .awready(m_axi_gmem_awready), .wdata(m_axi_gmem_wdata),
      .wstrb(m_axi_gmem_wstrb), .wlast(m_axi_gmem_wlast), .wvalid(m_axi_gmem_wvalid), .wready(m_axi_gmem_wready),
      .bresp(m_axi_gmem_bresp), .bvalid(m_axi_gmem_bvalid), .bready(m_axi_gmem_bready), .settled, .failed, .failed_run);

  wire unused = &{1'b0, m_axi_gmem_rlast, m_tuser[0], fetches, dispatches, collects, writes};

  always_ff @(posedge clk) begin
    now <= now + 64'd1;
    if (piece_ready && (directory_piece || collect_piece)) of_directory <= directory_piece;
    if (run_valid && run_ready) begin
      arguments[taken[1:0]] <= run;
      skipped[taken[1:0]] <= run_skips;  // one by one: yosys 0.23 loses bits at computed places in a concatenation
      silent[taken[1:0]] <= run_silent;
      error_of[taken[1:0]] <= 1'b0;
      begin_of[taken[1:0]] <= now;
      taken <= taken + 3'd1;
    end
    if (fetch_taken) fetched <= fetched + 3'd1;
    if (dispatch_known) begin
      operation_of[known[1:0]] <= skipped[known[1:0]] ? 32'd0 : operation;
      ticket_of[known[1:0]] <= skipped[known[1:0]] ? 32'd0 : ticket;
      routes_of[known[1:0]] <= routes;
      bad_of[known[1:0]] <= dispatch_bad;
      known <= known + 3'd1;
    end
    if (dispatch_taken) begin
      if (dispatch_failed) error_of[dispatched[1:0]] <= 1'b1;
      dispatched <= dispatched + 3'd1;
    end
    if (collect_done) begin
      full_of[c] <= no_room;
      {packets_of[c], lines_of[c], completions_of[c], written_of[c]} <= {packets, packet_lines, completions, written};
      collected <= collected + 3'd1;
    end
    if (failed) error_of[failed_run] <= 1'b1;
    if (told) ended <= ended + 3'd1;
    if (rst) begin
      {taken, fetched, dispatched, known, collected, ended} <= 18'd0;
      {now, of_directory} <= 65'd0;
    end
  end
endmodule
/* verilator lint_on SYMRSVDWORD */
