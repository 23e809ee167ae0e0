//! `cargo xtask perf`: counts the instructions of fixed scenarios and compares them with a committed table.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::cargo::cargo;

/// The table, below the root: a scenario and its instructions for one play, on each line.
const TABLE: &str = "bench/instructions.tsv";

/// How far a count may be from the table, in percent: what other machines and allocators change.
const TOLERANCE: u64 = 3;

/// Counts every scenario. Writes the table, or lists what differs from it.
pub(crate) fn run(root: &Path, write: bool) -> Vec<String> {
    match counts(root) {
        Err(problem) => vec![problem],
        Ok(counts) if write => written(&root.join(TABLE), &counts).err().into_iter().collect(),
        Ok(counts) => match fs::read_to_string(root.join(TABLE)) {
            Err(error) => vec![format!("{TABLE}: {error}")],
            Ok(table) => compared(&table, &counts),
        },
    }
}

/// The instructions of one play of each scenario: those of a long run less those of a short one, so that the start costs nothing.
fn counts(root: &Path) -> Result<BTreeMap<String, u64>, String> {
    let program = built(root)?;
    let listed = output(&program, &[])?;
    let mut counts = BTreeMap::new();
    for line in listed.lines() {
        let (name, times) = line.split_once(' ').ok_or_else(|| format!("no scenario: {line}"))?;
        let times: u64 = times.parse().map_err(|error| format!("{line}: {error}"))?;
        let short = instructions(&program, name, times)?;
        let long = instructions(&program, name, times * 2)?;
        let each = long.saturating_sub(short) / times;
        println!("{name}: {each} instructions");
        counts.insert(name.to_owned(), each);
    }
    println!("ran: {} scenarios", counts.len());
    Ok(counts)
}

/// Builds the scenarios as `cargo run --release` builds the gate, and gives the program.
fn built(root: &Path) -> Result<PathBuf, String> {
    let build = ["bench", "--locked", "--no-run", "--package", "redress-proxy", "--bench"];
    let mut build = {
        let mut it = cargo();
        it.args(build);
        it
    };
    build.args(["instructions", "--message-format", "json-render-diagnostics"]);
    let built = build.current_dir(root).stderr(Stdio::inherit()).output();
    let built = built.map_err(|error| format!("cargo: {error}"))?;
    let messages = String::from_utf8_lossy(&built.stdout);
    let program = messages.lines().filter_map(executable).next_back();
    program.ok_or_else(|| "the scenarios did not build".to_owned())
}

/// The program that a message of cargo names.
fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    message.get("executable")?.as_str().map(PathBuf::from)
}

/// How many instructions the whole program takes for so many plays.
fn instructions(program: &Path, name: &str, times: u64) -> Result<u64, String> {
    let times = times.to_string();
    let program = program.display().to_string();
    let args = ["--tool=callgrind", "--callgrind-out-file=/dev/null", &program, name, &times];
    let said = output(Path::new("valgrind"), &args)?;
    let count = said.lines().find_map(|it| it.split_once("Collected :"));
    let count = count.and_then(|(_, it)| it.trim().parse().ok());
    count.ok_or_else(|| format!("callgrind counted nothing of {name}: {said}"))
}

/// What a program that ends well writes to both of its outputs.
fn output(program: &Path, args: &[&str]) -> Result<String, String> {
    let shown = program.display();
    let ran = std::process::Command::new(program).args(args).stdin(Stdio::null()).output();
    let ran = ran.map_err(|error| format!("{shown}: {error}"))?;
    let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
    let said = text(&ran.stdout) + &text(&ran.stderr);
    if ran.status.success() { Ok(said) } else { Err(format!("{shown} {args:?}: {said}")) }
}

fn written(path: &Path, counts: &BTreeMap<String, u64>) -> Result<(), String> {
    let table = counts.iter().fold(String::new(), |mut table, (name, count)| {
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{name}\t{count}");
        table
    });
    fs::write(path, table).map_err(|error| format!("{}: {error}", path.display()))
}

/// What differs by more than the tolerance, and what one of both does not have.
fn compared(table: &str, counts: &BTreeMap<String, u64>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut wanted = BTreeMap::new();
    for line in table.lines() {
        match line.split_once('\t').and_then(|(name, count)| Some((name, count.parse().ok()?))) {
            Some((name, count)) => drop(wanted.insert(name, count)),
            None => problems.push(format!("{TABLE}: no count: {line}")),
        }
    }
    for (name, &count) in counts {
        match wanted.remove(name.as_str()) {
            Some(old) if count.abs_diff(old) * 100 <= old * TOLERANCE => {}
            Some(old) => problems.push(format!(
                "{name}: {count} instructions, {old} in {TABLE}; if that is meant, `cargo xtask perf --write`"
            )),
            None => problems.push(format!("{name} is not in {TABLE}")),
        }
    }
    problems.extend(wanted.keys().map(|name| format!("{TABLE} has {name}, which no scenario is")));
    problems
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::compared;

    fn counts(all: &[(&str, u64)]) -> BTreeMap<String, u64> {
        all.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    #[test]
    fn a_count_within_the_tolerance_is_fine() {
        assert_eq!(compared("a\t1000\n", &counts(&[("a", 1030)])), Vec::<String>::new());
        assert_eq!(compared("a\t1000\n", &counts(&[("a", 970)])), Vec::<String>::new());
    }

    #[test]
    fn what_differs_is_listed() {
        let problems = compared("a\t1000\nb\t5\nc\n", &counts(&[("a", 1031), ("d", 1)]));
        assert_eq!(problems.len(), 4, "{problems:?}");
    }
}
