"""Outputs of a generator that are committed: written, or compared with what stands there."""
import sys


def main(outputs, script):
    """`outputs`: texts by path. Without arguments writes what changed; `--check` writes nothing, and exit code 1 names the
    outputs that are stale."""
    stale = [(path, text) for path, text in outputs.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path, _ in stale:
            print(f"{path.name} is stale: run {script} and commit what it writes", file=sys.stderr)
        return 1 if stale else 0
    for path, text in stale:
        path.write_text(text)
    return 0
