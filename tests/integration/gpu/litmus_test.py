"""gpu_litmus on the test double: right as it is, and wrong as soon as the double ignores what orders payload and packet."""
import json
import os
import subprocess
import unittest

BUILD = os.environ["WOA_BUILD_DIR"]
LIMIT_S = 300
SHARE_S = "200"  # the double seldom lets a payload be late for so long that the reader sees it
MANY = "10000000"


def litmus(double, *arguments):
    """Exit code and JSON, or the text that is none."""
    environment = os.environ | {"LD_LIBRARY_PATH": os.path.join(BUILD, "tests/doubles/cuda"), "WOA_CUDA_DOUBLE": double}
    done = subprocess.run([os.path.join(BUILD, "tests/gpu_litmus"), *arguments], env=environment, capture_output=True, text=True,
                          timeout=LIMIT_S)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, done.stdout + done.stderr


class Litmus(unittest.TestCase):
    def test_all_payloads_arrive(self):
        for double in ("seed=1", "seed=2", "seed=3,no_memops"):
            code, found = litmus(double, "--count", "800")
            self.assertEqual((code, found["messages"], found["wrong"]), (0, 800, 0), found)
            self.assertTrue(found["simulated"])
            cases = [(case["publishes"], case["way"], case["bytes"]) for case in found["cases"]]
            self.assertEqual(sorted(set(cases)), sorted((publishes, way, size) for publishes in ("worker", "queue")
                                                        for way in ("gpu-cpu", "cpu-gpu-cpu") for size in (8, 64, 512, 4096)))
            for case in found["cases"]:
                rate = case["messages_per_s"]
                self.assertTrue(0 < rate["min"] <= rate["median"] <= rate["max"], case)

    def test_a_worker_without_its_fence(self):
        code, found = litmus("ignore=fence", "--publishes", "worker", "--first", "--count", MANY, "--seconds", SHARE_S)
        self.assertEqual((code, found["wrong"]), (1, 1), found)
        self.assertRegex(found["cases"][-1]["first_wrong"], r"message \d+: word \d+ is \d+, expected \d+")

    def test_a_queue_whose_words_do_not_wait_for_payloads(self):
        for ignored in ("write_barrier", "event_wait"):
            code, found = litmus("ignore=" + ignored, "--publishes", "queue", "--first", "--count", MANY, "--seconds", SHARE_S)
            self.assertEqual((code, found["wrong"]), (1, 1), found)

    def test_fewer_messages_than_asked_for(self):
        code, found = litmus("", "--publishes", "queue", "--count", MANY, "--seconds", "2")
        self.assertEqual((code, found["wrong"]), (1, 0), found)
        self.assertRegex(found["error"], rf"^{found['messages']} messages came .* expected {MANY}; ")

    def test_no_device(self):
        code, found = litmus("devices=0")
        self.assertEqual(code, 77)
        self.assertIn("device", found)

    def test_usage(self):
        self.assertEqual(litmus("", "--count", "0")[0], 2)
        self.assertEqual(litmus("", "--publishes", "host")[0], 2)


if __name__ == "__main__":
    unittest.main()
