# greedy at Draftosaurus: takes what promises the most points, looking a little ahead.
#
# Theory of operation. `worth` estimates the final points of the zoo in `zoo`: what its pens score now, and what those
# that can still grow will probably score, given the dinosaurs still to come. An action is worth what the zoo is worth
# after it, and a pick what its best placement is worth. A discard is worth what it takes from the neighbour who gets
# the hand next. Views hold everything, so nothing is remembered. Equal actions are decided by the order of `legal`.
#
# awk has no values of several parts. So there is one zoo to try things in: `visit` fills it with that of a seat, `put`
# adds a dinosaur, and who has put one takes it away again by setting the pen to what it was.

BEGIN {
    TURNS = 12
    SPECIES = "TDCSGP"
    PENS["summer"] = "FS WT KJ PL MD SI RV"
    PENS["winter"] = "WO BL LO QZ BR PY RV"
    table("FS 6 WT 3 KJ 1 PL 6 MD 6 SI 1 WO 6 LO 1 QZ 1", ROOM)
    table("PL prairie_capacity BL bridge_capacity BR bridge_capacity", ROOM_OPTION)
    OPENED["W"] = "FS WT KJ WO BL LO"
    OPENED["G"] = "PL MD SI QZ BR PY"
    OPENED["L"] = "FS WT PL WO BL QZ"
    OPENED["R"] = "KJ MD SI LO BR PY"
    BLANK = "......"
    ROWS = split("012 34 5", ROW)
    split("13 0234 14 0145 1235 34", TOUCHING) # the neighbours of cell 0 are TOUCHING[1]

    table("0 0 1 2 2 4 3 8 4 12 5 18 6 24", SAMENESS)
    table("0 0 1 1 2 3 3 6 4 10 5 15 6 21", DIFFERENCES)
    table("0 0 1 2 2 4 3 6 4 10 5 14 6 21", PYRAMID)

    # Guesses, found by playing against itself.
    PACE = 0.33  # dinosaurs that each turn to come will add to a pen whose points rise with every dinosaur
    SINGLE = 1.5 # points of a dinosaur that may still find its partner
    SAVED = 4    # points of a pen for one dinosaur that is kept empty for a good one
    DENIAL = 0.3 # how much a point that the neighbour does not get is worth

    hello("greedy-shell", "1.0", "\"draftosaurus\"")
}

function start() {
    seat = at["seat"]
    seats = at["seats"]
    neighbour = (seat + 1) % seats
}

function decide(    i, best_action, most, worth_of_it) {
    season = at["view", "season"]
    if (!(season in PENS)) {
        return at["legal", 0]
    }
    die = at["view", "bound", seat] == "true" ? at["view", "die"] : ""
    for (i = 0; i < size["legal"]; i++) {
        worth_of_it = value(at["legal", i])
        if (i == 0 || worth_of_it > most) {
            best_action = at["legal", i]
            most = worth_of_it
        }
    }
    return best_action
}

# What an action is worth; all are alike if they are of a kind that came after this bot.
function value(action,    dino, slot, drop, denied) {
    if (action !~ /^[TDCSGPQ]?([@>](FS|WT|KJ|PL|MD|SI|RV|WO|BL|LO|QZ|BR|PY[0-5]))?=?(x[TDCSGP])?$/) {
        return 0
    }
    dino = match(action, /^[TDCSGPQ]/) ? substr(action, 1, 1) : ""
    slot = match(action, /[@>](PY.|..)/) ? substr(action, RSTART + 1, RLENGTH - 1) : ""
    drop = match(action, /x.$/) ? substr(action, RSTART + 1, 1) : ""
    denied = drop == "" ? 0 : DENIAL * best(neighbour, drop, "")
    if (dino == "Q") {
        return moved(slot)
    }
    if (slot != "") {
        visit(seat)
        put(dino, slot)
        return denied + worth(seat)
    }
    return dino == "" ? denied : denied + best(seat, dino, die)
}

# What the zoo is worth after the quarantine; no slot is to stay there.
function moved(slot,    guest) {
    visit(seat)
    guest = zoo["QZ"]
    zoo["QZ"] = ""
    if (slot != "") {
        put(guest, slot)
    }
    return worth(seat)
}

# The zoo of a seat becomes the one to try things in. Views leave empty pens out, but here they are in.
function visit(owner,    i, pen, pens) {
    split("", zoo)
    pens = split(PENS[season], pen)
    for (i = 1; i <= pens; i++) {
        zoo[pen[i]] = ""
    }
    for (i = 0; i < size["view", "zoos", owner]; i++) {
        zoo[key["view", "zoos", owner, i]] = at["view", "zoos", owner, key["view", "zoos", owner, i]]
    }
}

function put(dino, slot,    bricks, cell) {
    if (slot !~ /^PY/) {
        zoo[slot] = zoo[slot] dino
        return
    }
    bricks = zoo["PY"] == "" ? BLANK : zoo["PY"]
    cell = substr(slot, 3)
    zoo["PY"] = substr(bricks, 1, cell) dino substr(bricks, cell + 2)
}

# What a seat's zoo is worth once this dinosaur stands in its best place.
function best(owner, dino, face) {
    visit(owner)
    return best_slot(owner, dino, slots(dino, face))
}

# What the zoo is worth once this dinosaur stands in the best of these slots.
function best_slot(owner, dino, choice,    slot, choices, i, pen, before, points, most) {
    choices = split(choice, slot)
    for (i = 1; i <= choices; i++) {
        pen = substr(slot[i], 1, 2)
        before = zoo[pen]
        put(dino, slot[i])
        points = worth(owner)
        zoo[pen] = before
        if (i == 1 || points > most) {
            most = points
        }
    }
    return most
}

# The points that the zoo will probably have in the end, if it is this seat's.
function worth(owner,    guest, choice, points, pen, placed, turns, rex) {
    if (zoo["QZ"] != "") {
        guest = zoo["QZ"]
        zoo["QZ"] = ""
        choice = slots(guest, "")
        sub(/QZ /, "", choice)
        points = best_slot(owner, guest, choice)
        zoo["QZ"] = guest
        return points
    }
    for (pen in zoo) {
        placed = placed zoo[pen]
        rex += pen != "RV" && index(zoo[pen], "T") > 0
    }
    gsub(/[.]/, "", placed)
    turns = max(0, TURNS - length(placed))
    points = season == "summer" ? summer(owner, turns) : winter(owner, turns)
    return points + rex + length(zoo["RV"])
}

function summer(owner, turns,    trio, trio_points, prairie, pairs, i) {
    trio = length(zoo["WT"])
    trio_points = ("view", "options", "trio_points") in at ? at["view", "options", "trio_points"] : 7
    prairie = zoo["PL"]
    for (i = 1; i <= length(SPECIES); i++) {
        pairs += int(count(prairie, substr(SPECIES, i, 1)) / 2)
    }
    return grown(SAMENESS, length(zoo["FS"]), turns) \
        + grown(DIFFERENCES, length(zoo["MD"]), turns) \
        + (trio + turns >= 3 ? trio_points * trio / 3 : 0) \
        + 5 * pairs \
        + min(SINGLE * (length(prairie) - 2 * pairs), turns) \
        + king(owner, turns) \
        + island(turns)
}

function winter(owner, turns,    left, right, couples, i, dino) {
    left = zoo["BL"]
    right = zoo["BR"]
    for (i = 1; i <= length(SPECIES); i++) {
        dino = substr(SPECIES, i, 1)
        couples += min(count(left, dino), count(right, dino))
    }
    return grown(SAMENESS, length(zoo["WO"]), turns) \
        + grown(PYRAMID, length(zoo["PY"]) - count(zoo["PY"], "."), turns) \
        + 6 * couples \
        + min(SINGLE * (length(left right) - 2 * couples), turns) \
        + lookout(owner, turns)
}

function king(owner, turns,    dino, other, rival, lead) {
    dino = zoo["KJ"]
    if (dino == "") {
        return min(SAVED, turns)
    }
    for (other = 0; other < seats; other++) {
        if (other != owner) {
            rival = max(rival, count_of_seat(other, dino))
        }
    }
    lead = count_of_zoo(dino) - rival
    return 7 * min(1, max(0, 0.5 + (lead + 0.5) / (turns + 1))) # certain once no turn is left
}

function island(turns) {
    if (zoo["SI"] == "") {
        return min(SAVED, turns)
    }
    return count_of_zoo(zoo["SI"]) == 1 ? 7 : 0
}

function lookout(owner, turns) {
    if (zoo["LO"] == "") {
        return min(SAVED, turns)
    }
    return 2 * (count_of_seat((owner + seats - 1) % seats, zoo["LO"]) + turns / length(SPECIES))
}

# The points of a pen that goes on growing at its PACE for so many turns.
function grown(points, filled, turns,    reach, below) {
    reach = min(filled + turns * PACE, 6)
    below = min(int(reach), 5)
    return points[below] + (reach - below) * (points[below + 1] - points[below])
}

# How many of a species are in the zoo.
function count_of_zoo(dino,    pen, total) {
    for (pen in zoo) {
        total += counts_in(pen) ? count(zoo[pen], dino) : 0
    }
    return total
}

# How many of a species are in the zoo of a seat, as it stands in the view.
function count_of_seat(owner, dino,    i, pen, total) {
    for (i = 0; i < size["view", "zoos", owner]; i++) {
        pen = key["view", "zoos", owner, i]
        total += counts_in(pen) ? count(at["view", "zoos", owner, pen], dino) : 0
    }
    return total + 0
}

# Whether a pen counts; option `zoo_scope` says whether the River is part of a zoo.
function counts_in(pen) {
    return pen != "RV" || !(("view", "options", "zoo_scope") in at) || at["view", "options", "zoo_scope"] == "all"
}

# Where a dinosaur may go, under a face of the die or under none.
# The bridge is taken to be split: its other variants only blur the look ahead, as placements come with `legal`.
function slots(dino, face,    pen, pens, i, found) {
    pens = split(PENS[season], pen)
    for (i = 1; i <= pens; i++) {
        if (face != "" && pen[i] != "RV" && !opens(face, pen[i])) {
            continue
        }
        if (pen[i] == "PY") {
            found = found cells(zoo["PY"] == "" ? BLANK : zoo["PY"], dino)
        } else if (admits(pen[i], zoo[pen[i]], dino)) {
            found = found pen[i] " "
        }
    }
    return found
}

# Whether a face of the die opens a pen.
function opens(face, pen) {
    if (face == "E") {
        return zoo[pen] == ""
    }
    return face == "X" ? !index(zoo[pen], "T") : index(OPENED[face], pen) > 0
}

function admits(pen, contents, dino,    room, option, filled) {
    filled = length(contents)
    room = pen in ROOM ? ROOM[pen] : ""
    option = pen in ROOM_OPTION ? ROOM_OPTION[pen] : ""
    if (("view", "options", option) in at) {
        room = at["view", "options", option] # empty for no limit
    }
    if (room != "" && filled >= room + 0) {
        return 0
    }
    if (pen == "WO") {
        return filled > 1 ? dino == substr(contents, filled - 1, 1) : dino != contents
    }
    if (pen == "MD") {
        return !index(contents, dino)
    }
    return pen != "FS" || contents == "" || index(contents, dino) > 0
}

# The slots of the Pyramid where a dinosaur may go: in the lowest row that has room.
function cells(contents, dino,    row, i, cell, found) {
    for (row = 1; row <= ROWS; row++) {
        for (i = 1; i <= length(ROW[row]); i++) {
            cell = substr(ROW[row], i, 1)
            if (substr(contents, cell + 1, 1) == ".") {
                found = found cell
            }
        }
        if (found != "") {
            break
        }
    }
    if (at["view", "options", "pyramid_fill"] == "left_to_right") {
        found = substr(found, 1, 1)
    }
    return apart(contents, dino, found)
}

# Those of the cells that touch no dinosaur of this species, as slots.
function apart(contents, dino, choice,    i, j, cell, near, found) {
    for (i = 1; i <= length(choice); i++) {
        cell = substr(choice, i, 1)
        near = TOUCHING[cell + 1]
        for (j = 1; j <= length(near); j++) {
            if (substr(contents, substr(near, j, 1) + 1, 1) == dino) {
                break
            }
        }
        if (j > length(near)) {
            found = found "PY" cell " "
        }
    }
    return found
}

# How often a letter occurs in a text.
function count(text, letter,    i, total) {
    for (i = 1; i <= length(text); i++) {
        total += substr(text, i, 1) == letter
    }
    return total + 0
}

function min(a, b) {
    return a < b ? a : b
}

function max(a, b) {
    return a > b ? a : b
}

# Fills a table from keys and values in turn.
function table(text, target,    word, words, i) {
    words = split(text, word)
    for (i = 1; i < words; i += 2) {
        target[word[i]] = word[i + 1]
    }
}
