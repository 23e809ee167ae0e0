//! The steps of `cargo xtask test`: what each one runs, and what it waits for.

mod schedule;

use std::{num::NonZero, path::Path, thread};

use self::schedule::Step;

/// Runs every step that can run, even after one failed, and lists what is wrong.
pub(crate) fn run(root: &Path, full: bool) -> Vec<String> {
    schedule::run(root, &steps(full)).unwrap_or_else(|problem| vec![problem])
}

/// What waits for the network starts first. Cargo builds one thing at a time, so that lints and build are a row; after
/// them there are two rows, of which one often waits while the other one works.
fn steps(full: bool) -> Vec<Step> {
    let threads = threads().to_string();
    let mut tests = Step::cargo("tests", "test --workspace --no-fail-fast")
        .env("PROPTEST_CASES", if full { "4096" } else { "256" })
        .env("RUST_TEST_THREADS", &threads);
    if full {
        tests = tests.env("REDRESS_FULL", "1");
    }
    let seconds = if full { 60 } else { 4 };
    let mut steps = vec![
        Step::task("peers", "peers"),
        Step::task("layout", "tidy"),
        Step::cargo("format", "fmt --all --check"),
        Step::task("generated files", "codegen --check"),
        Step::cargo("lints", "clippy --workspace --all-targets -- -D warnings"),
        Step::cargo("build", "test --workspace --no-run").after("lints"),
        // Targets are named, here and below, since cargo would leave the features of dev-dependencies out otherwise, and
        // build all that has them again.
        Step::cargo("programs", "build --workspace --bins --examples").needs("build"),
        tests.needs("programs"),
        Step::cargo("official clients", "test --workspace --test it -- --ignored peers::")
            .env("RUST_TEST_THREADS", &threads)
            .needs("programs")
            .needs("peers"),
        Step::task("packages", "packages")
            .needs("programs")
            .needs("peers")
            .after("official clients"),
        Step::task("conformance", &format!("conformance --through {}", crossings(full)))
            .needs("programs")
            .needs("peers")
            .after("packages"),
        Step::task("fuzz", &format!("fuzz --seconds {seconds}")).after("conformance"),
        Step::cargo("docs", "doc --workspace --no-deps --lib --bins --examples")
            .env("RUSTDOCFLAGS", "-D warnings")
            .after("fuzz"),
    ];
    if full {
        let servers = Step::task("public servers", "probe-servers --check --pages");
        steps.push(servers.needs("programs").after("docs"));
    }
    steps
}

/// The ways that the suites go: through the gate by stdio most of it is the gate's own, by HTTP most passes; with the
/// contract around the handler there is no gate.
fn crossings(full: bool) -> &'static str {
    if full { "stdio,http,contract" } else { "stdio" }
}

/// More tests at once than cores: most of them wait for processes.
fn threads() -> usize {
    2 * thread::available_parallelism().map_or(1, NonZero::get)
}
