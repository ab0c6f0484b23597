"""`woa check` on each golden case: its text, JSON and SARIF 2.1.0 agree with one another and with the files."""
import json
import os
import re
import shutil
import subprocess
import urllib.parse

import harness
from harness import SOURCE, WoaTest, read

GOLDEN = os.path.join(SOURCE, "tests/golden/compiler")
KERNELS = {"WOA_KERNEL_PATH": os.path.join(GOLDEN, "kernels")}

# Objects of SARIF 2.1.0 that we write: the properties that it requires, and those that it allows and we may write, with
# their types. No object takes others.
TEXT, NUMBER, LIST, OBJECT = str, int, list, dict
FORM = {
    "log": ({"version": TEXT, "runs": LIST}, {"$schema": TEXT}),
    "run": ({"tool": OBJECT}, {"columnKind": TEXT, "originalUriBaseIds": OBJECT, "invocations": LIST, "results": LIST}),
    "driver": ({"name": TEXT}, {"version": TEXT, "rules": LIST}),
    "rule": ({"id": TEXT}, {"shortDescription": OBJECT, "help": OBJECT}),
    "multiformat": ({"text": TEXT}, {"markdown": TEXT}),
    "invocation": ({"executionSuccessful": bool}, {}),
    "result": ({"message": OBJECT}, {"ruleId": TEXT, "ruleIndex": NUMBER, "level": TEXT, "locations": LIST, "relatedLocations": LIST}),
    "message": ({"text": TEXT}, {}),
    "location": ({}, {"physicalLocation": OBJECT, "message": OBJECT}),
    "physicalLocation": ({"artifactLocation": OBJECT}, {"region": OBJECT}),
    "artifactLocation": ({"uri": TEXT}, {"uriBaseId": TEXT}),
    "region": ({"startLine": NUMBER}, {"startColumn": NUMBER, "endColumn": NUMBER}),
}


def cases():
    for name in sorted(os.listdir(GOLDEN)):
        folder = os.path.join(GOLDEN, name)
        # Left out: options that the command line itself refuses, and machine files that name another processor.
        if not os.path.exists(os.path.join(folder, "graph.yaml")) or os.path.exists(os.path.join(folder, "options.txt")) or "calibration" in name:
            continue
        yield name, folder


def without_kernels(text):
    """Hides the list of kernels: the program also knows the shipped ones."""
    return re.sub(r"kernels: `.*", "kernels: ...", text)


def without_unbuilt(text):
    """Hides the warnings that the cases' kernels are not built."""
    return re.sub(r"^[^\n]*: warning\[E0208\]: .*\n(  .*\n|[^\n]*: note: .*\n)*", "", text, flags=re.M)


def vim_patterns(option):
    """The patterns of Vim's errorformat for problems as regular expressions (its manual, quickfix.txt)."""
    patterns = re.split(r"(?<!\\),", option.replace("\\ ", " "))[:2]
    parts = {"f": "(?P<f>.+?)", "l": r"(?P<l>\d+)", "c": r"(?P<c>\d+)", "n": r"(?P<n>\d+)", "t": "(?P<t>.)", "m": "(?P<m>.+)"}
    return [re.compile("".join(parts[part[1]] if part.startswith("%") else re.escape(part) for part in re.findall("%.|[^%]+", pattern)) + "$")
            for pattern in patterns]


class Sarif:
    """A log, checked in full; `results` as (code, file, line, column, end, message, related)."""

    def __init__(self, test, log, folder):
        self.test, self.folder = test, folder
        test.assertEqual(log["version"], "2.1.0")
        self.check("log", log)
        test.assertEqual(len(log["runs"]), 1)
        run = self.check("run", log["runs"][0])
        test.assertEqual(set(run["tool"]), {"driver"})
        test.assertIn(run["columnKind"], ("utf16CodeUnits", "unicodeCodePoints"))
        self.bases = {name: base["uri"] for name, base in run["originalUriBaseIds"].items()}
        test.assertTrue(all(uri.startswith("file:///") and uri.endswith("/") for uri in self.bases.values()), self.bases)
        for invocation in run["invocations"]:
            self.check("invocation", invocation)
        driver = self.check("driver", run["tool"]["driver"])
        self.rules = [self.rule(rule) for rule in driver["rules"]]
        test.assertEqual(len(set(self.rules)), len(self.rules))
        self.results = [self.result(result) for result in run["results"]]

    def check(self, kind, value):
        required, allowed = FORM[kind]
        self.test.assertIsInstance(value, dict)
        self.test.assertLessEqual(set(required), set(value), kind)
        for name, item in value.items():
            self.test.assertIn(name, {**required, **allowed}, kind)
            self.test.assertIs(type(item), {**required, **allowed}[name], f"{kind}.{name}")
        return value

    def rule(self, rule):
        self.check("rule", rule)
        for text in (rule["shortDescription"], rule["help"]):
            self.check("multiformat", text)
            self.test.assertTrue(text["text"])
        return rule["id"]

    def result(self, result):
        self.check("result", result)
        self.check("message", result["message"])
        self.test.assertIn(result["level"], ("none", "note", "warning", "error"))
        self.test.assertEqual(self.rules[result["ruleIndex"]], result["ruleId"])
        places = [self.location(location) for location in result.get("locations", [])]
        self.test.assertLessEqual(len(places), 1)
        related = [(*self.location(location), location["message"]["text"]) for location in result.get("relatedLocations", [])]
        return (result["ruleId"], *(places[0] if places else (None, 0, 0, 0)), result["message"]["text"], related)

    def location(self, location):
        self.check("location", location)
        physical = self.check("physicalLocation", location["physicalLocation"])
        file = self.file(self.check("artifactLocation", physical["artifactLocation"]))
        self.test.assertTrue(os.path.exists(file) or "region" not in physical, file)
        if "region" not in physical:
            return (file, 0, 0, 0)
        region = self.check("region", physical["region"])
        line = read(file, "rb").decode().split("\n")[region["startLine"] - 1].rstrip("\r")
        self.test.assertGreaterEqual(region["startColumn"], 1)
        self.test.assertGreater(region["endColumn"], region["startColumn"])
        self.test.assertLessEqual(region["startColumn"], len(line) + 1)
        return (file, region["startLine"], region["startColumn"], region["endColumn"])

    def file(self, artifact):
        uri = artifact["uri"]
        self.test.assertRegex(uri, r"^(file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+$")
        if "uriBaseId" not in artifact:
            self.test.assertTrue(uri.startswith("file:///"), uri)
            return urllib.parse.unquote(uri[len("file://"):])
        self.test.assertFalse(uri.startswith(("/", "../", "file:")), uri)
        base = self.bases[artifact["uriBaseId"]]
        return urllib.parse.unquote(base[len("file://"):] + uri)


class Goldens(WoaTest):
    def check_in(self, folder, *arguments):
        return subprocess.run([harness.WOA, "check", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.LIMIT_S, env=dict(os.environ, XDG_CONFIG_HOME=self.path("config"), **KERNELS))

    def test_text_json_and_sarif_agree(self):
        """And an editor finds every problem by the patterns that are documented."""
        seen = 0
        code, part, vim = self.documented_patterns()
        for name, folder in cases():
            with self.subTest(name):
                log = self.path("log.sarif")
                files = [word for kind in ("machine", "profile") if os.path.exists(os.path.join(folder, kind + ".yaml"))
                         for word in ("--" + kind, kind + ".yaml")]
                done = self.check_in(folder, "graph.yaml", "--json", "--sarif", log, *files)
                answer = json.loads(done.stdout)
                self.found_by_editors(done.stderr.decode().split("\n"), answer["diagnostics"], code, part, vim)
                expected = read(os.path.join(folder, "expected.txt"))
                self.assertEqual(answer["ok"], expected == "accepted\n")
                self.assertEqual(done.returncode, 0 if answer["ok"] else 1)
                said = done.stderr.decode().replace(folder + "/", "").replace(GOLDEN + "/", "")
                said = without_unbuilt("".join(line + "\n" for line in said.split("\n") if line))
                self.assertEqual(without_kernels(said), "" if answer["ok"] else without_kernels(expected))
                self.compare(answer["diagnostics"], Sarif(self, json.loads(read(log)), folder).results, folder)
                seen += not answer["ok"]
        self.assertGreaterEqual(seen, 80)

    def documented_patterns(self):
        pages = read(os.path.join(SOURCE, "docs/graph-language.md"))
        tasks = json.loads(re.search(r"```json\n(\{\"version\".*?)```", pages, re.S)[1])
        pattern = tasks["tasks"][0]["problemMatcher"]["pattern"]
        return re.compile(pattern["regexp"]), pattern, vim_patterns(re.search(r"^set errorformat=(.*)$", pages, re.M)[1])

    def found_by_editors(self, lines, diagnostics, code, part, vim):
        placed = [d for d in diagnostics if d["line"] != 0]
        found = [match for match in map(code.match, lines) if match]
        self.assertEqual([tuple(match[part[name]] for name in ("file", "line", "column", "severity", "code", "message")) for match in found],
                         [(d["file"], str(d["line"]), str(d["column"]), d["severity"], d["code"], d["text"]) for d in placed])
        found = [match for line in lines for match in (each.match(line) for each in vim) if match]
        self.assertEqual([(match["f"], match["l"], match["c"], match["t"], "E" + match["n"], match["m"]) for match in found],
                         [(d["file"], str(d["line"]), str(d["column"]), d["severity"][0], d["code"], d["text"]) for d in placed])

    def compare(self, diagnostics, results, folder):
        def place(message):
            line, column = message["line"], message["column"]
            return (os.path.normpath(os.path.join(folder, message["file"])), line, column, column + message["length"] if line else 0)

        self.assertEqual([(d["code"], *place(d), d["text"] + "\nFix: " + d["fix"], [(*place(n), n["text"]) for n in d["notes"]])
                          for d in diagnostics], [(result[0], os.path.normpath(result[1]), *result[2:]) for result in results])


# A fix that says what to write in the place that is marked, as it stands.
VALUES = [r"did you mean `([^`]+)`\?", r"^write (?:.*such as )?`([^`A-Z]+)`", r"^write at (?:most|least) `([^`]+)`",
          r"^write a (?:whole )?number from ([0-9]+)"]


class Fixes(WoaTest):
    def problems(self, folder):
        more = [word for name in ("machine", "profile") if os.path.exists(os.path.join(folder, name + ".yaml"))
                for word in ("--" + name, name + ".yaml")]
        command = ["compile", "-o", self.path("plan")] if "--profile" in more else ["check"]
        done = self.woa(*command, "graph.yaml", "--json", *more, environment=KERNELS, cwd=folder)
        return json.loads(done.stdout)["diagnostics"]

    def written(self, case, problem, value):
        """A copy of the case with `value` in the place that the problem marks; None where it marks no whole value."""
        folder = self.path("case")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(case, folder)
        path = os.path.join(folder, problem["file"])
        lines = read(path).removeprefix("\ufeff").split("\n")
        place = next((note for note in problem["notes"] if note["text"] == "needed here"), problem)
        line = lines[place["line"] - 1]
        begin = place["column"] - 1
        end = begin + place["length"]
        if line[begin:end] in ("[", "{"):
            return None
        key = re.match(r"(\w+: )", value)
        if key and line[:begin].endswith(key[1]):
            begin -= len(key[1])
        if value[0] in "[{" and re.match(r": *(}|$)", line[end:]):  # a key without a value
            begin = end = line.index(":", end) + 1
            value = " " + value
        lines[place["line"] - 1] = line[:begin] + value + line[end:]
        self.write(path, "\n".join(lines))
        return folder

    def test_a_value_that_a_fix_names_may_be_written_as_it_stands(self):
        followed = 0
        for name, case in cases():
            for problem in self.problems(case):
                values = [found[1] for found in (re.search(pattern, problem["fix"]) for pattern in VALUES) if found]
                is_copied = not os.path.isabs(problem["file"]) and os.path.exists(os.path.join(case, problem["file"]))
                if not values or problem["line"] == 0 or not is_copied:
                    continue
                with self.subTest(name, code=problem["code"], fix=problem["fix"]):
                    folder = self.written(case, problem, values[0])
                    if folder is None:
                        continue
                    followed += 1
                    after = [each for each in self.problems(folder) if each["line"] == problem["line"] and each["file"] == problem["file"]]
                    self.assertNotIn((problem["code"], problem["column"]), [(each["code"], each["column"]) for each in after])
                    self.assertNotIn("E0104", [each["code"] for each in after])
                    self.assertFalse([each for each in after if values[0] in re.findall("`([^`]+)`", each["text"]) and each["code"] in ("E0301", "E0302")])
        self.assertGreaterEqual(followed, 80)


class Files(WoaTest):
    GRAPH = "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 64}}\nstages:\n  \u00e4\U0001f600: {}\n  s: {kernel: copy, in: {data: x}}\noutputs: {y: s.data}\n"

    def sarif(self, graph, code=1, *arguments):
        log = self.path("out.sarif")
        done = self.woa("check", graph, "--sarif", log, *arguments)
        self.refused(done, code)
        return Sarif(self, json.loads(read(log)), self.folder)

    def test_paths_with_odd_characters_are_encoded(self):
        os.mkdir(self.path("a b%#?\u00fc"))
        graph = self.write("a b%#?\u00fc/g:1.yaml", self.GRAPH)
        self.assertEqual(self.sarif(graph).results[0][1], graph)

    def test_columns_are_code_points(self):
        graph = self.write("g.yaml", self.GRAPH.replace("  \u00e4\U0001f600: {}\n", "").replace("data: x}}", "data: x}, params: {\"\U0001f600\": 1, \u00e4\u00f6: 2}}"))
        spans = []
        for _, file, line, column, end, _, _ in self.sarif(graph).results:
            spans.append(read(file).split("\n")[line - 1][column - 1:end - 1])
        self.assertEqual(spans, ['"\U0001f600"', "\u00e4\u00f6"])

    def test_a_good_graph_has_an_empty_log(self):
        graph = self.write("g.yaml", self.GRAPH.replace("  \u00e4\U0001f600: {}\n", ""))
        log = self.write("old.sarif", "what an earlier run said")
        for command in ("check", "compile"):
            self.assertEqual(self.woa(command, graph, "--sarif", log).returncode, 0)
            self.assertEqual(Sarif(self, json.loads(read(log)), self.folder).results, [])

    def test_a_missing_graph_has_a_place_without_a_region(self):
        results = self.sarif(self.path("absent.yaml")).results
        self.assertEqual([result[:3] for result in results], [("E0101", self.path("absent.yaml"), 0)])

    def test_an_option_has_no_place(self):
        graph = self.write("g.yaml", self.GRAPH.replace("  \u00e4\U0001f600: {}\n", ""))
        results = self.sarif(graph, 1, "--param", "t.byte=3").results
        self.assertEqual([result[:2] for result in results], [("E0507", None)])

    def test_a_secret_is_in_no_log(self):
        graph = self.write("g.yaml", self.GRAPH.replace("  \u00e4\U0001f600: {}\n", "").replace(
            "{kernel: copy, in: {data: x}}", "{kernel: aes_gcm_encrypt, in: {plain: x}, params: {key: " + "ab" * 32 + "}}").replace("s.data", "s.cipher"))
        done = self.woa("check", graph, "--sarif", self.path("out.sarif"), "--json")
        if b"E0202" in done.stderr:
            self.skip("openssl", "aes_gcm_encrypt was not built")
        self.refused(done, 1, "E0506")
        for text in (done.stdout.decode(), done.stderr.decode(), read(self.path("out.sarif"))):
            self.assertNotIn("abab", text)

    def test_a_log_that_cannot_be_written_is_an_error(self):
        graph = self.write("g.yaml", self.GRAPH)
        done = self.woa("check", graph, "--json", "--sarif", self.path("absent/out.sarif"))
        self.refused(done, 1, "does not exist: mkdir -p", "E0116")
        self.assertEqual(json.loads(done.stdout)["ok"], False)
        self.refused(self.woa("check", graph, "--sarif", "/dev/full"), 1, "cannot write")

    def test_who_cannot_write_yaml_is_sent_to_the_page_of_that_file(self):
        graph, bad = os.path.join(SOURCE, "graphs/hello.yaml"), "name: @\n"
        os.makedirs(self.path("kernels/copy"))
        self.write("kernels/copy/kernel.yaml", bad)
        for page, arguments, environment in (
                ("graph-language", [self.write("bad.yaml", bad)], None), ("machine", [graph, "--machine", self.write("m.yaml", bad)], None),
                ("profile", [graph, "--profile", self.write("p.json", bad)], None),
                ("kernels", [graph], {"WOA_KERNEL_PATH": self.path("kernels")})):
            self.refused(self.woa("check", *arguments, environment=environment), 1, f"fix: see docs/{page}.md for the form of a file")

    def test_a_plan_has_no_places(self):
        plan = self.path("g.plan")
        self.assertEqual(self.woa("compile", os.path.join(SOURCE, "graphs/hello.yaml"), "-o", plan).returncode, 0)
        self.refused(self.woa("check", plan, "--sarif", self.path("x")), 2, "--sarif")


if __name__ == "__main__":
    harness.main()
