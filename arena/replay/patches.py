"""What changed between two JSON values, for a list of values of which each is much like the one before it.

A patch is `[value]`, which replaces, or an object with a patch for each key that changed, and the keys that are gone
under "-". The same for arrays of the same length, with indices as keys. An array that has grown at its end has what is
new under "+". No patch: nothing changed.
"""

from typing import Any

GONE, GROWN = "-", "+"
Patch = list[Any] | dict[str, Any]


def patch(before: Any, after: Any) -> Patch | None:
    """What makes `after` of `before`; None if they are equal. Both are values as json.loads returns them."""
    if before == after and type(before) is type(after):
        return None
    if isinstance(before, dict) and isinstance(after, dict) and not {GONE, GROWN} & (before.keys() | after.keys()):
        return _of_objects(before, after)
    if isinstance(before, list) and isinstance(after, list) and 0 < len(before) <= len(after):
        return _of_arrays(before, after)
    return [after]


def _of_objects(before: dict[str, Any], after: dict[str, Any]) -> Patch:
    if after and not before.keys() & after.keys():
        return [after]
    found = {key: [value] if key not in before else patch(before[key], value) for key, value in after.items()}
    changed: dict[str, Any] = {key: value for key, value in found.items() if value is not None}
    if gone := [key for key in before if key not in after]:
        changed[GONE] = gone
    return changed


def _of_arrays(before: list[Any], after: list[Any]) -> Patch:
    found = {str(at): patch(old, new) for at, (old, new) in enumerate(zip(before, after))}
    changed: dict[str, Any] = {key: value for key, value in found.items() if value is not None}
    if len(changed) == len(before) > 1 and all(isinstance(value, list) for value in changed.values()):
        return [after]
    if len(after) > len(before):
        changed[GROWN] = after[len(before) :]
    return changed


def patched(before: Any, change: Patch | None) -> Any:
    """The value after a patch; `before` stays as it is."""
    if change is None:
        return before
    if isinstance(change, list):
        return change[0]
    if isinstance(before, list):
        return [patched(item, change.get(str(at))) for at, item in enumerate(before)] + change.get(GROWN, [])
    kept = {key: patched(value, change.get(key)) for key, value in before.items() if key not in change.get(GONE, ())}
    return {**kept, **{key: patched(None, change[key]) for key in change if key not in before and key != GONE}}
