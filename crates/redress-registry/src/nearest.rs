//! Did-you-mean: the known word that a misspelt one was probably meant to be.

/// The candidate that `word` was probably meant to be; of equally near ones the first.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    candidates
        .into_iter()
        .filter_map(|it| Some((rank(&word, it)?, it)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, it)| it)
}

/// Up to `n` candidates that `word` may have meant, the nearest first.
pub fn nearest_n<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    n: usize,
) -> Vec<&'a str> {
    let word = folded(word);
    let mut near: Vec<_> =
        candidates.into_iter().filter_map(|it| Some((rank(&word, it)?, it))).collect();
    near.sort_by_key(|(rank, _)| *rank);
    let mut words: Vec<&str> = Vec::new();
    for (_, it) in near {
        if words.len() < n && !words.contains(&it) {
            words.push(it);
        }
    }
    words
}

/// Ranks behind every spelling mistake: one name holds the other as whole words, or shortens some of them.
const HOLDS: usize = MOST_EDITS + 1;

/// More than this and a name is another one, however long.
const MOST_EDITS: usize = 3;

/// How far a candidate is from a folded word; `None` if it was surely not meant.
fn rank(word: &str, candidate: &str) -> Option<usize> {
    let candidate = folded(candidate);
    let (a, b) = (word.chars().count(), candidate.chars().count());
    let allowed = (a.max(b) / 3).min(MOST_EDITS);
    if a.abs_diff(b) <= allowed {
        let edits = strsim::osa_distance(word, &candidate);
        if edits <= allowed {
            return Some(edits);
        }
    }
    (holds_words(word, &candidate) || is_shortened(word, &candidate)).then_some(HOLDS)
}

/// Whether one of the two is in the other, between separators.
fn holds_words(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short.len() >= 3
        && long.match_indices(short).any(|(at, _)| {
            let before = long.get(..at).unwrap_or_default();
            let after = long.get(at + short.len()..).unwrap_or_default();
            (before.is_empty() || before.ends_with(SEPARATORS))
                && (after.is_empty() || after.starts_with(SEPARATORS))
        })
}

/// Whether one of the two has the same words as the other, some of them cut short.
fn is_shortened(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut words = short.split(SEPARATORS).zip(long.split(SEPARATORS));
    short.split(SEPARATORS).count() == long.split(SEPARATORS).count()
        && words.all(|(short, long)| short == long || short.len() >= 3 && long.starts_with(short))
}

const SEPARATORS: [char; 2] = ['_', '.'];

/// Case and the choice of separator are never what an author meant to say.
fn folded(word: &str) -> String {
    word.chars().map(|it| if it == '-' { '_' } else { it.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{nearest, nearest_n};

    const KEYS: [&str; 8] =
        ["hint", "title", "message", "retry", "max_chars", "docs_base", "to", "id"];

    #[test]
    fn a_slip_of_the_finger_finds_the_word() {
        for (slip, meant) in
            [("hnit", "hint"), ("tilte", "title"), ("mesage", "message"), ("rerty", "retry")]
        {
            assert_eq!(nearest(slip, KEYS), Some(meant), "{slip}");
        }
    }

    #[test]
    fn case_and_separator_do_not_count() {
        assert_eq!(nearest("Docs-Base", KEYS), Some("docs_base"));
        assert_eq!(nearest("file_not_fuond", ["FILE_NOT_FOUND"]), Some("FILE_NOT_FOUND"));
    }

    #[test]
    fn short_words_match_no_nonsense() {
        for word in ["is", "do", "xy", "t", "", "hat", "zzzz", "colour"] {
            assert_eq!(nearest(word, KEYS), None, "{word}");
        }
    }

    #[test]
    fn a_whole_word_of_a_name_finds_it() {
        assert_eq!(nearest("max", KEYS), Some("max_chars"));
        assert_eq!(nearest("retry_policy", KEYS), Some("retry"));
        assert_eq!(nearest("base_ment", KEYS), None);
    }

    #[test]
    fn words_that_are_cut_short_find_the_name() {
        let tools = ["list_directory", "read_text_file", "directory_tree"];
        assert_eq!(nearest("list_dir", tools), Some("list_directory"));
        assert_eq!(nearest("list-dirs", tools), None);
        assert_eq!(nearest("dir_tree", tools), Some("directory_tree"));
        assert_eq!(nearest("li_dir", tools), None, "two letters are many words");
    }

    #[test]
    fn the_first_of_equally_near_words_wins() {
        assert_eq!(nearest("CODE_C", ["CODE_A", "CODE_B"]), Some("CODE_A"));
    }

    #[test]
    fn several_come_nearest_first_and_once() {
        let codes = ["LIMIT", "TIME_OUT", "TIMEOUT", "LIMITED", "TIMEOUT", "RATE_LIMIT"];
        assert_eq!(nearest_n("TIMEOUTS", codes, 2), ["TIMEOUT", "TIME_OUT"]);
        assert_eq!(nearest_n("limit", codes, 9), ["LIMIT", "LIMITED", "RATE_LIMIT"]);
    }

    #[test]
    fn a_monstrous_word_costs_little() {
        let monster = "x".repeat(4 << 20);
        assert_eq!(nearest(&monster, KEYS), None);
    }
}
