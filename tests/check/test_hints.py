"""What compilers and runtimes really print is recognised, and the way out is one that can be followed."""

import pytest

from arena.check.hints import HINTS, hint, stack_hint

PRINTED = {
    "ModuleNotFoundError: No module named 'dinobot'": "copy them into its folder",
    "ModuleNotFoundError: No module named 'engine'": "`.venv/bin/pip install dino-arena`",
    "ModuleNotFoundError: No module named 'numpy'": "`.venv/bin/pip install numpy`",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash' imported from /x/bot.js": "`npm install lodash`",
    "src/bot.ts(4,15): error TS2307: Cannot find module '@a/b' or its corresponding type declarations.": "`npm install @a/b`",
    "error[E0432]: unresolved import `rand`": "`cargo add rand`",
    "error[E0433]: failed to resolve: use of unresolved module or unlinked crate `rand`": "`cargo add rand`",
    "bot.go:5:2: no required module provides package github.com/samber/lo; to add it:": "`go get github.com/samber/lo`",
    "[ERROR] /x/Bot.java:[4,33] package com.google.common.collect does not exist": "in pom.xml",
    "bot.c:4:10: fatal error: gsl/gsl_math.h: No such file or directory": "gsl/gsl_math.h belongs to a library",
    "bot.c:(.text+0x1): undefined reference to `sin'": "that has sin in the Makefile",
    "bot.sh: 5: Cannot fork": "cannot start programs",
    "'./bot.sh' could not be executed: Permission denied": "`chmod +x ./bot.sh`",
    "'.venv/bin/python bot.py' in /x could not be executed: No such file or directory": "`python3 -m venv .venv`",
    "TypeError: decide() answered None instead of an action": "without `return`",
    "TypeError: decide() answered undefined instead of an action": "an index or a key that does not exist",
    "dinobot: decide() returned NULL instead of an action, in phase pick": "Every path through `decide`",
    "Decide returned an Answer without an Action, in phase pick": "Every path through `decide`",
    "dinobot.sh: decide did not call answer, in phase pick": "must call `answer`",
    "dinobot: an exception ends the bot: decide() threw in phase pick: stoi": "or catch it",
    "java.lang.OutOfMemoryError: Java heap space": "raise it",
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory": "keep fewer objects",
    "[7:0x1] 9 ms: Mark-Compact (reduce) 3.6 (6.0) -> 3.6 (5.0) MB, external memory pressure; GC in old space": "Buffers and typed arrays take the memory",
    "==7==AddressSanitizer failed to allocate\n==7==ReserveShadowMemoryRange failed while trying": "`--sandbox none`",
    "==7==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 0x5 in decide /x/bot.c:6": "the first line of your own code",
    "SyntaxError: expected ':'": "fix the line",
    'bot.sh: 12: Syntax error: newline unexpected (expecting ")")': "an esac",
    "bot.c:7:5: error: expected ‘,’ or ‘;’ before ‘const’": "end of the line of code before",
}


@pytest.mark.parametrize("printed", PRINTED)
def test_an_error_that_says_what_is_wrong_gets_its_own_fix(printed):
    assert PRINTED[printed] in hint(f"some noise\n{printed}\nmore of it\n")
    assert hint(printed).endswith(".")


def test_every_hint_is_met_by_something_that_is_really_printed():
    met = {hint(printed) for printed in PRINTED}
    assert len(met) >= len(HINTS), "a hint that another one hides is never given"


def test_a_stack_without_names_comes_with_the_command_that_names_its_lines():
    stack = "/home/ann/my-bot/bot(+0x12ab)[0x55]\n/lib/libc.so.6(+0x3c0)[0x7f]\n/home/ann/my-bot/bot(+0x34)[0x55]"
    assert "`addr2line -pCfie bot 0x12ab 0x34`" in stack_hint(stack)


def test_other_output_gets_none():
    assert hint("KeyError: 'favourite'\n") == stack_hint("KeyError: 'favourite'\n") == ""


def test_a_stranger_cannot_write_the_fix():
    assert hint(f"ModuleNotFoundError: No module named '{'x' * 500}'") == ""
    assert hint("ModuleNotFoundError: No module named 'x; rm -rf ~'") == ""
