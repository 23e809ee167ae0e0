//! Fuzzing on stable: mutates a committed corpus and throws it at every reader; a panic or a slow input is a finding.

mod ledger;
mod mutate;
mod sources;
mod targets;

use std::{
    any::Any,
    fs,
    hash::{BuildHasher as _, RandomState},
    panic::{self, AssertUnwindSafe},
    path::Path,
    process, thread,
    time::{Duration, Instant},
};

use mutate::Mutator;
use targets::{TARGETS, Target};

/// An input that takes longer is a finding: readers are linear and inputs are small.
const TOO_SLOW: Duration = Duration::from_secs(2);

/// How many times its time a target may take, if it waits for something else than a processor.
const LONGEST: u32 = 4;

/// Runs one or all targets, each for `seconds`, and lists the inputs that broke one.
pub(crate) fn run(root: &Path, only: Option<&str>, seconds: u64, seed: Option<u64>) -> Vec<String> {
    let seed = seed.unwrap_or_else(fresh_seed);
    println!("seed {seed}: `cargo xtask fuzz --seed {seed}` gives the same inputs");
    let chosen: Vec<_> = TARGETS.iter().filter(|it| only.is_none_or(|name| name == it.0)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = TARGETS.iter().map(|it| it.0).collect();
        return vec![format!("no such target; there are: {}", names.join(", "))];
    }
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let mut problems = Vec::new();
    for chosen in chosen {
        match target(&root.join("fuzz/corpus"), *chosen, seconds, seed) {
            Ok(Tried { files, inputs }) => {
                println!("{}: {inputs} inputs", chosen.0);
                println!("ran: 1 targets\nran: {files} corpus files\nran: {inputs} inputs");
            }
            Err(Finding::Empty(problem)) => problems.push(problem),
            Err(Finding::Broken(what, bytes)) => {
                problems.push(format!("{what} on {} (seed {seed})", kept(root, chosen.0, &bytes)));
            }
        }
    }
    panic::set_hook(hook);
    problems
}

/// A seed that no other run has.
pub(crate) fn fresh_seed() -> u64 {
    RandomState::new().hash_one(process::id())
}

/// What a target was tried on.
#[derive(Debug)]
struct Tried {
    /// The files of its corpus that have something in them.
    files: usize,
    /// All inputs, with those files.
    inputs: u64,
}

/// Why a target did not end well.
#[derive(Debug)]
enum Finding {
    /// It had nothing to run, or did not get through its corpus.
    Empty(String),
    /// An input broke it.
    Broken(String, Vec<u8>),
}

/// Runs one target until its time is over or an input breaks it, and counts the inputs.
fn target(corpora: &Path, (name, run): Target, seconds: u64, seed: u64) -> Result<Tried, Finding> {
    let corpus = corpus(&corpora.join(name));
    if corpus.is_empty() {
        let problem = format!("{name}: fuzz/corpus/{name} has no files to start from");
        return Err(Finding::Empty(problem));
    }
    let mut mutator = Mutator::new(seed);
    let start = Instant::now();
    let mut inputs = 0_u64;
    let before = worked();
    while !is_over(Duration::from_secs(seconds), start.elapsed(), before) {
        let bytes = corpus.get(usize::try_from(inputs).unwrap_or_default()).cloned();
        let bytes = bytes.unwrap_or_else(|| mutator.next(&corpus));
        let (mut outcome, mut took) = timed(run, &bytes);
        if took > TOO_SLOW {
            // A busy machine makes every input slow: again, by the time for which this thread has a processor.
            let before = worked();
            (outcome, took) = timed(run, &bytes);
            took = worked().zip(before).map_or(took, |(now, it)| now.saturating_sub(it));
        }
        inputs += 1;
        let what = match outcome {
            Err(panic) => format!("panics ({})", said(&*panic)),
            Ok(()) if took > TOO_SLOW => "is too slow".to_owned(),
            Ok(()) => continue,
        };
        return Err(Finding::Broken(format!("{name} {what}"), bytes));
    }
    if inputs < corpus.len() as u64 {
        let problem = format!("{name}: only {inputs} of its {} files were tried", corpus.len());
        return Err(Finding::Empty(problem));
    }
    let files = corpus.iter().filter(|it| !it.is_empty()).count();
    Ok(Tried { files, inputs })
}

/// Whether a target has had its time, which is time to work: on a busy machine it takes longer, and tries as much.
pub(crate) fn is_over(time: Duration, passed: Duration, before: Option<Duration>) -> bool {
    let is_spent = || worked().zip(before).is_none_or(|(now, it)| now.saturating_sub(it) >= time);
    passed >= LONGEST * time || (passed >= time && is_spent())
}

/// How long this thread has had a processor, where the system tells.
pub(crate) fn worked() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// How a target ends on an input, and after what time.
fn timed(run: fn(&[u8]), bytes: &[u8]) -> (thread::Result<()>, Duration) {
    let began = Instant::now();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| run(bytes)));
    (outcome, began.elapsed())
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

fn corpus(dir: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        fs::read_dir(dir).into_iter().flatten().flatten().map(|it| it.path()).collect();
    paths.sort();
    paths.into_iter().filter_map(|it| fs::read(it).ok()).collect()
}

/// Keeps a bad input, so that it can be run again and become a test.
fn kept(root: &Path, name: &str, bytes: &[u8]) -> String {
    let path = root.join("target").join(format!("fuzz-{name}.bin"));
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    match made.and_then(|()| fs::write(&path, bytes)) {
        Ok(()) => format!("target/fuzz-{name}.bin"),
        Err(error) => format!("an input that could not be kept ({error})"),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, thread, time::Duration};

    use super::{Finding, TOO_SLOW, Tried, fresh_seed, target};

    /// What a target comes to that is tried on one file.
    fn tried(run: fn(&[u8]), seconds: u64) -> Result<Tried, Finding> {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("it")).unwrap();
        fs::write(dir.path().join("it/a"), "a").unwrap();
        target(dir.path(), ("it", run), seconds, 1)
    }

    #[test]
    fn a_target_without_a_corpus_is_a_finding() {
        let dir = tempfile::tempdir().unwrap();
        let found = target(dir.path(), ("it", |_| ()), 1, 1);
        assert!(matches!(found, Err(Finding::Empty(_))), "{found:?}");
    }

    #[test]
    fn a_target_without_time_for_its_corpus_is_a_finding() {
        let found = tried(|_| (), 0);
        assert!(matches!(found, Err(Finding::Empty(_))), "{found:?}");
    }

    #[test]
    fn a_target_that_panics_is_a_finding() {
        let found = tried(|it| assert!(it != b"a", "it is there"), 1);
        assert!(matches!(found, Err(Finding::Broken(_, bytes)) if bytes == b"a"));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "waiting is the point")]
    fn an_input_that_only_waits_for_a_processor_is_not_slow() {
        let wait = |_: &[u8]| thread::sleep(TOO_SLOW + Duration::from_millis(100));
        assert!(matches!(tried(wait, 1), Ok(Tried { files: 1, inputs: 1.. })));
    }

    #[test]
    fn each_run_has_a_seed_of_its_own() {
        assert_ne!(fresh_seed(), fresh_seed());
    }
}
