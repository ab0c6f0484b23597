"""Things that the hot path must not do, counted, not timed: allocations, locks, writes, copies, system calls."""
import json
import os
import shutil
import subprocess

import harness
from harness import WOA, WoaTest, read

COUNTER = os.environ["WOA_COUNT_CALLS"]
DRIVEN = os.path.join(harness.BUILD, "tests", "driven_path")
FEW, MANY = 200_000, 1_000_000


class HotPath(WoaTest):
    def counts(self, *command):
        """What each process of a command counted."""
        counts = self.path("counts")
        environment = harness.preloading(COUNTER) | {"WOA_COUNT_FILE": counts}
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S * 2, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-1000:])
        rows = [json.loads(line) for line in read(counts).splitlines()]
        os.remove(counts)
        return rows

    def nodes(self, *arguments):
        """Counts of the node processes of one `woa` command, added up."""
        rows = [row for row in self.counts(WOA, *arguments) if " serve " in row["command"]]
        self.assertGreaterEqual(len(rows), 2)
        return {key: sum(row[key] for row in rows) for key in rows[0] if key != "command"}

    def busy(self, packets):
        return ["bench", "busy", "--count", str(packets), "--repetitions", "1"]

    def test_no_allocation_lock_or_log_per_packet(self):
        few, many = (self.nodes(*self.busy(packets)) for packets in (FEW, MANY))
        for key in ("allocations", "locks", "writes"):
            self.assertLess(many[key] - few[key], (MANY - FEW) / 10_000, (key, few, many))

    def loop(self, firings):
        """A controller that sends its tokens to itself, in a thread; the host is another one."""
        return [DRIVEN, "firing", str(firings), os.path.join(harness.BUILD, "kernels")]

    def test_no_allocation_lock_or_log_per_firing(self):
        (few,), (many,) = (self.counts(*self.loop(firings)) for firings in (FEW, MANY))
        for key in ("allocations", "locks", "writes"):
            self.assertLess(many[key] - few[key], (MANY - FEW) / 10_000, (key, few, many))

    def system_calls(self, *command):
        """By name, of all processes of a command."""
        table = self.path("strace")
        subprocess.run(["strace", "-f", "-c", "-o", table, *command], check=True, stdout=subprocess.DEVNULL, timeout=harness.LIMIT_S * 2)
        rows = [line.split() for line in read(table).splitlines()[2:]]
        return {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}

    def more_calls(self, command):
        """For each 1,000 of what `command` does, and those of waiting: between FEW and MANY of it."""
        if shutil.which("strace") is None:
            self.skip("strace", "strace is not installed")
        few, many = self.system_calls(*command(FEW)), self.system_calls(*command(MANY))
        more = {name: many[name] - few.get(name, 0) for name in many if name != "total"}
        waiting = more.pop("futex", 0) + more.pop("sched_yield", 0)
        thousands = (MANY - FEW) / 1000
        print(f"system calls per 1,000: {sum(more.values()) / thousands:.3f}, and {waiting / thousands:.3f} of waiting")
        return sum(more.values()) / thousands

    def test_no_system_call_per_firing(self):
        self.assertLess(self.more_calls(self.loop), 0.1)

    def test_under_a_system_call_per_1000_packets(self):
        """Waiting apart: whoever takes the processors away makes both sides wait, which costs calls but is not the path."""
        self.assertLess(self.more_calls(lambda packets: [WOA, *self.busy(packets)]), 1)

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
