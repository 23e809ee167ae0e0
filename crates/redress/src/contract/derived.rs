//! What the code that `#[derive(Contract)]` writes calls. It changes with the derive and is for no other caller.

use std::{
    error::Error,
    fmt,
    sync::{Arc, LazyLock},
    time::Duration,
};

pub use redress_registry::Registry;
use redress_registry::{RetryKind, Source, load, shipped};

use super::{Names, Steps, Wait};
use crate::{
    Fault, codes,
    fault::{ParamValue, Similar, Thrown},
};

/// A registry that is read when it is first asked for.
pub type Home = LazyLock<Arc<Registry>>;

/// The registry in the first of these files; the others are what it takes in. All were read when the program was
/// compiled.
#[expect(clippy::expect_used, reason = "the derive has loaded the very same texts")]
pub fn loaded(files: &[(&str, &str)]) -> Arc<Registry> {
    let (name, text) = files.first().expect("the derive names a file");
    let open = |from: &Source, name: &str| {
        let path = load::beside(&from.file, name)?;
        let (_, text) = files.iter().find(|(it, _)| *it == path)?;
        Some(Ok(Source::new(&path, text)))
    };
    load(&Source::new(name, text), &open).expect("the derive has loaded this registry")
}

/// A registry that ships with the library.
pub fn built_in(name: &str) -> Arc<Registry> {
    Arc::clone(shipped::get(name).unwrap_or_else(|| shipped::core()))
}

/// A registry with those rows of these codes that it does not have.
pub fn with_rows(own: Arc<Registry>, others: &[(&[&str], &Arc<Registry>)]) -> Arc<Registry> {
    let all = others.iter().flat_map(|(codes, from)| codes.iter().map(|it| (*it, *from)));
    let absent: Vec<_> = all
        .filter(|(code, _)| own.get(code).is_none())
        .filter_map(|(code, from)| from.get(code))
        .collect();
    if absent.is_empty() {
        return own;
    }
    let mut registry = Registry::clone(&own);
    for row in absent {
        registry.codes.entry(row.code.clone()).or_insert_with(|| Arc::clone(row));
    }
    Arc::new(registry)
}

/// An occurrence of a code with the parameters that this time has.
pub fn raise<const N: usize>(
    registry: &Registry,
    code: &str,
    params: [(&str, Option<ParamValue>); N],
) -> Fault {
    let entry = registry.get(code).unwrap_or_else(|| codes::INTERNAL_ERROR.entry());
    Fault::raise(entry, params.into_iter().filter_map(|(name, it)| Some((name, it?))))
}

/// What was probably meant.
pub fn similar(fault: &mut Fault, names: &(impl Names + ?Sized)) {
    names.each(&mut |name| fault.similar_refs.push(Similar::new(name)));
}

/// What to call next, in place of what the row says.
pub fn next(fault: &mut Fault, steps: &(impl Steps + ?Sized)) {
    let steps = steps.steps();
    if !steps.is_empty() {
        fault.next_actions = steps;
    }
}

/// How long to wait, where the row says that waiting helps.
pub fn retry_after(fault: &mut Fault, wait: &(impl Wait + ?Sized)) {
    if let Some(wait) = wait.wait()
        && fault.retry.kind == RetryKind::AfterDelay
    {
        fault.retry.after_ms = Some(millis(wait));
    }
}

/// The wait as the parameter `retry_after_ms`.
pub fn wait_millis(wait: &(impl Wait + ?Sized)) -> Option<ParamValue> {
    wait.wait().map(|it| millis(it).into())
}

/// The wait as the parameter `retry_after`, in seconds, never shorter than it is.
pub fn wait_seconds(wait: &(impl Wait + ?Sized)) -> Option<ParamValue> {
    wait.wait().map(|it| millis(it).div_ceil(1000).into())
}

fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// Puts what the error came from, and what that came from, into the private part.
pub fn source(fault: &mut Fault, source: Option<&(dyn Error + 'static)>) {
    if let Some(Thrown::Error { links, .. }) = source.map(Thrown::error) {
        for link in links {
            fault.private.push_cause(link);
        }
    }
}

/// The rendered message, as `Display` shows it.
pub fn show(fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.pad(&fault.message)
}

/// An error as a trait object, whatever smart pointer it is behind.
pub trait AsSource {
    /// The error itself.
    fn as_source(&self) -> &(dyn Error + 'static);
}

impl<T: Error + 'static> AsSource for T {
    fn as_source(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl AsSource for dyn Error + 'static {
    fn as_source(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl AsSource for dyn Error + Send + 'static {
    fn as_source(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl AsSource for dyn Error + Send + Sync + 'static {
    fn as_source(&self) -> &(dyn Error + 'static) {
        self
    }
}

/// How many codes these lists have together.
pub const fn count(mut lists: &[&[&'static str]]) -> usize {
    let mut count = 0;
    while let [first, rest @ ..] = lists {
        count += first.len();
        lists = rest;
    }
    count
}

/// These lists as one; `N` is their [`count`].
#[expect(clippy::indexing_slicing, reason = "runs while compiling, where a panic is a message")]
pub const fn joined<const N: usize>(mut lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let mut at = 0;
    while let [list, others @ ..] = lists {
        let mut list = *list;
        while let [code, rest @ ..] = list {
            all[at] = code;
            at += 1;
            list = rest;
        }
        lists = others;
    }
    all
}
