"""Things that the hot path must not do, counted, not timed: allocations, locks, writes, copies, system calls."""
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
        # The loader ends a name of LD_PRELOAD at a space, but takes folders that have some.
        folder, library = os.path.split(COUNTER)
        folders = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
        environment = dict(os.environ, LD_PRELOAD=library, LD_LIBRARY_PATH=folders, WOA_COUNT_FILE=counts)
        done = subprocess.run([WOA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S * 2,
                              env=environment)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-1000:])
        rows = [json.loads(line) for line in read(counts).splitlines()]
        os.remove(counts)
        rows = [row for row in rows if " serve " in row["command"]]
        self.assertGreaterEqual(len(rows), 2)
        return {key: sum(row[key] for row in rows) for key in rows[0] if key != "command"}

    def busy(self, packets):
        return ["bench", "busy", "--count", str(packets), "--repetitions", "1"]

    def test_no_allocation_lock_or_log_per_packet(self):
        few, many = (self.nodes(*self.busy(packets)) for packets in (FEW, MANY))
        for key in ("allocations", "locks", "writes"):
            self.assertLess(many[key] - few[key], (MANY - FEW) / 10_000, (key, few, many))

    def system_calls(self, packets):
        """By name, of all processes, while `packets` packets went to and fro."""
        table = self.path("strace")
        subprocess.run(["strace", "-f", "-c", "-o", table, WOA, *self.busy(packets)], check=True, stdout=subprocess.DEVNULL,
                       timeout=harness.LIMIT_S * 2)
        rows = [line.split() for line in read(table).splitlines()[2:]]
        return {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}

    def test_under_a_system_call_per_1000_packets(self):
        """Waiting apart: whoever takes the processors away makes both sides wait, which costs calls but is not the path."""
        harness.need_program("strace", "strace")
        few, many = self.system_calls(FEW), self.system_calls(MANY)
        more = {name: many[name] - few.get(name, 0) for name in many if name != "total"}
        waiting = more.pop("futex", 0) + more.pop("sched_yield", 0)
        thousands = (MANY - FEW) / 1000
        print(f"system calls per 1,000 packets: {sum(more.values()) / thousands:.3f}, and {waiting / thousands:.3f} of waiting")
        self.assertLess(sum(more.values()) / thousands, 1)

    def test_a_sleep_is_ended_by_one_call(self):
        counts = self.nodes(*self.busy(FEW))
        self.assertLessEqual(counts["wakes"], 2 * counts["sleeps"] + 100)  # the host sleeps, too, and is not counted here

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
