#!/usr/bin/env python3
"""A large graph, to time the compiler with: `large_graph.py SHAPE STAGES > graph.yaml`, then `time build/woa check graph.yaml`.

Shapes: `chain` (one stage after the other), `wide` (all read the graph's input), `random` (each reads one or two of the last 50
outputs), `subgraphs` (a chain of uses of sub-graphs of 100 stages).
"""
import random
import sys


def chain(stages):
    writer = "x"
    for i in range(stages):
        yield f"  s{i}: {{kernel: copy, in: {{data: {writer}}}}}"
        writer = f"s{i}.data"
    yield f"outputs: {{y: {writer}}}"


def wide(stages):
    for i in range(stages):
        yield f"  s{i}: {{kernel: copy, in: {{data: x}}}}"
    yield "outputs:"
    for i in range(stages):
        yield f"  y{i}: s{i}.data"


def mixed(stages):
    numbers, outputs, read = random.Random(1), ["x"], set()
    for i in range(stages):
        a, b = (numbers.choice(outputs[-50:]) for _ in range(2))
        if numbers.random() < 0.5 or a == b:
            yield f"  s{i}: {{kernel: copy, in: {{data: {a}}}}}"
            read.add(a)
        else:
            yield f"  s{i}: {{kernel: join2, in: {{a: {a}, b: {b}}}}}"
            read |= {a, b}
        outputs.append(f"s{i}.data")
    yield "outputs:"
    for i, output in enumerate(output for output in outputs if output not in read):
        yield f"  y{i}: {output}"


def subgraphs(stages):
    writer = "x"
    for i in range(stages // 100):
        yield f"  u{i}: {{graph: hundred, in: {{in: {writer}}}}}"
        writer = f"u{i}.out"
    yield f"outputs: {{y: {writer}}}"
    yield "graphs:\n  hundred:\n    inputs: {in: {type: bytes}}\n    stages:"
    writer = "in"
    for i in range(100):
        yield f"      s{i}: {{kernel: copy, in: {{data: {writer}}}}}"
        writer = f"s{i}.data"
    yield f"    outputs: {{out: {writer}}}"


def main(shape, stages):
    shapes = {"chain": chain, "wide": wide, "random": mixed, "subgraphs": subgraphs}
    print(f"woa: 1\ngraph: {shape}\ninputs: {{x: {{type: bytes, max: 1KiB}}}}\nstages:")
    for line in shapes[shape](int(stages)):
        print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
