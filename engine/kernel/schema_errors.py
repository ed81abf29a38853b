"""Explains why external JSON does not fit its schema, naming the invalid field and its value."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

_TYPE_NAMES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_MAX_QUOTED: Final = 60
"""Maximum number of characters to quote from a value."""
_STEP: Final = re.compile(r"\.(?P<field>\w+)|\[(?P<item>\d+)\]|\[(?P<open>\.\.\.)\]")
_WRONG_TYPE_PATTERN: Final = re.compile(
    r"Expected `(?P<kinds>[^`]+)`(?:, got `[^`]+`)?(?P<more>.*)"
)
_MISSING_FIELD_PATTERN: Final = re.compile(r"Object missing required field `(?P<field>[^`]+)`")
_UNKNOWN_FIELD_PATTERN: Final = re.compile(r"Object contains unknown field `(?P<field>[^`]+)`")
_BYTE: Final = re.compile(r"\(byte (\d+)\)")


def schema_problem(
    text: bytes, decode: Callable[[bytes], object], cause: msgspec.DecodeError
) -> tuple[str, str]:
    """Return the path to the field that a decoder rejected, and a sentence that quotes its value.

    msgspec writes ``[...]`` for any key of a mapping. The returned path contains the actual key.

    Args:
        text: The input.
        decode: The decoder that rejected the input.
        cause: The error that the decoder raised.
    """
    if not isinstance(cause, msgspec.ValidationError):
        return "$", malformed(text, cause)
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):  # the schema ignores the part with the error
        return "$", str(cause)
    return _locate(document, lambda plain_value: decode(msgspec.json.encode(plain_value)), cause)


def value_problem(
    value: Any,  # noqa: ANN401 - plain values
    kind: type[msgspec.Struct],
    cause: msgspec.ValidationError,
) -> tuple[str, str]:
    """Like :func:`schema_problem`, but for a plain value that does not fit a type."""
    return _locate(value, lambda plain_value: msgspec.convert(plain_value, kind), cause)


def _locate(
    document: Any,  # noqa: ANN401 - plain values
    convert: Callable[[Any], object],
    cause: msgspec.ValidationError,
) -> tuple[str, str]:
    problem, _, value_path = str(cause).partition(" - at ")
    # For an invalid key, msgspec writes "at `key` in `$.field`".
    location, _, container_path = value_path.partition(" in ")
    value_path = (container_path or location).strip("`")

    def is_refused(plain_value: Any) -> bool:  # noqa: ANN401 - plain values
        try:
            convert(plain_value)
        except msgspec.ValidationError as error:
            # Without the other keys, the document may fail for a different reason. Only the same
            # message identifies the key.
            return str(error) == str(cause)
        return False

    path, value = _resolve_path(document, value_path, is_refused)
    if container_path:
        return path, f"a key is wrong: {problem}"
    return path, _problem_sentence(problem, value)


def malformed(text: bytes, cause: Exception) -> str:
    """Return the reason why a text is not JSON, quoting the line and word where parsing fails."""
    problem = str(cause).removeprefix("JSON is malformed: ")
    byte_match = _BYTE.search(problem)
    if byte_match is None:
        return f"this is not JSON: {problem}"
    line = text[: int(byte_match[1])].count(b"\n") + 1
    words = text[int(byte_match[1]) :].decode(errors="replace").split()
    location = f" at {_truncate(words[0])}" if words else ""
    return f"this is not JSON: line {line}{location}: {_BYTE.sub('', problem).strip()}"


def _resolve_path(document: Any, path: str, is_refused: Callable[[Any], bool]) -> tuple[str, Any]:  # noqa: ANN401 - plain JSON
    """Return the path with the actual mapping keys filled in, and the value at that path."""
    keys: list[str | int] = []
    value = document
    for step in _STEP.finditer(path):
        key: str | int = int(step["item"]) if step["item"] else step["field"] or ""
        if step["open"]:
            candidates = value if isinstance(value, dict) else ()
            refused_keys = [
                candidate
                for candidate in candidates
                if is_refused(_keep_only(document, keys, candidate))
            ]
            if not refused_keys:
                break
            key = refused_keys[0]
            document = _keep_only(document, keys, key)
        keys.append(key)
        value = value[key]
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys), value


def _keep_only(document: Any, keys: Sequence[str | int], key: str | int) -> Any:  # noqa: ANN401 - plain JSON
    """Copy a value, keeping only the given key in the mapping at the end of the path."""
    if not keys:
        return {key: document[key]}
    first_key, *later_keys = keys
    reduced_value = _keep_only(document[first_key], later_keys, key)
    if isinstance(document, list):
        return [
            reduced_value if index == first_key else item for index, item in enumerate(document)
        ]
    return {**document, first_key: reduced_value}


def _problem_sentence(problem: str, value: object) -> str:
    """Rephrase the library's message as a sentence that includes the value."""
    value_text = _truncate(msgspec.json.encode(value).decode())
    if match := _WRONG_TYPE_PATTERN.fullmatch(problem):
        kinds = " or ".join(_TYPE_NAMES.get(kind, kind) for kind in match["kinds"].split(" | "))
        return f"{value_text} is not {kinds}{match['more']}"
    if match := _MISSING_FIELD_PATTERN.fullmatch(problem):
        return f"the field '{match[1]}' is missing"
    if match := _UNKNOWN_FIELD_PATTERN.fullmatch(problem):
        return f"there is no field '{match[1]}'"
    if problem.startswith("Invalid"):
        return f"{value_text} is none of the values that the field can have"
    return f"{value_text}: {problem}"


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}..."
