# A bot's side of the arena's protocol, for any POSIX shell. Source it:
#
#     . ./dinobot.sh
#     decide() { answer "$1"; } # "$@" are the legal actions
#     run first 1.0 '"draftosaurus"'
#
# If you define a function `start`, it is called when a match begins. $match $game $edition $options $seat $seats
# $players $clock $bot_seed tell about the match, and in `decide` $id $phase $view $legal $events $clock $last about the
# question. Numbers and texts are plain, maps and arrays are JSON, and what is absent or null is empty. Look into JSON:
#
#     get "$view" zoos 0 FS # now $value is what stands in the forest of seat 0
#
# Texts stay as JSON writes them between its quotes, where a quote is \" and a line feed \n.
#
# Theory of operation. The sandbox of the arena gives a bot one process, so all of this is done by the shell itself:
# no pipes, no subshells, no other programs. A line of JSON is cut at its quotes by IFS, so its pieces lie in turn
# outside of strings and inside. Brackets outside of strings tell the depth; commas and colons at depth 1 part the
# members. The shell reads one line at a time, so no newer message can stand behind a question in what was read.

exec 3>&1 1>&2 # the arena listens at 3; whatever is printed goes to stderr
trap '' PIPE   # that the arena has hung up is noticed by `_say`
LC_ALL=C       # a character is a byte
set -f         # a * in a text is just a *

_most_bytes=1048576
_newline='
'
_usual_ifs=' 	
'

# run NAME VERSION GAMES: plays all matches that the arena starts, until it says bye or hangs up.
run() {
    _say "{\"type\":\"hello\",\"protocol\":1,\"name\":\"$1\",\"version\":\"$2\",\"games\":[$3]}"
    while IFS= read -r _line; do
        case $_line in
        *[![:space:]]*) _hear "$_line" ;;
        esac
    done
    exit 0
}

# answer ACTION [NOTE]: an action of "$@", and a text for the record, of which the arena keeps 1024 characters.
answer() {
    _answered=$id
    if [ "${2-}" ]; then
        _escape "$2"
        _say "{\"type\":\"move\",\"id\":$id,\"action\":\"$1\",\"note\":\"$_escaped\"}"
    else
        _say "{\"type\":\"move\",\"id\":$id,\"action\":\"$1\"}"
    fi
}

# get JSON KEY...: follows the keys of maps and the numbers of items, from 0, to a $value. Fails if there is none.
get() {
    value=$1
    shift
    for _key; do
        _split "$value"
        _find_member "$_key" || return
    done
    _make_plain
}

start() { :; }

_hear() {
    [ ${#1} -le $_most_bytes ] || _fail "a message of ${#1} bytes, but $_most_bytes are the most"
    _split "$1"
    _take type
    case $type in
    welcome)
        _take protocol
        [ "$protocol" = 1 ] || _fail "the arena speaks revision $protocol, this bot 1"
        ;;
    start)
        _take match game edition options seat seats players clock bot_seed
        start
        _say '{"type":"ready"}'
        ;;
    decide)
        _take id phase view legal events clock last
        _ask
        ;;
    end) ;;
    bye) exit 0 ;;
    *) _fail "an unknown message '$type'" ;;
    esac
}

_ask() {
    [ "$id" ] && [ "$legal" ] || _fail 'a decide without id or legal'
    _answered=
    _split "$legal"
    _list_values
    IFS=$_newline
    set -- $_values
    IFS=$_usual_ifs
    decide "$@"
    [ "$_answered" ] || _fail "decide did not call answer, in phase $phase"
}

_say() {
    printf '%s\n' "$1" 2>/dev/null >&3 || exit 0 # the arena has hung up, which is not an error
}

_fail() {
    printf 'dinobot.sh: %s\n' "$1"
    exit 1
}

# _take NAME...: puts members of the message that was split into variables of the same names.
_take() {
    for _name; do
        _find_member "$_name" || value=
        _make_plain
        eval "$_name=\$value"
    done
}

# _find_member KEY: the $value of a member of what was split. Fails if there is none.
_find_member() {
    _wanted=$1
    IFS=$_newline
    set -- $_members
    IFS=$_usual_ifs
    while [ $# -gt 0 ]; do
        value=$2
        case $1 in
        "\"$_wanted\"" | "$_wanted") return ;;
        esac
        shift 2
    done
    value=
    return 1
}

# The plain $_values of what was split, one a line.
_list_values() {
    _values=
    IFS=$_newline
    set -- $_members
    IFS=$_usual_ifs
    while [ $# -gt 0 ]; do
        value=$2
        _make_plain
        _values=$_values$value$_newline
        shift 2
    done
}

_make_plain() {
    case $value in
    null) value= ;;
    \"*) value=${value#?} value=${value%?} ;;
    esac
}

# _split JSON: the $_members of a map or an array, a line for the key (in quotes) or number and a line for the JSON.
# They grow in a $_tail that is kept short, because the shell copies all of a long text to make it a little longer.
_split() {
    _members='' _member='' _tail='' _title='' _number=0 _inside='' _depth=0 _marks='][{},:'
    IFS='"'
    set -- $1
    IFS=$_usual_ifs
    for _piece; do
        if [ "$_inside" ]; then
            _ends_string "$_piece" && _inside=
        else
            case $_piece in
            *[$_marks]*) _read_marks ;;
            esac
            _inside=yes
        fi
        _tail=$_tail$_piece\"
        [ ${#_tail} -lt 200 ] || _member=$_member$_tail _tail=
    done
    [ $_depth -eq 0 ] && [ $# -gt 0 ] || _fail 'a line that is not one JSON value'
}

# Whether the quote behind this piece of a string ends the string; one behind an odd number of backslashes does not.
_ends_string() {
    case $1 in
    *\\\\) _ends_string "${1%??}" ;;
    *\\) return 1 ;;
    esac
}

# Goes through a $_piece between two strings. It is then what is left behind the last of the $_marks. These are
# brackets, and at depth 1 also commas and colons.
_read_marks() {
    while :; do
        case $_piece in
        *[$_marks]*) ;;
        *) break ;;
        esac
        _before=${_piece%%[$_marks]*}
        _piece=${_piece#"$_before"}
        _mark=${_piece%"${_piece#?}"}
        _piece=${_piece#?}
        case $_depth$_mark in
        0[[{]) _depth=1 ;;
        1[]}]) _add_member && _depth=0 ;;
        1,) _add_member ;;
        1:) _title=$_member$_tail$_before _member='' _tail='' ;;
        *[[{]) _tail=$_tail$_before$_mark _depth=$((_depth + 1)) _marks='][{}' ;;
        2[]}]) _tail=$_tail$_before$_mark _depth=1 _marks='][{},:' ;;
        *) _tail=$_tail$_before$_mark _depth=$((_depth - 1)) ;;
        esac
    done
}

# What was gathered is a member. There is none in an empty map or array.
_add_member() {
    _trim "$_member$_tail$_before"
    _member=$_trimmed
    [ "$_member" ] || return 0
    if [ "$_title" ]; then
        _trim "$_title"
    else
        _trimmed=$_number _number=$((_number + 1))
    fi
    _members=$_members$_trimmed$_newline$_member$_newline
    _member='' _tail='' _title=''
}

_trim() {
    _trimmed=$1
    while :; do
        case $_trimmed in
        [[:space:]]*) _trimmed=${_trimmed#?} ;;
        *[[:space:]]) _trimmed=${_trimmed%?} ;;
        *) break ;;
        esac
    done
}

# _escape TEXT: as JSON writes it between quotes. Control characters other than line feeds become blanks.
_escape() {
    _escaped='' _rest=$1
    while :; do
        case $_rest in
        *[\"\\[:cntrl:]]*) ;;
        *) break ;;
        esac
        _before=${_rest%%[\"\\[:cntrl:]]*}
        _rest=${_rest#"$_before"}
        _mark=${_rest%"${_rest#?}"}
        _rest=${_rest#?}
        case $_mark in
        [\"\\]) _escaped=$_escaped$_before\\$_mark ;;
        "$_newline") _escaped=$_escaped$_before\\n ;;
        *) _escaped="$_escaped$_before " ;;
        esac
    done
    _escaped=$_escaped$_rest
}
