  // Every beat of a run's command and then of its input is asked for once, in order, by bursts within 4 KiB. An address stands
  // until it is taken.
  logic started;
  initial started = 1'b0;
  logic second;         // the run's command has been asked for
  logic begun;          // and some of what comes next
  logic [63:0] next;    // the address behind it
  logic [31:0] behind;  // beats that are left of it
  wire [63:0] base = second ? in : command;
  wire [31:0] size = second ? in_bytes : command_bytes;
  wire [31:0] all = (size >> SHIFT) + {31'd0, size[SHIFT-1:0] != '0};
  wire asks = arvalid && arready;
  wire [31:0] length = {24'd0, arlen} + 32'd1;
  wire [31:0] owed = begun ? behind : all;
  wire completes = asks && length == owed;
  always @(posedge clk) begin
    started <= 1'b1;
    if (asks) begin
      begun <= !completes;
      next <= araddr + {32'd0, length << SHIFT};
      behind <= owed - length;
    end
    if (completes) second <= 1'b1;
    if (run_taken || rst) {second, begun} <= 2'b00;
  end
  // The kernel keeps to this. It binds one step later, as every clocked property: those that need it are clocked too.
  always @* begin
    if (!started) assume (rst);
    if (run_valid && !run_skip) assume (command[5:0] == 6'd0 && command_bytes != 32'd0 && (in_bytes == 32'd0 || in[5:0] == 6'd0));
  end
  always @(posedge clk) if (started && !$past(rst) && $past(run_valid && !run_taken))
    assume (run_valid && $stable(run_skip) && $stable(command) && $stable(in) && $stable(command_bytes) && $stable(in_bytes));

  always @(posedge clk) if (started && !$past(rst) && $past(arvalid && !arready))
    assert (arvalid && $stable(araddr) && $stable(arlen));
  always @(posedge clk) if (started) begin
    if (arvalid) begin
      assert (run_valid && !run_skip);
      assert (araddr == (begun ? next : base) && araddr[SHIFT-1:0] == '0);
      assert (length <= owed && length <= 32'd256);
      assert ({1'b0, araddr[11:0]} + 13'(length << SHIFT) <= 13'd4096);
    end
    if (run_taken) assert (run_valid && (run_skip || (second && in_bytes == 32'd0) || (second && completes)));
    // For the induction.
    assert (of_input == second && (asking || !begun));
    if (asking) assert (left != 32'd0 && left == owed);
    if (begun) assert (at == next && at[9:0] == 10'd0);
    if (second) assert (run_valid && !run_skip);
  end
  always @(posedge clk) if (started && !rst && !$past(rst) && $past(run_valid && !run_skip && !asking && all != 32'd0)) assert (asking);
