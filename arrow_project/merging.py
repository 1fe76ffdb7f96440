"""Changing values as Arrow does: its merge, and replacing in every text."""

from typing import Any, cast

from arrow_project.values import Record


def merged(target: Any, modification: Record) -> Record:
    """Arrow's merge, into a copy: arrays are replaced whole, objects merged, null erases."""
    result = dict(cast("Record", target)) if isinstance(target, dict) else {}
    for key, value in modification.items():
        if key in result and _same_type(result[key], value):
            result[key] = merged(result[key], value) if isinstance(value, dict) else value
        elif value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def _same_type(one: object, other: object) -> bool:
    return type(one) is type(other)


def replaced(value: Any, exposures: dict[str, str]) -> Any:
    """A copy of a value with text replaced in every text inside of it (keys are left alone)."""
    if isinstance(value, str):
        for old, new in exposures.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, list):
        return [replaced(item, exposures) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: replaced(item, exposures) for key, item in cast("Record", value).items()}
    return value
