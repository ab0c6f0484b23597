"""What the hot path must not do, counted, not timed: allocations, locks, writes, copies, system calls."""
import json
import os
import subprocess

import harness
from harness import WOA, WoaTest, read

COUNTER = os.environ["WOA_COUNT_CALLS"]
FEW, MANY = 200_000, 1_000_000


class HotPath(WoaTest):
    def nodes(self, *arguments):
        """Counts of the node processes of one command, added up."""
        counts = self.path("counts")
        done = subprocess.run([WOA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S * 2,
                              env=dict(os.environ, LD_PRELOAD=COUNTER, WOA_COUNT_FILE=counts))
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-1000:])
        rows = [json.loads(line) for line in read(counts).splitlines()]
        os.remove(counts)
        rows = [row for row in rows if " node " in row["command"]]
        self.assertGreaterEqual(len(rows), 2)
        return {key: sum(row[key] for row in rows) for key in ("allocations", "locks", "writes", "large_copies")}

    def busy(self, packets):
        return ["bench", "busy", "--count", str(packets), "--repetitions", "1"]

    def test_no_allocation_lock_or_log_per_packet(self):
        few, many = (self.nodes(*self.busy(packets)) for packets in (FEW, MANY))
        for key in ("allocations", "locks", "writes"):
            self.assertLess(many[key] - few[key], (MANY - FEW) / 10_000, (key, few, many))

    def test_hardly_a_system_call_per_1000_packets(self):
        harness.need_program("strace", "strace")
        calls = []
        for packets in (FEW, MANY):
            table = self.path("strace")
            subprocess.run(["strace", "-f", "-c", "-o", table, WOA, *self.busy(packets)], check=True, stdout=subprocess.DEVNULL,
                           timeout=harness.LIMIT_S * 2)
            total = [line.split() for line in read(table).splitlines() if line.endswith("total")][-1]
            calls.append(int(total[2] if "." in total[1] else total[3]) if len(total) < 5 else int(total[3]))
        print("system calls per 1,000 packets:", (calls[1] - calls[0]) * 1000 / (MANY - FEW))
        # The bar is 1 on a quiet machine. Whoever takes the cores away makes both sides wait, which costs calls; a call per packet
        # would be 1,000.
        self.assertLess((calls[1] - calls[0]) * 1000 / (MANY - FEW), 100)

    def test_payloads_between_cpu_controllers_are_not_copied(self):
        graph = self.write("g.yaml", "woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 1MiB}}\nstages:\n"
                           "  a: {kernel: invert, in: {data: data}, on: 'cpu:0'}\n  b: {kernel: invert, in: {data: a.data}, on: 'cpu:1'}\n"
                           "outputs: {data: b.data}\n")
        data = self.write("data", os.urandom(256 * 1024))
        for model in ("woa", "rpc-hub"):
            few, many = (self.nodes("run", graph, "--in", "data=" + data, "--instances", str(count), "--model", model)
                         for count in (10, 110))
            self.assertEqual(few["large_copies"], many["large_copies"])


if __name__ == "__main__":
    harness.main()
