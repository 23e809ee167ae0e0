//! The pages stay short, and so do their sentences.

use std::io::{self, Write as _};

use super::pages::{self, Page};
use crate::counts::counted;

/// The most words of prose that the pages may have, without those that are generated and without the decisions.
const MOST_WORDS: usize = 20_000;

/// The most words that a sentence may have on average.
const MOST_PER_SENTENCE: usize = 15;

/// Pages that a generator writes, and those that record decisions.
const LEFT_OUT: [&str; 6] = [
    "docs/decisions/",
    "docs/reference/codes/",
    "docs/reference/command-line.md",
    "docs/reference/configuration.md",
    "docs/reference/rules.md",
    "docs/SUMMARY.md",
];

/// The comments before and after a part of a page that a task writes.
const GENERATED: [&str; 2] = ["is written by `cargo xtask", "probe-servers: start"];
const ENDS: [&str; 3] = ["<!-- End of the table", "<!-- End of the list", "probe-servers: end"];

/// What takes the place of code within a line.
const CODE: &str = "`code`";

#[test]
fn the_pages_have_few_words_and_short_sentences() {
    let mut all = Prose::default();
    let mut each = Vec::new();
    for Page { path, text } in pages::all() {
        let is_ours = path == "README.md" || path.starts_with("docs/");
        if !is_ours || LEFT_OUT.iter().any(|it| path.starts_with(it)) {
            continue;
        }
        let prose = Prose::of(&text);
        each.push(format!("{:6} words, {:4.1} in a sentence: {path}", prose.words, prose.mean()));
        all.add(&prose);
    }
    each.push(format!("{:6} words, {:4.1} in a sentence: all", all.words, all.mean()));
    writeln!(io::stderr(), "{}", each.join("\n")).unwrap();
    assert!(all.words <= MOST_WORDS, "{} words:\n{}", all.words, each.join("\n"));
    assert!(
        all.in_sentences <= MOST_PER_SENTENCE * all.sentences,
        "{:.1} words in a sentence:\n{}",
        all.mean(),
        each.join("\n")
    );
    counted(all.words, "words of docs");
    counted(all.sentences, "sentences of docs");
}

#[test]
fn words_are_counted_without_code_and_markup() {
    let text = "# A title\n\nOne [two](three.md) `four five`. Six\nseven.\n\n- Eight: nine\n- ten\n\n| a | b |\n| --- | --- |\n\n```sh\nnot this\n```\n<!-- nor this -->\n<!-- The list is written by `cargo xtask codegen`. -->\nnor\n<!-- End of the list. -->\n";
    let prose = Prose::of(text);
    assert_eq!((prose.words, prose.sentences, prose.in_sentences), (11, 4, 8));
}

/// What a page has to read.
#[derive(Default)]
struct Prose {
    /// All words, those of headings and tables too, but not code within a line.
    words: usize,
    sentences: usize,
    /// The words of paragraphs and lists; a piece of code is one.
    in_sentences: usize,
}

impl Prose {
    fn of(text: &str) -> Self {
        let mut prose = Self::default();
        let mut paragraph = String::new();
        let mut is_generated = false;
        for line in pages::lines(text) {
            let line = line.trim();
            is_generated = (is_generated || GENERATED.iter().any(|it| line.contains(it)))
                && !ENDS.iter().any(|it| line.contains(it));
            if is_generated {
                continue;
            }
            let (is_heading, is_row) = (line.starts_with('#'), line.starts_with('|'));
            let is_comment = line.starts_with("<!--");
            let is_item = item(line).is_some();
            if line.is_empty() || is_heading || is_row || is_item || is_comment {
                prose.paragraph(&paragraph);
                paragraph.clear();
            }
            if is_heading || is_row {
                prose.words += words(&plain(line)).filter(|it| !it.contains(CODE)).count();
            } else if !is_comment {
                paragraph.extend([item(line).unwrap_or(line), "\n"]);
            }
        }
        prose.paragraph(&paragraph);
        prose
    }

    fn paragraph(&mut self, text: &str) {
        let text = plain(text);
        let mut is_open = false;
        for word in words(&text) {
            self.words += usize::from(!word.contains(CODE));
            self.in_sentences += 1;
            is_open = true;
            let end = word.trim_end_matches([')', '"', '*', '”']);
            if end.ends_with(['.', '!', '?']) {
                self.sentences += 1;
                is_open = false;
            }
        }
        self.sentences += usize::from(is_open);
    }

    fn add(&mut self, other: &Self) {
        self.words += other.words;
        self.sentences += other.sentences;
        self.in_sentences += other.in_sentences;
    }

    /// The words of a sentence on average.
    #[expect(clippy::cast_precision_loss, reason = "far fewer words than 2^52")]
    fn mean(&self) -> f64 {
        self.in_sentences as f64 / self.sentences.max(1) as f64
    }
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|it: char| it.is_ascii_digit());
    let numbered = (number.len() < line.len()).then(|| number.strip_prefix(". ")).flatten();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or(numbered)
}

/// A text without markup: of a link its words, of code within a line one word.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            plain.push_str(CODE);
        } else {
            plain.push_str(part);
        }
    }
    while let Some((before, rest)) = plain.split_once("](") {
        let Some((_, after)) = rest.split_once(')') else { break };
        plain = format!("{}{after}", before.replacen('[', "", 1));
    }
    plain
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|it| it.contains(char::is_alphanumeric))
}
