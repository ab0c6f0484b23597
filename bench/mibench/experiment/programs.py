"""Programs of the experiment, as bench/mibench/<program>/program.yaml describes them (docs/mibench.md)."""
import dataclasses
import pathlib

import yaml


class Problem(Exception):
    """The user's input or this machine is at fault; the text says how to go on."""


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    inputs: dict  # graph input -> file below the data folder, or {generate: [script, argument...]}
    outputs: dict  # graph output -> {golden: FILE or generate: [...], compare: exact or {numbers: T}}
    files: dict  # parameter of kernels -> a source like an input's
    settings: dict  # parameter of the CPU-only program -> value


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    graph: pathlib.Path
    cases: tuple  # names; empty: every case
    params: dict  # name of the case's files -> stages that have this parameter; or STAGE.NAME -> value


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    summary: str
    folder: pathlib.Path
    baseline: str
    cases: tuple
    variants: tuple  # finest first
    remote: tuple  # stages that may leave the host's processor
    paper: str  # its name in the paper's table; empty: not there


def one_program(file):
    try:
        text = yaml.safe_load(file.read_text())
        cases = tuple(Case(name, case["in"], case.get("out", {}), case.get("files", {}), case.get("settings", {}))
                      for name, case in text["cases"].items())
        variants = tuple(Variant(name, file.parent / variant["graph"], tuple(variant.get("cases", ())), variant.get("params", {}))
                         for name, variant in text["variants"].items())
        name = text["program"]
        return Program(name, text.get("summary", ""), file.parent, text.get("baseline", ""), cases, variants,
                       tuple(text.get("remote", ())), text.get("paper", name))
    except (KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise Problem(f"{file}: not a description of a program: {type(error).__name__} {error}; docs/mibench.md shows one") from error


def load(folders, names):
    """The programs of `folders`, or those of `names`, in the order of names."""
    found = {}
    for folder in folders:
        if (folder / "program.yaml").exists():
            files = [folder / "program.yaml"]
        else:
            files = sorted(folder.glob("*/program.yaml"))
        if not files:
            raise Problem(f"{folder}: no program.yaml in it or in a folder in it")
        found.update((program.name, program) for program in map(one_program, files))
    unknown = [name for name in names if name not in found]
    if unknown:
        raise Problem(f"--programs: no program {', '.join(unknown)}; there are {', '.join(sorted(found))}")
    return [found[name] for name in (names or sorted(found))]
