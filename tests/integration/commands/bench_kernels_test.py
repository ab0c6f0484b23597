"""woa bench kernels: every kernel of bytes or pixels is measured, none forgotten. Never a speed."""
import json
import os
import re
import shutil
import subprocess

import harness
from harness import BUILD, SOURCE, WoaTest, read

FEW = ("--repetitions", "2", "--count", "1", "--size", "4KiB")
SMALL = ("--width", "64", "--height", "48")
PICTURE_BYTES = 64 * 48 * 3
TOKEN_BYTES = 64  # the most of a port that holds a token, and neither data nor a picture


def ports(text):
    """(type, the rest of its declaration) of each port of a kernel.yaml."""
    sections = re.findall(r"^(?:in|out):\n((?:  .*\n)+)", text, re.MULTILINE)
    return [(kind.strip('"'), rest) for section in sections
            for kind, rest in re.findall(r'^  \w+: \{type: ("[^"]*"|\w+)(.*)\}', section, re.MULTILINE)]


def expected():
    """Kernels of the tree, all of whose ports are bytes or pixels -> whether one is a picture."""
    found = {}
    for name in os.listdir(os.path.join(SOURCE, "kernels")):
        file = os.path.join(SOURCE, "kernels", name, "kernel.yaml")
        if not os.path.exists(file):
            continue
        every = ports(read(file))
        assert every, file
        if all((kind == "bytes" or kind.startswith("u8[")) and not re.search(rf"max: {TOKEN_BYTES}\b", rest) for kind, rest in every):
            found[name] = any(kind.startswith("u8[") for kind, _ in every)
    return found


class Kernels(WoaTest):
    def report(self, *arguments, picture=SMALL, environment=None):
        done = self.woa("bench", "kernels", *FEW, *picture, *arguments, "--json", environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)

    def test_none_is_forgotten(self):
        report = self.report()
        self.assertEqual([report[key] for key in ("bench", "transport", "host_state", "better")], ["kernels", "memory", "n/a", "more"])
        self.assertLessEqual(set(report), {"bench", "transport", "host_state", "better", "rows", "absent"})
        wanted = expected()
        self.assertTrue(wanted["sharpen3x3"] and not wanted["invert"] and "newton_step" not in wanted and "null" not in wanted, wanted)
        measured = {}
        for row in report["rows"]:
            self.assertEqual(set(row), set("contender role size unit min median max ratio_to_limit".split()))
            self.assertEqual(row["unit"], "GB/s")
            self.assertTrue(0 < row["min"] <= row["median"] <= row["max"], row)
            self.assertEqual(row["ratio_to_limit"] is None, row["role"] == "limit", row)
            if row["role"] == "ours":
                measured[row["contender"].split()[0]] = row["size"]
        absent = {row["contender"] for row in report.get("absent", [])}
        self.assertEqual(set(measured) | absent, set(wanted))
        self.assertEqual(set(measured) & absent, set())
        self.assertEqual(measured, {name: PICTURE_BYTES if wanted[name] else 4096 for name in measured})
        self.assertEqual([(row["contender"], row["size"]) for row in report["rows"] if row["role"] == "limit"],
                         [("memcpy", 4096), ("memcpy", PICTURE_BYTES)])

    def test_resizing_has_two_targets(self):
        rows = self.report("--kernel", "resize_bilinear")["rows"]
        self.assertEqual([row["contender"] for row in rows], ["memcpy", "resize_bilinear to 320 x 240", "resize_bilinear to 32 x 24"])
        rows = self.report("--kernel", "resize_bilinear", picture=("--width", "640", "--height", "480"))["rows"]
        self.assertEqual([row["contender"] for row in rows], ["memcpy", "resize_bilinear to 320 x 240"])

    def test_sizes_and_chosen_kernels(self):
        rows = self.report("--kernel", "invert,split_lines", "--kernel", "join_lines", "--size", "1,255,100000")["rows"]
        self.assertEqual([(row["contender"], row["size"]) for row in rows],
                         [(name, size) for size in (4096, 1, 255, 100000) for name in ("memcpy", "invert", "join_lines", "split_lines")])
        for width, height in ((1, 1), (1, 7), (5, 1)):
            rows = self.report("--kernel", "sharpen3x3,resize_bilinear", picture=("--width", str(width), "--height", str(height)))["rows"]
            self.assertEqual([row["size"] for row in rows], 4 * [3 * width * height])

    def test_table(self):
        done = self.woa("bench", "kernels", *FEW, "--kernel", "copy,find_line")
        head, *lines = done.stdout.decode().splitlines()[1:]
        self.assertEqual([line.split()[0] for line in lines], ["memcpy", "copy", "find_line"])
        self.assertEqual({line.index(" GB/s") + 1 for line in lines}, {head.index("UNIT")})

    def test_parameters(self):
        rows = self.report("--kernel", "resize_bilinear", "--param", "resize_bilinear.width=7")["rows"]
        self.assertEqual([row["contender"] for row in rows], ["memcpy", "resize_bilinear"])
        few = ("bench", "kernels", *FEW, *SMALL, "--kernel", "resize_bilinear,copy", "--param")
        self.refused(self.woa(*few, "resize_bilinear.width=0"), 1, "error[invalid]", "resize_bilinear", "from 1 to 32768")
        self.refused(self.woa(*few, "resize_bilinear.depth=3"), 1, "error[invalid]", "resize_bilinear.depth", "woa explain resize_bilinear")
        self.refused(self.woa(*few, "invert.level=3"), 1, "error[invalid]", "--param invert", "no kernel of this name is measured")
        for wrong in ("width=7", "resize_bilinear.width", "resize_bilinear=a.b"):
            self.refused(self.woa(*few, wrong), 2, "--param", "KERNEL.NAME=VALUE", wrong)

    def test_kernels_that_cannot_be_measured(self):
        for name, code, text in (("nothing", "not_found", "woa devices"), ("newton_step", "unsupported", "f64[n]"),
                                 ("null", "unsupported", "64")):
            done = self.woa("bench", "kernels", *FEW, "--kernel", name, "--json")
            self.refused(done, 1, f"error[{code}]", name, text)
            self.assertEqual(json.loads(done.stdout)["error"]["code"], code)

    def test_a_kernel_of_your_own(self):
        if shutil.which("cc") is None:
            self.skip("cc", "there is no C compiler")
        folder = self.path("mine/threshold")
        shutil.copytree(os.path.join(SOURCE, "graphs", "user-kernel", "threshold"), folder)
        subprocess.run(["cc", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"), "-o", os.path.join(folder, "libthreshold.so"),
                        os.path.join(folder, "threshold.c")], check=True)
        mine = {"WOA_KERNEL_PATH": self.path("mine")}
        rows = self.report("--kernel", "threshold,copy", "--param", "threshold.level=100", environment=mine)["rows"]
        self.assertEqual([row["contender"] for row in rows], ["memcpy", "copy", "threshold"])
        with open(os.path.join(folder, "kernel.yaml"), "r+") as file:
            text = file.read().replace(", default: 128", "")
            file.seek(0)
            file.truncate()
            file.write(text)
        self.refused(self.woa("bench", "kernels", *FEW, "--kernel", "threshold", environment=mine), 1, "error[invalid]",
                     "--param threshold.level=VALUE")

    def test_a_kernel_that_this_build_left_out(self):
        folder = self.path("mine/absent")
        os.makedirs(folder)
        shutil.copy(os.path.join(BUILD, "kernels", "copy", "kernel.yaml"), folder)
        self.write("mine/absent/kernel.yaml", read(os.path.join(folder, "kernel.yaml")).replace("name: copy", "name: absent"))
        self.write("mine/absent/unavailable.txt", "libabsent is not installed\n")
        report = self.report("--kernel", "absent,copy", environment={"WOA_KERNEL_PATH": self.path("mine")})
        self.assertEqual(report["absent"], [{"contender": "absent", "reason": "libabsent is not installed"}])
        self.assertEqual([row["contender"] for row in report["rows"]], ["memcpy", "copy"])


if __name__ == "__main__":
    harness.main()
