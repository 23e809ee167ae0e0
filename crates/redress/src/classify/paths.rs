//! Which values are paths, and of what, and which of them a failure is about.

use super::request::{Argument, is_among};

/// Ends of names that are files without doubt.
const EXTENSIONS: &str = " txt md json jsonl toml yaml yml xml html css csv tsv log ini cfg conf js ts jsx tsx py rs go java sh sql db sqlite \
    pdf docx xlsx pptx png jpg jpeg gif svg zip lock ";
/// Before the path in the address of a file.
const LOCAL: &str = "file://";

pub(crate) enum PathKind {
    File,
    Directory,
    Address,
}

/// Whether an argument is a path, and of what.
pub(crate) fn path_kind(key: &str, value: &str) -> Option<PathKind> {
    let is_local = value.starts_with(LOCAL);
    let value = local(value);
    if value.contains("://") {
        return Some(PathKind::Address);
    }
    if value.len() > 512 || value.contains('\n') {
        return None;
    }
    let named_dir = is_directory(key);
    let key = key.to_ascii_lowercase();
    let named_path = named_dir || is_local || ["path", "file"].iter().any(|it| key.contains(it));
    let has_slash = value.contains(['/', '\\']) && !value.contains(' ');
    let last = value.rsplit(['/', '\\']).next().unwrap_or_default();
    match (has_extension(last), named_path || has_slash) {
        _ if named_dir => Some(PathKind::Directory),
        (true, true) => Some(PathKind::File),
        (true, false) if !value.contains(' ') => Some(PathKind::File),
        (false, true) if named_path || is_absolute(value) => Some(PathKind::Directory),
        _ => None,
    }
}

/// Whether an argument is named as a directory.
pub(crate) fn is_directory(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["dir", "folder", "cwd", "root"].iter().any(|it| key.contains(it))
}

/// The path in the address of a file; any other value is itself.
pub(crate) fn local(value: &str) -> &str {
    value.strip_prefix(LOCAL).unwrap_or(value)
}

/// Whether a name ends as those of files do.
pub(crate) fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|it| it.is_ascii_alphanumeric())
            && end.bytes().any(|it| it.is_ascii_alphabetic())
    })
}

pub(crate) fn is_absolute(value: &str) -> bool {
    value.starts_with('/') || value.get(1..3).is_some_and(|it| it == ":\\" || it == ":/")
}

/// Whether a word has the extension of a file.
pub(crate) fn is_file_name(word: &str) -> bool {
    let name = word.trim_end_matches(['.', ':']).rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_among(end, EXTENSIONS))
}

/// Before the place in which something was looked for, or beyond which nothing is allowed: it is there itself.
const BEFORE_PLACE: [&str; 8] =
    ["in", "inside", "within", "under", "below", "beneath", "outside", "beyond"];
/// What may stand between such a word and the place.
const OF_PLACE: &str = " of the this a any allowed current working base directory dir folder path repository repo project workspace \
    vault root ";
/// A shorter value is everywhere.
const SHORTEST: usize = 3;

/// The argument whose path a text names: as a whole, else by its last part, else the only one, where the text names no other.
/// A call may have several, and where the server does not say which, none is better than the wrong one.
pub(crate) fn about<'p, 'a>(arguments: &'p [Argument<'a>], text: &str) -> Option<&'p Argument<'a>> {
    let paths: Vec<_> = arguments.iter().filter(|it| it.is_path()).collect();
    let whole = |it: &&&Argument<'_>| names(text, local(&it.value)) == Some(true);
    let last = |it: &&&Argument<'_>| names(text, last(local(&it.value))) == Some(true);
    let mut found: Vec<_> = paths.iter().filter(whole).collect();
    // One that is a part of another is named with it: `a.txt` in `/d/a.txt`.
    let all = found.clone();
    found.retain(|it| {
        all.iter().all(|other| other.value == it.value || !other.value.contains(&*it.value))
    });
    if found.is_empty() {
        found = paths.iter().filter(last).collect();
    }
    match (found.as_slice(), paths.as_slice()) {
        ([one], _) => Some(one),
        ([], [only]) => {
            let is_quoted = |it: &Argument<'_>| {
                ['\'', '"', '`']
                    .iter()
                    .any(|quote| text.contains(&format!("{quote}{}{quote}", it.value)))
            };
            let others = arguments.iter().filter(|it| it.place != only.place);
            let is_place = names(text, local(&only.value)) == Some(false);
            (!is_place
                && !names_another(text, local(&only.value))
                && !others.into_iter().any(is_quoted))
            .then_some(*only)
        }
        _ => None,
    }
}

/// The folder that a path is in.
pub(crate) fn parent(path: &str) -> Option<&str> {
    let path = local(path).trim_end_matches(['/', '\\']);
    path.rfind(['/', '\\']).and_then(|at| path.get(..at)).filter(|it| !it.is_empty())
}

fn last(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Whether a text names a path, and if so, as more than the place of something else: `in '/w'`, `outside of the folder /w`.
fn names(text: &str, path: &str) -> Option<bool> {
    let path = path.trim_end_matches(['/', '\\']);
    if path.len() < SHORTEST {
        return None;
    }
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    let whole = text.match_indices(path).map(|it| it.0).filter(|at| {
        let before = text.get(..*at).unwrap_or_default();
        let after = text.get(at + path.len()..).unwrap_or_default();
        let is_start = path.starts_with(['/', '\\'])
            || !before.ends_with(|it| is_part(it) || it == '.')
            || before.ends_with(['/', '\\']);
        let goes_on = after.trim_start_matches(['/', '\\', '.']).starts_with(is_part);
        is_start && (!goes_on || after.starts_with("..."))
    });
    let mut is_named = None;
    for at in whole {
        is_named = Some(is_named == Some(true) || !is_place(text, at));
    }
    is_named
}

fn is_place(text: &str, at: usize) -> bool {
    let is_edge = |it: char| it.is_whitespace() || "'\"`(".contains(it);
    let before = text.get(..at).unwrap_or_default();
    let before = before.trim_end_matches(|it| !is_edge(it)).trim_end_matches(is_edge);
    let words = before.rsplit(char::is_whitespace).take(5).map(str::to_ascii_lowercase);
    let mut words = words.skip_while(|it| is_among(it, OF_PLACE));
    words.next().is_some_and(|it| BEFORE_PLACE.contains(&&*it))
}

/// Whether a text names a path that is neither this one nor on the way to it.
fn names_another(text: &str, path: &str) -> bool {
    let path = path.trim_end_matches(['/', '\\']);
    let is_sign = |it: char| it.is_whitespace() || "'\"`()[]<>,;=".contains(it);
    let mut before = "";
    text.split(is_sign).filter(|it| !it.is_empty()).any(|word| {
        let is_program = std::mem::replace(&mut before, word) == "spawn";
        let word = word.trim_end_matches(['.', ':', '/', '\\']);
        let is_one = word.len() >= SHORTEST
            && !word.contains("://")
            && (is_absolute(word) || word.starts_with(['.', '~']) || has_extension(last(word)));
        let is_it = word.rfind(path).is_some_and(|at| {
            !path.is_empty()
                && !word.get(at + path.len()..).unwrap_or_default().starts_with(['/', '\\'])
        });
        let leads_there =
            path.starts_with(word) || parent(path).is_some_and(|it| word.ends_with(it));
        is_one && !is_program && !is_it && !leads_there
    })
}
