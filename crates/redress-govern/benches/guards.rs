//! What the guards cost: `cargo bench -p redress-govern`. The bar of the eval guard is 1 ms for 10 kB of code.
#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::{hint::black_box, time::Instant};

use redress_govern::eval::{Language, inspect};

const SCRIPT: &str = include_str!("../../../fuzz/corpus/eval/script.js");
const WAITING: &str = r#"
// Fills a form and reads what comes of it.
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const form = document.querySelector("form#search");
for (const input of form.querySelectorAll("input[name]")) {
    input.value = String(input.dataset.preset ?? input.value).trim();
    input.dispatchEvent(new Event("input", { bubbles: true }));
}
form.requestSubmit();
await wait(250);
const found = [...document.querySelectorAll("li.result")].map((it, i) => `${i}: ${it.dataset.id}`);
console.log(`found ${found.length} results`, found[0]);
"#;

const MODULE: &str = include_str!("../../../fuzz/corpus/eval/module.py");

fn main() {
    for (name, language, sample) in [
        ("javascript", Language::JavaScript, SCRIPT),
        ("javascript with await", Language::JavaScript, WAITING),
        ("python", Language::Python, MODULE),
    ] {
        let code: String =
            sample.chars().cycle().take(sample.len() * (10_000 / sample.len())).collect();
        let (parse, guard) = ranges(
            || {
                let mut parser = tree_sitter::Parser::new();
                let grammar = match language {
                    Language::JavaScript => tree_sitter_javascript::LANGUAGE,
                    Language::Python => tree_sitter_python::LANGUAGE,
                };
                let known = parser.set_language(&grammar.into());
                assert!(known.is_ok(), "a grammar of this version");
                black_box(parser.parse(&code, None));
            },
            || assert_eq!(inspect(language, black_box(&code), &mut || false), Ok(())),
        );
        println!(
            "eval guard, {name}, {} bytes: {:.0} µs ({:.0} to {:.0}; {:.2} of tree-sitter's parse, bar 1000 µs)",
            code.len(),
            guard[1],
            guard[0],
            guard[2],
            guard[1] / parse[1]
        );
    }
}

/// Microseconds of the least, the median and the most of 200 interleaved rounds.
fn ranges(mut one: impl FnMut(), mut other: impl FnMut()) -> ([f64; 3], [f64; 3]) {
    let (mut ones, mut others): (Vec<f64>, Vec<f64>) =
        (0..200).map(|_| (timed(&mut one), timed(&mut other))).unzip();
    (range(&mut ones), range(&mut others))
}

fn timed(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e6
}

fn range(times: &mut [f64]) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [0, times.len() / 2, times.len().saturating_sub(1)]
        .map(|it| times.get(it).copied().unwrap_or_default())
}
