//! `--report`: the audit as Markdown documents, each file written whole.

use std::{fs, path::Path};

use redress_check::{
    CheckReport, Sources,
    audit::{Scope, documents},
};

use super::today;
use crate::{failure::Failure, files, output::Err};

/// Writes the documents into a folder, which is made if it is not there.
pub(super) fn write(folder: &Path, report: &CheckReport, sources: &Sources) -> Result<(), Failure> {
    let shown = folder.to_string_lossy();
    fs::create_dir_all(folder).map_err(|it| unwritable(Failure::writing(&shown, &it)))?;
    let (read, left_out) = (sources.count(), sources.left_out());
    let scope = Scope { day: today(), read: &read, left_out: left_out.as_deref() };
    let mut err = Err::new();
    for (name, text) in documents(report, scope) {
        let path = folder.join(name);
        let path = path.to_string_lossy();
        files::replace(&path, &text).map_err(unwritable)?;
        err.line("wrote   ", &path);
    }
    Ok(())
}

fn unwritable(failure: Failure) -> Failure {
    failure.fix("Name a folder with --report that this user may write to.")
}
