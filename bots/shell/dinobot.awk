# A bot's side of the arena's protocol, for any awk. Start it as `awk -f dinobot.awk -f BOT.awk`, with LC_ALL=C, and
# see greedy.sh about mawk. BOT.awk has this:
#
#     BEGIN { hello("first", "1.0", "\"draftosaurus\"") }
#     function start() { seat = at["seat"] }       # called when a match begins
#     function decide() { return at["legal", 0] }  # an action; set `note` for a note
#
# `at` holds the message: at["seat"], at["view", "zoos", 0, "FS"]. Of a map or an array, size["view", "zoos", 0] is how
# many members it has, and key["view", "zoos", 0, i] the key of member i, from 0. `kind` tells string, number, true,
# false, null, map or array, in the same way; what is absent is not in it.
#
# Stdout belongs to the arena: print to "/dev/stderr".

BEGIN {
    MOST_BYTES = 1048576
    MOST_NOTE = 1024
    MOST_DEPTH = 32
    unescaped["b"] = "\b"
    unescaped["f"] = "\f"
    unescaped["n"] = "\n"
    unescaped["r"] = "\r"
    unescaped["t"] = "\t"
}

/[^ \t\r]/ {
    hear($0)
}

function hello(name, version, games) {
    say("{\"type\":\"hello\",\"protocol\":1,\"name\":" quoted(name) ",\"version\":" quoted(version) \
        ",\"games\":[" games "]}")
}

function hear(line) {
    if (length(line) > MOST_BYTES) {
        fail("a message of " length(line) " bytes, but " MOST_BYTES " are the most")
    }
    read_json(line)
    if (at["type"] == "welcome") {
        if (at["protocol"] != 1) {
            fail("the arena speaks revision " at["protocol"] ", this bot 1")
        }
    } else if (at["type"] == "start") {
        start()
        say("{\"type\":\"ready\"}")
    } else if (at["type"] == "decide") {
        note = ""
        move(at["id"], decide())
    } else if (at["type"] == "bye") {
        exit 0
    } else if (at["type"] != "end") {
        fail("an unknown message '" at["type"] "'")
    }
}

function move(id, action) {
    say("{\"type\":\"move\",\"id\":" id ",\"action\":" quoted(action) \
        (note == "" ? "" : ",\"note\":" quoted(cut(note))) "}")
}

function say(line) {
    print line
    fflush()
}

function fail(reason) {
    print "dinobot.awk: " reason > "/dev/stderr"
    exit 1
}

# The first characters of a text, as many as a note may have. In UTF-8, bytes from 128 to 191 only continue a character.
function cut(text,    i, characters) {
    for (i = 1; i <= length(text); i++) {
        if (substr(text, i, 1) !~ /[\200-\277]/ && ++characters > MOST_NOTE) {
            return substr(text, 1, i - 1)
        }
    }
    return text
}

# A text as JSON. Control characters other than line feeds become blanks.
function quoted(text) {
    gsub(/\\/, "&&", text)
    gsub(/"/, "\\\"", text)
    gsub(/\n/, "\\n", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}

# Reading

function read_json(line) {
    split("", at)
    split("", kind)
    split("", size)
    split("", key)
    rest = line
    read_value("", token(), 0)
    if (rest ~ /[^ \t\r]/ || !("" in kind) || kind[""] != "map") {
        fail("a line that is not one JSON map")
    }
}

# The next token: a string with its quotes, a mark, or a word such as 12 or null.
function token(    found) {
    if (!match(rest, /^[ \t\r]*("([^"\\]|\\.)*"|[][{}:,]|[^][{}:," \t\r]+)/)) {
        fail("a line that is not JSON")
    }
    found = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    sub(/^[ \t\r]+/, "", found)
    return found
}

function read_value(path, first, depth) {
    if (first == "{" || first == "[") {
        if (depth == MOST_DEPTH) {
            fail("arrays and maps nested more than " MOST_DEPTH " deep")
        }
        kind[path] = first == "{" ? "map" : "array"
        size[path] = 0
        read_members(path, first == "{", depth + 1)
    } else if (first ~ /^"/) {
        kind[path] = "string"
        at[path] = text_of(first)
    } else if (first ~ /^-?[0-9]/) {
        kind[path] = "number"
        at[path] = first # as it is written, because a seed may have more digits than a number of awk
    } else if (first == "true" || first == "false" || first == "null") {
        kind[path] = first
        at[path] = first == "null" ? "" : first
    } else {
        fail("a line that is not JSON at " first)
    }
}

function read_members(path, is_map, depth,    end, next_token, name) {
    end = is_map ? "}" : "]"
    for (next_token = token(); next_token != end; next_token = token()) {
        if (size[path] > 0) {
            expect(",", next_token)
            next_token = token()
        }
        name = size[path]
        if (is_map) {
            name = text_of(next_token)
            expect(":", token())
            next_token = token()
        }
        key[join(path, size[path]++)] = name
        read_value(join(path, name), next_token, depth)
    }
}

function expect(mark, found) {
    if (found != mark) {
        fail("a line that is not JSON: " found " instead of " mark)
    }
}

function join(path, name) {
    return path == "" ? name : path SUBSEP name
}

# What a string of JSON, quotes and all, says.
function text_of(string,    text, i, code, low) {
    if (string !~ /^"/) {
        fail("a line that is not JSON: " string " instead of a string")
    }
    string = substr(string, 2, length(string) - 2)
    while (i = index(string, "\\")) {
        text = text substr(string, 1, i - 1)
        if (substr(string, i + 1, 1) != "u") {
            text = text plain(substr(string, i + 1, 1))
            string = substr(string, i + 2)
            continue
        }
        code = hex(substr(string, i + 2, 4))
        string = substr(string, i + 6)
        if (code >= 55296 && code < 56320 && string ~ /^\\u[dD]/) { # two halves of one character
            low = hex(substr(string, 3, 4))
            string = substr(string, 7)
            code = 65536 + (code - 55296) * 1024 + low - 56320
        }
        text = text utf8(code)
    }
    return text string
}

function plain(letter) {
    return letter in unescaped ? unescaped[letter] : letter
}

function hex(digits,    i, number) {
    for (i = 1; i <= length(digits); i++) {
        number = 16 * number + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
    }
    return number
}

function utf8(code) {
    if (code < 128) {
        return sprintf("%c", code)
    }
    if (code < 2048) {
        return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    }
    if (code < 65536) {
        return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    }
    return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, \
        128 + int(code / 64) % 64, 128 + code % 64)
}
