"""How to fix a finding in a certain language, where findings.py is too general."""

from collections.abc import Mapping
from typing import Any

from arena.check.findings import FINDINGS, MORE_MEMORY, WRITING, meaning
from arena.check.languages import Language

_PYTHON, _JS, _TS, _RUST = Language.PYTHON, Language.JAVASCRIPT, Language.TYPESCRIPT, Language.RUST
_GO, _JAVA, _C, _CPP, _SHELL = Language.GO, Language.JAVA, Language.C, Language.CPP, Language.SHELL

_NODE_STRAY = "Print with console.error, not with console.log or process.stdout.write, which write to stdout."
_NODE_FLUSH = (
    "process.stdout.write does not buffer in a pipe, but process.exit() drops what is not written yet: end by "
    "closing stdin, or exit in the callback of the last write. Do not use cork()."
)
_NODE_EXIT = "Call process.exit(0) on process.stdin's 'end' event and at bye, or clear the timers that keep Node alive."
_NODE_SPLIT = (
    "Each 'data' event is a piece, not a message: Buffer.concat the pieces, and cut frames from them in a loop."
)
_NODE_IDS = (
    "Numbers are exact up to 2^53 - 1, but bit operators (| 0, >>>) cut them to 32 bits: keep ids away from them."
)
_NODE_DEPENDENCIES = (
    "Ship node_modules in the bot's folder (npm ci in `build`), or bundle into one file. Do not start worker processes."
)

_NODE_MEMORY = (
    "Keep less. The heap of V8 has half of memory_mb (the arena sets --max-old-space-size); Buffers and typed arrays "
    "are outside of it, and count too."
)
_NATIVE_MEMORY = "Keep less: look for what grows with every decision, and for one very large allocation."
_NODE_CRASH = (
    "Fix the first line of your own code in the stack. If it can still fail, catch it and answer question.legal[0]."
)
_LOOP = "prints no stack. Look in `decide`, and in what it calls, for a loop whose condition never changes, and for"
_PLACE = "To see where it hangs, run `arena play BOT random --debug`, press Enter, and then in another terminal"
_NODE_PLACE = (
    f"Node {_LOOP} an await of a promise that is never resolved. {_PLACE} `kill -USR1 PID` and `node inspect "
    "127.0.0.1:9229`; there enter pause, then bt."
)
_SANITIZER = (
    "To see why, run `make clean all {}='-g -fsanitize=address,undefined'` and play with `--sandbox none`, without "
    "--build: the output names the line. A sanitizer needs more addresses than the sandbox allows."
)

BY_LANGUAGE: Mapping[tuple[str, Language], str] = {
    ("text", _PYTHON): "Use print(..., file=sys.stderr). With dinobot.py a plain print after dinobot.run() has begun "
    "goes to stderr too; one before that, at the top of a file, does not.",
    ("text", _JS): _NODE_STRAY,
    ("text", _TS): _NODE_STRAY,
    ("text", _RUST): "Use eprintln! or dbg!, not println! or print!.",
    ("text", _GO): "Use log.Print or fmt.Fprintln(os.Stderr, ...), not fmt.Println.",
    ("text", _JAVA): "Print to System.err, not to System.out.",
    ("text", _C): "Use fprintf(stderr, ...), not printf or puts.",
    ("text", _CPP): "Use std::cerr, not std::cout or printf.",
    ("text", _SHELL): "Write >&2 after every echo and every program whose output is not a message.",
    ("truncated", _C): "End each JSON line with \\n, write whole frames, and fflush(stdout) after each.",
    ("truncated", _CPP): "End each JSON line with '\\n' and std::flush; write whole frames.",
    ("truncated", _PYTHON): "End each JSON line with b'\\n', write whole frames, and flush.",
    ("not-flushed", _PYTHON): "Call sys.stdout.buffer.flush() (or print(..., flush=True)) after each message; or run "
    "python -u.",
    ("not-flushed", _JS): _NODE_FLUSH,
    ("not-flushed", _TS): _NODE_FLUSH,
    ("not-flushed", _RUST): "Call std::io::stdout().flush()? after each message; a BufWriter buffers even more.",
    ("not-flushed", _GO): "Call Flush() on your bufio.Writer after each message, or write to os.Stdout directly.",
    ("not-flushed", _JAVA): "Call System.out.flush(), or flush() of your BufferedOutputStream, after each message.",
    ("not-flushed", _C): "Call fflush(stdout) after each message; or setvbuf(stdout, NULL, _IONBF, 0) at the start.",
    ("not-flushed", _CPP): "Write std::flush after each message (std::endl in JSON lines); `sync_with_stdio(false)` "
    "and `cin.tie(nullptr)` turn off the automatic flush.",
    ("not-flushed", _SHELL): "The shell's own echo and printf do not buffer; programs in pipes do: use stdbuf -oL, "
    "sed -u, grep --line-buffered, jq --unbuffered.",
    ("silent", _PYTHON): "Write hello before you read stdin, and flush: sys.stdout.buffer.flush().",
    ("silent", _JAVA): "Write hello before you read System.in, and call System.out.flush().",
    ("silent", _C): "Write hello before any read, and fflush(stdout).",
    ("crash", _PYTHON): "Fix the line that the traceback names last. If your code can still fail, catch it and answer "
    "question['legal'][0].",
    ("crash", _JS): _NODE_CRASH,
    ("crash", _TS): _NODE_CRASH,
    ("crash", _RUST): "Fix the line that the panic names. To see the calls that led there, write `[env]` and "
    '`RUST_BACKTRACE = "1"` at the end of bot.toml.',
    ("crash", _GO): "Fix the first line of your own code in the stack: dinobot.go and /usr/... are not yours. If it "
    "can still fail, `defer` a function in `decide` that calls recover() and sets the answer to question.Legal[0].",
    ("crash", _JAVA): "Fix the first line of your own code in the stack trace. If it can still fail, catch "
    "RuntimeException around your decision, and then answer the first action.",
    ("crash", _C): _SANITIZER.format("CFLAGS"),
    ("crash", _CPP): _SANITIZER.format("CXXFLAGS"),
    ("crash", _SHELL): "Fix the line that the message names: the number after bot.sh. An unset variable under `set "
    "-u`, and ${name:?}, end the whole bot: write ${name:-} where a variable may be unset. If there is no message, "
    "a function most likely calls itself without end.",
    ("hang", _JS): _NODE_PLACE,
    ("hang", _TS): _NODE_PLACE,
    ("hang", _RUST): f"Rust {_LOOP} a lock that is taken twice. {_PLACE} `gdb -p PID -batch -ex bt`, which names the "
    "functions.",
    ("hang", _SHELL): f"A shell {_LOOP} a `read` or a program that waits for input: `set -x` at the start of bot.sh "
    "shows the last command on stderr.",
    ("split-frames", _PYTHON): "os.read and sys.stdin.buffer.read1 return what has arrived: keep reading until the "
    "frame is complete. sys.stdin.buffer.read(n) waits for n bytes.",
    ("split-frames", _JS): _NODE_SPLIT,
    ("split-frames", _TS): _NODE_SPLIT,
    ("split-frames", _RUST): "Use read_exact for the length and the payload, or read_until(b'\\n'), on a BufReader.",
    ("split-frames", _GO): "Use io.ReadFull for the length and the payload, on a bufio.Reader; not Read alone.",
    ("split-frames", _JAVA): "Use DataInputStream.readInt() and readFully(); InputStream.read() may return less.",
    ("split-frames", _C): "read() may return less than you ask for: call it in a loop until the frame is complete; "
    "fread waits for all of it.",
    ("split-frames", _CPP): "read() may return less than you ask for: call it in a loop; std::cin.read waits for "
    "all of it.",
    ("merged-frames", _JS): _NODE_SPLIT,
    ("merged-frames", _TS): _NODE_SPLIT,
    ("merged-frames", _GO): "Use one bufio.Reader for the whole life of the process: a new one for each message "
    "loses what the old one had read ahead.",
    ("merged-frames", _JAVA): "Use one reader for the whole life of the process: a new one for each message loses "
    "what the old one had read ahead.",
    ("merged-frames", _RUST): "Use one BufReader for the whole life of the process: a new one for each message "
    "loses what the old one had read ahead.",
    ("unknown-fields", _PYTHON): "Read what you need by key; Class(**message) fails at new keys.",
    ("unknown-fields", _RUST): "Remove #[serde(deny_unknown_fields)]; by default serde ignores unknown fields.",
    ("unknown-fields", _GO): "Remove DisallowUnknownFields(); by default encoding/json ignores unknown fields.",
    ("unknown-fields", _JAVA): "In Jackson, set FAIL_ON_UNKNOWN_PROPERTIES to false.",
    ("null-fields", _PYTHON): "Test `message.get('last') is None`, which covers null and missing; `'last' in "
    "message` does not.",
    ("null-fields", _RUST): "Declare them as Option<T>: serde reads both null and a missing field as None.",
    ("null-fields", _GO): "Declare them as pointers: encoding/json leaves nil both for null and for a missing field.",
    ("large-message", _GO): "bufio.Scanner stops at 64 KiB: call scanner.Buffer(nil, 1<<20 + 1), or use bufio.Reader.",
    ("large-message", _C): "Do not use a fixed line buffer: grow it with realloc, or reserve 1 MiB and 4 bytes at "
    "once.",
    ("ids", _JS): _NODE_IDS,
    ("ids", _TS): _NODE_IDS,
    ("ids", _C): "Use int64_t (or long long) and %lld or PRId64, not int.",
    ("ids", _CPP): "Use std::int64_t, not int.",
    ("ids", _JAVA): "Use long, not int.",
    ("ids", _RUST): "Use i64 or u64, not i32 or u32.",
    ("ids", _GO): "Use int64, not int32; a map[string]any turns numbers into floats, so use UseNumber() or a struct.",
    ("bye-ignored", _JS): _NODE_EXIT,
    ("bye-ignored", _TS): _NODE_EXIT,
    ("bye-ignored", _JAVA): "Call System.exit(0), or make all threads daemons: any other thread keeps the process "
    "alive.",
    ("bye-ignored", _GO): "Return from main or call os.Exit(0); goroutines do not keep the process alive.",
    ("bye-ignored", _PYTHON): "Return from the loop; threads must be daemons (threading.Thread(daemon=True)).",
    ("eof-ignored", _PYTHON): "An empty b'' from read or '' from readline means the end: leave the loop. Other "
    "threads must be daemons.",
    ("eof-ignored", _JS): _NODE_EXIT,
    ("eof-ignored", _TS): _NODE_EXIT,
    ("eof-ignored", _RUST): "A read of Ok(0), or ErrorKind::UnexpectedEof of read_exact, means the end: return.",
    ("eof-ignored", _GO): "io.EOF means the end: return from main.",
    ("eof-ignored", _JAVA): "read() == -1, readLine() == null or EOFException mean the end: System.exit(0).",
    ("eof-ignored", _C): "read() == 0, or fgets() == NULL, means the end: return 0 from main.",
    ("eof-ignored", _CPP): "If std::getline or std::cin.read fails, return 0 from main.",
    ("eof-ignored", _SHELL): "Loop with `while read -r line; do ... done`, which ends at end-of-file; then exit 0.",
    ("exit-status", _PYTHON): "Treat the end of stdin as a normal end, not as an exception (EOFError, struct.error); "
    "return from the loop.",
    ("exit-status", _RUST): "Match ErrorKind::UnexpectedEof and return Ok(()) from main, instead of `?` or unwrap().",
    ("exit-status", _JAVA): "Catch EOFException around the loop, and call System.exit(0).",
    ("exit-status", _GO): "Compare with io.EOF and io.ErrUnexpectedEOF before log.Fatal, which exits with 1.",
    ("exit-status", _SHELL): "A script returns the status of its last command: end it with `exit 0`.",
    ("memory-limit", _JAVA): "Keep the heap at half of memory_mb at most (-Xmx in `command`; the arena sets "
    "-Xmx128m for 256 MB if there is none), because the JVM needs memory outside the heap.",
    ("memory-limit", _JS): _NODE_MEMORY,
    ("memory-limit", _TS): _NODE_MEMORY,
    ("memory-limit", _GO): "Keep less, and reuse large slices: the garbage collector frees only what nothing refers to "
    "(the arena sets GOMEMLIMIT to half of memory_mb).",
    ("memory-limit", _PYTHON): "Keep less: the traceback names the line. If it is numpy or a similar library, which "
    'reserves memory for each thread, write `[env]` and `OPENBLAS_NUM_THREADS = "1"` at the end of bot.toml.',
    ("memory-limit", _C): _NATIVE_MEMORY,
    ("memory-limit", _CPP): _NATIVE_MEMORY,
    ("memory-limit", _RUST): _NATIVE_MEMORY,
    ("memory-growth", _PYTHON): "Look for module-level lists and dicts, and for functools.cache on methods: clear them "
    "at `start`.",
    ("memory-growth", _JAVA): "Look for static collections and listeners that are never removed; clear them.",
    ("memory-growth", _C): "Free what a match has allocated at its end; valgrind --leak-check=full names the lines.",
    ("memory-growth", _CPP): "Let containers belong to the match, not to the process; valgrind names what is left.",
    ("sandbox", _PYTHON): "The sandbox hides packages in your home folder: put them into the bot's folder (pip "
    "install --target lib ...) or use {python} in `command`. Threads are allowed, subprocess and multiprocessing are "
    "not.",
    ("sandbox", _JS): _NODE_DEPENDENCIES,
    ("sandbox", _TS): _NODE_DEPENDENCIES,
    ("sandbox", _JAVA): "Put all jars into the bot's folder. Leave -Xmx to the arena or keep it at 128m, and do not "
    "start processes.",
    ("sandbox", _RUST): "Build in `build`, and let `command` start the binary itself: cargo run needs processes and "
    "your home folder.",
    ("sandbox", _GO): "Build in `build`, and let `command` start the binary: go run needs processes and a cache.",
    ("sandbox", _SHELL): "A sandboxed bot cannot start processes, and most shell commands are processes: use only "
    "builtins of the shell, without pipes and $( ), or another language.",
    ("cannot-start", _JAVA): "Is java in the PATH, and does the jar or class of `command` exist after `build`?",
    ("cannot-start", _RUST): "Build in `build` (cargo build --release) and name target/release/NAME in `command`.",
    ("cannot-start", _PYTHON): "Use {python} or python3 in `command`; to run a script directly, it needs chmod +x "
    "and a #! line.",
    ("children-left", _PYTHON): "Call terminate() and wait() on each subprocess before you exit; better, use threads.",
    ("children-left", _SHELL): "Do not put & behind a command, or `kill` and `wait` for what you started: "
    "trap 'kill $(jobs -p)' EXIT.",
    ("slow-start", _PYTHON): "Import large modules after hello, not at the top of the file.",
    ("slow-start", _JAVA): "Send hello before you load anything; -XX:TieredStopAtLevel=1 and -Xshare:auto also help.",
}


ALWAYS: Mapping[str, str] = {"sandbox": f"{WRITING} {{}}", "memory-limit": f"{{}} {MORE_MEMORY}"}
"""What authors in every language read."""
ANYWHERE: Mapping[str, Any] = {}


def fix(finding: str, language: Language, where: Mapping[str, Any] = ANYWHERE) -> str:
    """How to fix a finding, by its id and the place where it was seen."""
    general = meaning(finding, where)
    if general is not FINDINGS[finding] or (finding, language) not in BY_LANGUAGE:
        return general.fix
    return ALWAYS.get(finding, "{}").format(BY_LANGUAGE[finding, language])


def table() -> str:
    """All findings as a table in Markdown."""
    head = ["finding", "level", "what it is", "why it matters", "fix"]
    rows = [head, ["---"] * len(head)]
    rows += [[f"`{name}`", row.level, row.what, row.why, fix(name, Language.UNKNOWN)] for name, row in FINDINGS.items()]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in rows)
