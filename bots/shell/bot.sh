#!/bin/sh
. ./dinobot.sh

decide() { # "$@" are the legal actions
    dry=
    for action; do
        case $action in
        *RV*) ;;
        *) dry=$action ;;
        esac
    done
    answer "${dry:-$action}"
}

run my-bot 1.0 '"draftosaurus", "dinodocus"'
