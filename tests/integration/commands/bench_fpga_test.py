"""woa bench fpga: counts of the RTL, which are the same on every machine, and the times that follow from them."""
import json
import os
import re

import harness
from harness import SOURCE, WoaTest, read

RUNS = ["first stage", "second stage", "both stages, link on the card"]
TIMES = ["link", "both stages", "round trip"]


def declared_mhz(kernel):
    return int(re.search(r"clock_mhz: (\d+)", read(os.path.join(SOURCE, "kernels", kernel, "kernel.yaml"))).group(1))


class Fpga(WoaTest):
    def bench(self, *arguments):
        done = self.woa("bench", "fpga", *arguments)
        if done.returncode == 3:
            self.refused(done, 3, "error[unavailable]", "the model of the card's kernel: ")
            self.skip("verilator", done.stderr.decode())
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return done.stdout.decode()

    def report(self, *arguments):
        report = json.loads(self.bench(*arguments, "--json"))
        self.assertEqual(set(report), set("bench device simulated clock_mhz pcie_us measured modelled".split()))
        self.assertEqual((report["bench"], report["simulated"]), ("fpga", True))
        return report

    @staticmethod
    def cycles(report, size):
        return [row["cycles"] for row in report["measured"] if row["size"] == size]

    def test_the_link_on_the_card_is_the_faster_one(self):
        report = self.report()
        self.assertEqual(report["clock_mhz"], min(declared_mhz("copy"), declared_mhz("invert")))
        self.assertEqual(report["pcie_us"], 1)
        self.assertEqual([(row["what"], row["size"]) for row in report["measured"]], [(run, size) for size in (64, 4096) for run in RUNS])
        self.assertEqual([(row["what"], row["size"]) for row in report["modelled"]], [(time, size) for size in (64, 4096) for time in TIMES])
        for size in (64, 4096):
            first, second, both = self.cycles(report, size)
            self.assertGreater(min(first, second), size // 8)  # a beat of eight bytes in a cycle, at most
            self.assertTrue(max(first, second) < both < first + second, (first, second, both))
        for row in report["modelled"]:
            self.assertEqual(set(row), set("what size on_card_us over_host_us ratio".split()))
            self.assertAlmostEqual(row["ratio"], row["over_host_us"] / row["on_card_us"], places=9)
            # The bar. A round trip has the same PCIe either way, and 4 KiB take longer than PCIe does.
            least = 5 if row["size"] == 64 and row["what"] != "round trip" else 1
            self.assertGreaterEqual(row["ratio"], least, row)

    def test_times_follow_from_the_cycles(self):
        report = self.report("--size", "1000", "--clock-mhz", "100", "--pcie-us", "0.5")
        self.assertEqual((report["clock_mhz"], report["pcie_us"]), (100, 0.5))
        first, second, both = self.cycles(report, 1000)
        expected = [((both - first) / 100, 1 + second / 100), (both / 100, (first + second) / 100 + 1), (both / 100 + 1, (first + second) / 100 + 2)]
        for row, (on_card, over_host) in zip(report["modelled"], expected):
            self.assertAlmostEqual(row["on_card_us"], on_card)
            self.assertAlmostEqual(row["over_host_us"], over_host)

    def test_counts_do_not_depend_on_the_process_or_on_other_sizes(self):
        several = self.report("--size", "1,63,64", "--size", "1MiB")
        self.assertEqual(sorted({row["size"] for row in several["measured"]}), [1, 63, 64, 1 << 20])
        for size in (1, 64):
            self.assertEqual(self.cycles(self.report("--size", str(size)), size), self.cycles(several, size))

    def test_tables(self):
        """Measured and modelled figures stand in tables of their own, whose columns are aligned."""
        report = self.report()
        _, measured, modelled = self.bench().split("\n\n")
        self.assertTrue(measured.startswith("measured: cycles "), measured)
        self.assertTrue(modelled.startswith(f"modelled: us at {report['clock_mhz']:g} MHz, with 1 us of PCIe each way\n"), modelled)
        for table, names, columns in ((measured, RUNS, 2), (modelled, TIMES, 4)):
            head, *rows = table.splitlines()[1:]
            self.assertEqual(len(rows), 6)
            ends = [match.end() for match in re.finditer(r"BYTES|CYCLES|ON CARD|OVER HOST|RATIO", head)]
            self.assertEqual(len(ends), columns)
            for row, name in zip(rows, 2 * names):
                self.assertEqual(row[:ends[0] - 8].strip(), name)
                numbers = [match.end() for match in re.finditer(r"\d+(\.\d+)?(?: x)?(?= |$)", row)]
                self.assertEqual(numbers, ends, row)
        self.assertEqual([int(row.split()[-1]) for row in measured.splitlines()[2:]], [row["cycles"] for row in report["measured"]])

    def test_help_defines_what_is_compared(self):
        done = self.woa("bench", "fpga", "--help")
        self.assertEqual(done.returncode, 0)
        for words in (*TIMES, "Measured", "Modelled", "--clock-mhz", "--pcie-us"):
            self.assertIn(words, done.stdout.decode())

    def test_usage(self):
        for arguments in (("--size", "0"), ("--size", "2MiB"), ("--size", "some"), ("--clock-mhz", "0"), ("--clock-mhz", "-5"), ("--pcie-us", "0"),
                          ("--pcie-us", "soon")):
            self.refused(self.woa("bench", "fpga", *arguments), 2, arguments[0])


if __name__ == "__main__":
    harness.main()
