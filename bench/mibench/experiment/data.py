"""Inputs of a program and the outputs that are right: files of the data folder, or data that the project makes itself."""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

from programs import Problem

# A user's own copy of MiBench has the same files in other places.
IN_MIBENCH = {
    "input/dijkstra_input.dat": "network/dijkstra/input.dat",
    "input/jpeg_small.ppm": "consumer/jpeg/jpeg_data/input_small.ppm",
    "input/jpeg_small.jpg": "consumer/jpeg/jpeg_data/input_small.jpg",
    "input/susan_small.pgm": "automotive/susan/input_small.pgm",
    "input/sha_small.asc": "security/sha/input_small.asc",
}


ABSENT = 77  # exit code of a script that cannot make its file here


@dataclasses.dataclass
class Reference:
    """The right output. Without golden or generated data it is the CPU-only program's first output; without that, `data` is None."""
    data: bytes
    tolerance: float  # 0: byte by byte
    source: str  # golden, generated or baseline


@dataclasses.dataclass
class Data:
    case: str
    inputs: dict  # graph input -> file
    files: dict  # name -> file that kernels read once, by a parameter
    settings: dict  # parameter of the CPU-only program -> value
    references: dict  # graph output -> Reference
    source: str  # the data folder, or "generated"


def default_folder(source):
    """WOA_MIBENCH_DATA, or shared/mibench beside the sources, or none."""
    named = os.environ.get("WOA_MIBENCH_DATA")
    folder = pathlib.Path(named) if named else source.parent / "shared" / "mibench"
    return folder if folder.is_dir() else None


def find(folder, name):
    for path in (name, IN_MIBENCH.get(name)):
        if folder and path and (folder / path).is_file():
            return folder / path
    return None


def check_folder(folder, programs):
    """A folder that holds no input of any program is a mistake of the user's."""
    if not folder.is_dir():
        raise Problem(f"--data: {folder} is no folder; name one with input/ and golden/, or a copy of MiBench")
    files = [name for program in programs for case in program.cases for name in case.inputs.values() if isinstance(name, str)]
    if files and not any(find(folder, name) for name in files):
        raise Problem(f"--data: {folder} has none of the programs' inputs, for instance {files[0]} or, as MiBench has it, "
                      f"{IN_MIBENCH.get(files[0], 'network/dijkstra/input.dat')}")


def generate(program, case, kind, name, command, work):
    """The file that a script of the program makes, or None if it ends with 77: what it needs is not installed."""
    file = work / f"{program.name}-{case.name}-{name}.{kind}"
    if not file.exists():
        made = subprocess.run([sys.executable, "-B", program.folder / command[0], *map(str, command[1:]), file],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        if made.returncode == ABSENT:
            return None
        if made.returncode != 0 or not file.exists():
            raise Problem(f"{program.name}: {command[0]} made no {kind}: {made.stderr.strip()[-300:]}")
    return file


def files_of(program, case, kind, sources, folder, work):
    """Name -> file, and the names of files that are missing."""
    files, missing = {}, []
    for name, source in sources.items():
        made = isinstance(source, dict)
        file = generate(program, case, kind, name, source["generate"], work) if made else find(folder, source)
        if file is None:
            missing.append(f"{kind} {name}" if made else source)
        else:
            files[name] = file
    return files, missing


def reference(program, case, name, folder, work):
    spec = case.outputs[name]
    compare = spec.get("compare", "exact")
    tolerance = float(compare["numbers"]) if isinstance(compare, dict) else 0.0
    source = "golden" if "golden" in spec else "generated"
    file = None
    if "golden" in spec:
        file = find(folder, spec["golden"])
    elif "generate" in spec:
        file = generate(program, case, "reference", name, spec["generate"], work)
    return Reference(file.read_bytes() if file else None, tolerance, source if file else "baseline")


def resolve(program, variant, folder, work):
    """The first case of `variant` whose inputs are here."""
    lacking = []
    for case in program.cases:
        if variant.cases and case.name not in variant.cases:
            continue
        inputs, missing = files_of(program, case, "input", case.inputs, folder, work)
        files, more = files_of(program, case, "file", case.files, folder, work)
        missing += more
        if not missing:
            generated = all(isinstance(source, dict) for source in case.inputs.values())
            return Data(case.name, inputs, files, case.settings,
                        {name: reference(program, case, name, folder, work) for name in case.outputs},
                        "generated" if generated else str(folder))
        lacking += missing
    where = f"in {folder}" if folder else "without a data folder"
    raise Problem(f"{program.name}: no {' and no '.join(dict.fromkeys(lacking)) or 'case ' + ', '.join(variant.cases)} {where}; "
                  "name a folder that has it with --data DIR")


NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def numbers_agree(found, wanted, tolerance):
    """Equal text between the numbers; the largest difference and the relative L2 norm are within the tolerance."""
    if NUMBER.split(found) != NUMBER.split(wanted):
        return False
    ours, theirs = ([float(text) for text in NUMBER.findall(data)] for data in (found, wanted))
    limit = tolerance * max(map(abs, theirs), default=0)
    norm = sum(value * value for value in theirs)
    error = sum((a - b) ** 2 for a, b in zip(ours, theirs))
    return all(abs(a - b) <= limit for a, b in zip(ours, theirs)) and error <= tolerance ** 2 * norm


def agrees(found, wanted):
    """None if nothing says what is right."""
    if wanted.data is None:
        return None
    return found == wanted.data or wanted.tolerance > 0 and numbers_agree(found, wanted.data, wanted.tolerance)
