//! `redress doctor`: starts every server that the MCP clients of this machine name, and says of each in one line how it does.

mod examine;
mod history;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::value_parser;
use redress::{codes, text::visible};
use serde_json::{Value, json};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

use self::{
    examine::{Examined, Patience, State, Way},
    history::History,
};
use crate::{
    Done, Status,
    clients::{
        self, CLIENTS,
        document::{Command, Entry, Shape, entries},
        file::File,
    },
    failure::Failure,
    output::{Format, Out, ProgressLine},
};

/// Start every server that the MCP clients of this machine name, and say how each does and what to do about it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress doctor\n  redress doctor --client cursor --server files\n  redress doctor --format json\n\nEach server is started as its client starts it, lists its tools, is asked for a tool that it does not have, and each tool that says that\nit only reads is called with an argument of a wrong type. Nothing else is called. A wrapped server records nothing of that.\nExit code 1: a server does not start, or answers such calls badly."
)]
pub(crate) struct Args {
    /// A client, by default all: claude-code, claude-desktop, cursor, vscode, copilot, codex, gemini, windsurf, zed, opencode, goose, kiro, cline, antigravity.
    #[arg(long, value_name = "C", value_parser = clients::named)]
    client: Vec<String>,
    /// A server, by default all.
    #[arg(long, value_name = "S")]
    server: Vec<String>,
    /// The project whose files are looked at besides the user's.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// The longest that one server may take, in seconds.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = value_parser!(u64).range(1..=3_600))]
    time: u64,
    /// How to print it; by default text on a terminal, elsewhere JSON.
    #[arg(long, value_enum)]
    format: Option<Format>,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    let project = std::path::absolute(&args.project)
        .map_err(|it| Failure::reading(&args.project.to_string_lossy(), &it))?;
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&stopped)).map_err(|it| Failure::stream(&it))?;
    }
    let is_text = Format::or_fitting(args.format, out) == Format::Text;
    let files = clients::files(&args.client, &project);
    let mut visit = Visit {
        project: &project,
        within: Duration::from_secs(args.time),
        stopped,
        known: Vec::new(),
    };
    let (mut status, mut shown, mut first) = (Status::Fine, Vec::new(), None);
    for found in &files {
        let rows = match visit.file(found, &args.server) {
            Ok(rows) => rows,
            Err(failure) => {
                if visit.stopped.load(Ordering::Relaxed) {
                    return Err(failure);
                }
                let path = found.path.display();
                if is_text {
                    out.line(&format!("{}: {path}", found.client.title))?;
                    out.line(&format!("  cannot be read: {}", failure.reason()))?;
                } else {
                    shown.push(json!({
                        "client": found.client.name, "file": found.path.to_string_lossy(), "error": failure.to_json(),
                    }));
                }
                first.get_or_insert(failure);
                continue;
            }
        };
        if rows.iter().any(|it| it.examined.is_trouble()) {
            status = Status::Findings;
        }
        if is_text {
            out.text(&page(found, &rows))?;
        } else {
            shown.extend(rows.iter().map(|it| it.to_json(found)));
        }
    }
    if !is_text {
        out.line(&json!({ "servers": shown }).to_string())?;
    } else if files.is_empty() {
        let all: Vec<_> = CLIENTS.iter().map(|it| it.title).collect();
        out.line(&format!("No configuration was found of {}.", all.join(", ")))?;
    }
    first.map_or(Ok(status), |it| {
        out.finish()?;
        Err(it)
    })
}

/// One look at the files of the clients.
struct Visit<'a> {
    project: &'a Path,
    within: Duration,
    stopped: Arc<AtomicBool>,
    /// What was started already: several clients name the same server.
    known: Vec<(Way, Examined)>,
}

impl Visit<'_> {
    fn file(
        &mut self,
        found: &clients::ClientFile,
        chosen: &[String],
    ) -> Result<Vec<Row>, Failure> {
        let file = File::read(found)?;
        let named = entries(found.client, &file.text).map_err(|it| file.unread(&it))?;
        let is_chosen = |it: &&Entry| chosen.is_empty() || chosen.contains(&it.name);
        named.iter().filter(is_chosen).map(|it| self.entry(found, it)).collect()
    }

    fn entry(&mut self, found: &clients::ClientFile, entry: &Entry) -> Result<Row, Failure> {
        let command = match &entry.shape {
            Shape::Command(command) => Some(&**command),
            Shape::Remote(_) | Shape::Other(_) => None,
        };
        let is_wrapped = command.is_some_and(Command::is_wrapped);
        let examined = match Way::of(&entry.shape, self.project) {
            Err(why) => Examined::new(State::NotTried(why)),
            Ok(way) => self.examine(way, &entry.name)?,
        };
        let history = command.filter(|_| is_wrapped).map(|it| History::of(&it.words()));
        let mut row = Row {
            name: entry.name.clone(),
            table: entry.table.clone(),
            is_wrapped,
            examined,
            history,
            advice: Vec::new(),
        };
        row.advise(found, &entry.shape);
        Ok(row)
    }

    fn examine(&mut self, way: Way, name: &str) -> Result<Examined, Failure> {
        if let Some((_, examined)) = self.known.iter().find(|it| it.0 == way) {
            return Ok(examined.clone());
        }
        let progress = ProgressLine::new();
        let patience = Patience::start(self.within)?;
        let examined = examine::examine(&way, &patience, &mut |what| {
            progress.say(&format!("{name}: {what} …"));
        });
        drop(progress);
        if self.stopped.load(Ordering::Relaxed) {
            let none: [(&str, &str); 0] = [];
            return Err(Failure::environment(codes::CANCELLED.raise(none))
                .fix("Start it again; --client and --server make it shorter."));
        }
        self.known.push((way, examined.clone()));
        Ok(examined)
    }
}

/// A server of a file, and how it does.
struct Row {
    name: String,
    table: Vec<String>,
    is_wrapped: bool,
    examined: Examined,
    /// What its ledger says, if it is wrapped.
    history: Option<Result<History, Failure>>,
    /// What to do, the most important first.
    advice: Vec<String>,
}

impl Row {
    fn advise(&mut self, found: &clients::ClientFile, shape: &Shape) {
        let mut advice = Vec::new();
        match &self.examined.state {
            State::Fails(failure) => advice.push(failure.hint().to_owned()),
            State::NotTried(_) | State::Starts(_) => (),
        }
        let is_wrappable = match shape {
            Shape::Command(_) => true,
            Shape::Remote(remote) => remote.obstacle.is_none(),
            Shape::Other(_) => false,
        };
        let starts = matches!(self.examined.state, State::Starts(_));
        if !self.is_wrapped && is_wrappable && starts && !found.is_managed {
            let (client, server) = (found.client.name, quoted(&self.name));
            advice.push(format!("redress wrap --client {client} --server {server} --write"));
        }
        if let State::Starts(health) = &self.examined.state {
            advice.extend(health.worst.clone());
        }
        match &self.history {
            Some(Ok(history)) if history.failures > 0 => {
                advice
                    .push(format!("redress ledger query --since 7d {}", history.ledger.display()));
            }
            Some(Err(failure)) => advice.push(failure.hint().to_owned()),
            _ => (),
        }
        self.advice = advice;
    }

    fn line(&self, wide: usize) -> String {
        let name = visible(&self.name);
        let pad = " ".repeat(wide.saturating_sub(name.chars().count()));
        let wrapped = if self.is_wrapped { "wrapped" } else { "not wrapped" };
        let mut parts = vec![self.examined.state.to_string(), wrapped.to_owned()];
        match &self.history {
            Some(Ok(history)) => parts.push(history.to_string()),
            Some(Err(failure)) => parts.push(format!("no ledger: {}", failure.reason())),
            None => (),
        }
        let advice = self.advice.first().map_or_else(String::new, |it| format!("  → {it}"));
        format!("  {name}{pad}  {}{advice}\n", parts.join(", "))
    }

    fn to_json(&self, found: &clients::ClientFile) -> Value {
        let history = match &self.history {
            Some(Ok(it)) => it.to_json(),
            Some(Err(it)) => json!({ "error": it.to_json() }),
            None => Value::Null,
        };
        json!({
            "client": found.client.name,
            "file": found.path.to_string_lossy(),
            "table": self.table,
            "name": self.name,
            "wrapped": self.is_wrapped,
            "state": self.examined.state.to_json(),
            "ledger": history,
            "advice": self.advice,
        })
    }
}

/// The lines of a file.
fn page(found: &clients::ClientFile, rows: &[Row]) -> String {
    let mut page = format!("{}: {}\n", found.client.title, visible(&found.path.to_string_lossy()));
    let wide = rows.iter().map(|it| visible(&it.name).chars().count()).max().unwrap_or_default();
    if rows.is_empty() {
        let is_yaml = found.client.format == clients::FileFormat::Yaml;
        page.push_str(if is_yaml {
            "  is YAML, which is not read\n"
        } else {
            "  names no such servers\n"
        });
    }
    for row in rows {
        page.push_str(&row.line(wide));
    }
    page
}

/// A name as a shell reads it.
fn quoted(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-.".contains(it);
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}
