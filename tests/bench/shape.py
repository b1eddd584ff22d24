"""What benchmarks report has the shape that docs/schemas/ describes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


def must_be_described(report: Mapping[str, Any], name: str = "bench") -> None:
    """Fails with the first thing that the schema does not describe. The report is what a program would read."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(json.loads(json.dumps(report)))
