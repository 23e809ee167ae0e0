//! The fuzz targets of the scan of sources: the reader of each language, and comments that allow something.

use std::sync::{Arc, LazyLock};

use redress_check::{Contract, Day, Project, Sources, check, fix::apply, infer, suppress};
use redress_registry::{Source, read, shipped};

static CORE: LazyLock<Option<Contract>> = LazyLock::new(|| {
    let source = shipped::source("core")?;
    Some(Contract::new(Arc::clone(shipped::core()), source))
});

pub(super) fn rust(bytes: &[u8]) {
    scan("src/a.rs", bytes);
}

pub(super) fn typescript(bytes: &[u8]) {
    scan("src/a.tsx", bytes);
    scan("src/a.ts", bytes);
}

pub(super) fn python(bytes: &[u8]) {
    scan("src/a.py", bytes);
}

pub(super) fn markdown(bytes: &[u8]) {
    scan("a.md", bytes);
}

/// An allowance is whole, or its first mistake is named.
pub(super) fn allowance(bytes: &[u8]) {
    if let Ok(said) = suppress::parse(&String::from_utf8_lossy(bytes)) {
        assert!(
            !said.rules.is_empty() && !said.reason.is_empty(),
            "an allowance without its parts"
        );
        assert!(
            Day::parse(&said.until.to_string()) == Some(said.until),
            "a day that is not read again"
        );
    }
}

/// Whatever the text is: every finding has its place in it, every edit fits, and a draft can be read.
fn scan(name: &str, bytes: &[u8]) {
    assert!(CORE.is_some(), "the registry `core` does not load");
    let (Ok(text), Some(core)) = (std::str::from_utf8(bytes), &*CORE) else { return };
    let sources = Sources::of_texts(&[(name, text)]);
    let project = Project::new(&sources, std::slice::from_ref(core), |_| Some(0));
    let report = check(&project, Day::default());
    for hit in report.hits.iter().filter(|it| it.file.is_some()) {
        assert!(text.get(hit.finding.span.clone()).is_some(), "a finding outside of the text");
        assert!(hit.finding.place.line >= 1, "a finding without a place");
    }
    let edits: Vec<_> = report.hits.iter().filter_map(|it| it.edit.as_ref()).collect();
    assert!(apply(text, &edits).is_some(), "an edit that does not fit");
    let draft = infer(&sources, "fuzz");
    assert!(read(&Source::new("errors.toml", &draft)).is_ok(), "a draft that cannot be read");
}
