"""`woa run` between pipes: --in NAME=-, --out NAME=-, named pipes, --frames."""
import json
import os
import select
import signal
import struct
import subprocess
import threading
import time

import harness
from harness import BUILD, LIMIT_S, SANITIZED, SOURCE, WOA, WoaTest

COPY = """woa: 1
graph: pass-on
inputs: {x: {type: bytes, max: MAX}}
stages: {a: {kernel: copy, in: {data: x}}}
outputs: {y: a.data}
"""
TWO = """woa: 1
graph: two
inputs: {left: {type: bytes, max: 64}, right: {type: bytes, max: 64}}
stages:
  a: {kernel: copy, in: {data: left}}
  b: {kernel: copy, in: {data: right}}
outputs: {first: a.data, second: b.data}
"""
EVEN = """woa: 1
graph: even
inputs: {x: {type: "u8[height,width,1]", max: 1KiB}}
stages: {a: {kernel: sharpen3x3, in: {image: x}}}
outputs: {y: a.image}
"""
ENCODE = """woa: 1
graph: encode
inputs: {x: {type: "u8[height,width,1]", max: 1KiB}}
stages: {a: {kernel: jpeg_encode, in: {image: x}}}
outputs: {y: a.jpeg}
"""
FAST = ["--processes", "one"]


def npy(rows, width):
    """A picture with one channel, as numpy.save() writes it."""
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, 1), }" % (len(rows), width)
    header += " " * (127 - 10 - len(header)) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + b"".join(bytes(row) for row in rows)


class PipesTest(WoaTest):
    def setUp(self):
        super().setUp()
        self.graph = self.write("copy.yaml", COPY.replace("MAX", "64"))

    def start(self, *arguments, graph=None, **streams):
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
        child = subprocess.Popen([WOA, "run", graph or self.graph, *arguments], **streams)

        def end():
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout, child.stderr):
                if stream:
                    stream.close()
        self.addCleanup(end)
        return child

    def pipe(self, data, *arguments, code=0, graph=None):
        """`data` through stdin and stdout: what came out, and stderr."""
        child = self.start("--in", "x=-", "--out", "y=-", *FAST, *arguments, graph=graph)
        out, error = child.communicate(data, timeout=LIMIT_S)
        self.assertEqual(child.returncode, code, error.decode())
        return out, error.decode()


class Frames(PipesTest):
    def test_a_generator_through_woa_into_a_checker(self):
        count = 2_000 if SANITIZED else 20_000
        generator = subprocess.Popen(["seq", str(count)], stdout=subprocess.PIPE)
        run = self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST, stdin=generator.stdout)
        checker = subprocess.run(["awk", "$1 != NR { exit 1 } END { print NR }"], stdin=run.stdout, stdout=subprocess.PIPE, timeout=LIMIT_S)
        generator.stdout.close()
        self.assertEqual(generator.wait(LIMIT_S), 0)
        self.assertEqual(run.wait(LIMIT_S), 0)
        self.assertEqual((checker.returncode, checker.stdout), (0, b"%d\n" % count))
        self.assertIn(f"{count} of {count} instances done", run.stderr.read().decode())

    def test_a_process_for_each_controller(self):
        child = self.start("--in", "x=-", "--out", "y=-", "--frames", "lines")
        out, error = child.communicate(b"one\n\nthree\n", timeout=LIMIT_S)
        self.assertEqual((child.returncode, out), (0, b"one\n\nthree\n"), error)

    def test_the_last_line_may_lack_its_end(self):
        self.assertEqual(self.pipe(b"one\ntwo", "--frames", "lines")[0], b"one\ntwo\n")

    def test_the_example_of_the_documentation(self):
        text = harness.read(os.path.join(SOURCE, "docs/commands.md"))
        example = text[text.index("**Pipes**"):].split("```sh\n")[1].split("```")[0]
        done = subprocess.run(["sh", "-c", example], cwd=SOURCE, stdout=subprocess.PIPE, timeout=LIMIT_S,
                              env=dict(os.environ, PATH=BUILD + os.pathsep + os.environ["PATH"]))
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n2\n3\n"))

    def test_no_frame_is_no_instance(self):
        out, error = self.pipe(b"", "--frames", "lines")
        self.assertEqual(out, b"")
        self.assertIn("0 of 0 instances done", error)

    def test_no_frame_leaves_an_empty_file(self):
        stale = self.write("stale", "of an earlier run\n")
        child = self.start("--in", "x=-", "--out", "y=" + stale, "--frames", "lines", *FAST, stdin=subprocess.DEVNULL)
        self.assertEqual(child.wait(LIMIT_S), 0)
        self.assertEqual(harness.read(stale), "")

    def test_lengths(self):
        frames = b"".join(struct.pack("<I", len(text)) + text for text in (b"one\n", b"", b"three" * 12))
        self.assertEqual(self.pipe(frames, "--frames", "u32")[0], frames)

    def test_fixed_sizes(self):
        self.assertEqual(self.pipe(bytes(range(128)), "--frames", "fixed:64")[0], bytes(range(128)))

    def test_a_rule_for_each_port(self):
        self.assertEqual(self.pipe(b"one\nthree\n", "--frames", "lines", "--frames", "y=u32")[0],
                         b"\x03\0\0\0one\x05\0\0\0three")

    def test_an_output_without_a_rule_has_nothing_between_its_tokens(self):
        self.assertEqual(self.pipe(b"one\ntwo\n", "--frames", "x=lines")[0], b"onetwo")

    def test_instances_bound_what_is_read(self):
        child = self.start("--in", "x=-", "--frames", "x=lines", "--instances", "2", "--out", "y=-", *FAST)
        child.stdin.write(b"one\ntwo\n")
        child.stdin.flush()  # and stays open
        self.assertEqual(child.wait(LIMIT_S), 0)
        self.assertEqual(child.stdout.read(), b"onetwo")

    def test_arrays(self):
        graph = self.write("even.yaml", EVEN)
        frames = npy([[7, 7]], 2) + npy([[3, 3, 3], [3, 3, 3]], 3) + npy([[8]], 1)  # an even picture stays when it is sharpened
        self.assertEqual(self.pipe(frames, "--frames", "npy", graph=graph)[0], frames)

    def test_an_array_of_another_type_fails_alone(self):
        graph = self.write("even.yaml", EVEN)
        wrong = npy([[1, 2]], 2).replace(b"|u1", b"<u2") + b"\0\0"
        out, error = self.pipe(wrong + npy([[7, 7]], 2), "--frames", "npy", code=1, graph=graph)
        self.assertEqual(out, npy([[7, 7]], 2))
        self.assertIn("frame 0 of stdin: u16[1,2,1] was given, expected u8[height,width,1]", error)

    def test_an_array_that_is_refused_fails_alone(self):
        """Its header tells where the next one begins."""
        graph = self.write("even.yaml", EVEN)
        good = npy([[7, 7]], 2)
        for descr, order, size, says in (("|u1", "True", 1, "its columns come first"), ("|b1", "False", 1, "its elements are '|b1'"), (">u2", "False", 2, "its elements are '>u2', the high byte first"),
                                         ("<f2", "False", 2, "its elements are '<f2'"), ("<c8", "False", 8, "its elements are '<c8'"), ("<U3", "False", 12, "its elements are '<U3'"),
                                         ("<M8[ns]", "False", 8, "its elements are '<M8[ns]'")):
            with self.subTest(descr):
                header = "{'descr': '%s', 'fortran_order': %s, 'shape': (1, 2, 1), }" % (descr, order)
                header += " " * (127 - 10 - len(header)) + "\n"
                wrong = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + bytes(2 * size)
                out, error = self.pipe(good + wrong + good, "--frames", "npy", code=1, graph=graph)
                self.assertEqual(out, good + good)
                self.assertIn("frame 1 of stdin: " + says, error)

    def test_pictures(self):
        reason = os.path.join(BUILD, "kernels/jpeg_encode/unavailable.txt")
        if os.path.exists(reason):
            self.skip("jpeg", harness.read(reason).strip())
        files = []
        for k, row in enumerate(([0] * 16, [10, 200] * 8)):
            source, file = self.write("p.npy", npy([row] * 16, 16)), self.path(f"{k}.jpg")
            done = self.woa("run", self.write("encode.yaml", ENCODE), "--in", "x=" + source, "--out", "y=" + file)
            self.assertEqual(done.returncode, 0, done.stderr)
            files.append(harness.read(file, "rb"))
        graph = self.write("large.yaml", COPY.replace("MAX", "1MiB"))
        out, error = self.pipe(files[0] + files[1] + files[0], "--frames", "jpeg", graph=graph)
        self.assertEqual(out, files[0] + files[1] + files[0])
        self.assertIn("3 of 3 instances done", error)


class Order(PipesTest):
    def test_each_answer_comes_before_the_next_question(self):
        child = self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST)
        for k in range(20):
            child.stdin.write(b"question %d\n" % k)
            child.stdin.flush()
            self.assertTrue(select.select([child.stdout], [], [], LIMIT_S)[0], "no answer")
            self.assertEqual(child.stdout.readline(), b"question %d\n" % k)
        child.stdin.close()
        self.assertEqual(child.wait(LIMIT_S), 0)

    def test_a_frame_comes_in_pieces(self):
        child = self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST)
        for piece in (b"on", b"e\ntw", b"o\n"):
            child.stdin.write(piece)
            child.stdin.flush()
            time.sleep(0.05)
        out, error = child.communicate(timeout=LIMIT_S)
        self.assertEqual((child.returncode, out), (0, b"one\ntwo\n"), error)

    def test_a_slow_reader_holds_the_writer_up(self):
        child = self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST)
        os.set_blocking(child.stdin.fileno(), False)
        line, written, quiet_since = b"x" * 60 + b"\n", 0, time.monotonic()
        while time.monotonic() - quiet_since < 1:
            try:
                written += os.write(child.stdin.fileno(), (line * 101)[written % len(line):])
                quiet_since = time.monotonic()
            except BlockingIOError:
                time.sleep(0.01)
            self.assertLess(written, 1 << 20, "nobody holds the writer up")
        os.set_blocking(child.stdin.fileno(), True)
        rest = line[written % len(line):]
        writer = threading.Thread(target=lambda: (os.write(child.stdin.fileno(), rest), child.stdin.close()))
        writer.start()
        out = child.stdout.read()
        writer.join()
        self.assertEqual(child.wait(LIMIT_S), 0)
        self.assertEqual(out, line * ((written + len(rest)) // len(line)))

    def test_named_pipes_in_whatever_order_they_are_opened(self):
        graph = self.write("two.yaml", TWO)
        names = [self.path(name) for name in ("left", "right", "first", "second")]
        for name in names:
            os.mkfifo(name)
        child = self.start("--in", "left=" + names[0], "--in", "right=" + names[1], "--out", "first=" + names[2],
                           "--out", "second=" + names[3], "--frames", "lines", *FAST, graph=graph)
        with open(names[3]) as second, open(names[2]) as first, open(names[1], "w") as right, open(names[0], "w") as left:
            left.write("a\nb\n")
            left.close()
            right.write("c\nd\n")
            right.close()
            self.assertEqual((first.read(), second.read()), ("a\nb\n", "c\nd\n"))
        self.assertEqual(child.wait(LIMIT_S), 0)


class Wrong(PipesTest):
    def test_frames_that_cannot_be_instances_fail_alone(self):
        out, error = self.pipe(b"one\n" + b"x" * 100_000 + b"\nthree\n", "--frames", "lines", code=1)
        self.assertEqual(out, b"one\nthree\n")
        self.assertIn("frame 1 of stdin: 100000 bytes, expected at most 64; raise `max` of input `x` in the graph", error)
        self.assertIn("2 of 3 instances done", error)

    def test_failures_without_end_are_counted(self):
        long, good = b"x" * 65 + b"\n", b"ok\n"
        child = self.start("--in", "x=-", "--frames", "lines", "--json", *FAST)
        out, error = child.communicate((long + good) * 1500, timeout=LIMIT_S)
        self.assertEqual(child.returncode, 1, error)
        result = json.loads(out)
        self.assertEqual((result["failed"], result["outputs"][0]["bytes"]), (1500, 3000))
        self.assertEqual([failure["instance"] for failure in result["failures"]], list(range(0, 2000, 2)))
        self.assertIn("500 more instances failed; only the first 1000 are listed", error.decode())

    def test_outputs_that_cannot_be_written_are_counted(self):
        out, error = self.pipe(b"\x03\0\0\0a\nb" * 1500 + b"\x02\0\0\0ok", "--frames", "x=u32", "--frames", "y=lines", code=1)
        self.assertEqual(out, b"ok\n")
        self.assertIn("1 of 1501 instances done", error)
        self.assertIn("500 more instances failed; only the first 1000 are listed", error)

    def test_a_stream_that_is_cut(self):
        out, error = self.pipe(b"x" * 70, "--frames", "fixed:64", code=1)
        self.assertEqual(out, b"x" * 64)
        self.assertIn("frame 1 of stdin: the stream ended inside it, after 6 bytes", error)

    def test_what_is_no_frame_ends_the_run_in_order(self):
        out, error = self.pipe(b"no picture", "--frames", "x=jpeg", code=1)
        self.assertEqual(out, b"")
        self.assertIn("frame 0 of stdin: it is no JPEG file", error)

    def test_an_output_that_its_rule_cannot_hold(self):
        out, error = self.pipe(b"\x02\0\0\0ok\x03\0\0\0a\nb\x02\0\0\0ok", "--frames", "x=u32", "--frames", "y=lines", code=1)
        self.assertEqual(out, b"ok\nok\n")
        self.assertIn("--out y: a line feed is in the output", error)

    def test_one_stream_ends_before_the_other(self):
        graph = self.write("two.yaml", TWO)
        left, right = self.path("left"), self.path("right")
        for name in (left, right):
            os.mkfifo(name)
        child = self.start("--in", "left=" + left, "--in", "right=" + right, "--frames", "lines", *FAST, graph=graph)
        with open(left, "w") as first, open(right, "w") as second:
            first.write("a\n")
            second.write("b\nc\nd\n")
        out, error = child.communicate(timeout=LIMIT_S)
        self.assertEqual(child.returncode, 1, error)
        self.assertIn(f"frame 1 of '{left}': the stream has ended, but another has more", error.decode())
        self.assertIn("1 of 2 instances done", out.decode())

    def test_the_reader_goes(self):
        child = self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST)
        child.stdout.close()
        try:
            for _ in range(1000):
                child.stdin.write(b"x" * 60 + b"\n")
                child.stdin.flush()
        except BrokenPipeError:
            child.stdin.detach()  # what it holds back has no reader
        self.assertEqual(child.wait(LIMIT_S), 1)
        self.assertIn("cannot write to stdout: its reader has gone", child.stderr.read().decode())

    def interrupted(self, child):
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(LIMIT_S), 130)
        self.assertIn("interrupted by SIGINT", child.stderr.read().decode())

    def test_an_interrupt_while_nothing_comes(self):
        self.interrupted(self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST))

    def test_an_interrupt_while_nobody_reads(self):
        child = self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST, stdin=subprocess.DEVNULL)
        child.wait(LIMIT_S)
        with open(self.write("lines", "x\n" * 200_000)) as lines:
            self.interrupted(self.start("--in", "x=-", "--out", "y=-", "--frames", "lines", *FAST, stdin=lines))

    def test_an_interrupt_while_no_reader_has_come(self):
        os.mkfifo(self.path("out"))
        self.interrupted(self.start("--in", "x=bytes:a", "--out", "y=" + self.path("out"), *FAST))

    def test_files_written_to_a_pipe_that_nobody_reads(self):
        os.mkfifo(self.path("file"))
        for option in ("--report", "--trace"):
            self.refused(self.woa("run", self.graph, "--in", "x=bytes:a", option, self.path("file"), *FAST), 1,
                         f"nobody reads the pipe '{self.path('file')}'; start its reader first")

    def test_what_is_asked_for_wrongly(self):
        for arguments, code, text in [
                (["--in", "x=-"], 2, "--in x=-: nobody knows where an instance ends in a pipe: give --frames lines, u32"),
                (["--in", "x=-", "--frames", "words"], 2, "--frames: 'words' is no rule for frames: give lines, u32, npy, jpeg or fixed:BYTES"),
                (["--in", "x=-", "--frames", "fixed:0"], 2, "no rule for frames"),
                (["--in", "x=-", "--frames", "z=lines"], 2, "no input or output 'z'; expected RULE or one of x, y"),
                (["--in", "x=-", "--frames", "lines", "--frames", "u32"], 2, "--frames was given twice for all ports"),
                (["--in", "x=-", "--frames", "npy"], 2, "--frames npy: 'x' is of type bytes"),
                (["--in", "x=bytes:a", "--frames", "lines"], 2, "--frames: no input or output is a pipe"),
                (["--in", "x=-", "--frames", "lines", "--frames", "y=u32"], 2, "--frames y=...: 'y' is no pipe"),
                (["--in", "x=-", "--frames", "lines", "--out", "y=" + self.path("%n")], 2, "no input comes from a file"),
                (["--in", "x=-", "--frames", "lines", "--out", "y=-", "--json"], 2, "stdout has room for the object or for frames")]:
            with self.subTest(arguments):
                self.refused(self.woa("run", self.graph, *arguments), code, text)

    def test_two_inputs_cannot_share_a_stream(self):
        graph = self.write("two.yaml", TWO)
        self.refused(self.woa("run", graph, "--in", "left=-", "--in", "right=-", "--frames", "lines"), 2,
                     "another input reads it; each needs a pipe of its own")

    def test_a_pipe_is_known_by_all_its_names(self):
        two, pipe = self.write("two.yaml", TWO), self.path("pipe")
        os.mkfifo(pipe)
        os.symlink("pipe", self.path("link"))
        other = os.path.join(os.path.dirname(pipe), ".", "pipe")
        kept = os.open(pipe, os.O_RDWR)  # has both ends
        self.addCleanup(os.close, kept)
        literals = ["--in", "left=bytes:a", "--in", "right=bytes:b"]
        for arguments, text in [
                (["--in", "left=" + pipe, "--in", "right=" + other], "another input reads it"),
                (["--in", "left=" + pipe, "--in", "right=" + self.path("link")], "another input reads it"),
                (["--in", "left=-", "--in", "right=/dev/stdin"], "another input reads it"),
                (["--in", "left=" + pipe, "--in", "right=-"], "another input reads it"),
                (["--in", "left=" + pipe, "--in", "right=bytes:b", "--out", "first=" + other],
                 "--out first=" + other + ": --in left has the same pipe or file; each needs one of its own"),
                (["--in", "left=-", "--in", "right=bytes:b", "--out", "second=" + pipe], "--in left has the same"),
                ([*literals, "--out", "first=" + pipe, "--out", "second=" + other], "--out first has the same"),
                ([*literals, "--out", "first=-", "--out", "second=" + pipe], "--out first has the same"),
                ([*literals, "--out", "first=-", "--out", "second=/dev/stdout"], "--out first has the same")]:
            with self.subTest(arguments):
                child = self.start(*arguments, "--frames", "lines", *FAST, graph=two, stdin=kept, stdout=kept)
                self.assertEqual(child.wait(LIMIT_S), 2)
                self.assertIn(text, child.stderr.read().decode())

    def test_stdin_is_a_file_that_would_be_overwritten(self):
        file = self.write("lines", "a\n")
        for options in (["--out", "y=" + file], ["--report", file]):
            with self.subTest(options), open(file) as lines:
                child = self.start("--in", "x=-", "--frames", "lines", *options, *FAST, stdin=lines)
                self.assertEqual(child.wait(LIMIT_S), 2, child.stderr.read())
                self.assertEqual(harness.read(file), "a\n")

    def test_a_closed_stdin_or_stdout(self):
        for arguments, redirection, text in [
                (["--in", "x=-", "--frames", "lines"], "<&-", "--in x=-: stdin is closed"),
                (["--in", "x=bytes:a", "--out", "y=-"], ">&-", "--out y=-: stdout is closed")]:
            with self.subTest(redirection):
                done = subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", WOA, "run", self.graph, *arguments, *FAST],
                                      stderr=subprocess.PIPE, timeout=LIMIT_S)
                self.refused(done, 2, text)

    def test_other_commands_read_files(self):
        self.refused(self.woa("profile", self.graph, "--in", "x=-", "-o", self.path("p")), 1, "cannot be read for each instance")


if __name__ == "__main__":
    harness.main()
