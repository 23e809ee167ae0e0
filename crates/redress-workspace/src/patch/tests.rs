//! The laws of patches: the diff of two texts makes one from the other, and of any other text nothing wrong.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

use super::{Action, FilePatch, Hunk, HunkLine, LineFate, fit, read, replace};

/// The diff of two texts as `diff -u` writes it, with that many lines around each change.
fn diff(old: &str, new: &str, around: usize) -> Option<String> {
    let (a, b) = (lines(old), lines(new));
    let script = script(&a, &b);
    let changed: Vec<usize> =
        (0..script.len()).filter(|it| script[*it].0 != LineFate::Stays).collect();
    let mut out = String::from("--- a/f\n+++ b/f\n");
    let mut at = 0;
    while at < changed.len() {
        let start = changed[at].saturating_sub(around);
        let mut end = changed[at] + around + 1;
        while at + 1 < changed.len() && changed[at + 1] <= end + around {
            at += 1;
            end = changed[at] + around + 1;
        }
        at += 1;
        let hunk = &script[start..end.min(script.len())];
        let before = |side: LineFate| {
            script[..start].iter().filter(|it| it.0 == LineFate::Stays || it.0 == side).count()
        };
        let count = |side: LineFate| {
            hunk.iter().filter(|it| it.0 == LineFate::Stays || it.0 == side).count()
        };
        let range = |side| {
            let n = count(side);
            format!("{},{n}", before(side) + usize::from(n > 0))
        };
        out.extend(["@@ -", &range(LineFate::Goes), " +", &range(LineFate::Comes), " @@\n"]);
        for (fate, line) in hunk {
            out.push(match fate {
                LineFate::Stays => ' ',
                LineFate::Goes => '-',
                LineFate::Comes => '+',
            });
            out += line;
            if !line.ends_with('\n') {
                out += "\n\\ No newline at end of file\n";
            }
        }
    }
    (!changed.is_empty()).then_some(out)
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What becomes of each line, by the longest common subsequence.
fn script<'t>(a: &[&'t str], b: &[&'t str]) -> Vec<(LineFate, &'t str)> {
    let mut longest = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = if a[i] == b[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut script) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            script.push((LineFate::Stays, a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j >= b.len() || (i < a.len() && longest[i + 1][j] >= longest[i][j + 1]) {
            script.push((LineFate::Goes, a[i]));
            i += 1;
        } else {
            script.push((LineFate::Comes, b[j]));
            j += 1;
        }
    }
    script
}

/// Texts of few different lines, so that hunks fit in more than one place.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a", "b", "", "-- c", "++ d", "@@ e", "\\ f", " g", "é"]);
    let lines = prop::collection::vec(line, 0..24);
    (lines, any::<bool>()).prop_map(|(lines, has_break)| {
        let text = lines.join("\n");
        if has_break && !lines.is_empty() { text + "\n" } else { text }
    })
}

fn only(patch: &str) -> FilePatch {
    let patch = read(patch).unwrap_or_else(|it| panic!("{it:?}\n{patch}"));
    patch.files.into_iter().next().unwrap()
}

proptest! {
    #[test]
    fn the_diff_of_two_texts_makes_one_from_the_other(old in text(), new in text(), around in 1..4_usize) {
        if let Some(diff) = diff(&old, &new, around) {
            let file = only(&diff);
            let fitted = fit(old.as_bytes(), &file);
            prop_assert_eq!(fitted.as_deref(), Ok(new.as_bytes()), "{}", diff);
        }
    }

    #[test]
    fn elsewhere_a_patch_is_refused_or_changes_what_it_names(
        old in text(), new in text(), other in text(), around in 0..4_usize,
    ) {
        let Some(diff) = diff(&old, &new, around) else { return Ok(()) };
        let Ok(patch) = read(&diff) else { return Ok(()) };
        let file = &patch.files[0];
        if let Ok(fitted) = fit(other.as_bytes(), file) {
            // Whatever goes was there, whatever comes was asked for, and the rest is the same: undone, it is the text again.
            let back = fit(&fitted, &turned(file));
            let count = |fate| file.hunks.iter().flat_map(|it| &it.lines).filter(|it| it.fate == fate).count();
            let fitted = String::from_utf8(fitted).unwrap();
            prop_assert_eq!(lines(&fitted).len() + count(LineFate::Goes), lines(&other).len() + count(LineFate::Comes));
            if let Ok(back) = back {
                prop_assert_eq!(lines(&String::from_utf8(back).unwrap()).len(), lines(&other).len());
            }
        }
    }

    #[test]
    fn lines_before_it_move_a_hunk_that_stands_in_one_place_only(
        before in prop::collection::vec("[x-z]{1,3}", 0..9), at in 0..20_usize,
    ) {
        let old = (0..20).map(|it| format!("line {it}\n")).collect::<Vec<_>>().concat();
        let new = old.replace(&format!("line {at}\n"), "changed\n");
        let file = only(&diff(&old, &new, 3).unwrap());
        let before = before.iter().flat_map(|it| [it.as_str(), "\n"]).collect::<String>();
        prop_assert_eq!(fit((before.clone() + &old).as_bytes(), &file).unwrap(), (before + &new).into_bytes());
    }

    #[test]
    fn carriage_returns_stay_as_they_are(old in text(), new in text()) {
        if let Some(diff) = diff(&old, &new, 3) && old.contains('\n') {
            let with = |it: &str| it.replace('\n', "\r\n").into_bytes();
            prop_assert_eq!(fit(&with(&old), &only(&diff)), Ok(with(&new)));
        }
    }

    #[test]
    fn a_replacement_changes_one_piece_or_nothing(text in "[ab]{0,12}", search in "[ab]{0,3}", with in "[a-c]{0,3}") {
        let found = (0..text.len()).filter(|it| text[*it..].starts_with(&search)).count();
        let new = replace(text.as_bytes(), &search, &with, false);
        prop_assert_eq!(new.is_ok(), found == 1 && !search.is_empty());
        if let Ok(new) = new {
            prop_assert_eq!(new, text.replacen(&search, &with, 1).into_bytes());
        }
    }

    #[test]
    fn any_text_is_a_patch_or_says_why_not(text in Just(()).prop_flat_map(|()| "(--- a/f\n|\\+\\+\\+ b/f\n|@@ -1,2 \\+1 @@\n|[ +-][a-c]\n|\\\\ No\n|.*\n){0,12}")) {
        match read(&text) {
            Ok(patch) => prop_assert!(!patch.files.is_empty()),
            Err(bad) => prop_assert!(bad.line >= 1 && !bad.reason.is_empty()),
        }
    }
}

/// The patch that undoes a patch.
fn turned(file: &FilePatch) -> FilePatch {
    let turn = |it: &HunkLine| HunkLine {
        fate: match it.fate {
            LineFate::Stays => LineFate::Stays,
            LineFate::Goes => LineFate::Comes,
            LineFate::Comes => LineFate::Goes,
        },
        ..it.clone()
    };
    let hunks = file
        .hunks
        .iter()
        .map(|it| Hunk { lines: it.lines.iter().map(turn).collect(), ..it.clone() });
    FilePatch { path: file.path.clone(), action: Action::Change, hunks: hunks.collect() }
}
