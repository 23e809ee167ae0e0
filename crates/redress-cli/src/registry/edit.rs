//! `redress registry add|deprecate|retire`: life-cycle edits that keep every comment and the order of the file.

use redress_registry::{
    Class, Effect, ParamType, Problem, Retry, RetryKind, Source,
    edit::{self, Deprecation, NewCode, Retirement},
};

use crate::{Done, Status, contract, files, output::Out};

/// Add a code to a registry file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  redress registry add errors.toml NOTE_LOCKED --domain notes --class failed_precondition --retry after_delay --after-ms 2000 \\\n    --message \"Note {id} is locked.\" --hint \"Wait two seconds, then try again.\" --param \"id:string:The note.\""
)]
pub(super) struct Add {
    /// The registry file.
    file: String,
    /// The new name, in capitals with underscores.
    code: String,
    /// Its number in JSON-RPC.
    #[arg(long)]
    number: Option<u32>,
    /// The domain that owns it.
    #[arg(long)]
    domain: String,
    /// What kind of failure it is.
    #[arg(long, value_parser = class)]
    class: Class,
    /// When to call again.
    #[arg(long, value_parser = retry_kind)]
    retry: RetryKind,
    /// The least time to wait, with `--retry after_delay`.
    #[arg(long, value_name = "MS")]
    after_ms: Option<u64>,
    /// Whether something may have changed.
    #[arg(long, value_parser = effect)]
    effect: Option<Effect>,
    /// A few words; from the name if absent.
    #[arg(long)]
    title: Option<String>,
    /// What happened; `{name}` is a parameter.
    #[arg(long)]
    message: String,
    /// What to do, a verb first.
    #[arg(long)]
    hint: String,
    /// A parameter of the message; may be given several times.
    #[arg(long = "param", value_name = "NAME:TYPE:DOC", value_parser = param)]
    params: Vec<(String, ParamType, String)>,
    /// The page for people.
    #[arg(long)]
    explain: Option<String>,
    /// The version that brings it.
    #[arg(long, default_value = "NEXT")]
    since: String,
}

/// Mark a code as one that should no longer be raised.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  redress registry deprecate errors.toml NOTE_GONE --since 0.2.0 --reason renamed --to NOTE_NOT_FOUND --until 1.0.0"
)]
pub(super) struct Deprecate {
    /// The registry file.
    file: String,
    /// The code.
    code: String,
    /// Since which version.
    #[arg(long)]
    since: String,
    /// Why.
    #[arg(long)]
    reason: String,
    /// What to use instead.
    #[arg(long)]
    to: Option<String>,
    /// The version that may retire it.
    #[arg(long)]
    until: Option<String>,
}

/// Take a code away for good; its name and number never come back.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  redress registry retire errors.toml NOTE_GONE --since 1.0.0 --why \"Replaced long ago.\" --to NOTE_NOT_FOUND"
)]
pub(super) struct Retire {
    /// The registry file.
    file: String,
    /// The code.
    code: String,
    /// The version that takes it away.
    #[arg(long)]
    since: String,
    /// Why.
    #[arg(long)]
    why: String,
    /// What to use instead.
    #[arg(long)]
    to: Option<String>,
}

pub(super) fn add(args: &Add, out: &mut Out) -> Done {
    let new = NewCode {
        code: args.code.clone(),
        number: args.number,
        domain: args.domain.clone(),
        class: args.class,
        retry: Retry { kind: args.retry, after_ms: args.after_ms, max: None },
        effect: args.effect,
        title: args.title.clone().unwrap_or_else(|| title(&args.code)),
        message: args.message.clone(),
        hint: args.hint.clone(),
        params: args.params.clone(),
        explain: args.explain.clone(),
        since: args.since.clone(),
    };
    let done = format!("added {}", args.code);
    change(&args.file, &done, out, |source| {
        edit::add(source, &new, &|it| contract::base(source, it))
    })
}

pub(super) fn deprecate(args: &Deprecate, out: &mut Out) -> Done {
    let deprecation = Deprecation {
        since: args.since.clone(),
        reason: args.reason.clone(),
        to: args.to.clone(),
        until: args.until.clone(),
    };
    change(&args.file, &format!("deprecated {}", args.code), out, |source| {
        edit::deprecate(source, &args.code, &deprecation, &|it| contract::base(source, it))
    })
}

pub(super) fn retire(args: &Retire, out: &mut Out) -> Done {
    let retirement =
        Retirement { since: args.since.clone(), why: args.why.clone(), to: args.to.clone() };
    change(&args.file, &format!("retired {}", args.code), out, |source| {
        edit::retire(source, &args.code, &retirement, &|it| contract::base(source, it))
    })
}

/// Reads the file, changes its text, writes it back whole.
fn change(
    file: &str,
    done: &str,
    out: &mut Out,
    edit: impl FnOnce(&Source) -> Result<String, Vec<Problem>>,
) -> Done {
    let source = contract::source(file)?;
    let text = edit(&source).map_err(|it| contract::refused(&it))?;
    files::replace(file, &text)?;
    out.line(&format!("{file}: {done}"))?;
    Ok(Status::Fine)
}

/// `NOTE_NOT_FOUND` as `Note not found`.
fn title(code: &str) -> String {
    let words = code.rsplit('.').next().unwrap_or_default().replace('_', " ").to_lowercase();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn class(text: &str) -> Result<Class, String> {
    Class::parse(text).ok_or_else(|| one_of(Class::ALL.iter().map(|it| it.name())))
}

fn retry_kind(text: &str) -> Result<RetryKind, String> {
    RetryKind::parse(text).ok_or_else(|| one_of(RetryKind::ALL.iter().map(|it| it.name())))
}

fn effect(text: &str) -> Result<Effect, String> {
    Effect::parse(text).ok_or_else(|| one_of(Effect::ALL.iter().map(|it| it.name())))
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("use one of {}", names.collect::<Vec<_>>().join(", "))
}

fn param(text: &str) -> Result<(String, ParamType, String), String> {
    let mut parts = text.splitn(3, ':');
    let (name, kind, doc) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let kind = ParamType::parse(kind.unwrap_or("string"))
        .ok_or_else(|| one_of(ParamType::ALL.iter().map(|it| it.name())))?;
    Ok((name.to_owned(), kind, doc.unwrap_or_default().to_owned()))
}
