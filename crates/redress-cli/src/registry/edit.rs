//! `redress registry add|deprecate|retire`: life-cycle edits that keep every comment and the order of the file.

use redress_registry::{
    Class, Deprecated, Effect, NextStep, Param, ParamType, Problem, Retry, RetryKind, Source,
    edit::{self, NewCode, Retirement},
    finding::Finding,
    lint::lint,
    name, read,
};
use serde_json::Value;

use super::from_rust;
use crate::{
    Done, Status,
    choice::one_of,
    contract,
    failure::Failure,
    files,
    output::{Err, Out},
};

/// Add a code to a registry file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry add errors.toml NOTE_LOCKED --domain notes --class failed_precondition --retry after_delay --after-ms 2000 \\\n    --message \"Note {id} is locked.\" --hint \"Wait two seconds, then try again.\" \\\n    --param \"id:string:The note.\" --untrusted id --example id=n-42 --next list_notes --explain \"Another writer holds the note.\"\n  redress registry add errors.toml --from-rust src/errors.rs\n\nWhat the lint finds in the new row is told as still to do."
)]
pub(crate) struct Add {
    /// The registry file.
    file: String,
    /// Add what the types of a Rust file declare in their attributes; the registry file is made if it is not there.
    #[arg(long, value_name = "FILE", conflicts_with = "RowArgs")]
    from_rust: Option<String>,
    #[command(flatten)]
    row: Option<RowArgs>,
}

/// A row as options.
#[derive(Debug, clap::Args)]
struct RowArgs {
    /// The new name, in capitals with underscores.
    code: String,
    /// Its number in JSON-RPC.
    #[arg(long)]
    number: Option<u32>,
    /// The domain that owns it: a `[domain.X]` of the file, which groups codes; needed where the file has several.
    #[arg(long)]
    domain: Option<String>,
    /// What kind of failure it is.
    #[arg(long, value_name = "CLASS", value_parser = one_of(Class::ALL.iter().map(|it| it.name()), Class::parse))]
    class: Class,
    /// When to call again.
    #[arg(long, value_name = "KIND", value_parser = one_of(RetryKind::ALL.iter().map(|it| it.name()), RetryKind::parse))]
    retry: RetryKind,
    /// The least time to wait, with `--retry after_delay`.
    #[arg(long, value_name = "MS")]
    after_ms: Option<u64>,
    /// Whether something may have changed.
    #[arg(long, value_parser = one_of(Effect::ALL.iter().map(|it| it.name()), Effect::parse))]
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
    /// A call that helps, as the name of a tool, or with its arguments as JSON: `list_notes {"folder":"a"}`; may be given several
    /// times.
    #[arg(long = "next", value_name = "TOOL [ARGS]", value_parser = next_step)]
    next: Vec<NextStep>,
    /// A parameter of the message; may be given several times.
    #[arg(long = "param", value_name = "NAME:TYPE:DOC", value_parser = param)]
    params: Vec<Param>,
    /// A parameter whose value the caller or a foreign server wrote, so that it is quoted and cut; may be given several times.
    #[arg(long = "untrusted", value_name = "NAME")]
    untrusted: Vec<String>,
    /// A value of a parameter for the example, as JSON unless it is a string; may be given several times.
    #[arg(long = "example", value_name = "NAME=VALUE", value_parser = example)]
    example: Vec<(String, String)>,
    /// The page for people.
    #[arg(long)]
    explain: Option<String>,
    /// The version that brings it; by default the registry's own, or NEXT if that is a pre-release.
    #[arg(long)]
    since: Option<String>,
}

/// Mark a code as one that should no longer be raised.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry deprecate errors.toml NOTE_NOT_FOUND --since 0.2.0 --reason \"The code of core tells as much.\" --to NOT_FOUND --until 1.0.0"
)]
pub(crate) struct Deprecate {
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
    after_help = "Examples:\n  redress registry retire errors.toml NOTE_LOCKED --since 0.2.0 --why \"Notes are no longer locked.\" --to NOTE_NOT_FOUND"
)]
pub(crate) struct Retire {
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

/// The one domain of a file.
fn only_domain(file: &str) -> Result<String, Failure> {
    let draft = read(&contract::source(file)?).map_err(|it| contract::refused(&it))?;
    match draft.domains.as_slice() {
        [only] => Ok(only.value.name.value.clone()),
        [] => Err(Failure::option(&format!(
            "{file} has no domain yet. A domain groups the codes of one part of a server, and owns their numbers"
        ))
        .fix(&format!(
            "Write [domain.{name}] and below it title = \"...\" into {file}, then give --domain {name}.",
            name = draft.name.as_ref().map_or("notes", |it| it.value.as_str())
        ))),
        several => {
            let names: Vec<_> = several.iter().map(|it| it.value.name.value.as_str()).collect();
            Err(Failure::option(&format!("{file} has several domains, so --domain must say which one owns the code"))
                .fix(&format!("Give --domain with one of {}.", names.join(", "))))
        }
    }
}

/// The parameters, those marked whose values are foreign.
fn params_of(args: &RowArgs) -> Result<Vec<Param>, Failure> {
    let mut params = args.params.clone();
    for name in &args.untrusted {
        let Some(param) = params.iter_mut().find(|it| *it.name == **name) else {
            let problem = format!("--untrusted names {name:?}, which is no --param of this code");
            return Err(Failure::option(&problem)
                .fix("Declare it with --param NAME:TYPE:DOC, or correct the name."));
        };
        param.untrusted = true;
    }
    Ok(params)
}

/// `TOOL`, or `TOOL {"name":"value"}`.
fn next_step(text: &str) -> Result<NextStep, String> {
    let (tool, args) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let args = match args.trim() {
        "" => serde_json::Map::new(),
        json => match serde_json::from_str(json) {
            Ok(Value::Object(args)) => args,
            _ => {
                return Err(
                    "the arguments are a JSON object: list_notes {\"folder\":\"a\"}".to_owned()
                );
            }
        },
    };
    if tool.is_empty() {
        return Err("the name of the tool is missing".to_owned());
    }
    Ok(NextStep { tool: tool.to_owned(), args })
}

pub(super) fn add(args: &Add, out: &mut Out) -> Done {
    match (&args.row, &args.from_rust) {
        (Some(row), _) => add_row(&args.file, row, out),
        (None, Some(rust)) => from_rust::add(&args.file, rust, out),
        (None, None) => Err(Failure::option("the code is missing")),
    }
}

fn add_row(file: &str, args: &RowArgs, out: &mut Out) -> Done {
    let domain = match &args.domain {
        Some(domain) => domain.clone(),
        None => only_domain(file)?,
    };
    let params = params_of(args)?;
    let new = NewCode {
        code: args.code.clone(),
        number: args.number,
        domain,
        class: args.class,
        http: None,
        retry: Retry { kind: args.retry, after_ms: args.after_ms, max: None },
        effect: args.effect,
        severity: None,
        title: args.title.clone().unwrap_or_else(|| name::title(&args.code)),
        message: args.message.clone(),
        hint: args.hint.clone(),
        next: args.next.clone(),
        similar: None,
        params,
        example: args.example.iter().map(|it| example_of(it, &args.params)).collect(),
        explain: args.explain.clone(),
        since: args.since.clone(),
        stability: None,
    };
    let done = format!("added {}", args.code);
    change(file, &done, out, |source| edit::add(source, &new, &|it| contract::base(source, it)))?;
    still_to_do(file, &args.code)
}

/// Tells what the lint finds in a new row.
pub(super) fn still_to_do(file: &str, code: &str) -> Done {
    let source = contract::source(file)?;
    let draft = read(&source).map_err(|it| contract::refused(&it))?;
    let full = draft.full_name(code);
    let mut err = Err::new();
    for finding in lint(&draft, &|it| contract::base(&source, it)) {
        if finding.concerned().any(|it| it == full || it == code) {
            let Finding { place, rule, message, fix, .. } = &finding;
            err.line("still to do: ", &format!("{place}: {rule} {message} {fix}"));
        }
    }
    Ok(Status::Fine)
}

pub(super) fn deprecate(args: &Deprecate, out: &mut Out) -> Done {
    let deprecation = Deprecated {
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
    let _held = files::hold_folder(file)?;
    let source = contract::source(file)?;
    contract::from_source(&source)?;
    let text = edit(&source).map_err(|it| {
        contract::refused(&it).fix("Change the command; the file was left as it is.")
    })?;
    files::replace(file, &text)?;
    out.line(&format!("{file}: {done}"))?;
    Ok(Status::Fine)
}

fn param(text: &str) -> Result<Param, String> {
    let mut parts = text.splitn(3, ':');
    let (name, kind, doc) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let kind = ParamType::parse(kind.unwrap_or("string")).ok_or_else(|| {
        let names: Vec<&str> = ParamType::ALL.iter().map(|it| it.name()).collect();
        format!("the type is one of {}", names.join(", "))
    })?;
    Ok(Param::new(name, kind, doc.unwrap_or_default()))
}

fn example(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The value that a text means for its parameter; what is no JSON is text, and the reader says if that is wrong.
fn example_of((name, text): &(String, String), params: &[Param]) -> (String, Value) {
    let is_text = params.iter().any(|it| *it.name == **name && it.kind == ParamType::String);
    let json = if is_text { None } else { serde_json::from_str(text).ok() };
    (name.clone(), json.unwrap_or_else(|| text.as_str().into()))
}
