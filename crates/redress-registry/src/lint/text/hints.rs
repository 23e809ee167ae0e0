//! Hints: an order of five words or more that adds to the message.

use std::collections::BTreeSet;

use super::verbs::{BEFORE_VERB, is_verb};
use crate::{
    finding::part,
    lint::scope::{Hits, Scope, text},
};

/// A hint of fewer words names no object to act on.
const MIN_WORDS: usize = 5;

/// CK202.
pub(super) fn weak(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let Some(hint) = code.hint.as_ref().filter(|it| !it.value.trim().is_empty()) else {
            continue;
        };
        let words = hint.value.split_whitespace().count();
        if words < MIN_WORDS {
            let context = [part("words", words), part("min", MIN_WORDS)];
            hits.on(code, &hint.span, "The hint has {words} words, fewer than {min}.", context);
        } else if repeats(&hint.value, text(code.message.as_ref())) {
            hits.on(code, &hint.span, "The hint says the message again.", []);
        }
    }
}

/// Whether the hint adds less than a fifth to the words of the message.
fn repeats(hint: &str, message: &str) -> bool {
    let (hint, message) = (words(hint), words(message));
    let shared = hint.intersection(&message).count();
    shared * 5 >= hint.len() * 4 && !hint.is_empty()
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|it: char| !it.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// CK203.
pub(super) fn without_verb(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let Some(hint) = &code.hint else { continue };
        let mut words = hint
            .value
            .split_whitespace()
            .map(|it| it.trim_matches(|it: char| !it.is_alphanumeric()).to_lowercase())
            .filter(|it| !it.is_empty());
        let first = words.find(|it| !BEFORE_VERB.contains(&it.as_str()));
        if let Some(word) = first.filter(|it| !is_verb(it)) {
            let message = "The hint begins with {word}, which is no order.";
            hits.on(code, &hint.span, message, [part("word", word)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::repeats;

    #[test]
    fn a_hint_of_other_words_repeats_nothing() {
        assert!(repeats("There is no note 42.", "There is no note 42."));
        assert!(repeats("note there is no", "There is no note {id}."));
        assert!(!repeats("List the notes and use an id from the list.", "There is no note {id}."));
    }
}
