"""Whether the exported Python says of each code what the registry says.

python rows.py FOLDER MODULE REGISTRY.json
"""

import importlib
import json
import sys

FOLDER, MODULE, PATH = sys.argv[1:]
sys.path.insert(0, FOLDER)
errors = importlib.import_module(MODULE)
with open(PATH, encoding="utf-8") as file:
    registry = json.load(file)

assert errors.REGISTRY == (registry["name"], registry["version"])
assert set(errors.CODES) == set(registry["codes"])
for code, row in registry["codes"].items():
    seen = errors.CODES[code]
    for key in ("number", "domain", "http", "effect", "severity", "title", "message", "hint"):
        assert getattr(seen, key) == row.get(key), (code, key)
    assert seen.class_ == row["class"], code
    retry = {key: it for key, it in vars(seen.retry).items() if it is not None}
    assert retry == row["retry"], code
    assert [(it.tool, it.args) for it in seen.next] == [(it["tool"], it["args"] or None) for it in row["next"]], code
    shown = [it for it in row["params"] if not it["secret"]]
    assert [(it.name, it.doc, it.untrusted, it.max_chars, list(it.values)) for it in seen.params] == [
        (it["name"], it["doc"], it["untrusted"], it.get("max_chars"), it.get("enum", [])) for it in shown
    ], code
    fault = errors.read({"code": code})
    assert fault and fault.code == code, code
assert set(errors.TOOLS) == set(registry["tools"])
print(f"Python: codes of {registry['name']}\nran: {len(errors.CODES)} codes")
