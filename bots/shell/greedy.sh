#!/bin/sh
# The player is greedy.awk. mawk alone has to be told not to wait until much input has come.
export LC_ALL=C
if command -v mawk >/dev/null; then
    exec mawk -W interactive -f dinobot.awk -f greedy.awk
fi
exec awk -f dinobot.awk -f greedy.awk
