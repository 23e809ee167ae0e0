//! Measures redaction on a corpus: how many secrets go, and how many harmless texts change.
//!
//! `cargo run -p redress --example redaction FILE`, where each line of the file is `{"form", "text", "secrets"}`: what must not be left of
//! the text, and nothing for a text that must stay as it is. To tune on one half of a corpus and report the other, split it by the
//! parity of the first byte of the SHA-256 of each line, before any of it is read.
#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program of the developers prints, and stops when something fails"
)]

use std::{env, fs};

use redress::redact::Redactor;

fn main() {
    let path = env::args().nth(1).unwrap();
    let redactor = Redactor::default();
    let (mut secrets, mut left, mut harmless, mut changed) = (0, 0, 0, 0);
    for line in fs::read_to_string(path).unwrap().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap();
        let clean = redactor.text(text);
        let hidden = row["secrets"].as_array().unwrap();
        if hidden.is_empty() {
            harmless += 1;
            if clean != text {
                changed += 1;
                println!("changed  {text}\n      to {clean}");
            }
        }
        for secret in hidden {
            secrets += 1;
            if clean.contains(secret.as_str().unwrap()) {
                left += 1;
                println!("left     {}: {clean}", row["form"]);
            }
        }
    }
    println!(
        "{} of {secrets} secrets gone, {changed} of {harmless} harmless texts changed",
        secrets - left
    );
}
