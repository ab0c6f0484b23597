// Keeps the first packet of a match until the packet of the stage's other input comes: a table of places by stage and instance,
// with payloads in block RAM.
//
// Payload on its way to planner and body passes here. Where a match is made, both payloads pass as one: input 0's, then input 1's.
module wact_match #(
    parameter integer STAGES = 64,
    parameter integer PLACES = 4,          // a power of two from 2 on, or 0: no packet is kept
    parameter integer PLACE_BYTES = 16384  // a power of two
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      clears,       // forgets what it keeps
    output logic [               7:0] waiting,      // packets kept
    // The packet that is planned. Answers hold from two cycles after `look` to the next.
    input  logic                      look,
    input  logic [              63:0] check_instance,
    input  logic                      check_port,
    input  logic [$clog2(STAGES)-1:0] entry,        // from the cycle after `look` on
    output logic                      port,
    output logic                      other,        // the packet of the other input waits
    output logic                      same,         // one of this input does
    output logic                      full,
    output logic                      busy,         // a match moves payload still: its place is not free
    output logic [               3:0] held_fault,   // of the packet that waits, and its size and shape
    output logic [              31:0] held_bytes,
    output logic [             127:0] held_dims,
    input  logic                      forgets,      // poison: frees the place, if any
    input  logic                      meets,      // frees it, too, once the payload has left
    input  logic                      stores,       // this beat stays
    input  logic                      keeps,        // the packet waits from now on
    input  logic [               3:0] fault,
    input  logic [              31:0] bytes,
    input  logic [             127:0] dims,
    // A match's payload begins to move; `ended`: nothing of its second packet is in the queue.
    input  logic                      merges,
    input  logic                      ended,
    // The payload.
    input  logic                      in_valid,
    output logic                      in_ready,
    input  logic                      in_last,
    input  logic                      in_bad,
    input  logic [              63:0] in_data,
    output logic                      out_valid,
    input  logic                      out_ready,
    output logic                      out_last,
    output logic                      out_bad,
    output logic [              63:0] out_data
);
  if (PLACES == 0) begin : absent
    assign {waiting, port, other, same, full, busy, held_fault} = {8'd0, 1'b0, 1'b0, 1'b0, 1'b1, 1'b0, wact_pkg::FAULT_NONE};
    assign {held_bytes, held_dims} = 160'd0;
    assign {in_ready, out_valid, out_last, out_bad, out_data} = {out_ready, in_valid, in_last, in_bad, in_data};
    wire unused = &{1'b0, clk, rst, clears, look, check_instance, check_port, entry, forgets, meets, stores, keeps, fault, bytes,
                    dims, merges, ended};
  end else begin : built
    localparam integer KW = $clog2(STAGES) + 64, PW = $clog2(PLACES), AW = $clog2(PLACE_BYTES / 8);
    logic [PLACES-1:0] waits, ports;
    wire [PLACES-1:0] hits;
    logic [63:0] instance_now;
    logic looked;
    logic [PW-1:0] place, hit_place, free_place;  // `place`: where the other packet waits, or this one may
    logic [KW*PLACES-1:0] keys;  // of the packets that wait
    wire [KW-1:0] key = {entry, instance_now};
    genvar p;
    for (p = 0; p < PLACES; p = p + 1) begin : places
      assign hits[p] = waits[p] && keys[KW*p+:KW] == key;
      always_ff @(posedge clk) if (keeps && place == PW'(p)) keys[KW*p+:KW] <= key;
    end
    integer k;
    always_comb begin
      {hit_place, free_place, waiting} = '0;
      for (k = PLACES - 1; k >= 0; k = k - 1) begin
        if (hits[k]) hit_place = PW'(k);
        if (!waits[k]) free_place = PW'(k);
        waiting = waiting + {7'd0, waits[k]};
      end
    end
    logic [163:0] notes[PLACES];
    always_ff @(posedge clk) begin
      {held_fault, held_bytes, held_dims} <= notes[place];
      if (keeps) notes[place] <= {fault, bytes, dims};
    end
    always_ff @(posedge clk) begin
      looked <= look;
      if (look) {instance_now, port} <= {check_instance, check_port};
      if (looked) begin
        place <= |hits ? hit_place : free_place;
        other <= |(hits & (ports ^ {PLACES{port}}));
        same <= |(hits & ~(ports ^ {PLACES{port}}));
        full <= &waits;
      end
      if (forgets) waits <= waits & ~hits;
      if (meets) waits[place] <= 1'b0;
      if (keeps) waits[place] <= 1'b1;
      if (keeps) ports[place] <= port;
      if (rst || clears) waits <= '0;
      if (rst) looked <= 1'b0;
    end

    // The payload: of the place, or from the queue.
    logic [63:0] beats[PLACES*PLACE_BYTES/8];
    logic [63:0] held;
    logic held_valid, held_first, came;  // `came`: all of the queue's packet has passed
    logic [AW-1:0] put, got;
    logic [AW:0] left;                   // beats of the place
    logic [PW-1:0] from;
    wire turn = busy && left != '0 && (held_first || came);  // of the place
    wire passes = out_valid && out_ready;
    wire [AW-1:0] next = turn && passes ? got + 1'b1 : got;
    assign out_valid = turn ? held_valid : in_valid;
    assign out_data = turn ? held : in_data;
    assign out_bad = !turn && in_bad;
    assign out_last = turn ? came && left == (AW + 1)'(1) : in_last && (in_bad || !busy || left == '0);
    assign in_ready = !turn && out_ready;
    always_ff @(posedge clk) begin
      held <= beats[{from, next}];
      if (stores) beats[{place, put}] <= in_data;
    end
    always_ff @(posedge clk) begin
      held_valid <= busy;
      got <= next;
      put <= look ? '0 : put + AW'(stores);
      if (turn && passes) left <= left - 1'b1;
      if (!turn && passes && in_last) came <= 1'b1;
      if (passes && out_last) {busy, held_valid} <= 2'b00;
      if (merges) begin
        {busy, held_valid, held_first, came} <= {2'b10, port, ended};
        {from, got} <= {place, AW'(0)};
        left <= (AW + 1)'(wact_pkg::beats(held_bytes));
      end
      if (rst) busy <= 1'b0;
    end
  end
endmodule
