"""woa run --guard: kernels that leave the memory of their ports or their scratch are named, and no others."""
import os
import subprocess

import harness
from harness import SOURCE, WoaTest, read

# Copies its input, and then does what `how` says.
KERNEL = """
#include "woa/woa_kernel.h"
static const char *how;
static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  (void)self, (void)error;
  how = strdup(woa_param_text(params, count, "how"));
  return WOA_OK;
}
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  uint8_t *const data = outs[0].data;
  volatile uint8_t read;
  (void)self;
  memcpy(data, ins[0].data, ins[0].bytes);
  if (strcmp(how, "all") == 0) memset(data + ins[0].bytes, 1, outs[0].capacity - ins[0].bytes), memset(firing->scratch, 1, firing->scratch_bytes);
  if (strcmp(how, "behind") == 0) data[outs[0].capacity] = 1;
  if (strcmp(how, "before") == 0) data[-1] = 1;
  if (strcmp(how, "scratch") == 0) firing->scratch[firing->scratch_bytes] = 1;
  if (strcmp(how, "far") == 0) memset(data, 1, outs[0].capacity + 4096);
  if (strcmp(how, "input") == 0) ((uint8_t *)ins[0].data)[0] = 1;
  if (strcmp(how, "reads") == 0) read = ins[0].data[(ins[0].bytes + 63) / 64 * 64];
  (void)read;
  return woa_claim(&outs[0], "data", ins[0].bytes, error);
}
WOA_KERNEL_TABLE(.create = create, .run = run)
"""
GRAPH = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 1000}}\nstages:\n  one: {kernel: copy, in: {data: data}}\n"
         "  two: {kernel: stray, in: {data: one.data}, params: {how: %s}}\noutputs: {data: two.data}\n")


class Guard(WoaTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("kernels/stray"))
        self.write("kernels/stray/kernel.yaml",
                   "woa_kernel: 1\nname: stray\nsummary: copies, and strays\nin: {data: {type: bytes, max: 1000}}\n"
                   "out: {data: {type: bytes, max: 1000}}\nparams: {how: {type: string}}\nscratch: 100\nlibrary: libstray.so\nvariants: {cpu: {}}\n")
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"), "-o",
                        self.path("kernels/stray/libstray.so"), "-x", "c", "-"], input=KERNEL.encode(), check=True)
        self.text = self.write("text", "hello\n")

    def run_stray(self, how, *more):
        graph = self.write("graph.yaml", GRAPH % how)
        return self.woa("run", graph, "--in", "data=" + self.text, "--out", "data=" + self.path("out"), *more,
                        environment={"WOA_KERNEL_PATH": self.path("kernels")})

    def test_who_stays_within_ports_and_scratch_is_left_alone(self):
        for processes in ("one", "per-controller"):
            done = self.run_stray("all", "--guard", "--processes", processes)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(read(self.path("out")), "hello\n")

    def test_a_write_outside_fails_its_stage_by_name(self):
        for how, what in (("behind", "the kernel wrote behind the 1000 bytes of output 'data'"),
                          ("before", "the kernel wrote before the 1000 bytes of output 'data'"),
                          ("scratch", "the kernel wrote behind its 100 bytes of scratch")):
            for processes in ("one", "per-controller"):
                with self.subTest(how, processes=processes):
                    done = self.run_stray(how, "--guard", "--processes", processes)
                    self.refused(done, 1, "error[broken_contract]: instance 0 (data=" + self.text + ") failed at stage two: " + what)

    def test_an_access_far_outside_ends_the_process_in_its_stage(self):
        for how in ("far", "input", "reads"):
            with self.subTest(how):
                done = self.run_stray(how, "--guard")
                self.refused(done, 1, "was ended by signal 11 (Segmentation fault), while stage 'two' (kernel 'stray') ran instance 0")


class SameOutputs(WoaTest):
    def test_scatters_gathers_and_outputs_in_the_place_of_inputs(self):
        """What a kernel sees differs in its addresses alone."""
        self.assert_same_outputs(["--guard"])


if __name__ == "__main__":
    harness.main()
