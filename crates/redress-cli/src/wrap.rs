//! `redress wrap` and `redress unwrap`: put the gate before the servers in the configuration of MCP clients, and take it away again.

mod diff;
mod trial;

use std::{env, fmt::Write as _, path::PathBuf};

use serde_json::{Value, json};

use self::trial::Trial;
use crate::{
    Done, Status,
    clients::{
        self, CLIENTS, FileFormat,
        document::{Command, Edit, Entry, Remote, Shape, edited, entries},
        file::File,
    },
    failure::Failure,
    name,
    output::{Format, Out, ProgressLine},
};

/// What both commands take.
#[derive(Debug, clap::Args)]
struct Choice {
    /// A client, by default all: claude-code, claude-desktop, cursor, vscode, copilot, codex, gemini, windsurf, zed, opencode, goose, kiro, cline, antigravity.
    #[arg(long, value_name = "C", value_parser = clients::named)]
    client: Vec<String>,
    /// A server, by default all.
    #[arg(long, value_name = "S")]
    server: Vec<String>,
    /// All servers of all clients, which is the default.
    #[arg(long, conflicts_with_all = ["client", "server"])]
    all: bool,
    /// The project whose files are looked at besides the user's.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Change the files. Without it they are only compared.
    #[arg(long)]
    write: bool,
    /// How to print it.
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Put the gate before the servers in the configuration of MCP clients. Shows what would change; `--write` changes it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress wrap\n  redress wrap --write\n  redress wrap --client cursor --server files --write\n  redress wrap --check\n\nComments, order and layout of a file stay. The old text is kept beside it, as FILE.before-redress. Before a file is written each\nserver is started once with the gate, and has to list the tools that it lists without. Exit code 1: a server was left as\nit is, or with --check is not wrapped."
)]
pub(crate) struct Args {
    #[command(flatten)]
    choice: Choice,
    /// Do not start the servers first.
    #[arg(long)]
    no_start: bool,
    /// Change nothing; exit code 1 if a server could be wrapped and is not.
    #[arg(long, conflicts_with = "write")]
    check: bool,
}

/// Take the gate away from the servers in the configuration of MCP clients. Shows what would change; `--write` changes it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress unwrap\n  redress unwrap --client cursor --write\n\nAfter `redress wrap` each entry is again what it was, byte for byte."
)]
pub(crate) struct UnwrapArgs {
    #[command(flatten)]
    choice: Choice,
}

/// What becomes of a server.
#[derive(Debug)]
enum ServerChange {
    /// It is changed, for this reason if there is more to say.
    Change(Vec<Edit>, Option<String>),
    /// It is as it should be.
    Done,
    /// It is left as it is, and why.
    Left(String),
    /// The same, and a user should look at it.
    Trouble(String),
}

/// What a command does to each entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    Wrap(Trials),
    Unwrap,
}

/// Whether servers are started before their entry is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trials {
    Made,
    /// The user wants none.
    LeftOut,
    /// Nothing is written yet.
    NotYet,
    /// Nothing will be written.
    Never,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    let trials = match (args.check, args.choice.write, args.no_start) {
        (true, ..) => Trials::Never,
        (_, false, _) => Trials::NotYet,
        (_, _, true) => Trials::LeftOut,
        (..) => Trials::Made,
    };
    let changed = go(&args.choice, Aim::Wrap(trials), out)?;
    Ok(if args.check && changed.would { Status::Findings } else { changed.status })
}

pub(crate) fn unwrap(args: &UnwrapArgs, out: &mut Out) -> Done {
    Ok(go(&args.choice, Aim::Unwrap, out)?.status)
}

/// How it went.
struct Went {
    status: Status,
    /// There was something to change.
    would: bool,
}

fn go(choice: &Choice, aim: Aim, out: &mut Out) -> Result<Went, Failure> {
    let project = std::path::absolute(&choice.project)
        .map_err(|it| Failure::reading(&choice.project.to_string_lossy(), &it))?;
    let files = clients::files(&choice.client, &project);
    let gate = gate()?;
    let is_text = Format::or_fitting(choice.format, out) == Format::Text;
    let (mut went, mut shown, mut first) =
        (Went { status: Status::Fine, would: false }, Vec::new(), None);
    for found in &files {
        // One file that cannot be changed does not stop the others.
        let report = match one(found, choice, aim, &gate) {
            Ok(report) => report,
            Err(failure) => {
                let report = FileReport::failed(found, &failure);
                first.get_or_insert(failure);
                report
            }
        };
        went.would |= report.would;
        if report.has_trouble {
            went.status = Status::Findings;
        }
        if is_text {
            out.text(&report.text)?;
        } else {
            shown.push(report.json);
        }
    }
    if !is_text {
        out.line(&json!({"files": shown, "written": choice.write}).to_string())?;
    } else if files.is_empty() {
        let all: Vec<_> = CLIENTS.iter().map(|it| it.title).collect();
        out.line(&format!("No configuration was found of {}.", all.join(", ")))?;
    } else if went.would && !choice.write {
        out.line("Nothing was written. Add --write to change the files.")?;
    }
    first.map_or(Ok(went), |it| {
        out.finish()?;
        Err(it)
    })
}

/// What came of a file.
struct FileReport {
    text: String,
    json: Value,
    would: bool,
    has_trouble: bool,
}

impl FileReport {
    fn failed(found: &clients::ClientFile, failure: &Failure) -> Self {
        let path = found.path.display();
        let text =
            format!("{}: {path}\n  cannot be changed: {}\n", found.client.title, failure.reason());
        let json = json!({
            "client": found.client.name,
            "file": found.path.to_string_lossy(),
            "error": failure.to_json(),
        });
        Self { text, json, would: false, has_trouble: true }
    }
}

fn one(
    found: &clients::ClientFile,
    choice: &Choice,
    aim: Aim,
    gate: &str,
) -> Result<FileReport, Failure> {
    let file = File::read(found)?;
    let client = found.client;
    let named = entries(client, &file.text).map_err(|it| file.unread(&it))?;
    let is_chosen = |it: &&Entry| choice.server.is_empty() || choice.server.contains(&it.name);
    let mut text = format!("{}: {}\n", client.title, file.shown);
    let (mut edits, mut servers, mut has_trouble) = (Vec::new(), Vec::new(), false);
    for entry in named.iter().filter(is_chosen) {
        let fate = match &entry.shape {
            _ if found.is_managed => {
                ServerChange::Left("an administrator writes this file".to_owned())
            }
            Shape::Other(why) => ServerChange::Left((*why).to_owned()),
            Shape::Command(command) if aim == Aim::Unwrap && command.old.is_some() => {
                fate_of_old(&file.text, entry, command, client)
            }
            Shape::Command(command) => fate(&file.text, &entry.name, command, aim, gate),
            Shape::Remote(remote) => {
                fate_of_remote(&file.text, (&entry.name, client), remote, aim, gate)
            }
        };
        let (state, why) = match &fate {
            ServerChange::Change(_, why) => (verb(aim, choice.write), why.as_deref()),
            ServerChange::Done if aim == Aim::Unwrap => ("not wrapped", None),
            ServerChange::Done => ("wrapped already", None),
            ServerChange::Left(why) | ServerChange::Trouble(why) => ("left", Some(why.as_str())),
        };
        has_trouble |= matches!(fate, ServerChange::Trouble(_));
        let because = why.map_or_else(String::new, |it| format!(": {it}"));
        let name = redress::text::visible(&entry.name);
        writeln!(text, "  {name}  {state}{because}").unwrap_or_default();
        servers.push(json!({
            "table": entry.table, "name": entry.name, "state": state, "reason": why,
        }));
        if let ServerChange::Change(made, _) = fate {
            edits.extend(made);
        }
    }
    if client.format == FileFormat::Yaml {
        text.push_str(&instructions(gate));
    } else if named.is_empty() {
        text.push_str("  names no servers\n");
    }
    let diff = diff::lines(&file.shown, &file.text, &edits);
    text.push_str(&diff);
    let would = !edits.is_empty();
    let mut backup = None;
    if would {
        let new = checked(&file, client, &edits, aim)?;
        if choice.write {
            let kept = file.replace(&new)?;
            let kept_in = kept.display();
            writeln!(text, "Written. The old text is in {kept_in}.").unwrap_or_default();
            backup = Some(kept.to_string_lossy().into_owned());
        }
    }
    let json = json!({
        "client": client.name, "file": file.shown, "servers": servers, "diff": diff, "backup": backup,
    });
    Ok(FileReport { text, json, would, has_trouble })
}

fn fate(text: &str, name: &str, command: &Command, aim: Aim, gate: &str) -> ServerChange {
    let has_trials = match (aim, command.is_wrapped()) {
        (Aim::Wrap(_), true) | (Aim::Unwrap, false) => return ServerChange::Done,
        (Aim::Unwrap, true) => {
            return command.unwrap(text).map_or_else(
                || {
                    ServerChange::Left(
                        "its command is in another file: change it by hand".to_owned(),
                    )
                },
                |it| ServerChange::Change(it, None),
            );
        }
        (Aim::Wrap(trials), false) => trials == Trials::Made,
    };
    let why = if has_trials {
        let progress = ProgressLine::new();
        progress.say(&format!("Starting {name}, without and with the gate …"));
        match trial::compare(command, gate) {
            Trial::Same(tools) => Some(format!("the same {tools} tools with the gate")),
            Trial::NotTried(why) => Some(format!("not started: {why}")),
            Trial::Differs(how) => return ServerChange::Trouble(how),
            Trial::Broken(why) => {
                return ServerChange::Trouble(format!(
                    "it does not start, also without the gate: {why}"
                ));
            }
        }
    } else {
        None
    };
    let name = name::checked(name).ok();
    ServerChange::Change(command.wrap(text, gate, name.as_deref()), why)
}

/// What becomes of a remote server that is wrapped: what was changed in its entry since is not lost.
fn fate_of_old(
    text: &str,
    entry: &Entry,
    command: &Command,
    client: &'static clients::Client,
) -> ServerChange {
    let words = command.words();
    let gate = words.first().copied().unwrap_or_default();
    let name = words.iter().position(|it| *it == "--name");
    let name = name.and_then(|it| words.get(it + 1)).copied();
    let edits = command.unwrap(text).unwrap_or_default();
    let old = edited(text, &edits);
    let is_it = |it: &Entry| it.name == entry.name && it.table == entry.table;
    let found = entries(client, &old).ok().and_then(|it| it.into_iter().find(is_it));
    let again = match found.map(|it| it.shape) {
        Some(Shape::Remote(remote)) => edited(&old, &[remote.wrap(&old, client, gate, name)]),
        _ => String::new(),
    };
    if again == text {
        return ServerChange::Change(edits, None);
    }
    ServerChange::Left(
        "it was changed since it was wrapped: change it by hand, its old entry is in REDRESS_REMOTE"
            .to_owned(),
    )
}

fn fate_of_remote(
    text: &str,
    (name, client): (&str, &'static clients::Client),
    remote: &Remote,
    aim: Aim,
    gate: &str,
) -> ServerChange {
    let Aim::Wrap(trials) = aim else { return ServerChange::Done };
    let left = |why: &str| {
        ServerChange::Left(format!(
            "{why}: name its url in a redress.toml, and let the client ask `redress serve`"
        ))
    };
    if let Some(why) = remote.obstacle {
        return left(why);
    }
    let unknown = "only a start shows whether its client has to sign in";
    let why = match trials {
        Trials::Made => {
            let progress = ProgressLine::new();
            progress.say(&format!("Asking {name}, without and with the gate …"));
            match trial::compare_remote(remote, gate) {
                Trial::Same(tools) => format!("the same {tools} tools with the gate"),
                Trial::NotTried(why) if remote.is_signed_in() => format!("not started: {why}"),
                Trial::NotTried(why) => return left(&why),
                Trial::Differs(how) => return ServerChange::Trouble(how),
                Trial::Broken(why) => {
                    return left(&format!("it does not answer, also without the gate: {why}"));
                }
            }
        }
        Trials::LeftOut if remote.is_signed_in() => "not started".to_owned(),
        Trials::NotYet => "if it answers without a sign-in".to_owned(),
        Trials::Never if remote.is_signed_in() => "it says itself who asks".to_owned(),
        Trials::LeftOut | Trials::Never => return left(unknown),
    };
    let name = name::checked(name).ok();
    ServerChange::Change(vec![remote.wrap(text, client, gate, name.as_deref())], Some(why))
}

/// The new text, if a reader finds in it what was meant and nothing else: a wrapped file gives the old text back, byte for byte.
fn checked(
    file: &File,
    client: &clients::Client,
    edits: &[Edit],
    aim: Aim,
) -> Result<String, Failure> {
    let new = edited(&file.text, edits);
    let refused = || {
        Failure::config(&file.shown, "Its layout cannot be changed safely.")
            .fix("Put `redress run --` before the command by hand.")
    };
    let before = entries(client, &file.text).map_err(|_unread| refused())?;
    let after = entries(client, &new).map_err(|_unread| refused())?;
    let mut back = Vec::new();
    for (old, now) in before.iter().zip(&after) {
        match (&old.shape, &now.shape, aim) {
            (Shape::Command(old), Shape::Command(now), Aim::Wrap(_))
                if old.is_wrapped() != now.is_wrapped() =>
            {
                back.extend(now.unwrap(&new).ok_or_else(refused)?);
            }
            (Shape::Remote(_), Shape::Command(now), Aim::Wrap(_)) => {
                back.extend(now.unwrap(&new).ok_or_else(refused)?);
            }
            _ => (),
        }
    }
    let is_sound =
        before.len() == after.len() && (aim == Aim::Unwrap || edited(&new, &back) == file.text);
    if is_sound { Ok(new) } else { Err(refused()) }
}

const fn verb(aim: Aim, is_written: bool) -> &'static str {
    match (aim, is_written) {
        (Aim::Wrap(_), false) => "would be wrapped",
        (Aim::Wrap(_), true) => "wrapped",
        (Aim::Unwrap, false) => "would be unwrapped",
        (Aim::Unwrap, true) => "unwrapped",
    }
}

/// How to change a file of YAML by hand.
fn instructions(gate: &str) -> String {
    format!(
        "  YAML is not changed. For each server set `cmd: {gate}` and put `run`, `--` and its command before its `args`.\n"
    )
}

/// The path of this program: clients of a desktop start with a short PATH.
fn gate() -> Result<String, Failure> {
    let path =
        env::current_exe().map_err(|it| Failure::reading("the path of this program", &it))?;
    path.into_os_string().into_string().map_err(|path| {
        Failure::config(&path.to_string_lossy(), "The path of this program is no UTF-8.")
    })
}
