"""Bounds on what a placement takes, draws and costs: `woa compile --max-...`."""
import json
import re

import harness
from placement_harness import PlacementTest, machine


class Bounds(PlacementTest):
    def test_bounds_that_no_placement_keeps(self):
        error = self.compile("--max-period", "1us", code=1)
        self.assertIn("command line: error[E0631]: `--max-period 1us` cannot be kept: the least is", error)
        self.compile("--max-period", re.search(r"write `--max-period ([0-9]+[a-z]+)`", error).group(1))
        error = self.compile("--objective", "throughput", "--max-latency", "1us", code=1)
        self.assertIn("command line: error[E0631]: `--max-latency 1us` cannot be kept: the least is", error)
        least = re.search(r"write `--max-latency ([0-9]+[a-z]+)`", error).group(1)
        self.compile("--objective", "throughput", "--max-latency", least)

    def test_bounds_that_make_no_sense_are_the_options_errors(self):
        for options, text in ((("--max-latency", "1us"), "without --objective throughput the latency is the least possible"),
                              (("--objective", "throughput", "--max-period", "1us"), "the time between two instances is the least"),
                              (("--max-period", "1300s"), "us, ms or s, at most 1125s, got '1300s'")):
            with self.subTest(options=options):
                error = self.compile(*options, code=2)
                self.assertIn(text, error)
                self.assertNotIn("E0631", error)

    def test_bounds_are_said_beside_what_is_claimed_within_them(self):
        for options, key, value, bound in ((("--max-period", "11us"), "max_period_us", 2 * 4 + 10 + 3 * 1.1, "an instance every 11 us"),
                                           (("--objective", "throughput", "--max-latency", "15us"), "max_latency_us", 12,
                                            "one instance takes 15 us")):
            with self.subTest(options=options):
                certificate = self.compile(*options)["certificate"]
                self.assertAlmostEqual(certificate["value_us"], value, delta=0.01)
                self.assertEqual(certificate[key], 11 if "11us" in options else 15)
                for text in (self.verify().stdout.decode(), self.woa("explain", self.path("three.plan")).stdout.decode()):
                    self.assertIn("no placement within the bounds is better: proved", text)
                    self.assertIn("; bound: " + bound, text)
        self.assertNotIn("max_period_us", self.compile()["certificate"])

    def test_a_bound_on_the_price_of_controllers(self):
        dear = "price: 90, power: 40W"
        self.assertIn("`price`", self.compile("--max-price", "50", code=1))
        machine_file = machine("1us", dear).replace('"cpu:0": {}', '"cpu:0": {price: 10, power: 20W}').replace(
            '"cpu:1": {}', '"cpu:1": {price: 10, power: 20W}')
        graph, profile = self.path("three.yaml"), self.path("profile.json")
        run = lambda *more: self.woa("compile", graph, "--machine", self.write("machine.yaml", machine_file), "--profile", profile, "-o",
                                     self.path("three.plan"), *more)
        done = run("--max-price", "90", "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual((json.loads(done.stdout)["certificate"]["price"], set(json.loads(done.stdout)["placement"].values())), (90, {"fpga:0"}))
        done = run("--max-price", "89", "--max-power", "25W", "--json")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        certificate = json.loads(done.stdout)["certificate"]
        self.assertEqual((certificate["price"], certificate["power_w"], certificate["status"]), (10, 20, "proved"))
        self.assertIn("price 10 of 89; power 20 W of 25 W", self.verify().stdout.decode())
        done = run("--max-price", "9")
        self.assertEqual(done.returncode, 1)
        self.assertIn("`--max-price 9` cannot be kept: controllers that all stages can run on come to 10 at least", done.stderr.decode())


if __name__ == "__main__":
    harness.main()
