# SPDX-License-Identifier: Apache-2.0
"""Reads a board's file and judges it by the schema beside it, so that a slip of the pen is named before anything is built."""
import json
import os
import re

from steps import Failure

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "boards")
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def names():
    return sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".json") and not name.endswith(".schema.json"))


def problems(value, schema, path):
    """What of a value breaks the schema: the words of JSON Schema that board.schema.json uses, and a complaint about any other."""
    for word in schema:
        if word not in KNOWN:
            yield f"the schema uses {word}, which boards.py does not know"
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind == "integer" and isinstance(value, bool))):
        yield f"{path}: not of type {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {', '.join(schema['enum'])}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{path}: {value!r} does not fit {schema['pattern']}"
    if "minLength" in schema and len(value) < schema["minLength"] or "maxLength" in schema and len(value) > schema["maxLength"]:
        yield f"{path}: {len(value)} characters are too few or too many"
    if "minimum" in schema and value < schema["minimum"] or "maximum" in schema and value > schema["maximum"]:
        yield f"{path}: {value} is not from {schema.get('minimum')} to {schema.get('maximum')}"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{path}: too few"
        for number, item in enumerate(value):
            yield from problems(item, schema.get("items", {}), f"{path}[{number}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{path}: {name} is missing"
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, member in value.items():
            place = f"{path}.{name}" if path else name
            if name in known:
                yield from problems(member, known[name], place)
            elif others is False:
                yield f"{place}: there is no such field"
            elif isinstance(others, dict):
                yield from problems(member, others, place)


KNOWN = {
    "$schema", "title", "description", "type", "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "items", "minItems", "properties",
    "required", "additionalProperties",
}


def load(name):
    path = os.path.join(FOLDER, f"{name}.json")
    if not os.path.exists(path):
        raise Failure(f"there is no board {name!r}; there are {', '.join(names())}")
    with open(os.path.join(FOLDER, "board.schema.json")) as file:
        schema = json.load(file)
    try:
        with open(path) as file:
            board = json.load(file)
    except ValueError as error:
        raise Failure(f"{path} is no JSON: {error}") from None
    found = list(problems(board, schema, ""))
    if not found and board["name"] != name:
        found = [f"name: {board['name']!r}, but the file is called {name}.json"]
    if found:
        raise Failure(f"{path}: " + "; ".join(found))
    return board
