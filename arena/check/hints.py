"""What to do about an error that says exactly what is wrong, recognised by the words of compilers and runtimes.

HINTS are more precise than the fix of a finding, and replace it. They are for what authors meet most often; other
errors are shown as they are, with the fix for the language (arena/check/advice.py). Names in the output are a
stranger's text, so a hint repeats only short words of plain characters.
"""

import re

WORD = r"[\w@./+-]{1,60}"
NO_FORK = (
    "A sandboxed bot cannot start programs, and most shell commands are programs: use only what the shell itself has, "
    "without pipes and $( ), or write this part in another language."
)
_ANSWER = "Every path through `decide` must return one of the legal actions."

HINTS: tuple[tuple[str, str], ...] = (
    # What is missing
    (
        r"ModuleNotFoundError: No module named '(?:dinobot|views)'",
        "dinobot.py and views.py of the kit belong next to the bot: copy them into its folder.",
    ),
    (
        r"ModuleNotFoundError: No module named 'engine'",
        "The rules come with the arena, and the interpreter of `command` does not have it. Give the bot its own: run "
        "`python3 -m venv .venv` and `.venv/bin/pip install dino-arena` in its folder, and write "
        '`command = [".venv/bin/python", "bot.py"]` in bot.toml.',
    ),
    (
        rf"ModuleNotFoundError: No module named '({WORD})'",
        "The interpreter of `command` has no package {0}. Give the bot its own: run `python3 -m venv .venv` and "
        '`.venv/bin/pip install {0}` in its folder, and write `command = [".venv/bin/python", "bot.py"]` in bot.toml.',
    ),
    (
        rf"Cannot find (?:package|module) '(?![./])({WORD})'",
        "Run `npm install {0}` in the bot's folder: it adds the package to package.json and package-lock.json, from "
        "which the build installs it.",
    ),
    (
        r"(?:unresolved import|unlinked crate|unresolved module|maybe a missing crate) `(\w{1,60})[`:]",
        "Run `cargo add {0}` in the bot's folder: it adds the crate to Cargo.toml and Cargo.lock.",
    ),
    (
        rf"no required module provides package ({WORD})",
        "Run `go get {0}` in the bot's folder: it adds the module to go.mod and go.sum.",
    ),
    (
        rf"package ({WORD}) does not exist",
        "Add the library that has {0} to <dependencies> in pom.xml; the build puts it next to the jar.",
    ),
    (
        rf"fatal error: ({WORD}): No such file or directory",
        "{0} belongs to a library that is not installed here: install its development package (such as lib...-dev), or "
        "put its files into the bot's folder and add -I to the Makefile.",
    ),
    (
        rf"undefined reference to [`'‘]({WORD})",
        "Name the library or the object file that has {0} in the Makefile, after the bot's own files: -l... or a .o.",
    ),
    (r"Cannot fork|fork: .*(?:Operation not permitted|Resource temporarily unavailable)", NO_FORK),
    (
        rf"'({WORD})[^\n]*could not be executed: Permission denied",
        "Make {0} executable (`chmod +x {0}`; its first line must be a #! line), or let `command` start it by its "
        'interpreter, such as ["sh", "bot.sh"].',
    ),
    (
        rf"'({WORD}/bin/python[\d.]*)[^\n]*could not be executed: No such file",
        "{0} does not exist: make the environment in the bot's folder, `python3 -m venv .venv`, and install its "
        "packages with `.venv/bin/pip install`.",
    ),
    # What the kits say
    (
        r"decide\(\) answered undefined\b",
        f"{_ANSWER} Look for a path without `return`, and for an index or a key that does not exist: it gives "
        "undefined.",
    ),
    (r"decide\(\) answered (?:None|null)\b", f"{_ANSWER} Look for a path without `return`."),
    (r"decide\(\) (?:returned|answered)|Decide returned an Answer without", _ANSWER),
    (r"decide did not call answer", "Every path through `decide` must call `answer` with one of the legal actions."),
    (
        r"decide\(\) threw in phase (?![^\n]*bad_alloc)",
        "`decide` threw an exception that nothing caught: its text and its stack are above. Prevent it (test the "
        "index, the key or the text first), or catch it and return question.legal[0].",
    ),
    # Memory
    (
        r"OutOfMemoryError: Java heap space|OutOfMemoryError: GC overhead",
        "The heap is full. -Xmx in `command` is its size: raise it, up to half of the memory that the bot may have "
        "(128m of 256 MB), or keep less.",
    ),
    (
        r"external memory pressure|Array buffer allocation failed",
        "Buffers and typed arrays take the memory: they are not in the heap of V8, but count too. Look for "
        "Buffer.alloc, new Uint8Array and the like in `decide` and in what it calls: make fewer or smaller ones, and "
        "keep none that you do not need.",
    ),
    (
        r"JavaScript heap out of memory",
        "The heap of V8 is full. It has half of the memory that the bot may have (NODE_OPTIONS=--max-old-space-size): "
        "keep fewer objects, and look for arrays and maps that grow.",
    ),
    (
        r"ReserveShadowMemoryRange failed|Shadow memory range interleaves|AddressSanitizer: .*ulimit -v",
        "AddressSanitizer reserves far more addresses than the sandbox allows: run this build with `--sandbox none`, "
        "and build without it for leagues.",
    ),
    (
        r"ERROR: AddressSanitizer: (?!failed)",
        "AddressSanitizer says above what happened: fix the first line of your own code in its stack.",
    ),
    # Syntax
    (r"SyntaxError", "The file is not a valid program: fix the line that is shown above."),
    (
        r"Syntax error:",
        "The file is not a valid program. The number is the line in which the shell noticed it: look there, and in the "
        "lines before it for a quote, a bracket, an esac, a done or a fi that is missing.",
    ),
    (
        r"error: expected [^\n]{0,40}['‘];['’] before",
        "Fix the first error above; those after it may follow from it. Where the compiler expects a semicolon, it is "
        "most likely missing at the end of the line of code before.",
    ),
)
SIGNS: tuple[tuple[str, str, str], ...] = (
    (
        "hang",
        r"^SIGQUIT: quit|Full thread dump|^dinobot: the arena waits|most recent call first",
        "When the time was up, the arena asked the bot where it is (the stack above is the answer): it was at {there}. "
        "End the loop, wait or computation there, or stop it by the clock.",
    ),
    (
        "crash",
        r"^dinobot: a signal ends the bot",
        "It crashed at {there}: look for a pointer that is NULL or no longer valid, an index outside its array, or a "
        "recursion that does not end.",
    ),
    (
        "memory-limit",
        r"^Its stack, innermost first|^dinobot: a signal ends the bot",
        "It got no more memory at {there} (malloc then returns NULL, and new throws std::bad_alloc): look for what "
        "grows there, and for one very large allocation.",
    ),
    (
        "memory-limit",
        r"^goroutine \d+|^fatal error: runtime: out of memory",
        "It got no more memory at {there}: look for slices and maps that grow there. The garbage collector frees only "
        "what nothing refers to.",
    ),
    (
        "crash",
        r"signal 11 \(SIGSEGV\), with \d+ MB of",
        "With so much memory in use it most likely ran out of memory: look for what grows in a loop, such as a text "
        "that is appended to itself.",
    ),
    (
        "memory-limit",
        r"^memory allocation of \d+ bytes failed",
        "Keep less: look for a Vec, a map or a text that grows without end, and for one very large allocation. To see "
        'the functions that led there, write `[env]` and `RUST_BACKTRACE = "1"` at the end of bot.toml.',
    ),
)
"""The same for outputs that mean something only in a certain finding."""
PLACES = re.compile(r"(?<![\w.-])([\w./-]{0,200}/)?([\w-]{1,60})\(\+(0x[0-9a-f]{1,16})\)")
"""Frames of a program without names, as backtrace_symbols of the C library prints them; libraries have a dot."""


def hint(output: str) -> str:
    """What to do about the error in this output; empty if it is not one of those."""
    for pattern, words in _COMPILED:
        if found := pattern.search(output):
            return words.format(*found.groups())
    return ""


def sign(finding: str, output: str, there: str) -> str:
    """What to do about a finding with this output, at this place; empty if the output says no more than the finding."""
    found = (words for one, pattern, words in SIGNS if one == finding and re.search(pattern, output, re.MULTILINE))
    return next(found, "").format(there=there)


def stack_hint(output: str) -> str:
    """How to name the lines of a stack that has only addresses; empty if there is none."""
    found = [match.groups() for match in PLACES.finditer(output)]
    if not found:
        return ""
    program = found[0][1]
    places = " ".join(dict.fromkeys(place for _, name, place in found[:8] if name == program))
    return (
        f"To name the functions and lines of the stack, run `addr2line -pCfie {program} {places}` in the bot's folder."
    )


_COMPILED: tuple[tuple["re.Pattern[str]", str], ...] = tuple((re.compile(pattern), words) for pattern, words in HINTS)
