//! `--fix`: files written whole, only if they are still what was read and sound syntax.

use std::collections::BTreeMap;

use redress_check::{CheckReport, Edit, Sources, fix::apply};

use crate::{failure::Failure, files, findings::counted, output::Err};

/// Makes all edits that can be made and gives their number. A file with broken syntax is not touched.
pub(super) fn make(sources: &Sources, report: &CheckReport) -> Result<usize, Failure> {
    let mut edits: BTreeMap<usize, Vec<&Edit>> = BTreeMap::new();
    for hit in &report.hits {
        if let (Some(file), Some(edit)) = (hit.file, &hit.edit) {
            edits.entry(file).or_default().push(edit);
        }
    }
    let mut err = Err::new();
    let mut made = 0;
    for (number, edits) in edits {
        let Some(file) = sources.files.get(number) else { continue };
        let name = file.path.to_string_lossy();
        if file.facts.broken.is_some() {
            err.line("left    ", &format!("{name}: its syntax is broken"));
            continue;
        }
        let Some(text) = file.text().and_then(|it| apply(&it, &edits)) else {
            err.line("left    ", &format!("{name}: it was changed meanwhile"));
            continue;
        };
        files::replace(&name, &text)?;
        for edit in &edits {
            err.line("fixed   ", &format!("{name}: {} is {} now", edit.was, edit.text));
        }
        made += edits.len();
    }
    if made > 0 {
        err.line("", &counted(made, "place"));
    }
    Ok(made)
}
