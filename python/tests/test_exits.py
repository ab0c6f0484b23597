"""Programs that end, and runs that are dropped, while threads work."""
import textwrap

import pytest
from conftest import program


@pytest.mark.parametrize("processes", ["one", "per-controller"])
def test_a_program_may_end_with_runs_open(processes):
    assert program(f"""
        import threading, woa
        from test_runs import slow_plan
        run = woa.Run(slow_plan(100), processes="{processes}")
        kept = run(b"x", copy=False)
        open_ = [run.submit(b"x"), run.submit(b"x")]
        open_[0].add_done_callback(print)
        threading.Thread(target=lambda: open_[1].exception(), daemon=True).start()
        print("end")
    """)[:1] == ["end"]


EXITS = {
    "calls": "while True: run(b'x')",
    "calls again after errors": """
        while True:
            try: run(b"x")
            except woa.Error: pass""",
    "callbacks": "while True: run.submit(b'x').add_done_callback(lambda future: run.statistics())",
    "functions that write an input": "while True: run(lambda room: len(room))",
    "runs of its own": """
        while True:
            with woa.Run(plan) as own: own(b"x")""",
    "plans": "while True: woa.compile(copy_graph())",
}


@pytest.mark.parametrize("work, kernel", [(work, kernel) for work in EXITS for kernel in ("copy", "python")
                                          if (work, kernel) != ("plans", "python")])  # a plan that is only made runs no kernel
def test_a_program_may_end_while_daemon_threads_work(work, kernel):
    for pause in (0, 0.01, 0.03):
        assert program(f"""
            import sys, threading, time, woa
            from conftest import copy_graph

            @woa.kernel({{"data": "bytes"}}, {{"data": "bytes"}})
            def python(data):
                return bytes(data)

            plan = woa.compile(copy_graph(64, kernel={kernel if kernel == "python" else repr(kernel)}))
            run = woa.Run(plan)
            def work():
{textwrap.indent(textwrap.dedent(EXITS[work]), " " * 16)}
            for _ in range(4):
                threading.Thread(target=work, daemon=True).start()
            time.sleep({pause})
            print("end")
        """) == ["end"]


@pytest.mark.parametrize("processes", ["one", "per-controller"])
def test_a_run_whose_last_reference_goes_in_its_own_callback_ends(processes):
    """Its processes go, too."""
    assert program(f"""
        import os, subprocess, threading, woa
        from conftest import eventually
        from test_runs import slow_plan

        class Holder:
            pass

        def left():
            return len(os.listdir("/proc/self/task")), subprocess.run(["pgrep", "-P", str(os.getpid()), "woa"], capture_output=True).stdout

        def drop():
            holder = Holder()
            holder.run = woa.Run(slow_plan(20), processes="{processes}")
            holder.future = holder.run.submit(b"x")
            holder.future.add_done_callback(lambda _, holder=holder: holder.__dict__.clear())

        before = left()
        for _ in range(3):
            drop()
        eventually(lambda: left() == before)
        print("gone")
    """) == ["gone"]
