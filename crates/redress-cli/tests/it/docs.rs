//! Every command in the README and in `docs/` runs as written and prints what the page says.
//!
//! In a ```` ```console ```` block a line that starts with `$ ` is run by `sh`; the lines below it are its output and its
//! errors. `...` alone stands for any lines, `[..]` for anything within a line, `[exit N]` for an exit code other than 0.
//! A block with a file name after its language (```` ```toml errors.toml ````) is written to that file first.

mod links;
mod pages;
mod prose;

use std::{fs, path::Path};

use crate::{counts::counted, redress::shell};

/// The least that the pages show.
const COMMANDS: usize = 118;

#[test]
fn every_command_in_the_docs_prints_what_the_page_says() {
    let commands: usize = pages::all().iter().map(|it| check_page(&it.path, &it.text)).sum();
    assert!(commands >= COMMANDS, "only {commands} commands: pages lost their console blocks");
    counted(commands, "doc commands");
}

/// Runs one page in a directory of its own and gives the number of its commands.
fn check_page(page: &str, text: &str) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for (info, block) in blocks(text) {
        match info.split_once(' ') {
            None if info == "console" => commands += check_block(page, &block, dir.path()),
            Some((_, file)) => write(&dir.path().join(file), &block),
            None => (),
        }
    }
    commands
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The fenced blocks of a page: what stands behind the fence, and the text.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_owned(), String::new())),
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some((_, block)), _) => block.extend([line, "\n"]),
            (None, None) => (),
        }
    }
    assert!(open.is_none(), "a block is never closed");
    blocks
}

fn check_block(page: &str, block: &str, dir: &Path) -> usize {
    let steps = split_steps(block);
    assert!(!steps.is_empty(), "{page}: a console block without a command");
    for step in &steps {
        let (command, expected) = step.split_first().unwrap();
        let line = command.trim_start_matches("$ ").replace("cargo run --release --", "redress");
        let ran = shell(&format!("{{ {line}\n}} 2>&1"), dir);
        let mut printed = ran.out;
        if ran.exit != 0 {
            printed.extend(["[exit ", &ran.exit.to_string(), "]\n"]);
        }
        let printed: Vec<&str> = printed.lines().collect();
        assert!(
            matches(expected, &printed),
            "{page}: `{line}` printed\n{}\nand the page says\n{}",
            printed.join("\n"),
            expected.join("\n")
        );
    }
    steps.len()
}

/// Each command with the lines below it.
fn split_steps(block: &str) -> Vec<Vec<&str>> {
    let mut steps: Vec<Vec<&str>> = Vec::new();
    for line in block.lines() {
        if line.starts_with("$ ") {
            steps.push(vec![line]);
        } else if let Some(step) = steps.last_mut() {
            step.push(line);
        }
    }
    steps
}

fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        Some((line, rest)) => {
            printed.first().is_some_and(|it| line_matches(line, it)) && matches(rest, &printed[1..])
        }
    }
}

fn line_matches(expected: &str, printed: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected.trim_end() == printed.trim_end(),
        Some((start, rest)) => {
            let Some(tail) = printed.strip_prefix(start) else { return false };
            tail.char_indices()
                .map(|(at, _)| at)
                .chain([tail.len()])
                .any(|at| line_matches(rest, &tail[at..]))
        }
    }
}
