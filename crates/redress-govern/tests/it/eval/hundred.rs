//! A hundred ordinary snippets, written before the guard that must let them pass.

use super::samples;

#[test]
#[expect(clippy::print_stdout, reason = "the number is a figure of the guard")]
fn ninety_of_a_hundred_ordinary_snippets_pass() {
    let all = samples(include_str!("ordinary.txt"));
    assert_eq!(all.len(), 100);
    let refused: Vec<String> = all
        .iter()
        .filter_map(|it| {
            let why = it.judge().err()?;
            Some(format!("{} {}: {why:?}", it.language, it.title))
        })
        .collect();
    println!("{} of {} pass; refused: {refused:#?}", all.len() - refused.len(), all.len());
    assert!(refused.len() <= 10, "{refused:#?}");
}
