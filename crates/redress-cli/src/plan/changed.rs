//! What changed in a plan since it was approved: the approved text is kept beside the key.

use std::{fs, io, os::unix::fs::DirBuilderExt as _, path::PathBuf};

use redress_govern::is_hash;

use crate::{failure::Failure, files, place};

/// The most lines that are shown.
const MOST_LINES: usize = 60;

/// Keeps the text that was approved.
pub(super) fn keep(hash: &str, text: &str) -> Result<(), Failure> {
    let path = copy_of(hash)?;
    let shown = path.to_string_lossy();
    let made = path
        .parent()
        .map_or(Ok(()), |it| fs::DirBuilder::new().mode(0o700).recursive(true).create(it));
    made.map_err(|it| Failure::writing(&shown, &it))?;
    files::replace(&shown, text)
}

/// The lines that went and came since the text with that hash was approved.
pub(super) fn since(hash: &str, now: &[u8]) -> Vec<String> {
    let Ok(Ok(before)) = copy(hash) else {
        return vec![format!("The text that was approved as {hash} is not kept here.")];
    };
    let (before, now) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(now));
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |lines: &[&str], mark: &str| -> Vec<String> {
        let lines = lines.get(..lines.len() - end).unwrap_or_default();
        lines.iter().map(|it| format!("{mark} {it}")).collect()
    };
    let mut changed = middle(old, "-");
    changed.extend(middle(new, "+"));
    if changed.len() > MOST_LINES {
        let more = changed.len() - MOST_LINES;
        changed.truncate(MOST_LINES);
        changed.push(format!("… and {more} lines more"));
    }
    changed
}

fn copy(hash: &str) -> Result<io::Result<Vec<u8>>, Failure> {
    Ok(files::read(&copy_of(hash)?))
}

fn copy_of(hash: &str) -> Result<PathBuf, Failure> {
    if !is_hash(hash) {
        return Err(Failure::option(&format!("{hash:?} is no hash of a plan")));
    }
    Ok(place::revoked()?.with_file_name("approved-plans").join(format!("{hash}.md")))
}
