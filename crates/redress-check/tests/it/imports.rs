//! Names are followed from file to file: a code is what stands at the end of the way.

use redress_check::{Contract, Day, Project, Sources, check};
use redress_registry::{Source, load};

const CONTRACT: &str = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\n[retired.NOTE_LOST]\nsince = \"1.0.0\"\nwhy = \"A note is a file.\"\nto = \"FILE_NOT_FOUND\"\n";

/// Where the retired code is named, as `file:line`.
fn places(files: &[(&str, &str)]) -> Vec<String> {
    let source = Source::new("errors.toml", CONTRACT);
    let contracts = [Contract::new(load(&source, &|_, _| None).unwrap(), source)];
    let sources = Sources::of_texts(files);
    let project = Project::new(&sources, &contracts, |_| Some(0));
    let hits = check(&project, Day::default()).hits;
    let retired = hits.iter().filter(|it| it.finding.rule == "CK004");
    retired.map(|it| format!("{}:{}", it.finding.place.file, it.finding.place.line)).collect()
}

#[test]
fn a_re_export_of_a_folder_is_followed() {
    let files = [
        ("src/errors/codes.ts", "export const LOST = \"NOTE_LOST\";\n"),
        ("src/errors/index.ts", "export { LOST as GONE } from './codes.js';\n"),
        ("src/a.ts", "import { GONE } from './errors';\nthrow new ToolError(GONE, 'Gone.');\n"),
        (
            "src/b.ts",
            "import * as errors from './errors/index.js';\nconst isGone = (code: string) => code === errors.GONE;\n",
        ),
    ];
    assert_eq!(places(&files), ["src/errors/codes.ts:1", "src/a.ts:2", "src/b.ts:2"]);
}

#[test]
fn packages_of_python_are_followed() {
    let files = [
        ("notes/__init__.py", ""),
        ("notes/errors.py", "NOTE_IS_LOST = \"NOTE_LOST\"\n"),
        (
            "notes/a.py",
            "from .errors import NOTE_IS_LOST\nraise NoteError(NOTE_IS_LOST, 'Gone.')\n",
        ),
        ("notes/b.py", "from . import errors\nraise NoteError(errors.NOTE_IS_LOST, 'Gone.')\n"),
        ("notes/c.py", "import notes.errors as e\nraise NoteError(e.NOTE_IS_LOST, 'Gone.')\n"),
    ];
    assert_eq!(
        places(&files),
        ["notes/errors.py:1", "notes/a.py:2", "notes/b.py:2", "notes/c.py:2"]
    );
}

#[test]
fn modules_of_rust_are_followed() {
    let files = [
        (
            "src/a.rs",
            "use crate::errors::NOTE_IS_LOST;\nfn f() -> ToolError { ToolError::new(NOTE_IS_LOST, \"Gone.\") }\n",
        ),
        (
            "src/b.rs",
            "use crate::errors;\nfn f() -> ToolError { ToolError::new(errors::NOTE_IS_LOST, \"Gone.\") }\n",
        ),
        ("src/errors.rs", "pub const NOTE_IS_LOST: &str = \"NOTE_LOST\";\n"),
    ];
    assert_eq!(places(&files), ["src/a.rs:2", "src/b.rs:2", "src/errors.rs:1"]);
}

#[test]
fn a_circle_of_imports_ends() {
    let files = [
        (
            "a.ts",
            "export * from './b';\nexport { LOST_NOTE } from './b';\nthrow new ToolError(LOST_NOTE, 'Gone.');\n",
        ),
        ("b.ts", "export * from './a';\nexport { LOST_NOTE } from './a';\n"),
    ];
    assert_eq!(places(&files), [""; 0]);
}
