"""woa calibrate: what it measured is written, read back by the other commands, and refused or left out where it does not hold."""
import json
import os
import re
import signal
import subprocess

import harness
from harness import SOURCE, WoaTest, read

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")
QUICK = ("--count", "10", "--repetitions", "1")
SIZES = [8 << k for k in range(18)]

if not {0, 1} <= os.sched_getaffinity(0):
    harness.skip_program("processors", "measuring takes processors 0 and 1")


def limits(edges):
    return {edge["methods"][0]["to_bytes"] if edge["methods"][0]["method"] == "inline" else 0 for edge in edges}


def machine(processor, shm=512, loopback=128, version=1):
    return (f"woa_machine: {version}\ncalibration:\n  processor: {json.dumps(processor)}\n"
            f"  transports: {{shm: {{inline_bytes: {shm}}}, loopback: {{inline_bytes: {loopback}}}}}\n")


class Calibrated(WoaTest):
    def explain(self, *arguments, environment=None):
        done = self.woa("explain", HELLO, *arguments, "--json", environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)["edges"], done.stderr.decode()

    def default_file(self, text):
        os.makedirs(self.path("config/woa"), exist_ok=True)
        return self.write("config/woa/machine.yaml", text)

    def this_processor(self):
        """The name that `woa calibrate` gives it; the warning about another processor tells it without measuring."""
        _, warning = self.explain("--machine", self.write("probe.yaml", machine("no such processor")))
        return re.search(r"this is '(.*)'", warning).group(1)


class Measured(Calibrated):
    def test_what_is_measured_is_written_and_used(self):
        done = self.woa("calibrate", *QUICK, "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        answer = json.loads(done.stdout)
        self.assertEqual(set(answer), {"ok", "processor", "cores", "file", "transports"})
        self.assertGreaterEqual(answer["cores"]["count"], 2)
        self.assertIn("cpu", answer["cores"]["kinds"])
        self.assertEqual(answer["file"], self.path("config/woa/machine.yaml"))
        self.assertEqual([each["transport"] for each in answer["transports"]], ["shm", "loopback"])
        for each in answer["transports"]:
            disturbed = each["inline_bytes"] == 0 or "mixed" in (each["host_state"], each["links_host_state"])
            advice = f"disturbed the measurement of {each['transport']}: "
            self.assertEqual(advice in done.stderr.decode() and "repeat `woa calibrate`" in done.stderr.decode(), disturbed)
            self.assertIn(each["host_state"], ("near", "far", "mixed"))
            self.assertIn(each["inline_bytes"], [0] + [size for size in SIZES if size <= 65536])
            self.assertEqual([median["bytes"] for median in each["medians"]], SIZES)
            for median in each["medians"]:
                self.assertGreater(median["in_place_ns"], 0)
                self.assertEqual(median["inline_ns"] is None, median["bytes"] > 65536)
            self.check_links(each)
        self.assertEqual(os.listdir(self.path("config/woa")), ["machine.yaml"])
        self.assertIn(answer["processor"], read(answer["file"]))
        for processes, transport in (("per-controller", answer["transports"][0]), ("one", answer["transports"][1])):
            edges, warning = self.explain("--processes", processes)
            self.assertEqual(limits(edges), {transport["inline_bytes"]})
            self.assertEqual(warning, "")
        # A second one takes its place, elsewhere if told so.
        other = os.path.join("deep", "er", "here.yaml")
        done = self.woa("calibrate", *QUICK, "-o", other, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual("disturbed" in done.stderr.decode(), bool(re.search("inline limit 0 B|state: mixed", done.stdout.decode())), done.stderr)
        for text in ("inline limit", "PAYLOAD", "1 MiB", "written to " + other):
            self.assertIn(text, done.stdout.decode())
        self.assertEqual(self.woa("check", HELLO, "--machine", self.path(other)).returncode, 0)

    def check_links(self, transport):
        self.assertIn(transport["links_host_state"], ("near", "far", "mixed"))
        devices = json.loads(self.woa("devices", "--json").stdout)["devices"]
        kinds = sorted({row["kind"] for row in devices if row["available"]})
        ends = [("host", kind) for kind in kinds] + [(a, b) for k, a in enumerate(kinds) for b in kinds[k:]]
        self.assertEqual(sorted(tuple(sorted(link["between"])) for link in transport["links"]), sorted(tuple(sorted(pair)) for pair in ends))
        self.assertGreaterEqual(transport["wake_ns"], 0)
        cpu = next(link for link in transport["links"] if link["between"] == ["cpu", "cpu"])
        self.assertGreaterEqual(cpu["latency_ns"], 0)
        self.assertEqual(sorted(each["kind"] for each in transport["controllers"]), sorted(["host"] + kinds))
        cpu_costs = next(each for each in transport["controllers"] if each["kind"] == "cpu")
        self.assertGreater(cpu_costs["firing_ns"], 0)  # a whole hop within a controller
        for each in transport["controllers"]:
            self.assertEqual(each["message_ns"], cpu_costs["message_ns"])  # of the thread of any controller
        for link in transport["links"]:
            self.assertGreaterEqual(link["latency_ns"], cpu["latency_ns"])
            self.assertGreaterEqual(link["ns_per_kib"], cpu["ns_per_kib"])

    def test_who_is_ended_leaves_nothing_behind(self):
        folder, earlier = self.path("here"), machine("x")
        os.mkdir(folder)
        self.write("here/machine.yaml", earlier)
        for end in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            running = subprocess.Popen([harness.WOA, "calibrate", "-o", os.path.join(folder, "machine.yaml")], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
            with self.assertRaises(subprocess.TimeoutExpired):  # it takes a minute
                running.wait(1)
            running.send_signal(end)
            running.wait(harness.LIMIT_S)
            self.assertEqual((os.listdir(folder), read(os.path.join(folder, "machine.yaml"))), (["machine.yaml"], earlier))

    def test_refusals(self):
        listed = self.write("listed.yaml", "woa_machine: 1\ncontrollers: {'cpu:0': {}}\n")
        self.refused(self.woa("calibrate", "-o", listed), 1, "which controllers there are", "-o")
        self.assertIn("cpu:0", read(listed))
        linked = self.write("linked.yaml", machine("x") + "default_link: {latency: 1us, bandwidth: 1GB/s}\n")
        self.refused(self.woa("calibrate", "-o", linked), 1, "what links cost", "-o")
        for text in ("woa_machine: 1\ncontrollers: {'cpu:0': {}\n", "woa_machine: 1\ncalibration: {}\ncontrolers: {'cpu:0': {}}\n", "# a diary\n- not a machine\n"):
            broken = self.write("broken.yaml", text)
            self.refused(self.woa("calibrate", "-o", broken), 1, "cannot be read as a machine file", "broken.yaml:", "error[E", "mend or remove it", "-o")
            self.assertEqual(read(broken), text)
        self.refused(self.woa("calibrate", "-o", self.folder), 1, "cannot write")
        self.refused(self.woa("calibrate", "-o", "/proc/machine.yaml"), 1, "cannot write", "-o")
        self.refused(self.woa("calibrate", "--repetitions", "0"), 2)
        done = self.woa("calibrate", "--json", environment={"XDG_CONFIG_HOME": "", "HOME": ""})
        self.refused(done, 2, "-o")
        self.assertFalse(json.loads(done.stdout)["ok"])


class Read(Calibrated):
    def test_the_limit_decides_how_payloads_travel(self):
        name = self.write("m.yaml", machine("elsewhere", shm=3000, loopback=0))
        edges, _ = self.explain("--machine", name)
        self.assertEqual(limits(edges), {3000})
        self.assertIn("inline limit of 2.93 KiB", edges[0]["why"])
        self.assertEqual(edges[0]["ring_bytes"] % (64 + 3008), 0)
        edges, _ = self.explain("--machine", name, "--processes", "one")
        self.assertEqual([[each["method"] for each in edge["methods"]] for edge in edges], [["in place"], ["by reference"], ["by reference"]])

    def test_payloads_on_both_sides_of_the_limit_run(self):
        data = [bytes((k + size) % 251 for k in range(size)) for size in (1, 2999, 3000, 3001, 65536, 100000)]
        os.mkdir(self.path("in"))
        for number, each in enumerate(data):
            self.write(f"in/{number}", each)
        for limit in (0, 3000, 65536):
            name = self.write("m.yaml", machine("elsewhere", shm=limit, loopback=limit))
            for model in ("woa", "rpc-hub"):
                for processes in ("one", "per-controller"):
                    self.run_json(HELLO, "--machine", name, "--model", model, "--processes", processes, "--in", "text=" + self.path("in"),
                                  "--out", "copy=" + self.path("out"))
                    self.assertEqual(read(self.path("out"), "rb"), b"".join(data))

    def test_a_plan_keeps_the_limits_that_it_was_compiled_with(self):
        plan = self.path("hello.plan")
        self.default_file(machine(self.this_processor(), shm=512))
        self.assertEqual(self.woa("compile", HELLO, "-o", plan).returncode, 0)
        self.default_file(machine(self.this_processor(), shm=128))
        done = self.woa("explain", plan, "--json")
        self.assertEqual(limits(json.loads(done.stdout)["edges"]), {512})

    def test_the_file_of_another_processor(self):
        default = self.default_file(machine("Another Processor"))
        edges, warning = self.explain()
        self.assertEqual(limits(edges), {64})
        for text in ("warning", default, "'Another Processor'", "woa calibrate", "--machine"):
            self.assertIn(text, warning)
        edges, warning = self.explain("--machine", default)
        self.assertEqual(limits(edges), {512})
        self.assertIn("its limits are used", warning)

    def test_a_damaged_default_file_is_left_out_with_a_warning(self):
        good = machine(self.this_processor())
        for bad, text in ((good[:len(good) // 2], "E0"), ("", "E0105"), (machine("x", version=2), "version 1 only"), (b"\0\xff", "E0103"),
                          (good.replace("512", "70000"), "70000"), (good.replace("inline_bytes", "inline_bites"), "inline_bites")):
            self.default_file(bad)
            edges, warning = self.explain()
            self.assertEqual(limits(edges), {64})
            for each in ("warning", "machine.yaml", text, "woa calibrate"):
                self.assertIn(each, warning)

    def test_a_damaged_file_that_is_named_is_an_error(self):
        text = self.write("text", "x")
        bad = self.write("bad.yaml", machine("x", shm=70000))
        for arguments in (("explain", HELLO), ("check", HELLO), ("compile", HELLO), ("run", HELLO, "--in", "text=" + text)):
            self.refused(self.woa(*arguments, "--machine", bad), 1, "bad.yaml:4:", "E0113", "70000", "65536")
        self.refused(self.woa("bench", "methods", "--machine", bad), 1, "bad.yaml:4:", "70000")
        self.refused(self.woa("explain", HELLO, "--machine", self.path("absent.yaml")), 1, "absent.yaml")
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan).returncode, 0)
        self.refused(self.woa("explain", plan, "--machine", bad), 2, "compile the graph again")

    def test_help_says_how_to_use_it(self):
        text = self.woa("calibrate", "--help").stdout.decode()
        for word in ("shm", "loopback", "mixed", "XDG_CONFIG_HOME", "woa explain"):
            self.assertIn(word, text)


if __name__ == "__main__":
    harness.main()
