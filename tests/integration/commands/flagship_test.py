"""The flagship on a small picture: the same bytes under every model and process layout, and the message counts of the design."""
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.environ["WOA_SOURCE_DIR"], "tests/lint"))
import harness
import readme
from harness import SANITIZED, SOURCE, WOA, WoaTest, read
from xrt_harness import xrt_double

GRAPH = os.path.join(SOURCE, "graphs/decrypt-expand-resize.yaml")
STAGES = 5
INSTANCES = 7


class Flagship(WoaTest):
    def encrypted(self):
        rows = bytearray(b"P6\n160 120\n255\n")
        for y in range(120):
            for x in range(160):
                rows += bytes(((x * 3 + y) % 256, (x * y // 7) % 256, (255 - x + y * 2) % 256))
        ppm = self.write("photo.ppm", bytes(rows))
        jpeg = self.path("photo.jpg")
        subprocess.run(["cjpeg", "-quality", "90", "-outfile", jpeg, ppm], check=True)
        key = self.write("key.hex", "00112233445566778899aabbccddeeff" * 2 + "\n")
        self.run_json(os.path.join(SOURCE, "graphs/encrypt.yaml"), "--in", "plain=" + jpeg, "--param", "encrypt.key_file=" + key,
                      "--out", "packet=" + self.path("photo.enc"))
        # A small result: the RTL model takes a cycle per eight bytes.
        return ["--in", "packet=" + self.path("photo.enc"), "--param", "decrypt.key_file=" + key, "--param", "resize.width=96", "--param",
                "resize.height=71", "--instances", str(INSTANCES)]

    def test_same_picture_and_message_counts(self):
        arguments = self.encrypted()
        digests = set()
        for model, messages in (("woa", STAGES + 1), ("rpc-fused", 2 * STAGES), ("rpc-hub", 2 * STAGES),
                                ("rpc-nested", 2 * STAGES), ("rpc-polled", 5 * STAGES)):
            for processes in ("per-controller", "one"):
                result = self.run_json(GRAPH, *arguments, "--model", model, "--processes", processes)
                self.assertEqual(result["messages"], INSTANCES * messages)
                self.assertEqual(result["failures"], [])
                digests.add(result["outputs"][0]["sha256"])
        self.assertEqual(len(digests), 1)
        self.assertNotIn(None, digests)

    @unittest.skipIf(SANITIZED, "the page has a time limit that the RTL model does not keep there")
    def test_the_page_says_how(self):
        readme.main(SOURCE, harness.BUILD, "docs/flagship.md")

    def test_devices_and_placement(self):
        result = self.run_json(GRAPH, *self.encrypted())
        where = {stage["name"]: stage["controller"] for stage in result["stages"]}
        self.assertEqual(where, {"decrypt": "cpu:0", "expand": "cpu:1", "resize": "gpu:0", "sharpen": "fpga:0", "encode": "cpu:0"})
        self.assertTrue(all(stage["firings"] == INSTANCES for stage in result["stages"]))
        devices = {entry["name"]: entry for entry in result["controllers"]}
        self.assertTrue(devices["fpga:0"]["simulated"])
        self.assertEqual(devices["fpga:0"]["forwards"], "device")
        self.assertGreater(devices["fpga:0"]["cycles"], 0)
        self.assertFalse(devices["cpu:0"]["simulated"])
        copied = {edge["to"]: edge["copied_bytes"] for edge in result["edges"]}
        self.assertEqual(copied["expand.jpeg"], 0)  # cpu to cpu
        self.assertGreater(copied["resize.image"], 0)  # into the device

    def test_resize_on_cuda(self):
        """On the test double. Its pictures' bound of 192 MiB is more than a context registers of all blocks: they are staged."""
        arguments = self.encrypted()
        expected = self.run_json(GRAPH, *arguments)["outputs"]
        machine = self.write("cuda.yaml", 'woa_machine: 1\ncontrollers: {"cpu:0": {}, "cpu:1": {}, "gpu:0": {backend: cuda}, "fpga:0": {}}\n')
        double = {"LD_LIBRARY_PATH": os.path.join(harness.BUILD, "tests/doubles/cuda"), "WOA_CUDA_DOUBLE": "memory=4G"}
        for model in ("woa", "rpc-fused", "rpc-hub"):
            for processes in ("per-controller", "one"):
                with self.subTest(model=model, processes=processes):
                    result = self.run_json(GRAPH, *arguments, "--model", model, "--processes", processes, "--machine", machine, environment=double)
                    self.assertEqual(result["outputs"], expected)
                    devices = {entry["name"]: entry for entry in result["controllers"]}
                    self.assertEqual((devices["gpu:0"]["backend"], devices["gpu:0"]["simulated"]), ("cuda", True))
                    staged = {edge["to"]: edge["staged"] for edge in result["edges"]}
                    self.assertEqual(staged["resize.image"], ["gpu:0"])

    def test_sharpen_on_xrt(self):
        """On the test double of a card. Its pictures' bound of 192 MiB is more than a controller registers of all blocks: they are staged."""
        arguments = self.encrypted()
        expected = self.run_json(GRAPH, *arguments)["outputs"]
        machine = self.write("xrt.yaml", 'woa_machine: 1\ncontrollers: {"cpu:0": {}, "cpu:1": {}, "gpu:0": {}, "fpga:0": {backend: xrt}}\n')
        for processes in ("per-controller", "one"):
            with self.subTest(processes=processes):
                result = self.run_json(GRAPH, *arguments, "--processes", processes, "--machine", machine, environment=xrt_double("memory=1G"))
                self.assertEqual(result["outputs"], expected)
                devices = {entry["name"]: entry for entry in result["controllers"]}
                self.assertEqual((devices["fpga:0"]["backend"], devices["fpga:0"]["simulated"]), ("xrt", True))
                self.assertEqual(devices["fpga:0"]["forwards"], "device")
                self.assertEqual({edge["to"]: edge["staged"] for edge in result["edges"]}["sharpen.image"], ["fpga:0"])

    def test_bad_packets_between_good_ones(self):
        arguments = self.encrypted()
        with open(self.path("photo.enc"), "rb") as file:
            good = file.read()
        os.mkdir(self.path("packets"))
        bad = {40: good[:-1] + bytes((good[-1] ^ 1,)), 41: good[:20], 42: b""}
        for number in range(100):
            self.write(f"packets/{number:04}.enc", bad.get(number, good))
        arguments[1] = "packet=" + self.path("packets")
        arguments[-1] = "100"
        result = self.run_json(GRAPH, *arguments, "--window", "8", code=1)
        self.assertEqual([failure["instance"] for failure in sorted(result["failures"], key=lambda f: f["instance"])], [40, 41, 42])
        self.assertTrue(all(failure["stage"] == "decrypt" for failure in result["failures"]))
        clean = self.run_json(GRAPH, "--in", "packet=" + self.path("photo.enc"), *arguments[2:8], "--instances", "97")
        self.assertEqual(result["outputs"], clean["outputs"])

    def test_each_controller_killed_at_a_random_moment(self):
        """CPU, OpenCL and RTL alike: the run ends at once with the controller's name, and the next one starts cleanly."""
        arguments = self.encrypted()
        arguments[-1] = "100000"
        for model in ("woa", "rpc-hub"):
            named = set()
            for child in range(4):
                run = subprocess.Popen([WOA, "run", GRAPH, *arguments, "--model", model, "--json"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
                nodes = []
                while len(nodes) < 4 and run.poll() is None:
                    nodes = read(f"/proc/{run.pid}/task/{run.pid}/children").split()
                time.sleep(1 + random.random())  # drivers are loaded, most of the time
                os.kill(int(nodes[child]), signal.SIGKILL)
                killed = time.monotonic()
                out, error = run.communicate(timeout=harness.LIMIT_S)
                self.assertLess(time.monotonic() - killed, 10 * harness.LIMIT_S / 60)  # ten times the promise
                self.assertIn(run.returncode, (1, 3), error)  # 3: before the first instance
                named |= {name for name in ("cpu:0", "cpu:1", "gpu:0", "fpga:0") if f"'{name}'" in error.decode()}
                json.loads(out)
                for node in nodes:
                    self.assertFalse(os.path.exists(f"/proc/{node}"))
            self.assertEqual(named, {"cpu:0", "cpu:1", "gpu:0", "fpga:0"})
        arguments[-1] = "1"
        self.assertEqual(self.run_json(GRAPH, *arguments)["failures"], [])

    def test_wrong_key_is_unauthentic(self):
        arguments = self.encrypted()
        arguments[3] = "decrypt.key_file=" + self.write("wrong.hex", "ff" * 32)
        done = self.woa("run", GRAPH, *arguments)
        self.refused(done, 1, "unauthentic", "instance 0", "decrypt")
        self.assertNotIn("ff" * 8, done.stderr.decode())

    def test_missing_key_file(self):
        arguments = self.encrypted()
        arguments[3] = "decrypt.key_file=" + self.path("absent.hex")
        self.refused(self.woa("run", GRAPH, *arguments), 1, "decrypt", "absent.hex")

    def test_payload_that_is_no_jpeg(self):
        self.encrypted()
        key = "decrypt.key_file=" + self.path("key.hex")
        for name, data in (("text", b"this is no picture"), ("empty", b""), ("cut", read(self.path("photo.jpg"), "rb")[:900])):
            self.run_json(os.path.join(SOURCE, "graphs/encrypt.yaml"), "--in", "plain=" + self.write(name, data), "--param",
                          "encrypt.key_file=" + self.path("key.hex"), "--out", "packet=" + self.path(name + ".enc"))
            self.refused(self.woa("run", GRAPH, "--in", "packet=" + self.path(name + ".enc"), "--param", key), 1, "expand", "instance 0")


if __name__ == "__main__":
    harness.need_program("djpeg", "cjpeg")
    harness.need_kernels("aes_gcm_decrypt", "aes_gcm_encrypt", "jpeg_decode", "png_encode")
    for name in ("opencl", "verilator"):
        probe = __import__("json").loads(subprocess.run([harness.WOA, "devices", "--json"], stdout=subprocess.PIPE).stdout)
        for device in probe["devices"]:
            if device["backend"] == name and not device["available"]:
                harness.skip_program(name, device["reason"])
    harness.main()
