"""How long `arena check` takes for a bot that starts slowly, as with a large library, beside one that starts at once.

    python -m benchmarks.slow_start [SECONDS]

`sleep` waits before its hello, `work` uses a core for as long. Exams of such bots share processes
(arena/check/standby.py). CPU time is that of all processes together, and depends less on what else the machine does.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 2.6
"""What importing onnxruntime and scikit-learn takes on a slow machine."""
LOADS = {
    "fast": "",
    "sleep": "time.sleep({})",
    "work": "end = time.process_time() + {}\nwhile time.process_time() < end:\n    pass",
}
BOT = """
import time

import dinobot

LOAD


class Player:
    def __init__(self, start):
        pass

    def decide(self, question):
        return question["legal"][0]


dinobot.run("slow", "1", ["draftosaurus", "dinodocus"], Player)
"""


def examined(folder: Path, load: str) -> tuple[float, float, dict[str, Any]]:
    """The seconds that the examination took, those of CPU time, and its report."""
    (folder / "bot.py").write_text(BOT.replace("LOAD", load))
    words = [sys.executable, "-m", "arena", "check", str(folder), "--trust", "--json", "--prepare-ms", "60000"]
    state = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder.parent / "state")}
    began, used = time.monotonic(), cpu_s()
    ended = subprocess.run(words, capture_output=True, text=True, env=state, cwd=folder)
    return time.monotonic() - began, cpu_s() - used, json.loads(ended.stdout)


def cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    with TemporaryDirectory(prefix="slow-start-") as name:
        folder = Path(name, "bot")
        folder.mkdir()
        os.chmod(name, 0o755)
        (folder / "dinobot.py").write_text((ROOT / "bots/python/dinobot.py").read_text())
        (folder / "bot.toml").write_text('name = "slow"\nversion = "1"\ncommand = ["{python}", "bot.py"]\n')
        for kind, load in LOADS.items():
            took, used, report = examined(folder, load.format(seconds))
            verdict = ["passed" if report["ok"] else "failed", *(finding["id"] for finding in report["findings"])]
            print(f"{kind:<6}{took:6.1f} s  {used:6.1f} s of CPU  {' '.join(verdict)}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
