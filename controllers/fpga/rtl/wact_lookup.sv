// The stage table: a line of 16 words for each stage, found by its number through an index, read in one access.
module wact_lookup #(
    parameter integer STAGES = 64
) (
    input  logic                      clk,
    input  logic                      table_write,
    input  logic [$clog2(STAGES)+3:0] table_address,
    input  logic [              31:0] table_wdata,
    input  logic                      look,        // finds the entry of a stage's number
    input  logic [               9:0] number,
    output logic [$clog2(STAGES)-1:0] found,       // from the next cycle on; the line shows whether it is right
    input  logic [$clog2(STAGES)-1:0] entry,       // asks for a line
    output logic [             511:0] line         // the answer, one cycle later
);
  localparam integer SW = $clog2(STAGES);
  logic [511:0] lines[STAGES];
  logic [SW-1:0] index[wact_interface_pkg::INDEX_ENTRIES];
  integer word;
  always_ff @(posedge clk) begin
    line <= lines[entry];
    if (look) found <= index[number];
    for (word = 0; word < 16; word = word + 1)
      if (table_write && table_address[3:0] == 4'(word)) lines[table_address[SW+3:4]][32*word+:32] <= table_wdata;
    if (table_write && table_address[3:0] == 4'(wact_interface_pkg::STAGE_NUMBER) && !table_wdata[31])
      index[table_wdata[9:0]] <= table_address[SW+3:4];
  end
endmodule
