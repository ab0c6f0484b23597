"""woa new-kernel: what it prints can be typed as it stands, and works."""
import json
import os
import shutil
import stat
import subprocess
import unittest

from harness import SOURCE, WOA, WoaTest, main, read


class NewKernel(WoaTest):
    def typed(self, line, **environment):
        """What a line that was printed prints, typed in the folder where `woa` ran."""
        done = subprocess.run(["sh", "-ec", line], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100,
                              env=dict(os.environ, **environment))
        self.assertEqual(done.returncode, 0, line + "\n" + done.stderr)
        return done.stdout

    def made(self, *arguments, **how):
        """The lines that are printed to be typed."""
        done = self.woa("new-kernel", *arguments, cwd=self.folder, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.strip() for line in done.stdout.decode().splitlines() if line.startswith("  ")]

    def test_a_kernel_in_each_compiled_language(self):
        for language, source in (("c", "scale.c"), ("c++", "scale.cc")):
            with self.subTest(language=language):
                build, explain, run, test = self.made("scale", "--language", language)
                self.assertEqual(sorted(os.listdir(self.path("scale"))), sorted(["graph.yaml", "kernel.yaml", "test.sh", source]))
                self.assertEqual(self.typed(build + " -Wall -Wextra -Wpedantic -Werror"), "")
                self.assertIn("scale: Adds a number to each byte", self.typed(explain))
                self.assertEqual(self.typed(run), "IBM")
                self.assertEqual(self.typed(test), "scale: ok\n")
                shutil.rmtree(self.path("scale"))

    def test_the_test_builds_it_and_finds_a_mistake(self):
        test = self.made("my-kernel")[-1]
        self.assertEqual(self.typed(test), "my-kernel: ok\n")
        self.write("my-kernel/my-kernel.c", read(self.path("my-kernel/my-kernel.c")).replace("in[i] + add", "in[i]"))
        done = subprocess.run(["sh", "-ec", test], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertNotEqual(done.returncode, 0)  # the path is of the folder where `woa` ran
        done = subprocess.run(["sh", self.path("my-kernel/test.sh")], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("my-kernel: found 'HAL', expected 'IBM'", done.stdout)

    def test_the_program_is_named_as_it_was_called(self):
        os.makedirs(self.path("a folder/bin"))
        os.symlink(WOA, self.path("a folder/bin/woa"))
        for called, shown in ((["a folder/bin/woa"], "'a folder/bin/woa'"), (["woa"], "woa")):
            environment = dict(os.environ, PATH=self.path("a folder/bin") + ":" + os.environ["PATH"])
            done = subprocess.run([*called, "new-kernel", "named"], cwd=self.folder, stdout=subprocess.PIPE, text=True, env=environment, check=True)
            self.assertIn(f"\n  {shown} run named/graph.yaml", done.stdout)
            self.assertEqual(self.typed("sh named/test.sh", PATH=environment["PATH"]), "named: ok\n")
            shutil.rmtree(self.path("named"))

    def test_in_python_there_is_nothing_to_build(self):
        lines = self.made("my-kernel", "--language", "python")
        self.assertEqual(lines, ["python3 my-kernel/my_kernel_kernel.py", "python3 my-kernel/test_my_kernel.py"])
        self.assertEqual(sorted(os.listdir(self.path("my-kernel"))), ["graph.yaml", "my_kernel_kernel.py", "test_my_kernel.py"])
        for file in ("my_kernel_kernel.py", "test_my_kernel.py"):
            compile(read(self.path("my-kernel/" + file)), file, "exec")  # python/tests/test_commands.py runs them

    def test_one_object(self):
        done = self.woa("new-kernel", "scale", "--json", cwd=self.folder)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["ok"], answer["files"]), (True, ["scale/kernel.yaml", "scale/scale.c", "scale/graph.yaml", "scale/test.sh"]))
        self.assertEqual(len(answer["commands"]), 4)

    def test_nothing_is_overwritten(self):
        self.made("scale")
        self.write("scale/scale.c", "mine")
        self.refused(self.woa("new-kernel", "scale", cwd=self.folder), 2, "there is a folder scale already: take another name, or remove it")
        self.assertEqual(read(self.path("scale/scale.c")), "mine")
        self.write("file", "mine")
        self.refused(self.woa("new-kernel", "file", cwd=self.folder), 1, "cannot make the folder file")

    def test_a_name_that_no_kernel_can_have_is_refused_as_in_a_kernel_yaml(self):
        for name in ("9x", "a/b", "../x", "a b", 'a"b', "a\nname: c", "x" * 65, "\377"):
            done = self.woa("new-kernel", name, cwd=self.folder)
            self.refused(done, 2, "cannot be the name of a kernel; a name is a letter or `_`")
        self.assertFalse(set(os.listdir(self.folder)) - {"config"})
        build, _, run, _ = self.made("null")
        self.typed(build)
        self.assertEqual(self.typed(run), "IBM")

    def test_the_header_is_named_or_found(self):
        self.refused(self.woa("new-kernel", "scale", "--include", self.folder, cwd=self.folder), 2, "--include: there is no ", "woa/woa_kernel.h")
        self.assertIn("-I" + os.path.join(SOURCE, "include"), self.made("scale", "--include", os.path.join(SOURCE, "include"))[0])
        shutil.copy(WOA, self.path("alone"))
        done = subprocess.run([self.path("alone"), "new-kernel", "other"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={"PATH": "/nowhere", "HOME": self.folder})
        if not os.path.exists("/usr/include/woa/woa_kernel.h"):
            self.refused(done, 3, "woa/woa_kernel.h is not beside this program", "--include FOLDER")

    def test_a_folder_that_takes_none(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        os.chmod(self.folder, stat.S_IRUSR | stat.S_IXUSR)
        self.refused(self.woa("new-kernel", "scale", cwd=self.folder), 1, "cannot make the folder scale: Permission denied")
        os.chmod(self.folder, stat.S_IRWXU)


if __name__ == "__main__":
    main()
