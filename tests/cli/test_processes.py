"""What only a process of its own shows: signals, pipes, terminals, start-up."""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import infoset
from infoset.machine.interrupts import heard_interrupts
from infoset.solvers.solution_files import read_checkpoint

SOURCE = Path(infoset.__file__).parents[1]
VERBS = ["tree", "solve", "show", "evaluate", "compare", "play", "match", "replay", "reproduce"]
HEAVY = ["numpy", "numba", "scipy", "matplotlib", "infoset.api"]
GO_ON = (
    "go on with: infoset solve leduc -a cfr+ -e 1e-13 --save solution --checkpoint run --every 0.1 "
    "--resume run"
)
ENDLESS = ("solve", "leduc", "-a", "cfr+", "-e", "1e-13")


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    for _ in range(1200):
        if path.exists():
            return
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.05)
    raise AssertionError("the checkpoint never came")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_saves_prints_and_resumes(start, tmp_path, number):
    files = ("--checkpoint", "run", "--every", "0.1", "--save", "solution")
    process = start(*ENDLESS, *files, "--json")
    wait_for(tmp_path / "run", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    found = json.loads(out)
    assert found["stopped_by"] == "interrupt"
    assert GO_ON in err
    assert infoset.load(tmp_path / "solution").iterations == found["iterations"]
    checkpoint = read_checkpoint(tmp_path / "run")
    assert checkpoint.iteration == found["iterations"]

    end = checkpoint.iteration + 50
    resumed = start("solve", "leduc", "-n", end, "--resume", "run", "--json")
    out, err = resumed.communicate(timeout=60)
    assert resumed.returncode == 0, err
    assert json.loads(out)["iterations"] == end
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "solution"]


AT_LENGTH = [pytest.param(0.1 * i, marks=pytest.mark.slow) for i in range(1, 20)]


@pytest.mark.parametrize("delay", [0.02, 0.75, *AT_LENGTH])
def test_ctrl_c_at_any_time_is_one_word(start, delay):
    """While the program is imported, while kernels are loaded, while the game is built."""
    process = start(*ENDLESS, ready="ready")
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.count("interrupted") == 1
    assert "Traceback" not in err


def test_ctrl_c_in_a_callback_of_the_compiler_is_not_lost(capfd):
    """As llvmlite calls back into Python while it loads kernels."""
    callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    reached = []

    def load_kernels() -> None:
        with heard_interrupts():
            callback()
            reached.append("the end, because Python dropped the interrupt")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            load_kernels()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert reached
    assert capfd.readouterr().err == ""


def test_a_reader_that_has_seen_enough(start, tmp_path):
    infoset.solve("liars_dice(faces=5)", iterations=2).save(tmp_path / "s")
    for kind in ([], ["--csv"], ["--json"]):
        process = start("show", "s", "--all", *kind)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("arguments", [["--help"], ["games", "--json"], ["--version"]])
def test_a_reader_that_has_gone(start, arguments):
    process = start(*arguments)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) in (0, 1)


@pytest.mark.parametrize("arguments", [["--help"], ["games"]])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_onto_a_full_disk(start, arguments):
    with open("/dev/full", "w") as full:
        process = start(*arguments, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "No space left" in err
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_closed_outputs(start):
    process = start("games", "--json", stdout=None, preexec_fn=lambda: os.close(1))
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["games"], ["games", "--json"], *([name, "-h"] for name in VERBS)]
)
def test_light_commands_import_nothing_heavy(start, arguments):
    script = (
        "import sys, atexit\n"
        f"heavy = lambda: [name for name in {HEAVY} if name in sys.modules]\n"
        "atexit.register(lambda: print(heavy(), file=sys.stderr))\n"
        "from infoset.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_algorithms_are_listed_without_the_compiler(start):
    script = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('numba' in sys.modules, file=sys.stderr))\n"
        "from infoset.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "algorithms"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "False\n")


def test_python_m_infoset_with_an_encoding_that_lacks_letters(tmp_path, kuhn_file):
    done = subprocess.run(
        [sys.executable, "-m", "infoset", "games"],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


def test_bugs_show_their_traceback_only_when_asked(tmp_path):
    script = "import infoset.games as g; g.known_games = None\nfrom infoset.cli import main; main()"
    for debug in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", script, "games", "--json"],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "INFOSET_DEBUG": debug},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert "this is a bug in infoset" in done.stderr
        assert ("Traceback" in done.stderr) == (debug == "1")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_live_line_on_a_terminal(start):
    import pty

    ours, theirs = pty.openpty()
    process = start("solve", "leduc", "-s", "0.5", "--json", stderr=theirs, env={"TERM": "xterm"})
    os.close(theirs)
    drawn = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        drawn += piece
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert json.loads(out)["stopped_by"] == "seconds"
    text = drawn.decode()
    assert "leduc" in text
    assert "iterations" in text
    assert "exploitability" in text
    assert "left" in text
