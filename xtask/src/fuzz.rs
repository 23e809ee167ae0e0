//! Fuzzing on stable: mutates a committed corpus and throws it at every reader; a panic or a slow input is a finding.

mod ledger;
mod mutate;
mod sources;
mod targets;

use std::{
    any::Any,
    fs,
    panic::{self, AssertUnwindSafe},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use mutate::Mutator;
use targets::{TARGETS, Target};

/// An input that takes longer is a finding: readers are linear and inputs are small.
const TOO_SLOW: Duration = Duration::from_secs(2);

/// How many times its time a target may take, if it waits for something else than a processor.
const LONGEST: u32 = 4;

/// Runs one or all targets, each for `seconds`, and lists the inputs that broke one.
pub(crate) fn run(root: &Path, only: Option<&str>, seconds: u64, seed: u64) -> Vec<String> {
    let chosen: Vec<_> = TARGETS.iter().filter(|it| only.is_none_or(|name| name == it.0)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = TARGETS.iter().map(|it| it.0).collect();
        return vec![format!("no such target; there are: {}", names.join(", "))];
    }
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let problems = chosen.into_iter().filter_map(|it| target(root, *it, seconds, seed)).collect();
    panic::set_hook(hook);
    problems
}

/// Runs one target until its time is over or an input breaks it.
fn target(root: &Path, (name, run): Target, seconds: u64, seed: u64) -> Option<String> {
    let corpus = corpus(&root.join("fuzz/corpus").join(name));
    if corpus.is_empty() {
        return Some(format!("{name}: fuzz/corpus/{name} has no files to start from"));
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
            // A busy machine is slow once, an input each time.
            (outcome, took) = timed(run, &bytes);
        }
        inputs += 1;
        let what = match outcome {
            Err(panic) => format!("panics ({})", said(&*panic)),
            Ok(()) if took > TOO_SLOW => "is too slow".to_owned(),
            Ok(()) => continue,
        };
        return Some(format!("{name} {what} on {}", kept(root, name, &bytes)));
    }
    println!("{name}: {inputs} inputs");
    None
}

/// Whether a target has had its time, which is time to work: on a busy machine it takes longer, and tries as much.
fn is_over(time: Duration, passed: Duration, before: Option<Duration>) -> bool {
    let is_spent = || worked().zip(before).is_none_or(|(now, it)| now.saturating_sub(it) >= time);
    passed >= LONGEST * time || (passed >= time && is_spent())
}

/// How long this thread has had a processor, where the system tells.
fn worked() -> Option<Duration> {
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
