"""The outputs of a command replace nothing that it reads, and nothing else that it writes."""
import json
import os
import shutil

import harness
from harness import SOURCE, WoaTest, read

TWO = ("woa: 1\ngraph: two\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
       "  one: {kernel: copy, in: {data: data}}\n  two: {kernel: copy, in: {data: data}}\noutputs: {a: one.data, b: two.data}\n")
MACHINE = "woa_machine: 1\ncontrollers: {'cpu:0': {}, 'cpu:1': {}}\n"


class Outputs(WoaTest):
    def setUp(self):
        super().setUp()
        self.graph = shutil.copy(os.path.join(SOURCE, "graphs/hello.yaml"), self.path("hello.yaml"))
        self.text = self.write("text", "a text")

    def keeps(self, kept, *arguments, names=()):
        """Refused as bad usage, with these in the message, and without a trace in the folder."""
        before = {name: read(os.path.join(folder, name), "rb") for folder, _, names_here in os.walk(self.folder) for name in names_here}
        for more in ((), ("--json",)):
            done = self.woa(*arguments, *more)
            self.refused(done, 2, "would overwrite", kept, *names)
            if more:
                self.assertFalse(json.loads(done.stdout)["ok"])
        self.assertEqual({name: read(os.path.join(folder, name), "rb") for folder, _, names_here in os.walk(self.folder) for name in names_here}, before)

    def test_the_graph(self):
        run = ["run", self.graph, "--in", "text=" + self.text]
        for option, arguments in (("-o", ["compile", self.graph, "-o"]), ("--dot", ["compile", self.graph, "--dot"]), ("--svg", ["compile", self.graph, "--svg"]),
                                  ("--dot", ["explain", self.graph, "--dot"]), ("--svg", ["explain", self.graph, "--svg"]),
                                  ("--sarif", ["check", self.graph, "--sarif"]), ("--sarif", ["compile", self.graph, "--sarif"]),
                                  ("-o", ["profile", self.graph, "--in", "text=" + self.text, "-o"]), ("--trace", run + ["--trace"])):
            self.keeps(self.graph, *arguments, self.graph, names=(option + ": ", "GRAPH"))
        self.keeps(self.graph, *run, "--out", "copy=" + self.graph, names=("--out copy: ", "GRAPH"))

    def test_by_whatever_name(self):
        os.mkdir(self.path("folder"))
        os.link(self.graph, self.path("hard"))
        os.symlink("hello.yaml", self.path("soft"))
        os.symlink(self.folder, self.path("folder/here"))
        for name in ("./hello.yaml", "folder/../hello.yaml", "hard", "soft", "folder/here/hello.yaml"):
            self.keeps("hello.yaml", "compile", self.graph, "-o", os.path.join(self.folder, name))

    def test_machine_files_and_profiles(self):
        machine, profile = self.write("m.yaml", MACHINE), self.path("p.json")
        self.assertEqual(self.woa("profile", self.graph, "--in", "text=" + self.text, "--repetitions", "1", "-o", profile).returncode, 0)
        for option, path in (("--machine", machine), ("--profile", profile)):
            for arguments in (["compile", self.graph, "-o", path], ["check", self.graph, "--sarif", path], ["explain", self.graph, "--dot", path],
                              ["run", self.graph, "--in", "text=" + self.text, "--trace", path],
                              ["run", self.graph, "--in", "text=" + self.text, "--out", "copy=" + path]):
                self.keeps(path, *arguments, option, path, names=(option,))
        self.keeps(machine, "bench", "methods", "--machine", machine, "--plot", machine, names=("--plot", "--machine"))
        os.makedirs(self.path("config/woa"))
        self.write("config/woa/machine.yaml", MACHINE)
        self.keeps("machine.yaml", "compile", self.graph, "-o", self.path("config/woa/machine.yaml"))
        self.keeps("machine.yaml", "bench", "methods", "--plot", self.path("config/woa/machine.yaml"), names=("--plot", "the default of --machine"))

    def test_what_the_graph_names(self):
        folder = self.path("user-kernel")
        shutil.copytree(os.path.join(SOURCE, "graphs/user-kernel"), folder)
        graph, kernel = os.path.join(folder, "graph.yaml"), os.path.join(folder, "threshold", "kernel.yaml")
        self.keeps(kernel, "compile", graph, "-o", kernel, names=("-o: ", "the graph"))
        part = self.write("part.yaml", "woa: 1\n")
        with open(self.graph, "a") as file:
            file.write("includes: [part.yaml]\n")
        self.keeps(part, "check", self.graph, "--sarif", part)
        self.keeps(part, "run", self.graph, "--in", "text=" + self.text, "--out", "copy=" + part)

    def test_what_the_kernels_of_a_graph_with_errors_name(self):
        folder = self.path("user-kernel")
        shutil.copytree(os.path.join(SOURCE, "graphs/user-kernel"), folder)
        graph, kernel = os.path.join(folder, "graph.yaml"), os.path.join(folder, "threshold", "kernel.yaml")
        library = self.write("user-kernel/threshold/libthreshold.so", "a library")
        source = self.write("user-kernel/threshold/threshold.cl", "a source")
        with open(kernel, "a") as file:
            file.write("  opencl: {source: threshold.cl, entry: threshold, global: [bytes], size: true}\n")
        for more in ("", "colour: red\n"):
            with open(graph, "a") as file:
                file.write(more)
            for kept in (library, source):
                self.keeps(kept, "check", graph, "--sarif", kept, names=("--sarif: ",))
        with open(kernel, "a") as file:
            file.write("colour: red\n")
        self.keeps(library, "check", graph, "--sarif", library, names=("--sarif: ", "the graph"))

    def test_parameters_of_a_graph_with_errors(self):
        graph = self.write("g.yaml", "woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
                           "  s: {kernel: aes_gcm_encrypt, in: {data: data}, params: {key_file: text}}\noutputs: {data: s.dta}\n")
        self.keeps(self.text, "check", graph, "--sarif", self.text, names=("--sarif: ", "the graph"))

    def test_a_plan(self):
        plan = self.path("h.plan")
        self.assertEqual(self.woa("compile", self.graph, "-o", plan).returncode, 0)
        self.keeps(plan, "compile", plan, "-o", plan)
        self.keeps(plan, "explain", plan, "--dot", plan)
        self.keeps(plan, "run", plan, "--in", "text=" + self.text, "--trace", plan)

    def test_inputs(self):
        os.mkdir(self.path("in"))
        os.mkdir(self.path("out"))
        self.write("in/a", "keep me too")
        os.symlink("../in/a", self.path("out/3"))
        run = ["run", self.graph, "--in", "text=" + self.path("in")]
        self.keeps("in/a", *run, "--out", "copy=" + self.path("out/%i"), names=("--out copy: ", "--in text"))
        self.keeps("in/a", *run, "--trace", self.path("in/a"), names=("--trace: ", "--in text"))
        self.keeps("in/a", "profile", self.graph, "--in", "text=" + self.path("in"), "-o", self.path("in/a"), names=("-o: ", "--in text"))

    def test_one_file_for_two_outputs(self):
        os.symlink("new", self.path("soft"))
        new = self.path("new")
        for arguments in (["compile", self.graph, "-o", new, "--dot", new], ["compile", self.graph, "-o", new, "--svg", self.path("./new")],
                          ["compile", self.graph, "--dot", new, "--sarif", self.path("soft")], ["explain", self.graph, "--dot", new, "--svg", new],
                          ["run", self.graph, "--in", "text=" + self.text, "--out", "copy=" + new, "--trace", new],
                          ["run", self.graph, "--in", "text=" + self.text, "--out", "copy=" + self.path("n%i"), "--trace", self.path("n7")]):
            self.refused(self.woa(*arguments), 2, "to one file", arguments[-2])
            self.assertFalse(os.path.exists(new))
        self.assertEqual(self.woa("compile", self.graph, "-o", "/dev/null", "--dot", "/dev/null").returncode, 0)

    def test_patterns_that_make_one_name(self):
        two, numbered = self.write("two.yaml", TWO), self.path("n%i")
        os.mkdir(numbered)
        run = ["run", two, "--in", "data=" + self.text, "--instances", "12"]
        for a, b in (("x%i", "x1%i"), ("x1%i", "x%i"), ("x%i", "x%i"), ("x%i", "./x%i"), ("x%i.a", "x%i2.a"), ("x%i2", "x3%i"), ("x%i", "x7"), ("x7.a", "x%i.a")):
            with self.subTest(a=a, b=b):
                self.refused(self.woa(*run, "--out", "a=" + a, "--out", "b=" + b, cwd=numbered), 2, "to one file", b)
        self.assertEqual(os.listdir(numbered), [])
        for a, b in (("x%i", "xa%i"), ("x%i.a", "x%i.b"), ("x%i", "x"), ("x%i", "y1%i"), ("x%i-1", "x1-%i2"), ("x%i", "x1%i/../y")):
            with self.subTest(a=a, b=b):
                self.assertNotIn(b"to one file", self.woa(*run, "--out", "a=" + a, "--out", "b=" + b, cwd=numbered).stderr)

    def test_a_pipe_takes_two_outputs(self):
        two = self.write("two.yaml", TWO)
        done = self.woa("run", two, "--in", "data=" + self.text, "--out", "a=/dev/stdout", "--out", "b=/dev/stdout")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(b"a text"), 2)

    def test_a_dash_is_no_stream(self):
        for arguments in (["compile", self.graph, "-o"], ["compile", self.graph, "--dot"], ["check", self.graph, "--sarif"], ["explain", self.graph, "--svg"],
                          ["run", self.graph, "--in", "text=" + self.text, "--trace"], ["calibrate", "-o"], ["bench", "hop", "--plot"],
                          ["profile", self.graph, "--in", "text=" + self.text, "-o"]):
            self.refused(self.woa(*arguments, "-", cwd=self.folder), 2, arguments[-1] + ": `-`", "./-")
        self.assertNotIn("-", os.listdir(self.folder))
        self.assertEqual(self.woa("compile", self.graph, "-o", "./-", cwd=self.folder).returncode, 0)


if __name__ == "__main__":
    harness.main()
