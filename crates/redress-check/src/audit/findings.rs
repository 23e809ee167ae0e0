//! The findings of an audit by priority and by file, each with its line as it is and as it should be.

use std::{collections::BTreeMap, fmt::Write as _};

use redress_registry::{Finding, Source};

use super::{
    PRIORITIES,
    markdown::{HEAD, block, counted, text},
};
use crate::{
    report::CheckReport,
    rule::{Edit, Hit},
};

/// The findings of each priority, in the order of files and lines.
pub(super) fn by_priority(report: &CheckReport) -> String {
    let mut out = format!("{HEAD}# Findings by priority\n");
    for (name, meaning, level) in PRIORITIES {
        let hits: Vec<_> = report.hits.iter().filter(|it| it.finding.level == level).collect();
        let _ = writeln!(out, "\n## {name}: {meaning} ({})", counted(hits.len(), "finding"));
        for hit in hits {
            let Finding { place, .. } = &hit.finding;
            let _ = writeln!(out, "\n### {}:{}:{}\n", text(&place.file), place.line, place.column);
            finding(&mut out, report, hit);
        }
    }
    out
}

/// The findings of each file, the most first.
pub(super) fn by_file(report: &CheckReport) -> String {
    let mut files: BTreeMap<&str, Vec<&Hit>> = BTreeMap::new();
    for hit in &report.hits {
        files.entry(&hit.finding.place.file).or_default().push(hit);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|it| std::cmp::Reverse(it.1.len()));
    let mut out = format!("{HEAD}# Findings by file\n\n| file | findings |\n| --- | --- |\n");
    for (file, hits) in &files {
        let _ = writeln!(out, "| {} | {} |", text(file), hits.len());
    }
    for (file, hits) in files {
        let _ = writeln!(out, "\n## {}", text(file));
        for hit in hits {
            let Finding { place, .. } = &hit.finding;
            let priority = PRIORITIES.iter().find(|it| it.2 == hit.finding.level);
            let priority = priority.map(|it| it.0).unwrap_or_default();
            let _ = writeln!(out, "\n### Line {}, {priority}\n", place.line);
            finding(&mut out, report, hit);
        }
    }
    out
}

fn finding(out: &mut String, report: &CheckReport, hit: &Hit) {
    let Finding { rule, message, fix, place, .. } = &hit.finding;
    let _ = writeln!(out, "**{rule}** {}\n", text(message));
    if let Some(source) = report.sources.get(&place.file) {
        let language = place.file.rsplit_once('.').map_or("", |it| it.1);
        let language =
            if language.chars().all(|it| it.is_ascii_alphanumeric()) { language } else { "" };
        let line = source.text.lines().nth(place.line.saturating_sub(1)).unwrap_or_default();
        let _ = writeln!(out, "As it is:\n\n{}", block(language, line));
        if let Some(corrected) = hit.edit.as_ref().and_then(|it| corrected(source, it)) {
            let _ = writeln!(out, "As it should be:\n\n{}", block(language, &corrected));
        }
    }
    let _ = writeln!(out, "Fix: {}", text(fix));
}

/// The lines of an edit with its new text in them.
fn corrected(source: &Source, edit: &Edit) -> Option<String> {
    let (start, end) = (edit.span.start as usize, edit.span.end as usize);
    let before = source.text.get(..start)?;
    let after = source.text.get(end..)?;
    let from = before.rfind('\n').map_or(0, |it| it + 1);
    let to = after.find('\n').unwrap_or(after.len());
    Some(format!("{}{}{}", before.get(from..)?, edit.text, after.get(..to)?))
}
