"""woa run: files of instances - names, numbers, folders, literals, arrays - and outputs that were there before."""
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import time

import harness
from harness import SOURCE, WOA, WoaTest, read

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")
ONE = "woa: 1\ngraph: one\ninputs: {data: {type: bytes, max: 1MiB}}\nstages: {s: {kernel: fail_if, in: {data: data}, params: {byte: 33}}}\noutputs: {data: s.data}\n"
TWO = ("woa: 1\ngraph: two\ninputs: {a: {type: bytes, max: 1KiB}, b: {type: bytes, max: 1KiB}}\n"
       "stages: {j: {kernel: join2, in: {a: a, b: b}}}\noutputs: {o: j.data}\n")
COUNT = ("woa: 1\ngraph: count\ninputs: {n: {type: 'i64[1]'}}\nstages:\n  s: {kernel: count_down, in: {n: [n, {from: s.again, loop: {max: 9}}]}}\n"
         "outputs: {n: s.done}\n")


def npy(descr, shape, data, order="False"):
    """An array in a file, in the format of numpy.save()."""
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


class FilesTest(WoaTest):
    def folder_of(self, name, files):
        os.makedirs(self.path(name))
        for file in files:
            self.write(name + "/" + file, file + " ")
        return self.path(name)

    def names(self, folder):
        return sorted(os.listdir(self.path(folder)))

    def one(self, *arguments, code=0):
        return self.run_json(self.write("one.yaml", ONE), *arguments, code=code)


class Folders(FilesTest):
    def test_numbers_in_names_are_compared_as_numbers(self):
        """Files that one run writes as DIR/%i are read by the next in the same order."""
        first = self.folder_of("in", [f"f{k:02}" for k in range(12)])
        os.mkdir(self.path("mid"))
        self.one("--in", "data=" + first, "--out", "data=" + self.path("mid/%i"))
        self.run_json(self.write("two.yaml", TWO), "--in", "a=" + first, "--in", "b=" + self.path("mid"), "--out", "o=" + self.path("pairs"))
        self.assertEqual(read(self.path("pairs")), "".join(f"f{k:02} f{k:02} " for k in range(12)))

    def test_the_order_of_names(self):
        expected = ["0", "00", "1", "01", "2", "9a", "10", "a", "a-1", "a1", "a01b", "a1b", "a2b", "b", "b99999999999999999999998", "b99999999999999999999999"]
        self.one("--in", "data=" + self.folder_of("in", expected), "--out", "data=" + self.path("out"))
        self.assertEqual(read(self.path("out")).split(), sorted(expected, key=read(self.path("out")).split().index))
        self.assertEqual(read(self.path("out")).split(), ["0", "00", "01", "1", "2", "9a", "10", "a", "a-1", "a1", "a01b", "a1b", "a2b", "b"] + expected[-2:])

    def test_what_is_left_out_is_told(self):
        folder = self.folder_of("in", ["f1", "f2", ".DS_Store", "._f1"])
        os.mkdir(self.path("in/f3"))
        os.mkfifo(self.path("in/pipe"))
        done = self.woa("run", self.write("one.yaml", ONE), "--in", "data=" + folder, "--out", "data=" + self.path("out"))
        self.refused(done, 0, "warning: --in data: ", ".DS_Store; ._f1; f3, a folder; and 1 more")
        self.assertEqual(read(self.path("out")), "f1 f2 ")
        os.mkdir(self.path("empty"))
        self.write("empty/.hidden", "x")
        self.refused(self.woa("run", self.path("one.yaml"), "--in", "data=" + self.path("empty")), 1, "holds no files but what is left out: .hidden")

    def test_a_link_that_leads_nowhere_is_an_error(self):
        folder = self.folder_of("in", ["f1"])
        os.symlink("nowhere", self.path("in/f2"))
        os.symlink("f1", self.path("in/f3"))
        graph = self.write("one.yaml", ONE)
        for given in (folder, self.path("in/f2")):
            self.refused(self.woa("run", graph, "--in", "data=" + given), 1, "in/f2' is a link to 'nowhere', which is not there")
        os.remove(self.path("in/f2"))
        self.assertEqual(self.one("--in", "data=" + folder)["instances"], 2)

    def pairs(self, a, b):
        self.folder_of("a", a)
        self.folder_of("b", b)
        done = self.woa("run", self.write("two.yaml", TWO), "--in", "a=" + self.path("a"), "--in", "b=" + self.path("b"), "--out", "o=" + self.path("o"))
        for folder in "ab":
            shutil.rmtree(self.path(folder))
        return done

    def test_folders_go_together_by_name_or_say_that_they_do_not(self):
        done = self.pairs(["x.jpg", "x-1.jpg", "y.jpg"], ["x.png", "x-1.png", "y.txt"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(read(self.path("o")), "x.jpg x.png x-1.jpg x-1.png y.jpg y.txt ")
        done = self.pairs(["f1", "f2", "f3"], ["f2", "f3", "f9"])
        self.refused(done, 0, "warning: --in a and --in b: ", "'f1' is only in", "'f9' is only in", "by order: f1 with f2")
        self.assertEqual(read(self.path("o")), "f1 f2 f2 f3 f3 f9 ")
        self.refused(self.pairs(["f1", "f2", "f3"], ["f1", "f3"]), 2, "--in b: its folder holds 2 files, that of --in a holds 3", "'f2' is only in")
        self.refused(self.pairs(["f1", "f2"], ["f1"]), 2, "its folder holds 1 file,", "--in b=FILE, serves every instance")


class Patterns(FilesTest):
    def test_numbers_with_leading_zeros_and_names_of_inputs(self):
        folder = self.folder_of("in", [f"p{k}.txt" for k in range(11)])
        for pattern, names in (("%i.o", [f"{k}.o" for k in range(11)]), ("%02i", [f"{k:02}" for k in range(11)]), ("%n.o", [f"p{k}.o" for k in range(11)]),
                               ("%01i-%n-%i", [f"{k}-p{k}-{k}" for k in range(11)])):
            os.mkdir(self.path("out"))
            result = self.one("--in", "data=" + folder, "--out", "data=" + self.path("out/" + pattern))
            self.assertEqual(self.names("out"), sorted(names))
            self.assertEqual(result["outputs"][0]["files"], [self.path("out/" + name) for name in names])
            self.assertEqual([read(self.path("out/" + name)) for name in names], [f"p{k}.txt " for k in range(11)])
            shutil.rmtree(self.path("out"))
        os.mkdir(self.path("p7"))
        self.one("--in", "data=" + self.path("in/p7.txt"), "--out", "data=" + self.path("%n/x"))
        self.assertEqual(read(self.path("p7/x")), "p7.txt ")

    def test_the_first_folder_names_the_files(self):
        self.folder_of("a", ["a1", "a2"])
        self.folder_of("b", ["b1", "b2"])
        one = self.write("single", "s ")
        for order, names in (("ab", ["a1", "a2"]), ("ba", ["b1", "b2"])):
            os.mkdir(self.path("out"))
            arguments = [word for name in order for word in ("--in", f"{name}={self.path(name)}")]
            self.run_json(self.write("two.yaml", TWO), *arguments, "--out", "o=" + self.path("out/%n"))
            self.assertEqual(self.names("out"), names)
            shutil.rmtree(self.path("out"))
        os.mkdir(self.path("out"))
        self.run_json(self.path("two.yaml"), "--in", "a=" + one, "--in", "b=" + self.path("b"), "--out", "o=" + self.path("out/%n"))
        self.assertEqual(self.names("out"), ["b1", "b2"])

    def test_another_percent_sign_is_bad_usage(self):
        folder = self.folder_of("in", ["f1", "f2", "f3"])
        graph = self.write("one.yaml", ONE)
        for pattern, says in (("%05d.txt", "'%05d' stands for nothing: write %i for the instance's number, %05i "), ("%d", "'%d'"), ("%", "'%'"), ("50%", "'%'"), ("%%", "'%%'"),
                              ("%5i", "'%5i'"), ("%0i", "'%0i'"), ("%021i", "'%021i'"), ("%N", "'%N'"), ("a%i%", "'%'"), ("%i%u", "'%u'")):
            with self.subTest(pattern):
                self.refused(self.woa("run", graph, "--in", "data=" + folder, "--out", "data=" + pattern, cwd=self.path("in")), 2, says, "%n for the name")
        self.assertEqual(self.names("in"), ["f1", "f2", "f3"])

    def test_a_pattern_of_another_tool_joins_no_files(self):
        folder = self.folder_of("in", ["f1", "f2", "f3"])
        graph = self.write("one.yaml", ONE)
        os.mkdir(self.path("out"))
        for name, found in (("o-{}.txt", "{}"), ("o-{i:04}.txt", "{i:04}"), ("$i.txt", "$i"), ("${n}", "${n}"), ("frame####.png", "####"), ("*.txt", "*")):
            with self.subTest(name):
                done = self.woa("run", graph, "--in", "data=" + folder, "--out", "data=" + self.path("out/" + name))
                self.refused(done, 2, f"'{found}' stands for nothing, so the file would take 3 instances one after another: write %i")
                self.assertEqual(self.names("out"), [])
                self.run_json(graph, "--in", "data=bytes:x", "--out", "data=" + self.path("out/" + name))  # one instance is a file
                os.remove(self.path("out/" + name))
        for name in ("a{b", "price$", "a b"):
            self.run_json(graph, "--in", "data=" + folder, "--out", "data=" + self.path("out/" + name))

    def test_a_line_feed_in_a_name_writes_no_line_of_its_own(self):
        graph = self.write("one.yaml", ONE.replace("1MiB", "1KiB"))
        name = "a\nwoa: error[fake]: b\n"
        folder = self.folder_of("in", [name, "g"])
        self.write("in/" + name, bytes(2000))
        odd = self.path("in/" + name)
        for arguments in (["--in", "data=" + folder], ["--in", "data=" + odd], ["--in", "data=" + odd + "x"], ["--in", "data=" + folder, "--out", "data=" + odd + "/x/%i"]):
            done = self.woa("run", graph, *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr.decode(), r"a.?\s*woa: error\[fake\]: b")
            self.assertNotRegex(done.stderr.decode(), r"(?m)^woa: error\[fake\]")

    def test_two_instances_never_share_a_file(self):
        graph = self.write("one.yaml", ONE)
        folder = self.folder_of("in", ["f.a", "f.b", "g"])
        self.refused(self.woa("run", graph, "--in", "data=" + folder, "--out", "data=" + self.path("%n")), 2, "instances 0 and 1 would both be written to", "write %i beside %n")
        self.refused(self.woa("run", graph, "--in", "data=" + self.path("in/g"), "--instances", "2", "--out", "data=" + self.path("%n")), 2, "instances 0 and 1")
        self.refused(self.woa("run", graph, "--in", "data=bytes:x", "--out", "data=" + self.path("%n")), 2, "no input comes from a file")
        two = self.write("both.yaml", ONE.replace("outputs: {data: s.data}", "outputs: {a: s.data, b: s.data}"))
        os.remove(self.path("in/f.b"))
        for a, b, together in (("%n", "f", True), ("%i", "%02i", True), ("%i", "%i.o", False), ("%n", "%n-small", False), ("%n", "x%i", False), ("%n", "g", True), ("%n.o", "g.o", True),
                               ("1%02i", "%i", True)):
            os.mkdir(self.path("out"))
            done = self.woa("run", two, "--in", "data=" + folder, "--out", "a=" + self.path("out/" + a), "--out", "b=" + self.path("out/" + b))
            with self.subTest(a=a, b=b):
                self.assertEqual(b"to one file" in done.stderr, together, done.stderr)
            shutil.rmtree(self.path("out"))

    def test_names_keep_what_is_read(self):
        folder = self.folder_of("in", ["a.jpg", "b.jpg"])
        graph = self.write("one.yaml", ONE)
        self.refused(self.woa("run", graph, "--in", "data=" + folder, "--out", "data=" + self.path("in/%n.jpg")), 2, "would overwrite", "a.jpg")
        self.assertEqual(self.woa("run", graph, "--in", "data=" + folder, "--out", "data=" + self.path("in/%n.png")).returncode, 0)
        self.assertEqual(self.names("in"), ["a.jpg", "a.png", "b.jpg", "b.png"])

    def test_a_format_that_cannot_be_joined_gets_a_file_for_each_instance(self):
        folder = self.folder_of("in", ["f1", "f2", "f3"])
        graph = self.write("one.yaml", ONE)
        for name in ("o.png", "O.JPEG", "o.npy"):
            self.refused(self.woa("run", graph, "--in", "data=" + folder, "--out", "data=" + self.path(name)), 2, "it would take 3 instances", "-%i." + name[2:])
            self.assertEqual(self.woa("run", graph, "--in", "data=" + self.path("in/f1"), "--out", "data=" + self.path(name)).returncode, 0)
        self.one("--in", "data=" + folder, "--out", "data=" + self.path("o.txt"))
        self.assertEqual(read(self.path("o.txt")), "f1 f2 f3 ")

    def test_a_folder_says_what_to_write(self):
        run = ("run", self.write("one.yaml", ONE), "--in", "data=bytes:x", "--out")
        os.mkdir(self.path("out"))
        self.refused(self.woa(*run, "data=" + self.path("out/")), 2, "--out data=" + self.path("out/%i.EXT"), "%n")
        self.refused(self.woa(*run, "data=" + self.path("absent/")), 2, "--out data=" + self.path("absent/%i.EXT"))
        self.refused(self.woa(*run, "data=" + self.path("out")), 1, "cannot write", "--out data=" + self.path("out/%i.EXT"))


class Literals(FilesTest):
    def test_numbers_and_bytes(self):
        graph = self.write("count.yaml", COUNT)
        result = self.run_json(graph, "--in", "n=i64:3", "--out", "n=" + self.path("n"))
        self.assertEqual((result["instances"], result["stages"][0]["firings"]), (1, 4))
        self.assertEqual(read(self.path("n"), "rb"), struct.pack("<q", 0))
        for spelling in ("i64[1]: 3 ", "i64:+3", "i64:003", "i64:3.0", "i64:0.3e1", "i64[+1]:3"):  # as in a graph
            self.assertEqual(self.run_json(graph, "--in", "n=" + spelling)["stages"][0]["firings"], 4, spelling)
        self.one("--in", "data=bytes:a:b, c", "--out", "data=" + self.path("o"), "--instances", "2")
        self.assertEqual(read(self.path("o")), "a:b, ca:b, c")
        self.one("--in", "data=bytes:", "--out", "data=" + self.path("o"))
        self.assertEqual(read(self.path("o")), "")

    def test_what_is_no_literal_of_the_type_says_what_is(self):
        graph = self.write("count.yaml", COUNT)
        for given, says in (("f64:3", "these are f64; expected i64[1], for instance i64:1"), ("i64:3,4", "2 values were given; expected i64[1]"), ("i64:", "0 values were given"),
                            ("i64:x", "'x' is no i64"), ("i64:0x3", "'0x3' is no i64"), ("i64:3.5", "'3.5' is no i64"), ("i64:9223372036854775808", "is no i64"),
                            ("i64[2]:3", "1 value was given"), ("i64[2]:3,4", "i64[2] was given"), ("i64[x]:3", "is not clear"), ("bytes:3", "these are bytes"), ("i64[1]:3,4", "2 values were given")):
            with self.subTest(given):
                self.refused(self.woa("run", graph, "--in", "n=" + given), 2, "--in n=" + given, says, "for instance i64:1")
        self.refused(self.woa("run", self.write("one.yaml", ONE.replace("1MiB", "2")), "--in", "data=bytes:abc"), 2, "3 bytes are more than the declared max of 2")

    def test_a_stage_sets_a_larger_bound_than_its_kernel(self):
        graph = ("woa: 1\ngraph: large\ninputs: {data: {type: bytes, max: 100MiB}}\n"
                 "stages: {s: {kernel: copy, in: {data: data}%s}}\noutputs: {data: s.data}\n")
        data = self.path("data.bin")
        with open(data, "wb") as file:
            file.truncate(65 << 20)
        short, large = (self.write(name, graph % more) for name, more in (("short.yaml", ""), ("large.yaml", ", max: {data: 100MiB}")))
        self.refused(self.woa("check", short), 1, "E0315", "100MiB", "64MiB", "set `max: {data: 100MiB}` at stage `s`")
        out = self.path("out.bin")
        self.run_json(large, "--in", "data=" + data, "--out", "data=" + out, "--window", "1")
        self.assertEqual(os.path.getsize(out), 65 << 20)

    def test_a_file_of_such_a_name_has_a_folder_before_it(self):
        self.write("bytes:x", "from a file")
        done = self.woa("run", self.write("one.yaml", ONE), "--in", "data=./bytes:x", "--out", "data=o", cwd=self.folder)
        self.assertEqual((done.returncode, read(self.path("o"))), (0, "from a file"))

    def test_a_file_that_is_no_array_says_what_was_expected(self):
        graph, data = self.write("count.yaml", COUNT), self.write("data", "3")
        self.refused(self.woa("run", graph, "--in", "n=" + data), 1, "a token of 1 byte of data was found; expected i64[1], 8 bytes", "--in n=i64:1", ".npy")


class Arrays(FilesTest):
    def test_numpy_arrays_are_read_and_written(self):
        graph = self.write("count.yaml", COUNT)
        three = self.write("n.npy", npy("<i8", "(1,)", struct.pack("<q", 3)))
        result = self.run_json(graph, "--in", "n=" + three, "--out", "n=" + self.path("o.npy"))
        self.assertEqual(result["stages"][0]["firings"], 4)
        self.assertEqual(read(self.path("o.npy"), "rb"), npy("<i8", "(1,)", struct.pack("<q", 0)))
        self.assertEqual(result["outputs"][0]["bytes"], 8)

    def test_shapes_go_both_ways(self):
        graph = self.write("same.yaml", "woa: 1\ngraph: same\ninputs: {f: {type: 'u8[h,3,1]', max: 1KiB}}\nstages: {s: {kernel: sharpen3x3, in: {image: f}}}\n"
                           "outputs: {f: s.image}\n")
        array = self.write("f.npy", npy("|u1", "(2, 3, 1)", bytes([9] * 6)))  # sharpening leaves it as it is
        for given in (array, "u8[2,3,1]:9,9,9,9,9,9", "u8:9,9,9,9,9,9"):
            self.run_json(graph, "--in", "f=" + given, "--out", "f=" + self.path("o%i.npy"))
            self.assertEqual(read(self.path("o0.npy"), "rb"), read(array, "rb"))
        for given, says in (("u8:9,9,9,9", "4 values were given; expected u8[h,3,1], for instance u8:1,2,3,4,..."), ("u8[3,2,1]:9,9,9,9,9,9", "u8[3,2,1] was given")):
            self.refused(self.woa("run", graph, "--in", "f=" + given), 2, says)

    def test_headers_that_others_write_are_read_as_numpy_reads_them(self):
        graph = self.write("count.yaml", COUNT)
        for descr in ("<i8", "=i8", "i8", "int64"):
            with self.subTest(descr):
                content = npy(descr, "(1,)", struct.pack("<q", 3))
                for written in (content, content.replace(b"'", b'"')):
                    self.run_json(graph, "--in", "n=" + self.write("n.npy", written), "--out", "n=" + self.path("o.npy"))
        even = self.write("even.yaml", "woa: 1\ngraph: even\ninputs: {f: {type: 'u8[h,3,1]', max: 1KiB}}\nstages: {s: {kernel: sharpen3x3, in: {image: f}}}\n"
                          "outputs: {f: s.image}\n")
        for descr in ("|u1", "<u1", ">u1", "u1", "uint8"):
            with self.subTest(descr):
                self.run_json(even, "--in", "f=" + self.write("f.npy", npy(descr, "(1, 3, 1)", b"123")), "--out", "f=" + self.path("o.npy"))
        zipped = self.write("z.npz", b"PK\3\4" + bytes(60))
        self.refused(self.woa("run", graph, "--in", "n=" + zipped), 1, "it is an archive (.npz)", "numpy.save('x.npy', archive['name'])")

    def test_what_a_payload_cannot_be_says_how_to_save_it(self):
        graph = self.write("count.yaml", COUNT)
        eight = struct.pack("<q", 3)
        for content, says in ((npy("<f8", "(1,)", eight), "f64[1] was given, expected i64[1]"), (npy("<i8", "(1, 1)", eight), "i64[1,1] was given"),
                              (npy("<i8", "()", eight), "i64[] was given"), (npy(">i8", "(1,)", eight), "its elements are '>i8', the high byte first: save array.astype('<i8')"),
                              (npy("|b1", "(8,)", eight), "its elements are '|b1', expected one of u8 i8 u16 i16 u32 i32 u64 i64 f32 f64: convert it, for instance with array.astype('u1')"),
                              (npy("|O", "(1,)", eight), "its elements are '|O', which are no numbers"), (npy("<f2", "(4,)", eight), "its elements are '<f2', expected"),
                              (npy("<i8", "(1, 1)", eight, "True"), "its columns come first"), (b"3", "it is no array of NumPy"), (npy("<i8", "(1,)", eight)[:20], "it is no array"),
                              (npy("<i8", "(1,)", eight[:4]), "4 bytes of data was found; expected i64[1], 8 bytes"), (b"", "it is no array"), (npy("<i8", "x", eight), "it is no array")):
            with self.subTest(says):
                done = self.woa("run", graph, "--in", "n=" + self.write("n.npy", content))
                self.refused(done, 1, "n.npy': " + (says if says[0] != "4" else "a token of " + says))

    def test_bytes_are_what_the_file_holds(self):
        content = npy("<i8", "(1,)", b"12345678")
        self.one("--in", "data=" + self.write("x.npy", content), "--out", "data=" + self.path("y.npy"))
        self.assertEqual(read(self.path("y.npy"), "rb"), content)


class Failures(FilesTest):
    def test_they_name_the_files_of_their_instances(self):
        self.folder_of("in", ["a", "b"])
        self.write("in/c", "!")
        result = self.one("--in", "data=" + self.path("in"), "--out", "data=" + self.path("%n"), code=1)
        self.assertEqual([(failure["instance"], failure["inputs"]) for failure in result["failures"]], [(2, {"data": self.path("in/c")})])
        self.assertEqual(result["outputs"][0]["files"], [self.path("a"), self.path("b")])
        self.refused(self.woa("run", self.path("one.yaml"), "--in", "data=" + self.path("in")), 1, f"instance 2 (data={self.path('in/c')}) failed at stage s")

    def test_alike_ones_are_told_of_together(self):
        folder = self.folder_of("in", ["x"])
        for k in range(60):
            self.write(f"in/y{k}", "!")
        self.write("in/z", "x" * 2000)
        done = self.woa("run", self.write("one.yaml", ONE.replace("1MiB", "1KiB")), "--in", "data=" + folder)
        self.refused(done, 1, "instance 1 (data=", "59 more instances failed alike at stage s: 2 to 60; --json says how each did", "instance 61 (data=", "2000 bytes, expected at most 1024; raise `max` of input `data`")
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertEqual(len(self.run_json(self.path("one.yaml"), "--in", "data=" + folder, code=1)["failures"]), 61)
        self.assertIn(b"1 of 62 instances done", done.stdout)

    def test_counts_have_their_plurals(self):
        out = self.woa("run", self.write("one.yaml", ONE), "--in", "data=bytes:x").stdout.decode()
        for text in ("1 of 1 instance done", "2 messages, 2 B of payload, 0 B copied", "output data: 1 byte, "):
            self.assertIn(text, out)

    def test_long_times_are_not_in_microseconds(self):
        slow = self.write("slow.yaml", ONE.replace("byte: 33", "delay_ms: 50"))
        self.assertRegex(self.woa("run", slow, "--in", "data=bytes:x").stdout.decode(), r"latency p50 [\d.]+ m?s, p99")


class EarlierOutputs(FilesTest):
    """A run that does not go to its end leaves what was there, and nothing else."""

    def setUp(self):
        super().setUp()
        self.out = self.write("out", "earlier")
        self.graph = self.write("slow.yaml", ONE.replace("byte: 33", "delay_ms: 20"))

    def start(self, *arguments):
        return subprocess.Popen([WOA, "run", self.graph, "--in", "data=bytes:x", "--instances", "1000", "--out", "data=" + self.out, *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def child_of(self, run):
        limit = time.monotonic() + harness.LIMIT_S
        while time.monotonic() < limit:
            children = read(f"/proc/{run.pid}/task/{run.pid}/children").split()
            if children:
                return int(children[0])
            time.sleep(0.01)
        self.fail("no node was started")

    def test_a_run_that_is_cut_short(self):
        run = self.start("--trace", self.path("trace"))
        node = self.child_of(run)
        time.sleep(1)
        os.kill(node, signal.SIGKILL)
        run.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(read(self.out), "earlier")
        self.assertEqual(self.names("."), ["out", "out.partial", "slow.yaml"])

    def test_a_run_that_is_killed(self):
        run = self.start()
        self.child_of(run)
        time.sleep(1)
        run.kill()
        run.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(read(self.out), "earlier")

    def test_a_run_in_which_nothing_succeeds(self):
        result = self.one("--in", "data=bytes:!", "--instances", "3", "--out", "data=" + self.out, code=1)
        self.assertEqual((read(self.out), result["outputs"][0]["files"]), ("earlier", []))

    def test_links_and_rights_stay(self):
        os.chmod(self.out, 0o640)
        os.symlink("out", self.path("soft"))
        self.one("--in", "data=bytes:new", "--out", "data=" + self.path("soft"))
        self.assertEqual((read(self.out), os.stat(self.out).st_mode & 0o777, os.readlink(self.path("soft"))), ("new", 0o640, "out"))

    def test_a_file_that_is_open_keeps_what_is_written_to_it(self):
        done = subprocess.run(["sh", "-c", '"$@" > ' + self.out, "sh", WOA, "run", self.graph, "--in", "data=bytes:x", "--out", "data=/dev/stderr"],
                              stderr=open(self.path("log"), "w"), timeout=harness.LIMIT_S)
        self.assertEqual((done.returncode, read(self.path("log"))), (0, "x"))
        self.assertIn("1 of 1 instance done", read(self.out))
        self.assertEqual(self.woa("compile", HELLO, "-o", "/dev/stdout", "--json").returncode, 0)

    def test_a_name_may_be_as_long_as_the_system_allows(self):
        first, second = ("x" * 254 + end for end in "ab")
        graph = self.write("both.yaml", ONE.replace("outputs: {data: s.data}", "outputs: {a: s.data, b: s.data}"))
        self.run_json(graph, "--in", "data=bytes:x", "--out", "a=" + self.path(first), "--out", "b=" + self.path(second))
        self.assertEqual((read(self.path(first)), read(self.path(second))), ("x", "x"))


class FullDisk(FilesTest):
    """A limit on the size of files stands for a disk that is full."""
    LIMIT = 4096

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("in"))
        for k in range(6):
            self.write(f"in/{k}", str(k) * (self.LIMIT + 1 if k in (2, 4) else 100))
        os.mkdir(self.path("out"))

    def run_limited(self, out, *arguments):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.LIMIT, self.LIMIT))

        return subprocess.run([WOA, "run", self.write("one.yaml", ONE), "--in", "data=" + self.path("in"), "--processes", "one", "--out", "data=" + out, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit, timeout=harness.LIMIT_S)

    def test_instances_that_could_not_be_written_have_failed(self):
        self.write("out/2", "earlier")
        done = self.run_limited(self.path("out/%i"))
        self.refused(done, 1, "instance 2 (data=", "cannot write '" + self.path("out/2") + "': File too large", "1 more instance failed alike: 4")
        self.assertIn(b"4 of 6 instances done", done.stdout)
        self.assertEqual(self.names("out"), ["0", "1", "2", "3", "5"])
        self.assertEqual(read(self.path("out/2")), "earlier")
        result = json.loads(self.run_limited(self.path("out/%i"), "--json").stdout)
        self.assertEqual([(failure["instance"], failure["code"], failure["stage"]) for failure in result["failures"]], [(2, "unavailable", None), (4, "unavailable", None)])
        self.assertEqual(result["outputs"][0]["bytes"], 400)
        self.assertNotIn("error", result)

    def test_a_file_for_all_of_them_is_left_as_it_was(self):
        self.write("out/all", "earlier")
        done = self.run_limited(self.path("out/all"), "--json")
        self.refused(done, 1, "cannot write '" + self.path("out/all"))
        result = json.loads(done.stdout)
        self.assertEqual((result["error"]["code"], result["outputs"][0]["bytes"], result["outputs"][0]["files"]), ("unavailable", 0, []))
        self.assertLessEqual({0, 1, 2}, {failure["instance"] for failure in result["failures"]})
        self.assertEqual((self.names("out"), read(self.path("out/all"))), (["all"], "earlier"))

    def test_a_trace_that_does_not_fit_leaves_the_earlier_one(self):
        trace = self.write("out/trace", "earlier")
        done = self.run_limited(self.path("out/%i"), "--trace", trace, "--json")
        self.refused(done, 1, "the trace: cannot write '" + trace)
        self.assertEqual(read(trace), "earlier")

    def test_nobody_hears_that_all_is_done(self):
        done = self.run_limited("/dev/full")
        self.refused(done, 1, "cannot write '/dev/full'")
        self.assertIn(b"0 of 6 instances done", done.stdout)


class Traces(FilesTest):
    def test_slices_of_a_track_never_overlap(self):
        """Perfetto requires that on one track a slice lies within another or beside it."""
        trace = self.path("trace")
        for more in (("--processes", "one"), ("--processes", "per-controller", "--model", "rpc-hub")):
            self.run_json(HELLO, "--in", "text=bytes:x", "--instances", "200", "--trace", trace, *more)
            tracks = {}
            for event in json.loads(read(trace))["traceEvents"]:
                if event["ph"] == "X":
                    begin = round(event["ts"] * 1000)
                    tracks.setdefault((event["pid"], event["tid"]), []).append((begin, begin + round(event["dur"] * 1000)))
            self.assertEqual(len({controller for controller, _ in tracks}), 3)
            for slices in tracks.values():
                open_ends = []
                for begin, end in sorted(slices, key=lambda one: (one[0], -one[1])):
                    while open_ends and open_ends[-1] <= begin:
                        open_ends.pop()
                    self.assertLessEqual(end, open_ends[-1] if open_ends else end)
                    open_ends.append(end)

    def test_a_trace_keeps_no_more_than_its_limit_and_counts_the_rest(self):
        trace = self.path("trace")
        for processes in ("one", "per-controller"):
            run = ["run", HELLO, "--in", "text=bytes:x", "--instances", "200", "--trace", trace, "--processes", processes, "--json"]
            whole = json.loads(self.woa(*run).stdout)
            self.assertEqual([each["untraced"] for each in whole["controllers"]], [0, 0, 0])
            self.assertEqual(json.loads(read(trace))["otherData"], {"untraced": 0})
            done = self.woa(*run, "--trace-limit", "50")
            self.assertEqual(done.returncode, 0, done.stderr)
            untraced = [each["untraced"] for each in json.loads(done.stdout)["controllers"]]
            self.assertTrue(all(count > 0 for count in untraced), untraced)
            kept = json.loads(read(trace))
            self.assertEqual(kept["otherData"], {"untraced": sum(untraced)})
            self.assertLessEqual(sum(event["ph"] == "X" for event in kept["traceEvents"]), 150)
            self.assertIn(f"warning: the trace has the first 50 events of cpu:1, not the {untraced[2]} after them; raise --trace-limit", done.stderr.decode())


class Program(FilesTest):
    def test_a_copy_without_its_kernels_says_so(self):
        program = shutil.copy(WOA, self.path("woa"))
        plan = self.path("plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan).returncode, 0)
        for arguments in (["run", HELLO, "--in", "text=bytes:x"], ["check", HELLO], ["devices"], ["run", plan, "--in", "text=bytes:x"]):
            done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S,
                                  env={name: value for name, value in os.environ.items() if name != "WOA_KERNEL_PATH"})
            said = (done.stdout + done.stderr).decode()
            self.assertRegex(said, "no kernel was found at all in .*" + self.path("kernels") + "|searched: " + self.path("kernels"))
            self.assertIn("WOA_KERNEL_PATH", said)


if __name__ == "__main__":
    harness.main()
