#!/bin/sh
# Runs the protocol's vectors through dinobot.sh and dinobot.awk. Ends with status 1 if something is wrong.
#
# Two bots write down what they hear: hear.sh, hear.awk. What they say and what they heard is compared with the vectors.

cd "$(dirname "$0")" || exit
vectors=../../protocol/vectors
[ -d vectors ] && vectors=vectors
folder=$(mktemp -d) || exit
trap 'rm -r "$folder"' EXIT
failures=0

# line NAME: the JSON line of a vector.
line() {
    sed -n 's/^  "json": "\(.*\)\\n"$/\1/p' "$vectors/$1.json" | sed 's/\\\(["\\]\)/\1/g'
}

lines() {
    for name; do
        line "$name"
    done
}

note_of() {
    line "$1" | sed 's/.*"note":"\(.*\)"}/\1/'
}

# long_note KIND: how a bot writes that vector, whose last character is one too many. dinobot.sh leaves it to the arena.
long_note() {
    case $1 in
    awk) line move-long-note | sed 's/x[^x]*"}$/x"}/' ;;
    *) line move-long-note ;;
    esac
}

# same WHAT WANTED GOT
same() {
    if [ "$2" = "$3" ]; then
        echo "ok    $1"
    else
        printf 'WRONG %s\nwanted: %s\ngot:    %s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

cat >"$folder/hear.sh" <<'END'
. ./dinobot.sh
start() {
    echo "start $match $game $edition $options $seat of $seats $players $clock $bot_seed"
}
decide() {
    get "$view" seat
    echo "decide $id $phase $value $* $events $clock $last"
    answer D "${NOTE-}"
}
run greedy 1.2.0 '"draftosaurus"'
END

cat >"$folder/hear.awk" <<'END'
BEGIN { hello("greedy", "1.2.0", "\"draftosaurus\"") }
function start() {
    print "start", at["match"], at["game"], at["options", "season"], at["seat"], at["players", 1], \
        at["clock", "bank_ms"], at["bot_seed"] > "/dev/stderr"
}
function decide(    i, actions) {
    for (i = 0; i < size["legal"]; i++) {
        actions = actions " " at["legal", i]
    }
    print "decide", at["id"], at["phase"], at["view", "seat"] actions, size["events"], \
        at["last", "status"] > "/dev/stderr"
    note = ENVIRON["NOTE"]
    return "D"
}
END

# The bots, which say to stdout and write down to the file heard.
shell_bot() {
    sh "$folder/hear.sh" 2>"$folder/heard"
}

awk_bot() {
    LC_ALL=C awk -f dinobot.awk -f "$folder/hear.awk" 2>"$folder/heard"
}

# converse BOT WAY NAME...: what the bot says to these messages, which come all at once (cat) or byte by byte (drip).
converse() {
    bot=$1 way=$2
    shift 2
    lines "$@" | $way | $bot
}

drip() {
    dd bs=1 2>/dev/null
}

shell_heard='start m-0001 draftosaurus 1 {"season":"winter"} 1 of 2 ["random","greedy"] {"prepare_ms":2000,"bank_ms":10000,"increment_ms":100} 9223372036854775807
decide 1 pick 1 T D C S [{"event":"deal","round":1,"hand":"TDDCSS"},{"event":"roll","seat":0,"die":"W"}] {"bank_ms":10000,"increment_ms":100} 
decide 2 place 1 D@WO D@BL D@LO D@RV [] {"bank_ms":9950,"increment_ms":100} {"id":1,"status":"accepted","played":"D","used_ms":150,"reason":null}'
awk_heard='start m-0001 draftosaurus winter 1 greedy 10000 9223372036854775807
decide 1 pick 1 T D C S 2 
decide 2 place 1 D@WO D@BL D@LO D@RV 0 accepted'
said="$(lines hello ready move)
$(line move | sed 's/"id":1/"id":2/')"

for bot in shell awk; do
    eval "wanted=\$${bot}_heard"
    for way in cat drip; do
        same "$bot, $way: says what the vectors say" "$said" \
            "$(converse ${bot}_bot $way welcome start decide decide-last end end-void bye)"
        same "$bot, $way: hears what the vectors say" "$wanted" "$(cat "$folder/heard")"
    done

    NOTE=$(note_of move-note) && export NOTE
    same "$bot: writes a note" "$(lines hello ready move-note)" "$(converse ${bot}_bot cat start decide)"
    NOTE='say "a\b"'
    same "$bot: escapes a note" "$(line move | sed 's/}$/,"note":"say \\"a\\\\b\\""}/')" \
        "$(converse ${bot}_bot cat start decide | tail -n 1)"
    NOTE=$(note_of move-long-note)
    same "$bot: writes a long note" "$(lines hello ready && long_note $bot)" "$(converse ${bot}_bot cat start decide)"
    unset NOTE

    same "$bot: ignores unknown fields, blanks and order, takes null for absent" "$(lines hello ready move)" "$(
        {
            printf '\n \r\n { "limits" : { } , "protocol" : 1 , "type" : "welcome" } \r\n'
            line start | sed 's/}$/,"weather":{"rain":["}]\\"\\\\",{"a":[1.5e3,true]}]}}/'
            line decide | sed 's/,/ ,\t/g; s/}$/, "last" : null, "seat":[[]] }/'
        } | ${bot}_bot
    )"

    printf '{"type":"bye","long":"%01048576d"}\n' 0 | ${bot}_bot >"$folder/said"
    same "$bot: refuses more than 1 MiB" 1 $?
    echo '{"type":"log"}' | ${bot}_bot >"$folder/said"
    same "$bot: refuses an unknown message" 1 $?
    echo '{"type":"bye"' | ${bot}_bot >"$folder/said"
    same "$bot: refuses half a message" 1 $?
    echo '{"type":"welcome","protocol":2}' | ${bot}_bot >"$folder/said"
    same "$bot: refuses another revision" 1 $?
    ${bot}_bot </dev/null >"$folder/said"
    same "$bot: ends at end-of-file" 0 $?
done

[ $failures -eq 0 ]
