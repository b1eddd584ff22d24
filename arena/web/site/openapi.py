"""The OpenAPI document of the site, from the table of addresses."""

import re
from functools import cache
from typing import Any

from arena.version import VERSION
from arena.web.site.table import API, PARTS, ApiRoute

Schema = dict[str, Any]
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string"}
TRUTH: Schema = {"type": "boolean"}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
MAYBE_WHOLE: Schema = {"type": ["integer", "null"]}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _map(of: Schema) -> Schema:
    return {"type": "object", "additionalProperties": of}


LEAGUE: dict[str, Schema] = {
    "league": TEXT, "name": TEXT, "game": TEXT, "kind": TEXT, "seats": _list(WHOLE), "bots": WHOLE,
    "state": {"type": "string", "enum": ["running", "complete", "stopped"]}, "played": WHOLE, "planned": WHOLE,
}  # fmt: skip
STANDING: dict[str, Schema] = {
    "rank": _list(WHOLE), "bot": TEXT, "version": TEXT, "rating": NUMBER, "low": NUMBER, "high": NUMBER, "elo": NUMBER,
    "games": WHOLE, "wins": WHOLE, "shared": WHOLE, "mean_score": MAYBE_NUMBER, "margin": MAYBE_NUMBER, "faults": WHOLE,
    "tier": WHOLE, "not_separated": _list(TEXT),
}  # fmt: skip
BOT: dict[str, Schema] = {
    "id": TEXT, "bot": TEXT, "name": TEXT, "version": TEXT, "digest": TEXT, "plays": TRUTH, "rating": MAYBE_NUMBER,
    "low": MAYBE_NUMBER, "high": MAYBE_NUMBER,
}  # fmt: skip
MATCH: dict[str, Schema] = {
    "match": TEXT,
    "bots": _list(TEXT),
    "ranks": _list(WHOLE),
    "scores": _list(WHOLE),
    "steps": WHOLE,
}
RUNS: Schema = {"type": ["object", "null"], "properties": dict.fromkeys(("first", "began", "seen", "new"), WHOLE)}
SCHEMAS: dict[str, Schema] = {
    "Leagues": _object(leagues=_list(_object(**LEAGUE))),
    "Status": _object(
        **LEAGUE, edition=WHOLE, results=WHOLE, rated=WHOLE, did_not_count=WHOLE, rate=MAYBE_NUMBER,
        seconds_left=MAYBE_NUMBER, runs=RUNS, playing=_list(_list(TEXT)), deals=TEXT, commitment=MAYBE_TEXT,
    ),
    "Standings": _object(rated=WHOLE, standings=_list(_object(**STANDING, id=TEXT))),
    "Bots": _object(bots=_list(_object(**BOT))),
    "Bot": _object(
        **BOT,
        standing={"oneOf": [_object(**STANDING), {"type": "null"}]},
        opponents=_list(_object(id=TEXT, bot=TEXT, games=WHOLE, points=NUMBER)),
        seats=_list(_object(size=WHOLE, seat=WHOLE, games=WHOLE, firsts=WHOLE, ranks=WHOLE, points=WHOLE)),
        faults=_map(WHOLE),
    ),
    "Matches": _object(
        count=WHOLE, page=WHOLE, pages=WHOLE, matches=_list(_object(**MATCH, faulty_seats=_list(WHOLE)))
    ),
    "Match": _object(
        **MATCH, seed=TEXT, names=_list(TEXT), versions=_list(TEXT), breakdown=_list(_map(WHOLE)),
        times=_list(_map(WHOLE)), faults=_list(_object(kind=TEXT, text=TEXT, seat=MAYBE_WHOLE, decision=MAYBE_WHOLE)),
        digest=TEXT, has_record=TRUTH,
    ),
    "Error": _object(error=TEXT),
}  # fmt: skip


@cache
def openapi() -> dict[str, Any]:
    """The whole document."""
    paths = {
        "/api/leagues.json": _path("listLeagues", "All leagues", "Leagues", "", {}),
        **{f"/api/leagues/{{league}}/{one.path}": _of(one) for one in API},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Dino Arena",
            "version": VERSION,
            "description": "Leagues of bots that play board games. All of it can only be read.",
        },
        "paths": paths,
        "components": {"schemas": SCHEMAS},
    }


def _of(route: ApiRoute) -> dict[str, Any]:
    return _path(f"get{route.schema}", route.summary, route.schema, f"{{league}}/{route.path}", dict(route.query))


def _path(operation: str, summary: str, schema: str, path: str, query: dict[str, str]) -> dict[str, Any]:
    parameters = [
        _parameter(name, "path", PARTS[name][1], f"^{PARTS[name][0]}$") for name in re.findall(r"\{(\w+)\}", path)
    ]
    parameters += [_parameter(name, "query", words) for name, words in query.items()]
    answers = {"200": _answer("The document", schema)}
    errors = {"400": "The query makes no sense", "404": "There is no such thing", "503": "The league is being read"}
    answers |= {status: _answer(words, "Error") for status, words in errors.items()}
    return {"get": {"operationId": operation, "summary": summary, "parameters": parameters, "responses": answers}}


def _parameter(name: str, place: str, words: str, form: str | None = None) -> dict[str, Any]:
    schema: Schema = {"type": "string"} | ({"pattern": form} if form else {})
    return {"name": name, "in": place, "required": place == "path", "description": words, "schema": schema}


def _answer(words: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": words, "content": content}
