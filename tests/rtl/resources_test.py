"""tools/fpga-resources, on a small tree of its own: it sees what changed, counts it, and says what it cannot do."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
CORE, KERNEL = "kernels/copy/copy_core.sv", "kernels/copy/kernel.yaml"


class Resources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="woa-resources-")
        self.addCleanup(self.folder.cleanup)
        cores = [path.relative_to(SOURCE) for pattern in ("kernels/*", "bench/mibench/*/*") for path in SOURCE.glob(f"{pattern}/*_core.sv")]
        for name in ("tools/fpga-resources", "controllers/fpga/rtl", "controllers/fpga/generated", "runtime/packet/generated",
                     "compiler/place/generated", *cores, *(core.parent / "kernel.yaml" for core in cores)):
            at = self.path(name)
            at.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (SOURCE / name).is_dir() else shutil.copy)(SOURCE / name, at)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def change(self, name, old, new):
        text = self.path(name).read_text()
        self.assertIn(old, text)
        self.path(name).write_text(text.replace(old, new))

    def run_tool(self, *arguments):
        done = subprocess.run([sys.executable, "-B", self.path("tools/fpga-resources"), *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_a_changed_core_or_figure_is_named_and_a_comment_is_no_change(self):
        self.assertEqual(self.run_tool("--check", "copy"), (0, ""))
        self.change(CORE, "  assign planned", "  // Always.\n  assign planned")
        self.assertEqual(self.run_tool("--check", "copy"), (0, ""))
        kernel = self.path(KERNEL).read_text()
        self.change(KERNEL, "ffs: 65", "ffs: 64")
        code, said = self.run_tool("--check", "copy")
        self.assertEqual(code, 1)
        self.assertIn("kernels/copy/kernel.yaml: the figures of copy, or its RTL, have changed", said)
        self.path(KERNEL).write_text(kernel)
        self.change(CORE, "out_bytes = in_bytes", "out_bytes = in_bytes + 32'd0")
        self.assertEqual(self.run_tool("--check", "copy")[0], 1)

    def test_the_node_is_counted_again_if_a_module_below_it_changes(self):
        self.assertEqual(self.run_tool("--check"), (0, ""))
        self.change("controllers/fpga/rtl/wact_write.sv", "endmodule", "  wire unused_here = 1'b0;\nendmodule")  # of the kernel alone
        self.assertEqual(self.run_tool("--check", "node"), (0, ""))
        code, said = self.run_tool("--check", "kernel")
        self.assertEqual(code, 1)
        self.assertIn("compiler/place/generated/fpga_node.h: the figures of kernel, or its RTL, have changed", said)
        self.change("controllers/fpga/rtl/wact_fifo.sv", "endmodule", "  wire unused_here = 1'b0;\nendmodule")
        self.assertEqual(self.run_tool("--check", "node")[0], 1)

    def test_what_changed_is_counted_and_written(self):
        self.change(KERNEL, "core: copy", "core: copy  # passes on")
        self.change(CORE, "assign fault     = wact_pkg::FAULT_NONE", "assign fault     = wact_pkg::FAULT_NONE;\n  assign extra_ready = !in_ready")
        self.change(CORE, "    output logic         planned,", "    output logic         extra_ready,\n    output logic         planned,")
        code, said = self.run_tool("copy")
        self.assertEqual((code, "copy xcup: " in said), (0, True), said)
        self.assertEqual(self.run_tool("--check", "copy"), (0, ""))
        text = self.path(KERNEL).read_text()
        self.assertEqual(text.count("resources:"), 1)
        self.assertEqual(text.count("{luts: 4, ffs: 65, brams: 0, dsps: 0}"), 2, text)  # an inverter more than the core that ships
        self.change(KERNEL, "luts: 4", "luts: 5")
        code, said = self.run_tool("--check", "--again", "copy")
        self.assertEqual(code, 1)
        self.assertIn("copy has {'xc7': {'luts': 5", said)
        self.assertIn("and yosys counts {'xc7': {'luts': 4", said)

    def test_it_says_what_it_cannot_do(self):
        code, said = self.run_tool("--check", "nothing")
        self.assertEqual(code, 2)
        self.assertIn("there is no nothing; choose from ", said)
        code, said = self.run_tool("--again", "copy", "--yosys", "/nonexistent/yosys")
        self.assertEqual(code, 77)
        self.assertIn("install yosys 0.23, or name it with --yosys", said)
        other = self.path("other-yosys")
        other.write_text("#!/bin/sh\necho 'Yosys 0.33 (git)'\n")
        other.chmod(0o755)
        code, said = self.run_tool("--again", "copy", "--yosys", str(other))
        self.assertEqual(code, 77)
        self.assertIn("found Yosys 0.33 (git), and the figures are of yosys 0.23", said)
        self.change(CORE, "endmodule", "  nothing_of_this_name here ();\nendmodule")
        code, said = self.run_tool("copy")
        self.assertEqual(code, 2)
        self.assertIn("yosys does not take copy_core:", said)
        self.assertIn("nothing_of_this_name", said)
        self.change(KERNEL, "core: copy", "core: absent")
        code, said = self.run_tool("--check")
        self.assertEqual(code, 2)
        self.assertIn("kernels/copy/kernel.yaml has core `absent`, and there is no kernels/copy/absent_core.sv", said)


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    unittest.main(argv=sys.argv[:1])
