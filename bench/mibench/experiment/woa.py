"""The public commands of `woa`, as anyone may type them; each ends with one JSON object."""
import json
import os
import subprocess
import threading

# Variables of a job that the experiment itself runs in.
LAUNCHERS = ("OMPI_COMM_WORLD_", "PMI_", "PMIX_", "SLURM_")
LIMIT_S = 120  # a hang


class Refused(Exception):
    """`woa` ended with an error; the text is its own."""

    def __init__(self, text, code, began=False):
        super().__init__(text)
        self.code, self.began = code, began  # began: a run's instances had started


def error_of(answer, stderr):
    """The error in a JSON object of `woa`, or the last of its lines."""
    if answer.get("error"):
        return answer["error"]["message"]
    if answer.get("failures"):
        first = answer["failures"][0]
        return f"instance {first['instance']}, stage {first['stage']}: {first['message']}"
    if answer.get("diagnostics"):
        first = answer["diagnostics"][0]
        return f"{first['text']} [{first['code']}]"
    lines = stderr.strip().splitlines()
    return lines[-1] if lines else "no answer"


class Woa:
    def __init__(self, build, belongings):
        self.program = build / "woa"
        self.belongings = belongings
        kernels = [str(build / "mibench" / "kernels"), os.environ.get("WOA_KERNEL_PATH", "")]
        plain = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
        # A user's own machine file would change placements.
        self.environment = plain | {"WOA_KERNEL_PATH": os.pathsep.join(filter(None, kernels)),
                                    "XDG_CONFIG_HOME": str(belongings.folder / "config")}

    def start(self, words, prefix=()):
        return self.belongings.start([*prefix, self.program, *words], self.environment)

    def text(self, words):
        process = self.start(words)
        try:
            return process.communicate(timeout=LIMIT_S)[0]
        finally:
            self.belongings.ended(process)

    def json(self, words, prefix=(), limit_s=LIMIT_S):
        """The answer of a command that ended well; Refused otherwise."""
        process = self.start([*words, "--json"], prefix)
        try:
            out, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired as late:
            raise Refused(f"no end within {limit_s} s", 124, True) from late
        finally:
            self.belongings.ended(process)
        return answer_of(process.returncode, out, errors)


def answer_of(code, out, errors):
    try:
        answer = json.loads(out)
    except ValueError:
        answer = {}
    if code != 0 or not answer:
        raise Refused(error_of(answer, errors), code, "instances" in answer)
    return answer


class Lines:
    """Reads a program's stderr beside it, so that its first lines can be acted upon and its pipe never fills."""

    def __init__(self, process):
        self.lines, self.heard, self.ended = [], threading.Condition(), False
        self.process = process
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            with self.heard:
                self.lines.append(line)
                self.heard.notify_all()
        with self.heard:
            self.ended = True
            self.heard.notify_all()

    def first(self, pattern, limit_s):
        """The first match in a line, or None if the program ends or the time passes without one."""
        def match():
            return next((found for found in map(pattern.search, self.lines) if found), None)
        with self.heard:
            self.heard.wait_for(lambda: self.ended or match(), limit_s)
            return match()

    def text(self):
        self.reader.join(1)
        return "".join(self.lines)
