#!/usr/bin/env python3
"""Completion in each shell, and manual pages: they offer every command and option that --help lists."""
import os
import re
import shutil
import subprocess
import unittest

from harness import SOURCE, WOA, WoaTest, main

SCRIPTS = os.path.join(SOURCE, "tools", "completion")
BASH = """source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _woa woa; printf '%s\\n' "${COMPREPLY[@]}" """
# zsh completes at a terminal only; its own functions are replaced by ones that print what they are given.
ZSH = """_describe() { print -l -- "${(@)offers%%:*}" }; _files() { print FILES }; compset() { : }
words=("${(@s: :)2}"); CURRENT=$#words; source "$1" """
FISH = """source $argv[1]; complete -C $argv[2]"""


class CompletionTest(WoaTest):
    def printed(self, *arguments):
        done = self.woa(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def offers(self, *words):
        return [line.split("\t")[0] for line in self.printed("--complete", *words).splitlines()]

    def commands_of(self, *path):
        listed = self.printed(*path, "--help").partition("\nSubcommands:\n")[2].partition("\n\n")[0]
        return re.findall(r"^  (\S+)", listed, re.MULTILINE)

    def options_of(self, *path):
        """Names in the first column of --help, as `-o,--output`. An example may stand in it too, but no option begins it."""
        return [name for names in re.findall(r"^  (-\S+)", self.printed(*path, "--help"), re.MULTILINE) for name in names.split(",")]

    def test_every_command_and_option_is_offered_and_in_the_manual(self):
        self.assertIn("run", self.commands_of())
        self.assertIn("--window", self.options_of("run"))
        paths = [(), *((name,) for name in self.commands_of()), *(("bench", name) for name in self.commands_of("bench"))]
        for path in paths:
            with self.subTest(command=path):
                options = self.options_of(*path)
                self.assertTrue(options)
                self.assertEqual(sorted(self.offers(*path, "-")), sorted(options))
                self.assertEqual(self.offers(*path, ""), self.commands_of(*path) if path != ("help",) else self.commands_of())
                page = re.sub(r"\\f.|\\", "", self.printed("--manual", *path[:1]))
                for word in options + self.commands_of(*path):
                    self.assertTrue(re.search(r"^(\.SS |.*,|woa-)?%s\b" % re.escape(word), page, re.MULTILINE), word)

    def test_commands_that_load_code_say_so(self):
        said = "runs their code with your rights"
        self.assertEqual([command for command in self.commands_of() if said in " ".join(self.printed(command, "--help").split())],
                         [command for command in self.commands_of() if command in ("run", "compare", "profile", "node")])
        self.assertIn(said, " ".join(self.printed("--manual", "run").split()))

    def test_no_manual_of_an_unknown_command(self):
        done = self.woa("--manual", "rnu")
        self.refused(done, 2, "there is no command 'rnu'; did you mean 'run'?")
        self.assertEqual(done.stdout, b"")

    def test_values_of_a_choice(self):
        self.assertEqual(self.offers("run", "--model", "rpc-h"), ["rpc-hub"])
        self.assertEqual(self.offers("run", "graph.yaml", "--model=rpc-h"), ["--model=rpc-hub"])
        self.assertEqual(self.offers("help", "chec"), ["check"])
        self.assertEqual(self.offers("run", "--in", "-"), [])  # a file, whatever it is named
        self.assertEqual(self.offers("run", "--json", "--mo"), ["--model"])  # a flag takes no value
        self.assertNotIn("serve", self.offers(""))

    def shell(self, program, code, script, line):
        if shutil.which(program) is None:
            self.skip(program, program + " is not installed")
        environment = dict(os.environ, PATH=os.path.dirname(WOA) + ":" + os.environ["PATH"], HOME=self.folder)
        done = subprocess.run([program, *code, os.path.join(SCRIPTS, script), line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment, cwd=self.folder, check=False)
        self.assertEqual(done.stderr, "")
        return [offer.split("\t")[0] for offer in done.stdout.split("\n") if offer]

    def complete(self, line):
        """What each shell makes of `line`, one after the other."""
        yield "bash", self.shell("bash", ["-c", BASH, "bash"], "woa.bash", line)
        yield "zsh", self.shell("zsh", ["-fc", ZSH, "zsh"], "_woa", line)
        yield "fish", self.shell("fish", ["-c", FISH], "woa.fish", line)

    def test_shells_offer_it(self):
        for line, expected in (("woa ver", ["verify"]), ("woa run --wind", ["--window"]), ("woa run --model rpc-h", ["rpc-hub"]),
                               ("woa bench ho", ["hop"])):
            for shell, offers in self.complete(line):
                self.assertEqual(offers, expected, (shell, line))

    def test_a_value_behind_an_equals_sign(self):
        for shell, offers in self.complete("woa run --model=rpc-h"):
            self.assertEqual(offers, ["rpc-hub"] if shell == "bash" else ["--model=rpc-hub"], shell)

    def test_files_where_nothing_is_offered(self):
        self.write("graph.yaml", "")
        for shell, offers in self.complete("woa run gra"):
            self.assertEqual(offers, {"bash": [], "zsh": ["FILES"], "fish": ["graph.yaml"]}[shell])


if __name__ == "__main__":
    main()
