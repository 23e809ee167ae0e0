//! The steps of `cargo xtask test`: what each one runs, the least that it must run, and what it waits for.

mod counts;
mod schedule;

use std::{env, num::NonZero, path::Path, thread};

use self::schedule::Step;

/// Runs every step that can run, even after one failed, and lists what is wrong.
pub(crate) fn run(root: &Path, full: bool, only: &[String]) -> Vec<String> {
    let chosen = chosen(steps(full), only, env::var_os("CI").is_some());
    chosen.and_then(|steps| schedule::run(root, &steps)).unwrap_or_else(|problem| vec![problem])
}

/// All steps, or those that were named, which then wait for none that was not; in CI all steps run.
fn chosen(steps: Vec<Step>, only: &[String], is_ci: bool) -> Result<Vec<Step>, String> {
    if only.is_empty() {
        return Ok(steps);
    }
    if is_ci {
        return Err("`--only` leaves steps out, and CI runs all of them".to_owned());
    }
    let known: Vec<_> = steps.iter().map(Step::name).collect();
    if let Some(unknown) = only.iter().find(|it| !known.contains(&it.as_str())) {
        return Err(format!("no step is called `{unknown}`; there are: {}", known.join(", ")));
    }
    let names: Vec<_> = only.iter().map(String::as_str).collect();
    let steps = steps.into_iter().filter(|it| names.contains(&it.name()));
    Ok(steps.map(|it| it.waits_only_for(&names)).collect())
}

/// What waits for the network starts first. Cargo builds one thing at a time, so that lints and build are a row; after them there are two
/// rows: one often waits while the other one works.
fn steps(full: bool) -> Vec<Step> {
    let threads = threads().to_string();
    let tests = "test --locked --workspace --no-fail-fast";
    let counted =
        [(2118, "tests"), (713, "corpus records"), (118, "doc commands"), (10_000, "stated cases")];
    let mut tests = Step::cargo("tests", tests, &counted)
        .env("PROPTEST_CASES", if full { "4096" } else { "256" })
        .env("RUST_TEST_THREADS", &threads);
    if full {
        tests = tests.env("REDRESS_FULL", "1");
    }
    let clients = "test --locked --workspace --test it -- --ignored peers::";
    let browser = "test --locked --workspace --test it -- --ignored browser::";
    // Cargo names what it built in messages for programs; what people read, it prints as ever.
    let lints = "clippy --locked --workspace --all-targets --message-format json-render-diagnostics -- -D warnings";
    let build = "test --locked --workspace --no-run --message-format json-render-diagnostics";
    // Targets are named, here and below, since cargo would leave the features of dev-dependencies out otherwise, and
    // build all that has them again.
    let programs =
        "build --locked --workspace --bins --examples --message-format json-render-diagnostics";
    let docs = "doc --locked --workspace --no-deps --lib --bins --examples --message-format json-render-diagnostics";
    let (tools, least) = if full { ("tools --full", 20) } else { ("tools", 15) };
    let mut steps = vec![
        Step::task("tools", tools, &[(least, "tools")]),
        Step::task("peers", "peers", &[(166, "npm packages"), (41, "Python packages")])
            .needs("tools"),
        Step::task("dependencies", "deps", &[(365, "packages")]),
        Step::task("layout", "tidy", &[(1600, "files")]),
        Step::cargo("format", "fmt --all --check -- --verbose", &[(1080, "files")]),
        Step::task("generated files", "codegen --check", &[(33, "files")]),
        Step::cargo("lints", lints, &[(64, "targets")]).after("dependencies"),
        Step::cargo("build", build, &[(37, "executables")]).after("lints"),
        Step::cargo("programs", programs, &[(11, "executables")]).needs("build"),
        tests.needs("programs").needs("tools"),
        Step::cargo("official clients", clients, &[(22, "tests")])
            .env("RUST_TEST_THREADS", &threads)
            .needs("programs")
            .needs("peers"),
        Step::cargo("browser", browser, &[(4, "tests")])
            .env("RUST_TEST_THREADS", "1")
            .needs("programs")
            .needs("tools")
            .after("official clients"),
        Step::task(
            "packages",
            "packages",
            &[
                (15, "checks"),
                (484, "codes"),
                (2033, "vectors"),
                (127, "TypeScript tests"),
                (257, "Python tests"),
            ],
        )
        .needs("programs")
        .needs("peers")
        .after("browser"),
        conformance(full).needs("programs").needs("peers").after("packages"),
        sim().after("conformance"),
        fuzz(full).after("simulator"),
        Step::cargo("docs", docs, &[(24, "pages")])
            .env("RUSTDOCFLAGS", "-D warnings")
            .after("fuzz"),
        Step::task("instructions", "perf", &[(10, "scenarios")]).needs("tools").after("docs"),
    ];
    if full {
        let mounted = "test --locked --workspace --test it -- --ignored mounted::";
        let mounted = Step::cargo("disks", mounted, &[(5, "tests")]);
        steps.push(mounted.needs("programs").needs("tools").after("docs"));
        let task = "probe-servers --check --pages";
        let servers = Step::task("public servers", task, &[(8, "servers"), (8, "pages")]);
        steps.push(servers.needs("programs").needs("tools").after("disks"));
        let packages = [(7, "packages"), (9, "trials")];
        let packed = Step::task("shipped packages", "dist --trials", &packages);
        steps.push(packed.needs("peers").needs("tools").after("public servers"));
    }
    steps
}

/// The least number of scenarios that the suites have on one way.
const SCENARIOS: u64 = 114;

/// The ways that the suites go: through the gate by stdio most of it is the gate's own, by HTTP most passes; with the
/// contract around the handler there is no gate.
fn conformance(full: bool) -> Step {
    let ways: &[&str] = if full { &["stdio", "http", "contract"] } else { &["stdio"] };
    // Directly, too.
    let least = SCENARIOS * (ways.len() as u64 + 1);
    let task = format!("conformance --through {}", ways.join(","));
    Step::task("conformance", &task, &[(least, "scenarios")])
}

/// One seed, until the two episodes that are open in decision 0040 are mended: then each run has its own.
fn sim() -> Step {
    Step::task(
        "simulator",
        "sim --seed 1 --calls 9000",
        &[(15, "episodes"), (9_000, "simulated calls"), (300, "crash points")],
    )
}

fn fuzz(full: bool) -> Step {
    let seconds = if full { 60 } else { 4 };
    Step::task(
        "fuzz",
        &format!("fuzz --seconds {seconds}"),
        &[(23, "targets"), (101, "corpus files"), (20_000, "inputs")],
    )
}

/// More tests at once than cores: most of them wait for processes.
fn threads() -> usize {
    2 * thread::available_parallelism().map_or(1, NonZero::get)
}

#[cfg(test)]
mod tests;
