"""`arena completion`: what a shell needs to complete the words of `arena`.

A script for the shell asks `arena completion SHELL -- WORDS` at each key, because bots, leagues and records come and
go. Bash takes characters such as `=` for the ends of words, so it sends the whole line, and the characters.
"""

import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.cli.candidates import Candidate

BASH = r"""# arena completion for bash. In ~/.bashrc:  eval "$(arena completion bash)"
_arena() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <("$1" completion bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -o nospace -o nosort -F _arena arena
"""
ZSH = r"""#compdef arena
# arena completion for zsh. In ~/.zshrc:  eval "$(arena completion zsh)"
_arena() {
  local kind word about
  local -a whole whole_shown open open_shown
  while IFS=$'\t' read -r kind word about; do
    if [[ $kind == whole ]]; then
      whole+=("$word") whole_shown+=("$word${about:+  -- $about}")
    else
      open+=("$word") open_shown+=("$word${about:+  -- $about}")
    fi
  done < <("${(Q)words[1]}" completion zsh -- "${(@Q)words[2,CURSOR]}" 2>/dev/null)
  compadd -l -d whole_shown -a whole
  compadd -l -S '' -d open_shown -a open
}
if [[ $funcstack[1] == _arena ]]; then
  _arena "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _arena arena
fi
"""
FISH = r"""# arena completion for fish. In ~/.config/fish/config.fish:  arena completion fish | source
function __arena_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string unescape)
    test (count $current) -eq 0; and set current ""
    $words[1] completion fish -- $words[2..-1] $current 2>/dev/null
end
complete -c arena -f -a '(__arena_complete)'
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
END = "\1"
"""Marks the end of the line, so that a blank before it begins a word."""


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="For the script: what is typed so far.")
    ] = None,
) -> None:
    """Print a script that lets your shell complete `arena` commands.

    Commands and options, and also bots, games, rule options, leagues and records. Add one line to your shell's file:

    \b
        ~/.bashrc                   eval "$(arena completion bash)"
        ~/.zshrc                    eval "$(arena completion zsh)"
        ~/.config/fish/config.fish  arena completion fish | source
    """
    if shell not in SCRIPTS:
        raise typer.BadParameter(f"{shell}: choose one of {', '.join(SCRIPTS)}")
    if words is None:
        typer.echo(SCRIPTS[shell], nl=False)
        return
    for line in FORMS[shell](words):
        typer.echo(line)


def for_bash(words: Sequence[str]) -> list[str]:
    """What replaces the part of the word that bash takes for a word, escaped, with a blank after a whole word."""
    from arena.cli.candidates import candidates

    line, breaks = (*words, "")[:2]
    try:
        typed = shlex.split(line + END)
    except ValueError:  # a quotation that is still open
        return []
    typed[-1] = typed[-1].removesuffix(END)
    kept = max((typed[-1].rfind(char) + 1 for char in breaks if char in "=:"), default=0)
    return [f"{_escaped(one.word[kept:])}{' ' * one.is_whole}" for one in candidates(typed[1:] or [""])]


def _escaped(word: str) -> str:
    return re.sub(r"([^\w@%+=:,./~-])", r"\\\1", word)


def for_zsh(words: Sequence[str]) -> list[str]:
    """Whether it is whole, the word, and what it means."""
    from arena.cli.candidates import candidates

    return [f"{'whole' if one.is_whole else 'open'}\t{one.word}\t{_about(one)}" for one in candidates(words)]


def for_fish(words: Sequence[str]) -> list[str]:
    """The word, and what it means. Fish leaves out the blank after a slash or an equals sign by itself."""
    from arena.cli.candidates import candidates

    return [f"{one.word}\t{_about(one)}" for one in candidates(words)]


def _about(one: "Candidate") -> str:
    """The first sentence, on one line."""
    return re.split(r"[.;:] ", " ".join(one.about.split()))[0].rstrip(".")


FORMS = {"bash": for_bash, "zsh": for_zsh, "fish": for_fish}
