#!/usr/bin/env python3
"""How full a run makes the machine: python3 bench/filled.py build [--photos FOLDER] [--rounds 5]

Makes thumbnails of photographs with `woa run` without options, and beside it, launch by launch in turns:
  loops   a process for each processor that calls the same kernels in a plain loop (build/bench/bench_filled)
  vips    ls | xargs -P N -n6 vipsthumbnail, if it is installed
The sets are 48 photographs of 12 megapixels; the same with every second one 640 x 480; and 200 with log-normal sizes (sigma 1,
median 1 megapixel, seed 1). `ideal` is what one process takes for a set, by the number of processors. Then, within one program,
oneTBB's parallel_pipeline against woa::Run. Figures are medians in seconds. Needs cjpeg. Run it on a quiet machine."""
import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROCESSORS = len(os.sched_getaffinity(0))
GRAPH = os.path.join(SOURCE, "graphs/thumbnails.yaml")


def darkened_with(line, noise):
    """Half of each byte, plus that of the noise, which is less than half of what a byte holds."""
    half = int.from_bytes(line, "big") >> 1 & int("7f" * len(line), 16)
    return (half + int.from_bytes(noise, "big")).to_bytes(len(line), "big")


def photograph(path, width, height, seed):
    """A smooth picture with some noise: it takes a decoder as long as a photograph does."""
    picture = random.Random(seed)
    step = 16
    rows, columns = height // step + 2, width // step + 2
    coarse = [bytes(picture.randrange(256) for _ in range(3 * columns)) for _ in range(rows)]
    noise = [bytes(picture.randrange(24) for _ in range(3 * width)) for _ in range(31)]
    pixels = bytearray()
    for y in range(height):
        row = coarse[y // step]
        line = b"".join(row[3 * x:3 * x + 3] * step for x in range(columns))[:3 * width]
        pixels += darkened_with(line, noise[y % len(noise)])
    ppm = b"P6 %d %d 255\n" % (width, height) + bytes(pixels)
    with open(path, "wb") as file:
        subprocess.run(["cjpeg", "-quality", "90"], input=ppm, stdout=file, check=True)


def folders(root):
    """The three sets, as folders. Equal sizes share a few pictures: drawing them takes longer than their thumbnails."""
    drawn = {}

    def picture(width, height, kind):
        if (width, height, kind) not in drawn:
            drawn[width, height, kind] = os.path.join(root, f"{width}x{height}-{kind}.jpg")
            photograph(drawn[width, height, kind], width, height, kind)
        return drawn[width, height, kind]

    sizes = random.Random(1)
    pixels = [1e6 * sizes.lognormvariate(0, 1) for _ in range(200)]
    sets = {"equal": [picture(4000, 3000, k % 3) for k in range(48)],
            "every second": [picture(640, 480, 0) if k % 2 else picture(4000, 3000, k % 3) for k in range(48)],
            "log-normal": [picture(max(16, int((each * 4 / 3) ** 0.5)), max(16, int((each * 3 / 4) ** 0.5)), 0) for each in pixels]}
    made = {}
    for name, files in sets.items():
        made[name] = os.path.join(root, name.replace(" ", "-"))
        os.mkdir(made[name])
        for number, file in enumerate(files):
            shutil.copyfile(file, os.path.join(made[name], f"{number:03}.jpg"))
    return made


def seconds(*commands):
    """The time of commands that run side by side."""
    began = time.monotonic()
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    if any(process.wait() for process in running):
        raise SystemExit(f"filled.py: one of these failed: {commands}")
    return time.monotonic() - began


def of_folder(build, folder, out, rounds):
    """Contender -> median of seconds."""
    photos = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    loop = [os.path.join(build, "bench/bench_filled"), os.path.join(build, "kernels"), "loop", out]
    contenders = {"woa": [[os.path.join(build, "woa"), "run", GRAPH, "--in", "photo=" + folder, "--out", f"thumb={out}/%n.jpg"]],
                  "loops": [loop + photos[k::PROCESSORS] for k in range(PROCESSORS)], "one": [loop + photos]}
    if shutil.which("vipsthumbnail"):
        contenders["vips"] = [["sh", "-c", f"ls {folder}/*.jpg | xargs -P{PROCESSORS} -n6 vipsthumbnail -s 320x240 -o {out}/%s.jpg"]]
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, commands in contenders.items():
            times[name].append(seconds(*commands))
    return {name: statistics.median(all_of_it) for name, all_of_it in times.items()}


def within(build, *arguments):
    """Contender -> median of the seconds that a program measured itself."""
    done = subprocess.run([os.path.join(build, "bench/bench_filled"), os.path.join(build, "kernels"), *arguments], stdout=subprocess.PIPE, text=True, check=True)
    times = {}
    for line in done.stdout.splitlines():
        name, value = line.split()
        times.setdefault(name, []).append(float(value))
    return {name: statistics.median(all_of_it) for name, all_of_it in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="folder of the build, with `make bench_filled`")
    parser.add_argument("--photos", help="folder of photographs, in place of those that are drawn")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        out = os.path.join(root, "out")
        os.mkdir(out)
        sets = {"photographs": options.photos} if options.photos else folders(root)
        print(f"{'SET':<14} {'WOA':>7} {'LOOPS':>7} {'VIPS':>7} {'IDEAL':>7}  LOOPS/WOA  VIPS/WOA  IDEAL/WOA")
        for name, folder in sets.items():
            found = of_folder(options.build, folder, out, options.rounds)
            woa, ideal, vips = found["woa"], found["one"] / PROCESSORS, found.get("vips")
            print(f"{name:<14} {woa:7.3f} {found['loops']:7.3f} {vips or 0:7.3f} {ideal:7.3f}  {found['loops'] / woa:9.2f}  {(vips or 0) / woa:8.2f}  {ideal / woa:9.2f}")
        first = next(iter(sets.values()))
        rows = {"photographs": within(options.build, "photos", str(options.rounds), *sorted(os.path.join(first, name) for name in os.listdir(first)))}
        for us, count in ((20, 20_000), (5, 60_000)):
            rows[f"3 x {us} us"] = found = within(options.build, "stages", str(options.rounds), str(count), str(us))
            found["ideal"] = 3e-6 * us * count / PROCESSORS + found["woa-null"]
        print(f"\n{'IN A PROGRAM':<14} {'WOA':>7} {'ONETBB':>7} {'IDEAL':>7}  ONETBB/WOA  IDEAL/WOA")
        for name, found in rows.items():
            tbb, ideal = found.get("tbb", 0), found.get("ideal", 0)
            print(f"{name:<14} {found['woa']:7.3f} {tbb:7.3f} {ideal:7.3f}  {tbb / found['woa']:10.2f}  {ideal / found['woa']:9.2f}")


if __name__ == "__main__":
    main()
