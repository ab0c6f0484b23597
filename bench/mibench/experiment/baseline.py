"""The CPU-only program of a benchmark: the contender that accelerations divide by, and Amdahl's limit."""
import json
import statistics
import subprocess

from data import agrees
from programs import Problem
from woa import LIMIT_S, error_of


class Baseline:
    def __init__(self, build, program, data, woa, processors):
        beside = program.folder / program.baseline
        self.program = beside if program.baseline and beside.is_file() else build / "mibench" / program.baseline
        if not program.baseline or not self.program.exists():
            raise Problem("no `baseline` in program.yaml, so no accelerations" if not program.baseline else
                          f"no CPU-only program {program.baseline} beside program.yaml or in {self.program.parent}, so no accelerations")
        self.data, self.woa, self.processors = data, woa, processors
        self.name, self.correct = program.name, True
        self.forget()

    def forget(self):
        """The times of a launch that only showed how long one takes."""
        self.total_s, self.system_s, self.input_output_s, self.loops = [], [], [], {}
        self.least, self.most, self.repetitions = [], [], 0

    def least_s(self):
        return min(self.least)

    def run(self, folder, repeat):
        """A launch of `repeat` repetitions; its median counts, for the first one is cold."""
        outputs = {name: folder / f"baseline-{self.name}-{name}" for name in self.data.references}
        settings = {**self.data.files, **self.data.settings}
        words = [word for flag, values in (("--in", self.data.inputs), ("--set", settings), ("--out", outputs))
                 for name, value in values.items() for word in (flag, f"{name}={value}")]
        process = self.woa.belongings.start([self.program, *words, "--repeat", repeat, "--json"], self.woa.environment, self.processors)
        try:
            out, errors = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired as late:
            raise Problem(f"the CPU-only program did not end within {LIMIT_S} s") from late
        finally:
            self.woa.belongings.ended(process)
        if process.returncode != 0:
            raise Problem(f"the CPU-only program failed: {error_of({}, errors)}")
        try:
            self.take(json.loads(out), outputs)
        except (ValueError, KeyError, TypeError) as error:
            raise Problem(f"the CPU-only program printed no JSON with total_s: {error}") from error

    def take(self, answer, outputs):
        for name in ("total_s", "system_s", "input_output_s"):
            if answer.get(name):
                getattr(self, name).append(statistics.median(answer[name]))
        self.least.append(min(answer["total_s"]))
        self.most.append(max(answer["total_s"]))
        self.repetitions += len(answer["total_s"])
        for loop in answer.get("loops", []):
            self.loops.setdefault(loop["name"], []).append((loop["kernel_s"], loop["plain_s"]))
        for name, file in outputs.items():
            wanted, found = self.data.references[name], file.read_bytes() if file.exists() else b""
            if wanted.data is None:
                wanted.data = found
            self.correct = self.correct and agrees(found, wanted)

    def time_s(self):
        return statistics.median(self.total_s)

    def files_s(self):
        """Reading the input and writing the output."""
        return statistics.median(self.input_output_s) if self.input_output_s else 0

    def amdahl_limit(self):
        system = statistics.median(self.system_s) if self.system_s else 0
        return self.time_s() / system if system > 0 else None

    def loops_json(self):
        """Medians of the launches: hot loops by the kernels, called directly, and by the plain C beside them."""
        return [{"name": name, **dict(zip(("kernel_s", "plain_s"), map(statistics.median, zip(*times))))} for name, times in self.loops.items()]

    def as_json(self):
        return {"time_s": self.time_s(), "min_s": min(self.least), "max_s": max(self.most), "repetitions": self.repetitions,
                "system_s": statistics.median(self.system_s) if self.system_s else None,
                "input_output_s": statistics.median(self.input_output_s) if self.input_output_s else None,
                "amdahl_limit": self.amdahl_limit(), "correct": self.correct, "loops": self.loops_json()}
