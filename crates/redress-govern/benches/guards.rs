//! What the guards cost: `cargo bench -p redress-govern`. The bar of the eval guard is 1 ms for 10 kB of code.
#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::{hint::black_box, time::Instant};

use redress_govern::eval::{Language, inspect};

const SCRIPT: &str = include_str!("../../../fuzz/corpus/eval/script.js");
const WAITING: &str = r#"
// Fills a form and reads what comes of it.
const form = await page.waitForSelector("form#search");
for (const [name, value] of Object.entries(fields)) {
    const input = await form.$(`input[name="${name}"]`);
    await input.fill(String(values[name] ?? value));
}
await Promise.all([page.waitForNavigation(), form.evaluate((it) => it.submit())]);
const found = await page.$$eval("li.result", (all, key) => all.map((it) => it.dataset[key]), "id");
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
        let (parse, guard) = medians(
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
            "eval guard, {name}, {} bytes: {guard:.0} µs ({:.2} of tree-sitter's parse, bar 1000 µs)",
            code.len(),
            guard / parse
        );
    }
}

/// Microseconds of the medians of 200 interleaved rounds.
fn medians(mut one: impl FnMut(), mut other: impl FnMut()) -> (f64, f64) {
    let (mut ones, mut others): (Vec<f64>, Vec<f64>) =
        (0..200).map(|_| (timed(&mut one), timed(&mut other))).unzip();
    (middle(&mut ones), middle(&mut others))
}

fn timed(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e6
}

fn middle(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
