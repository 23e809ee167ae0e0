"""What a type checker says of failures that are made of a code: the parameters of the code, and no others."""

from notes_errors import make_fault, tool_result

tool_result(make_fault("NOTE_NOT_FOUND", {"id": "n-1"}))
tool_result(make_fault("INTERNAL_ERROR"))
make_fault("NOTE_NOT_FOUND", {"id": 1})  # type: ignore[call-overload]
make_fault("NOTE_NOT_FOUND")  # type: ignore[call-overload]
make_fault("NOTE_NOT_FOUND", {"id": "n-1", "name": "x"})  # type: ignore[call-overload]
make_fault("NOTE_NOT_FUOND", {"id": "n-1"})  # type: ignore[call-overload]
