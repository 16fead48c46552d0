"""docs/report.md against the schema."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema

from gpuopt_driver.report.document import VERSION, schema_text

PAGE = (Path(__file__).parents[2] / "docs/report.md").read_text()
SCHEMA = json.loads(schema_text())


def test_every_key_of_units_and_decisions_is_documented():
    for part in ("unit", "decision"):
        for key in SCHEMA["$defs"][part]["properties"]:
            assert f"`{key}`" in PAGE, key
    assert f"| `version` | {VERSION};" in PAGE


def test_the_example_is_a_valid_decision():
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    schema = {**SCHEMA["$defs"]["decision"], "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(json.loads(example))
