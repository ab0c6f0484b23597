"""Placement by a profile: `woa compile --profile` chooses and says why, `woa verify` believes nothing."""
import json
import os
import re

import harness
from harness import SOURCE, read
from placement_harness import GRAPH, PlacementTest


class Placement(PlacementTest):
    def test_the_quickest_placement_is_chosen_and_verified(self):
        answer = self.compile()
        self.assertEqual(set(answer["placement"].values()), {"fpga:0"})
        certificate = answer["certificate"]
        self.assertEqual((certificate["status"], certificate["objective"], certificate["model"]), ("proved", "latency", "woa"))
        # Three firings, two latencies, and 100 bytes twice at 1 GB/s.
        self.assertAlmostEqual(certificate["value_us"], 3 * 4 + 2 * 1 + 2 * 0.1, delta=0.01)
        self.assertEqual(certificate["bound_us"], certificate["value_us"])
        done = self.verify("--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["certificate"]), (0, certificate))
        self.assertIn("no placement is better: proved", self.verify().stdout.decode())

    def test_far_controllers_are_not_worth_it(self):
        times = {name: {"cpu": 10_000_000, "fpga": 9_900_000} for name in ("one", "two", "three")}
        times["two"]["fpga"] = 9_000_000
        answer = self.compile(times=times)
        self.assertEqual(len(set(answer["placement"].values())), 1)

    def test_throughput_spreads_stages(self):
        answer = self.compile("--objective", "throughput")
        self.assertAlmostEqual(answer["certificate"]["value_us"], 10, delta=0.01)  # one on each; all on the fpga would take 12
        self.assertEqual(self.verify().returncode, 0)

    def test_every_call_model_has_a_placement_of_its_own(self):
        hub = self.compile("--model", "rpc-hub", latency="3us")
        woa = self.compile("--model", "woa", latency="3us")
        self.assertEqual((hub["certificate"]["model"], hub["model"]), ("rpc-hub", "rpc-hub"))
        self.assertLessEqual(woa["certificate"]["value_us"], hub["certificate"]["value_us"])
        self.compile("--model", "rpc-hub")
        self.assertEqual(self.verify().returncode, 0)

    def test_a_plan_keeps_the_call_model_that_it_was_placed_for(self):
        """Every plan written verifies: no certificate is carried over to another call model, or left out silently."""
        self.compile(latency="3us")
        plan, again, data = self.path("three.plan"), self.path("again.plan"), "data=" + self.write("data", "x" * 100)
        self.refused(self.woa("compile", plan, "--model", "rpc-hub", "-o", again), 2, "--model rpc-hub: the plan was placed for call model woa",
                     "compile the graph again with --model rpc-hub")
        self.assertFalse(os.path.exists(again))
        self.refused(self.woa("run", plan, "--model", "rpc-hub", "--in", data, "--buffers", "throughput"), 2,
                     "--model rpc-hub: the plan was placed for call model woa", "--buffers throughput")
        for model in ("woa", "rpc-hub"):
            self.compile("--model", model)
            for more in ((), ("--model", model), ("--window", "1"), ("--buffers", "least"), ("--deadline", "1s"), ("--window", "2", "--buffers", "least")):
                with self.subTest(model=model, more=more):
                    done = self.woa("compile", plan, "-o", again, "--json", *more)
                    self.assertEqual(done.returncode, 0, done.stderr.decode())
                    self.assertEqual(json.loads(done.stdout)["model"], model)
                    done = self.woa("verify", again)
                    self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_a_plan_runs_under_another_call_model_than_it_was_placed_for(self):
        self.need_backend("verilator")
        self.compile(latency="3us")
        data = "data=" + self.write("data", "x" * 100)
        self.assertEqual(self.run_json(self.path("three.plan"), "--model", "rpc-hub", "--in", data)["model"], "rpc-hub")

    def test_a_plan_without_a_certificate_takes_any_call_model(self):
        plan, again = self.path("three.plan"), self.path("again.plan")
        self.assertEqual(self.woa("compile", self.write("three.yaml", GRAPH), "-o", plan).returncode, 0)
        self.assertEqual(self.woa("compile", plan, "--model", "rpc-hub", "-o", again).returncode, 0)
        self.assertIn("of which nothing is claimed", self.woa("verify", again).stdout.decode())

    def test_a_certificate_that_is_false_is_not_repeated(self):
        self.compile()
        with open(self.path("three.plan"), "rb") as file:
            plan = file.read()
        false = self.write("false.plan", harness.sealed(plan.replace(b"proved", b"dreamt")))
        for command in (["check", false], ["compile", false], ["compile", false, "-o", self.path("again.plan")]):
            done = self.woa(*command)
            self.refused(done, 1, "false.plan", "it says 'dreamt', but it is proved")
            self.assertEqual(done.stdout, b"")

    def test_what_is_proved_of_a_plan_is_not_said_of_it_with_other_parameters(self):
        graph = GRAPH.replace("two:   {kernel: copy", "two:   {kernel: fail_if")
        self.compile(graph=graph, times={name: {"cpu": 10_000_000} for name in ("one", "two", "three")})
        plan, again, data = self.path("three.plan"), self.path("again.plan"), "data=" + self.write("data", "x" * 100)
        param = ("--param", "two.byte=7")
        self.refused(self.woa("compile", plan, *param, "-o", again), 2, "--param: the plan was placed by a profile of other parameters; compile the graph again")
        self.assertFalse(os.path.exists(again))
        self.refused(self.woa("compile", plan, "--param", "two.bite=7", "-o", again), 2, "--param two.bite: the plan has no such stage or parameter")
        self.refused(self.woa("run", plan, *param, "--in", data, "--buffers", "throughput"), 2, "--param: the plan was placed by a profile of other parameters")
        self.assertIn("proved", self.woa("compile", plan).stdout.decode())
        for command in (["compile"], ["explain"], ["compile", "--json"], ["explain", "--json"]):
            done = self.woa(*command, plan, *param)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertNotIn("proved", done.stdout.decode())
        self.run_json(plan, *param, "--in", data)

    def test_explain_says_what_the_time_was_not_enough_for(self):
        self.compile()
        done = self.woa("explain", self.path("three.plan"), "--reasons-limit", "1ns")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("3 of 3 stages, and all links, are left out: the time was over before they were looked at; give more, such as "
                      "--reasons-limit 1min", done.stdout.decode())
        placement = json.loads(self.woa("explain", self.path("three.plan"), "--reasons-limit", "1ns", "--json").stdout)["placement"]
        self.assertEqual((placement["complete"], placement["left_out"]), (False, ["one", "two", "three"]))
        placement = json.loads(self.woa("explain", self.path("three.plan"), "--reasons-limit", "30s", "--json").stdout)["placement"]
        self.assertEqual((placement["complete"], placement["left_out"]), (True, []))

    def test_what_a_stage_needs_bounds_the_choice(self):
        answer = self.compile(graph=GRAPH.replace("in: {data: one.data}", "in: {data: one.data}, needs: [syscalls]"))
        self.assertTrue(answer["placement"]["two"].startswith("cpu:"))
        self.assertEqual(answer["placement"]["one"], "fpga:0")

    def test_a_controller_with_a_clock_of_its_own_counts_cycles_at_it(self):
        times = {name: {"cpu": 10_000_000, "fpga": {"time_ps": 4_000_000, "cycles": 1000}} for name in ("one", "two", "three")}
        slow = self.compile(times=times, fpga="clock: 50MHz")
        self.assertEqual(len([at for at in slow["placement"].values() if at == "fpga:0"]), 0)
        quick = self.compile(times=times, fpga="clock: 1000MHz")
        self.assertAlmostEqual(quick["certificate"]["value_us"], 3 * 1 + 2 * 1 + 2 * 0.1, delta=0.01)

    def test_replicas_are_placed_one_by_one(self):
        times = {"one": {"cpu": 1_000_000}, "two": {"cpu": 20_000_000}, "three": {"cpu": 1_000_000}}
        graph = GRAPH.replace("in: {data: one.data}", "in: {data: one.data}, replicas: 2")
        answer = self.compile("--objective", "throughput", graph=graph, times=times)
        self.assertEqual({answer["placement"]["two[0]"], answer["placement"]["two[1]"]}, {"cpu:0", "cpu:1"})
        self.assertAlmostEqual(answer["certificate"]["value_us"], 11, delta=0.01)  # half of the instances, and one of the others
        self.assertEqual(self.verify().returncode, 0)

    def test_replicas_on_controllers_of_several_kinds_run_there(self):
        self.need_backend("verilator")
        graph = GRAPH.replace("one.data}}", "one.data}, replicas: 2}")
        times = {"one": {"cpu": 14_000_000}, "two": {"cpu": 12_000_000, "fpga": 24_000_000}, "three": {"cpu": 10_000_000}}
        answer = self.compile("--objective", "throughput", graph=graph, times=times, latency="1ns")
        self.assertEqual({answer["placement"][f"two[{k}]"].split(":")[0] for k in (0, 1)}, {"cpu", "fpga"})
        done = self.woa("run", self.path("three.plan"), "--in", "data=" + self.write("data", "x" * 100), "--out",
                        "data=" + self.path("result"), "--instances", "2")
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_graphs_of_every_kind_are_placed_and_verified_for_every_model(self):
        plan = self.path("any.plan")
        for name, port, given in (("loop", "n", b"\3" + bytes(7)), ("nested-loop", "n", b"\2"), ("scatter", "log", b"an error\nfine\n"),
                                  ("replicas", "data", b"abc"), ("optional", "log", b"fine\n"), ("subgraph", "data", b"Bb"),
                                  ("branch", "data", b"\1")):
            graph = os.path.join(SOURCE, "graphs", name + ".yaml")
            measured = self.woa("profile", graph, "--in", port + "=" + self.write("in", given), "-o", self.path("any.json"),
                                "--repetitions", "3")
            self.assertEqual(measured.returncode, 0, measured.stderr.decode())
            for model in ("woa", "rpc-fused", "rpc-hub"):
                with self.subTest(graph=name, model=model):
                    done = self.woa("compile", graph, "--profile", self.path("any.json"), "--model", model, "-o", plan)
                    self.assertEqual(done.returncode, 0, done.stderr.decode())
                    done = self.woa("verify", plan)
                    self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_the_messages_of_a_picture_are_those_of_a_run(self):
        graph = GRAPH.replace("copy, in: {data: data}", "copy, in: {data: data}, on: \"cpu:0\"").replace(
            "copy, in: {data: one.data}", "copy, in: {data: one.data}, on: \"cpu:1\"").replace(
            "copy, in: {data: two.data}", "copy, in: {data: two.data}, on: \"cpu:1\"")
        times = {name: {"cpu": 10_000_000} for name in ("one", "two", "three")}
        for model, messages in (("woa", 3), ("rpc-fused", 4), ("rpc-hub", 6)):
            with self.subTest(model=model):
                self.compile("--model", model, "--dot", self.path("three.dot"), graph=graph, times=times)
                with open(self.path("three.dot")) as file:
                    sent = re.findall(r"\\n([0-9.]+) messages?, ([0-9]+) B\"", file.read())
                ran = self.run_json(self.path("three.plan"), "--in", "data=" + self.write("data", "x" * 100))
                self.assertEqual(sum(float(tokens) for tokens, _ in sent), messages)
                self.assertEqual((ran["messages"], ran["payload_bytes"]), (messages, sum(int(size) for _, size in sent)))

    # Both readers of `one` are pinned, and the way from one to the other is long.
    APART = ("woa: 1\ngraph: three\ninputs: {data: {type: bytes, max: 1024}}\nstages:\n"
             "  one:   {kernel: invert, in: {data: data}}\n"
             "  two:   {kernel: copy, in: {data: one.data}, on: \"cpu:0\"}\n"
             "  three: {kernel: copy, in: {data: one.data}, on: \"cpu:1\"}\n"
             "outputs: {left: two.data, right: three.data}\n")
    FAR = "links: [{between: [\"cpu:0\", \"cpu:1\"], latency: 1ms, bandwidth: 1GB/s}]\n"
    CHEAP = {"one": {"cpu": 500_000}, "two": {"cpu": 10_000_000}, "three": {"cpu": 10_000_000}}

    def compile_apart(self, *more, graph=APART):
        return self.compile(*more, graph=graph, times=self.CHEAP, links=self.FAR)

    def test_a_cheap_stage_is_on_both_sides_of_a_cut(self):
        once = self.compile_apart()
        self.assertEqual(set(once["placement"]), {"one", "two", "three"})
        self.assertEqual(once["certificate"]["copies"], 1)
        self.assertGreater(once["certificate"]["value_us"], 1000)
        _, expected = self.outputs("woa")
        for model in ("woa", "rpc-fused"):
            with self.subTest(model=model):
                twice = self.compile_apart("--copies", "2", "--model", model)
                self.assertEqual(twice["placement"], {"one@cpu:0": "cpu:0", "one@cpu:1": "cpu:1", "two": "cpu:0", "three": "cpu:1"})
                certificate = twice["certificate"]
                self.assertEqual((certificate["status"], certificate["copies"]), ("proved", 2))
                self.assertAlmostEqual(certificate["value_us"], 2 * 0.5 + 2 * 10 + 4 * 1 + 4 * 0.1, delta=0.01)  # a firing more
                self.assertIn("no placement with up to 2 copies of a stage is better: proved", self.verify().stdout.decode())
                answer, outputs = self.outputs(model)
                self.assertEqual(outputs, expected)
                firings = {stage["name"]: stage["firings"] for stage in answer["stages"]}
                self.assertEqual((firings["one@cpu:0"], firings["one@cpu:1"], firings["two"]), (20, 20, 20))
                crossed = {(edge["from"], edge["to"]): edge["messages"] for edge in answer["edges"]}
                self.assertEqual([ends for ends in crossed if "one@" in ends[0] and crossed[ends] != 0], [])

    def test_explain_says_what_a_stage_with_copies_would_cost_once(self):
        self.compile_apart("--copies", "2")
        done = self.woa("explain", self.path("three.plan"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        one = json.loads(done.stdout)["placement"]["stages"][0]
        self.assertEqual((one["stage"], one["controller"]), ("one", "cpu:0 and cpu:1"))
        self.assertAlmostEqual(one["time_us"], 2 * 0.5, delta=0.01)
        elsewhere = {other["controller"]: other["value_us"] for other in one["elsewhere"]}
        self.assertEqual(set(elsewhere), {"cpu:0", "cpu:1"})
        self.assertGreater(elsewhere["cpu:0"], 1000)
        self.assertIn("cpu:0 and cpu:1", self.woa("explain", self.path("three.plan")).stdout.decode())

    def test_stages_that_are_not_copied(self):
        one = "one:   {kernel: invert, in: {data: data}}"
        for why, more in (("pinned", "on: \"cpu:0\""), ("system calls", "needs: [syscalls]"), ("replicas", "replicas: 2")):
            with self.subTest(why=why):
                other = one.replace("}}", "}, " + more + "}")
                answer = self.compile_apart("--copies", "2", graph=self.APART.replace(one, other))
                self.assertEqual([name for name in answer["placement"] if "@" in name], [])
                self.assertEqual(self.verify().returncode, 0)

    def test_copies_of_no_use_are_not_made(self):
        answer = self.compile("--copies", "3")
        self.assertEqual(set(answer["placement"]), {"one", "two", "three"})
        self.assertEqual(self.verify().returncode, 0)

    def test_copies_out_of_range(self):
        graph = self.write("three.yaml", GRAPH)
        for given in ("0", "9", "many"):
            self.assertEqual(self.woa("compile", graph, "--profile", "any.json", "--copies", given).returncode, 2)
        self.assertEqual(self.woa("compile", graph, "--copies", "2").returncode, 2)  # without a profile

    def test_an_error_names_stages_as_the_graph_does(self):
        times = {name: {"cpu": 10_000_000} for name in ("one", "two", "three")}
        times["two"]["cpu"] = 2 * 10 ** 15
        error = self.compile(times=times, code=1)
        self.assertIn("stage 'two' takes more than can be counted", error)

    def test_the_reasons_are_printed(self):
        self.compile(latency="3us")
        done = self.woa("explain", self.path("three.plan"))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        text = done.stdout.decode()
        self.assertRegex(text, r"\A.*\nwoa: one instance takes .* no placement is better: proved")  # above all tables
        stages, *rows = text[text.index("STAGE"):].splitlines()
        self.assertNotIn("assumed", text)
        self.assertEqual(stages.split("  ")[0], "STAGE")
        for name, row in zip(("one", "two", "three"), rows):
            self.assertRegex(row, name + r" +fpga:0 +4 us +up to \+[0-9.]+ % +cpu:0, cpu:1 \+[0-9.]+ us")
        self.assertRegex(text, r"LINK +LATENCY MAY CHANGE BY +TIME PER BYTE BY\nhost - fpga:0 ")
        answer = json.loads(self.woa("explain", self.path("three.plan"), "--json").stdout)
        self.assertEqual([stage["sharp"] for stage in answer["placement"]["stages"]], [[False, True]] * 3)
        self.assertEqual([(link["between"], link["assumed"]) for link in answer["placement"]["links"]], [(["host", "fpga:0"], False)])

    def test_large_percentages_are_written_out(self):
        self.compile(times={name: {"cpu": 10_000_000, "fpga": 100_000} for name in ("one", "two", "three")})
        text = self.woa("explain", self.path("three.plan")).stdout.decode()
        self.assertRegex(text, r"one +fpga:0 +100 ns +up to (at least )?\+[0-9]{4,5} % ")
        self.assertNotIn("e+", text)

    def test_links_that_nobody_measured_are_called_assumed(self):
        graph = self.write("three.yaml", GRAPH)
        profile = self.profile_of(graph, {name: {"cpu": 10_000_000, "fpga": 1_000_000} for name in ("one", "two", "three")})
        bare = self.write("bare.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"fpga:0\": {}}\n")
        done = self.woa("compile", graph, "--machine", bare, "--profile", profile, "-o", self.path("three.plan"))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        for text in (done.stdout.decode(), self.verify().stdout.decode()):
            self.assertIn("costs of links are assumed (`woa calibrate` measures them)", text)
        self.assertIn("host - fpga:0, assumed ", self.woa("explain", self.path("three.plan")).stdout.decode())
        answer = json.loads(self.woa("explain", self.path("three.plan"), "--json").stdout)
        self.assertEqual(answer["certificate"]["assumed_links"], ["host - fpga:0"])
        self.assertEqual([link["assumed"] for link in answer["placement"]["links"]], [True])

    def test_nothing_is_said_by_a_certificate_that_is_false(self):
        self.compile()
        with open(self.path("three.plan"), "rb") as file:
            plan = file.read()
        with open(self.path("three.plan"), "wb") as file:
            file.write(harness.sealed(plan.replace(b"proved", b"dreamt")))
        for more in ((), ("--json",), ("--svg", self.path("three.svg"), "--dot", self.path("three.dot"))):
            done = self.woa("explain", self.path("three.plan"), *more)
            self.refused(done, 1, "it says 'dreamt', but it is proved")
            self.assertNotIn("takes", done.stdout.decode())
            self.assertEqual(done.stderr.decode().count("three.plan"), 1)
        self.assertEqual((os.path.exists(self.path("three.svg")), os.path.exists(self.path("three.dot"))), (False, False))
        self.assertFalse(json.loads(self.woa("explain", self.path("three.plan"), "--json").stdout)["ok"])

    def test_a_path_is_named_once(self):
        self.refused(self.woa("verify", os.path.join(SOURCE, "graphs/hello.yaml")), 1, "error[invalid]", "`woa compile GRAPH -o PLAN` writes one")
        self.refused(self.woa("verify", self.write("short.plan", "WOAPLAN\n")), 1, "it was truncated: compile the graph again")
        for bad in (self.path("absent.plan"), self.write("bad.plan", "WOAPLAN\n and nothing else")):
            for command in ("verify", "explain"):
                if command == "explain" and bad.endswith("absent.plan"):
                    continue  # a graph, for all that anybody knows
                done = self.woa(command, bad)
                self.refused(done, 1)
                self.assertEqual(done.stderr.decode().count(bad), 1, done.stderr.decode())

    def test_a_plan_that_was_not_placed_by_costs(self):
        graph = self.write("three.yaml", GRAPH)
        self.assertEqual(self.woa("compile", graph, "-o", self.path("three.plan")).returncode, 0)
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("live: 4 edges, 4 proved", done.stdout.decode())
        self.assertIn("placed by pins and rules alone, of which nothing is claimed", done.stdout.decode())
        answer = json.loads(self.verify("--json").stdout)
        self.assertNotIn("certificate", answer)
        self.assertEqual((answer["liveness"]["edges"], answer["liveness"]["live"]), (4, 4))

    def test_a_stage_that_the_profile_places_nowhere(self):
        times = {name: {"cpu": 10} for name in ("one", "two", "three")}
        times["two"] = {"gpu": 10}
        self.assertIn("no time of stage `two` on any controller", self.compile(times=times, code=1))

    def test_a_branch_that_the_inputs_never_took_costs_nothing(self):
        graph = self.write("branch.yaml", "woa: 1\ngraph: branch\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
                           "  test: {kernel: route, in: {data: data}}\n  even: {kernel: invert, in: {data: test.even}, on: cpu}\n"
                           "outputs: {data: [even.data, test.odd]}\n")
        measured = self.woa("profile", graph, "--in", "data=" + self.write("odd", b"\1"), "-o", self.path("odd.json"), "--repetitions", "3")
        self.assertEqual(measured.returncode, 0, measured.stderr.decode())
        self.assertEqual(json.loads(read(self.path("odd.json")))["stages"]["even"]["firings"], 0)
        done = self.woa("compile", graph, "--profile", self.path("odd.json"), "-o", self.path("branch.plan"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue(json.loads(done.stdout)["placement"]["even"].startswith("cpu:"))
        self.assertEqual(self.woa("verify", self.path("branch.plan")).returncode, 0)


if __name__ == "__main__":
    harness.main()
