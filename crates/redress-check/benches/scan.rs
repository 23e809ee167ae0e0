//! The scan beside its limits: parsing the same files with tree-sitter and no rules, and `ast-grep scan` with one rule.
//!
//! `cargo bench -p redress-check -- PATH…`; without a path, the sources of this workspace. Each side runs in turn, and the best
//! of all rounds counts. `ast-grep` is left out where it is not installed.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::{
    fs,
    hint::black_box,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use redress_check::{Contract, Day, Project, check, language::Language, read, walk};
use redress_registry::{Source, shipped};
use tree_sitter::Parser;

const ROUNDS: usize = 5;

/// What the scan is held to, beside parsing alone and beside `ast-grep`.
const BARS: [(&str, f64); 2] = [("parse only", 1.5), ("ast-grep, one rule", 2.0)];

fn main() {
    let mut paths: Vec<PathBuf> =
        std::env::args().skip(1).filter(|it| !it.starts_with("--")).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."));
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let files = walk::files(&paths).found;
    let bytes: u64 =
        files.iter().filter_map(|it| fs::metadata(&it.path).ok()).map(|it| it.len()).sum();
    println!("{} files, {} KiB, {threads} threads", files.len(), bytes >> 10);
    let mut best = [Duration::MAX; 4];
    for _ in 0..ROUNDS {
        let took = [
            timed(|| parse_only(&walk::files(&paths).found, threads)),
            timed(|| drop(black_box(read(&paths, threads, &|_, _| ())))),
            timed(|| scan(&paths, threads)),
            ast_grep(&paths).unwrap_or(Duration::MAX),
        ];
        for (best, took) in best.iter_mut().zip(took) {
            *best = took.min(*best);
        }
    }
    let [parse, facts, whole, other] = best;
    let sides = [
        ("parse only", parse),
        ("facts", facts),
        ("facts and rules", whole),
        ("ast-grep, one rule", other),
    ];
    for (name, took) in sides.into_iter().filter(|it| it.1 < Duration::MAX) {
        println!("{name:<20} {:>8.1} ms", took.as_secs_f64() * 1e3);
    }
    for ((name, bar), beside) in BARS.into_iter().zip([parse, other]) {
        if beside < Duration::MAX {
            let ratio = whole.as_secs_f64() / beside.as_secs_f64();
            let verdict = if ratio <= bar { "holds" } else { "BROKEN" };
            println!("beside {name}: {ratio:.2} (bar {bar}) {verdict}");
        }
    }
}

fn timed(run: impl FnOnce()) -> Duration {
    let began = Instant::now();
    run();
    began.elapsed()
}

/// Reads and parses files on as many threads, and does nothing with the trees.
fn parse_only(files: &[walk::Found], threads: usize) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut parser = Parser::new();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Ok(text) = fs::read(&file.path) else { continue };
            if let Some(grammar) = grammar(file.language)
                && parser.set_language(&grammar).is_ok()
            {
                black_box(parser.parse(&text, None));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

fn grammar(language: Language) -> Option<tree_sitter::Language> {
    Some(match language {
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Markdown => return None,
    })
}

fn scan(paths: &[PathBuf], threads: usize) {
    let sources = read(paths, threads, &|_, _| ());
    let source = shipped::source("core").unwrap_or_else(|| Source::new("core", ""));
    let contracts = [Contract::new(Arc::clone(shipped::core()), source)];
    let project = Project::new(&sources, &contracts, |_| Some(0));
    black_box(check(&project, Day::default()));
}

/// `ast-grep scan` with one rule for each language, if it is installed.
fn ast_grep(paths: &[PathBuf]) -> Option<Duration> {
    const RULES: &str = "id: a\nlanguage: typescript\nrule: {pattern: throw $A}\n---\nid: b\nlanguage: javascript\nrule: {pattern: throw $A}\n---\nid: c\nlanguage: python\nrule: {pattern: raise $A}\n---\nid: d\nlanguage: rust\nrule: {pattern: panic!($$$)}\n---\nid: e\nlanguage: tsx\nrule: {pattern: throw $A}\n";
    let began = Instant::now();
    let mut command = Command::new("ast-grep");
    command.args(["scan", "--inline-rules", RULES, "--json=stream"]).args(paths);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    status.code().filter(|it| *it < 2).map(|_| began.elapsed())
}
