"""Runs of `woa` whose controllers of kind gpu are cuda, on the test double of a CUDA device (tests/doubles/cuda)."""
import os
import shutil

from harness import BUILD, SOURCE, WoaTest, read  # noqa: F401

DOUBLE = os.path.join(BUILD, "tests", "doubles", "cuda")
CUDA = "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}, \"gpu:0\": {backend: cuda%s}}\n"

# A kernel of the tree whose ports have fixed sizes, so that a device may publish what it writes.
FIXED = """woa_kernel: 1
name: {name}
in: {{data: {{type: "u8[{bytes}]"}}}}
out: {{data: {{type: "u8[{bytes}]"}}}}
library: lib{of}.so
variants:
  cpu: {{size: true}}
  cuda: {{size: true, source: {of}.cu, entry: {of}, global: [bytes]{more}}}
"""


class CudaTest(WoaTest):
    def setUp(self):
        super().setUp()
        self.machine = self.write("machine.yaml", CUDA % "")
        self.kernels = self.path("kernels")
        os.mkdir(self.kernels)

    def add_kernel(self, name, of="invert", bytes=4096, more="", ptx=True):
        """A kernel `name` in the folder `kernels`, which has the files of the kernel `of` of the tree."""
        folder = os.path.join(self.kernels, name)
        os.mkdir(folder)
        self.write(os.path.join(folder, "kernel.yaml"), FIXED.format(name=name, of=of, bytes=bytes, more=more))
        os.symlink(os.path.join(BUILD, "kernels", of, f"lib{of}.so"), os.path.join(folder, f"lib{of}.so"))
        for end in (".cu", ".ptx") if ptx else (".cu",):
            shutil.copy(os.path.join(SOURCE, "kernels", of, of + end), folder)
        return folder

    def double(self, words="", **more):
        """The environment in which the double is the CUDA driver, and behaves as `words` say."""
        return {"LD_LIBRARY_PATH": DOUBLE, "WOA_CUDA_DOUBLE": words, "OCL_ICD_VENDORS": self.path("none"),
                "WOA_KERNEL_PATH": os.pathsep.join([self.kernels, os.path.join(BUILD, "kernels")])} | more

    def on_cuda(self, graph, *arguments, words="", code=0, machine=None):
        return self.run_json(graph, "--machine", machine or self.machine, *arguments, code=code, environment=self.double(words))


def edges(report):
    return {edge["to"]: edge for edge in report["edges"]}


def controllers(report):
    return {controller["name"]: controller for controller in report["controllers"]}

