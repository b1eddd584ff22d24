#!/bin/sh
# A bot that plays the first legal action, and has one defect: `sh bot.sh quoted-id`.
#
# Without one it is the correct player. The file of the same name, `quoted-id.toml`, says what the defect is. It starts
# no other program, because no bot in a sandbox can.

name=$1

hear() { # the pieces of a message, cut at its quotes: every other one is a string
    type='' id='' action='' key='' depth=0 string=no
    for piece; do
        case $string$depth$key in
            yes1type) type=$piece ;;
            yes2legal) action=${action:-$piece} ;;
            no1*) case $piece in :*) key=$word ;; *) key='' ;; esac ;;
        esac
        case $string$key in
            noid) id=${id:-${piece#:}} ;;
        esac
        case $string in
            yes) word=$piece string=no ;;
            no) nest "$piece" && string=yes ;;
        esac
    done
    id=${id%%[!0-9]*}
}

nest() { # how deep it is after these brackets
    rest=$1
    while [ "$rest" ]; do
        case $rest in
            [[{]*) depth=$((depth + 1)) ;;
            []}]*) depth=$((depth - 1)) ;;
        esac
        rest=${rest#?}
    done
}

decide() {
    case $name in
        quoted-id) id=\"$id\" ;;
        echo-in-match) case $action in *@*) echo "place $action" ;; esac ;;
        starts-sed) action=$(echo "$action" | sed 's/"//g') ;;
    esac
    printf '{"type":"move","id":%s,"action":"%s"}\n' "$id" "$action"
}

set -f
printf '{"type":"hello","protocol":1,"name":"%s","version":"1","games":["draftosaurus"]}\n' "$name"
while IFS= read -r line; do
    IFS=\"
    # shellcheck disable=SC2086 # cut at the quotes
    hear $line
    case $type in
        start) echo '{"type":"ready"}' ;;
        decide) decide ;;
        bye) exit 0 ;;
    esac
done
[ "$name" != test-at-eof ] || [ "$type" = bye ]
