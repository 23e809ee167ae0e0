"""The Python package, held against the vectors that all languages share.

python vectors.py FOLDER MODULE VECTORS
"""

import dataclasses
import importlib
import json
import sys

FOLDER, MODULE, VECTORS = sys.argv[1:]
sys.path.insert(0, FOLDER)
errors = importlib.import_module(MODULE)


def cases(name):
    with open(f"{VECTORS}/{name}.json", encoding="utf-8") as file:
        return json.load(file)["cases"]


def plain(value):
    """A value of the module as JSON; what is absent has no key."""
    if dataclasses.is_dataclass(value):
        hidden = ("row", "unsaid", "rpc_id") if isinstance(value, errors.Fault) else ()
        members = {it.name: plain(getattr(value, it.name)) for it in dataclasses.fields(value) if it.name not in hidden}
        return {key.rstrip("_"): it for key, it in members.items() if it is not None}
    return [plain(it) for it in value] if isinstance(value, (list, tuple)) else value


def same(fault, envelope, name):
    """What a fault says beyond its row is just what the envelope says."""
    seen = plain(fault) | {"retryable": fault.retryable}
    absent = {"next_actions": [], "similar_refs": [], "violations": [], "context": {}}
    of_the_row = ("domain", "number", "severity", "cause", "stack", "ground", "dialect", "registry")
    for key in {*seen, *envelope} - {"v"}:
        if key not in of_the_row or key in envelope:
            assert seen.get(key) == envelope.get(key, absent.get(key)), (name, key, seen.get(key), envelope.get(key))


answers = cases("bytes")
for case in answers:
    fault = errors.parse(case["bytes"])
    if case["reading"] == "failure":
        assert fault, case["name"]
        continue
    ground = None if case["reading"] == "fine" else case.get("ground", "guessed")
    assert (fault.ground if fault else None) == ground, (case["name"], ground)
    if case["reading"] == "fault":
        assert fault.registry == case["registry"], case["name"]
        same(fault, case["fault"], case["name"])

taught = cases("taught")
for case in taught:
    own = errors.Contract("taught", taken={"core": None}, matches=case["matches"])
    fault = own.parse(case["answer"], case["tool"])
    assert (fault.code if fault else None) == case["code"], (case["name"], fault)
    assert case["effect"] is None or fault.effect == case["effect"], (case["name"], fault)
own = errors.Contract("taught", taken={"core": None}, matches=taught[0]["matches"])
named = own.from_unknown(RuntimeError("Kaputt 7 today"), context=errors.Context(tool=taught[0]["tool"]))
assert named.code == taught[0]["code"], named
assert own.from_unknown(RuntimeError("Kaputt 7 today")).code == "INTERNAL_ERROR"

decisions = cases("decisions")
for case in decisions:
    attempt = dict(case["attempt"])
    traits = errors.Traits(**{it: attempt.pop(it) for it in ("read_only", "idempotent", "trusted")})
    budget = errors.Budget(**case["budget"])
    policy = errors.Policy(**case["policy"])
    decision = errors.decide(errors.parse(case["fault"]), traits, errors.Attempt(**attempt), budget, policy)
    assert plain(decision) == case["decision"], (case["name"], plain(decision), case["decision"])
    assert budget.saved == case["saved_after"], case["name"]


def made(contract, case):
    """The fault of a case: a code with its parameters, and what its author sets beyond them."""
    fault = contract.make_fault(case["code"], case["params"])
    for key, value in case["more"].items():
        if key == "retry":
            value = errors.Retry(**value)
        elif key == "context":
            value = errors.Context(**value)
        elif key == "next_actions":
            value = [it if isinstance(it, str) else errors.NextCall(**it) for it in value]
        setattr(fault, "class_" if key == "class" else key, value)
    return fault


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


raised = cases("raised")
for case in raised:
    fault = made(errors.CORE, case)
    result = compact(errors.tool_result(fault))
    assert result == case["result"], (case["name"], result, case["result"])

# Python has one `None`: details that are JSON's null are no details here.
documents = [it for it in cases("dialects") if it["more"].get("details", 0) is not None]
NOW = "2026-01-19T15:32:10.123Z"
for case in documents:
    contract = errors.shipped_contract(case["registry"])
    fault = made(contract, case)
    for dialect, document in case["documents"].items():
        assert compact(errors.write(fault, dialect, NOW)) == document, (case["code"], dialect, compact(errors.write(fault, dialect, NOW)), document)
        again = contract.read_as(dialect, json.loads(document))
        assert again, (case["code"], dialect)
        assert compact(errors.write(again, dialect, NOW)) == document, (case["code"], dialect, compact(errors.write(again, dialect, NOW)), document)
    for dialect, answer in case.get("answers", {}).items():
        response = compact(errors.response(fault, 1, dialect, now=NOW))
        assert response == answer, (case["code"], dialect, response, answer)

whole = errors.tool_result(errors.make_fault("INTERNAL_ERROR"))
structured = whole.pop("structuredContent")
assert errors.tool_result(errors.make_fault("INTERNAL_ERROR"), has_output_schema=True) == whole
assert errors.parse(whole) == errors.parse(structured)

for hostile in (None, 0, "", "{", "[]", '"', [], {}, {"_meta": 1, "isError": True}, {"error": []}, "[" * 100_000, {"content": [None]}):
    errors.parse(hostile)
assert errors.parse(RuntimeError("boom")).ground == "guessed"


class Timeout(Exception):
    """As clients of HTTP have them, by name."""


class McpError(Exception):
    """As the SDK raises it."""

    def __init__(self, code, message):
        super().__init__(message)
        self.error = {"code": code, "message": message}


group = ExceptionGroup("unhandled errors in a TaskGroup", [ConnectionResetError()]) if sys.version_info >= (3, 11) else ConnectionResetError()
for code, *raised_errors in (
    ("TIMEOUT", TimeoutError(), Timeout(), McpError(-32001, "Request 'tools/call' timed out"), McpError(408, "Timed out while waiting for response to X.")),
    ("UPSTREAM_UNAVAILABLE", ConnectionRefusedError(), BrokenPipeError(), group, McpError(-32000, "Connection closed")),
    ("UNKNOWN_TOOL_FAILURE", RuntimeError("boom"), RuntimeError("The connection closed badly")),
):
    for error in raised_errors:
        fault = errors.parse(error)
        assert (fault.code, fault.ground) == (code, "guessed"), (error, fault)
        decision = plain(errors.decide(fault, errors.Traits(), errors.Attempt(made=1), errors.Budget()))
        assert not decision["do"].startswith("retry"), (error, decision)
first_line = errors.parse({"content": [{"type": "text", "text": "SESSION_NOT_INITIALIZED: No."}], "isError": True})
assert first_line.next_actions == [errors.NextCall("begin_session")], first_line.next_actions
print(f"Python: {len(answers)} answers, {len(decisions)} decisions, {len(raised)} made, {len(documents)} written, {len(taught)} taught")
print(f"ran: {len(answers) + len(decisions) + len(raised) + len(documents) + len(taught)} vectors")
