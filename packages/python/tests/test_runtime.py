"""Faults: made, raised, read, written, whatever is put into them."""

from __future__ import annotations

import json
import pickle
from typing import Any, get_args

import pytest
from redress_runtime import CORE, Context, Fault, FaultError, UnknownCodeError, from_unknown, json_problems, parse, tool_result, write
from redress_runtime.atlas import SYSTEM_ERROR_CODES, SystemError
from redress_runtime.core import FileNotFound, Timeout
from redress_runtime.facts import Dialect
from redress_runtime.rpc import AppError, ErrorStats, app_error, define_domain, fs_error, kg_error, mb_error, safe_error
from redress_runtime.stagewright import (
    estimate_tokens,
    lookup_error_code_definition,
    make_error,
    make_plugin_error,
    make_success,
    register_plugin_error_codes,
    unregister_plugin_error_codes,
)
from redress_runtime.workrail import error_not_retryable, error_retry_after_ms, error_retryable_immediate, validation_error


def hostile() -> list[Any]:
    """Values that have no JSON."""
    cycle: list[Any] = []
    cycle.append(cycle)
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]

    class Broken:
        def __getattribute__(self, name: str) -> Any:
            raise RuntimeError(name)

    class Text(str):
        def __str__(self) -> str:
            raise RuntimeError

    return [cycle, deep, Broken(), Text("x"), b"\xff", float("inf"), 2**9000, object(), {1: {2: 3}}, {None: 1}, {"a": "\udfff"}, range, ...]


@pytest.mark.parametrize("dialect", get_args(Dialect))
def test_seed_000_32_any_details_are_written_in_every_dialect(dialect: Dialect) -> None:
    for value in hostile():
        fault = CORE.make_fault("CONFLICT")
        fault.details, fault.cause, fault.message = value, value, value
        fault.similar_refs, fault.next_actions, fault.violations = [value], [value], [value]
        json.dumps(write(fault, dialect), ensure_ascii=False, allow_nan=False).encode()
        json.dumps(tool_result(fault, dialect=dialect), ensure_ascii=False, allow_nan=False).encode()


def test_seed_001_07_details_are_validated_at_the_boundary() -> None:
    assert json_problems({"a": [1, None, "x"], "b": {"c": 1.5}}) == []
    for value in hostile():
        assert json_problems({"details": value})
        made = error_not_retryable("NOT_FOUND", "no workflow", details={"bad": value}).to_envelope()
        assert (made["code"], made["message"]) == ("INTERNAL_ERROR", "Error details validation failed")
        assert made["retry"] == {"kind": "not_retryable"}
        assert made["details"]["originalError"] == "no workflow"
        assert made["details"]["validationErrors"][0].startswith("/bad")


def test_seed_001_09_workrails_constructors() -> None:
    details = {"validationIssues": [{"path": "workflow.id", "message": "Required"}]}
    assert validation_error("Invalid input", details["validationIssues"]).to_envelope() == {
        "code": "VALIDATION_ERROR",
        "message": "Invalid input",
        "retry": {"kind": "not_retryable"},
        "details": details,
    }
    made = error_retryable_immediate("TIMEOUT", "late", suggestion="ä" * 400).to_envelope()
    assert made["retry"] == {"kind": "retryable_immediate"}
    assert len(made["suggestion"].encode()) <= 512 and made["suggestion"].endswith("...")
    later = error_retry_after_ms("TOKEN_SESSION_LOCKED", "locked", 250).to_envelope()
    assert later["retry"] == {"kind": "retryable_after_ms", "afterMs": 250}


def test_seed_000_41_anything_raised_becomes_a_fault_and_a_fault_stays_itself() -> None:
    for value in [*hostile(), "text", "", None, 5, {"message": "m"}, ValueError(), BaseException("x")]:
        fault = from_unknown(value)
        assert fault.code == "INTERNAL_ERROR"
        json.dumps(tool_result(fault), ensure_ascii=False).encode()
    own = FileNotFound(path="a")
    own.fault.context.tool = "read"
    told = from_unknown(own, context=Context(tool="other", server="s"))
    assert (told.code, told.context.tool, told.context.server) == ("FILE_NOT_FOUND", "read", "s")
    assert own.fault.context.server is None


def test_seed_000_41_to_44_the_factories_of_atlas_gate() -> None:
    raised = ValueError("Something went wrong")
    made = SystemError.fromUnknown(raised, {"error_code": SYSTEM_ERROR_CODES.FILE_READ_FAILED, "tool_name": "read_file", "session_id": "s"})
    envelope = made.toEnvelope()
    assert list(envelope) == [
        "error_code", "human_message", "role", "session_id", "workspace_root", "tool_name", "invariant_id", "phase_id", "plan_hash", "cause",
        "timestamp",
    ]  # fmt: skip
    assert (envelope["error_code"], envelope["human_message"]) == ("FILE_READ_FAILED", "Something went wrong")
    assert envelope["cause"] == {"message": "Something went wrong", "code": None, "name": "ValueError"}
    assert SystemError.fromUnknown(made) is made
    assert SystemError.fromUnknown("text").to_envelope()["cause"] == "text"
    broken = SystemError.invariantViolation("MANDATORY_DIAGNOSTICS", {"tool_name": "write_file", "cause": raised}).to_envelope()
    assert (broken["error_code"], broken["invariant_id"], broken["cause"]) == ("INVARIANT_VIOLATION", "MANDATORY_DIAGNOSTICS", None)
    assert broken["human_message"] == "Invariant MANDATORY_DIAGNOSTICS was violated"
    assert SystemError.toolFailure("INVALID_PATH").to_envelope()["human_message"] == "Tool execution failed"
    start = SystemError.startupFailure("BOOTSTRAP_FAILURE", {"session_id": "s"}).to_envelope()
    assert (start["tool_name"], start["session_id"], start["human_message"]) == ("startup", None, "Startup failed")
    assert str(made) == "[FILE_READ_FAILED] Something went wrong"


def test_seed_000_14_a_stack_is_shown_only_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, is_shown in (("1", False), ("true", True)):
        monkeypatch.setenv("DEBUG_STACK", value)
        assert ("stack_trace" in SystemError.fromUnknown(ValueError("x")).to_envelope()) == is_shown


def test_seed_000_45_a_code_that_is_not_registered_is_refused() -> None:
    with pytest.raises(UnknownCodeError, match="did you mean FILE_NOT_FOUND"):
        CORE.make_fault("FILE_NOT_FUOND")
    for code in ("NOPE", "file_not_found", None):
        with pytest.raises(UnknownCodeError, match="INVALID_ERROR_CODE"):
            SystemError(code)  # type: ignore[arg-type]


def test_seed_002_26_43_46_the_errors_of_the_taxonomy() -> None:
    error = app_error(1005, "Input too large", {"domain": "python", "details": "3000 > 2000"})
    assert error.to_error() == {
        "code": 1005,
        "message": "Input too large",
        "data": {"domain": "python", "symbol": "E_INPUT_TOO_LARGE", "details": "3000 > 2000", "retryable": False},
    }
    assert fs_error("PATH_ESCAPE", {"details": "../x"}).to_error()["data"]["symbol"] == "E_FS_PATH_ESCAPE"
    assert mb_error("FILE_NOT_FOUND").code == 2300
    assert kg_error("FULL", {"retryable": True}).to_error()["data"]["retryable"] is True
    own = define_domain("demo", {"GONE": {"code": 9001, "symbol": "E_DEMO_GONE", "message": "gone", "retryable": False}})
    assert own("GONE", {"message": "all gone"}).to_error()["message"] == "all gone"
    with pytest.raises(ValueError, match="is no error of the domain demo"):
        own("toString")
    with pytest.raises(AppError):
        raise own("GONE")
    assert safe_error("text") == {"code": -32000, "message": "text"}
    assert safe_error(None)["message"] == "Unknown error"
    fault = parse(fs_error("NOT_FOUND"))
    assert fault and fault.dialect == "rpc"


def test_seed_002_34_35_the_stack_of_an_rpc_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "data" not in safe_error(ValueError("x"))
    monkeypatch.setenv("MCP_ERRORS_VERBOSE", "2")
    assert safe_error(ValueError("x"))["data"]["stack"].endswith("ValueError: x")
    monkeypatch.setenv("MCP_ERRORS_VERBOSE", "full")
    assert safe_error(app_error(1002, "x"))["data"]["stack"]


def test_seed_002_every_nth_error_of_a_symbol_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_ERROR_METRICS_SAMPLE", "10")
    stats = ErrorStats()
    for _ in range(25):
        stats.count(kg_error("FULL").to_error())
    assert (stats.snapshot()["total"], stats.snapshot()["sampled"]) == (2, 10)


def test_seed_002_31_errors_are_counted_by_the_raising_domain() -> None:
    stats = ErrorStats()
    for error in (app_error(1005, "x", {"domain": "python"}), app_error(1005, "x", {"domain": "python"}), mb_error("FILE_NOT_FOUND")):
        stats.count(error.to_error())
    assert stats.snapshot() == {
        "total": 3,
        "byCode": {"1005": 2, "2300": 1},
        "byDomain": {"python": 2, "memory-bank": 1},
        "bySymbol": {"E_INPUT_TOO_LARGE": 2, "E_MB_FILE_NOT_FOUND": 1},
    }


def test_seed_003_44_answers_of_stagewright() -> None:
    made = make_error("REF_NOT_FOUND", "no e7", details={"ref": "e7"}, next_actions=["electron_snapshot()"], session_id="s-1", elapsed_ms=3)
    assert list(made) == ["ok", "error", "code", "hint", "retryable", "http", "_meta", "next_actions", "details"]
    assert (made["http"], made["retryable"], made["hint"]) == (404, False, "Call snapshot first.")
    assert made["_meta"] == {"estimated_tokens": made["_meta"]["estimated_tokens"], "elapsed_ms": 3, "session_id": "s-1"}
    assert make_success({"title": "x"}) == {"title": "x", "ok": True, "_meta": {"estimated_tokens": 6, "elapsed_ms": 0}}
    assert (estimate_tokens("12345"), estimate_tokens(None)) == (2, 0)


def test_seed_003_40_42_43_codes_of_plugins_come_and_go() -> None:
    codes = {"GONE": {"http": 410, "retryable": False, "hint": "Look elsewhere."}}
    register_plugin_error_codes("demo", codes)
    register_plugin_error_codes("demo", codes)
    made = make_plugin_error("demo.GONE")
    assert made["error"] == "Look elsewhere."
    assert lookup_error_code_definition("demo.GONE") == codes["GONE"]
    fault = CORE.read_as("stagewright", made)
    assert fault and (fault.code, fault.http, write(fault, "stagewright")) == ("demo.GONE", 410, made)
    with pytest.raises(ValueError, match='Duplicate error code registration for "demo.GONE"'):
        register_plugin_error_codes("demo", {"GONE": {**codes["GONE"], "http": 404}})
    for bad in ({"BAD": {"http": 1, "retryable": 0, "hint": 1}}, {"bad-key": codes["GONE"]}, {"BAD": {**codes["GONE"], "hint": " "}}):
        with pytest.raises(ValueError, match="demo.(BAD|bad-key)"):
            register_plugin_error_codes("demo", {"NEW": codes["GONE"], **bad})
    assert lookup_error_code_definition("demo.NEW") is None
    unregister_plugin_error_codes("demo", ["GONE", "OTHER"])
    assert lookup_error_code_definition("demo.GONE")
    unregister_plugin_error_codes("demo")
    assert lookup_error_code_definition("demo.GONE") is None
    assert CORE.read_as("stagewright", made) is None
    with pytest.raises(UnknownCodeError):
        make_plugin_error("demo.GONE")


def test_an_error_is_raised_caught_changed_and_copied() -> None:
    with pytest.raises(FaultError) as caught:
        raise FileNotFound(path="a.txt").with_(similar_refs=[{"ref": "b.txt"}], context={"tool": "read"})
    error = caught.value
    assert str(error) == 'FILE_NOT_FOUND: No file at "a.txt".'
    assert "Did you mean b.txt?" in error.card
    assert pickle.loads(pickle.dumps(error)).fault == error.fault
    with pytest.raises(TypeError, match="no member 'sevrity'"):
        Timeout().with_(sevrity="error")
    assert isinstance(parse(error), Fault)


def test_a_reader_never_raises() -> None:
    for answer in [*hostile(), "{" * 100_000, '{"isError":true', {"isError": True, "content": 5}, {"error": {"code": True}}]:
        parse(answer)
    for line in ("Retry: the same call after 1..5 s.", "Retry: the same call after 99999999999999999999999 ms."):
        parse({"isError": True, "content": [{"type": "text", "text": f"TIMEOUT: x\n{line}"}]})
