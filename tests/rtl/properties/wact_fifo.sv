  // A queue: what comes in leaves once, unchanged, in order. Numbers of entries wrap long after an entry has left.
  (* anyconst *) wire [15:0] n;
  logic [15:0] puts, gots;  // entries that came and left
  logic [WIDTH-1:0] kept;   // entry n
  logic started;
  initial started = 1'b0;
  wire comes = in_valid && in_ready, leaves = out_valid && out_ready;
  wire [15:0] held = puts - gots;
  wire [15:0] before = n - gots;  // entries that leave before entry n
  always @(posedge clk) begin
    started <= 1'b1;
    if (rst) {puts, gots} <= 32'd0;
    else {puts, gots} <= {puts + 16'(comes), gots + 16'(leaves)};
    if (comes && puts == n) kept <= in_data;
  end
  always @* if (!started) assume (rst);

  always @* if (started && out_valid) begin
    assert (held != 0);
    if (before == 0) assert (out_data == kept);
  end
  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(out_valid && !out_ready)) assert (out_valid && $stable(out_data));
    if ($past(held != 0 && !leaves)) assert (out_valid);
  end
  // For the induction.
  always @* if (started) begin
    assert (held <= DEPTH && put == puts[AW:0] && got == gots[AW:0]);
    if (before < held) assert (entries[n[AW-1:0]] == kept);
    if (out_valid) assert (out_data == entries[got[AW-1:0]]);
  end
