//! `redress.toml`: the configuration of the gate. [`load`] gives a valid [`Config`], or every problem at its place.
//!
//! Each table of the file is one `section!` (in `config/sections.rs` and `config/server.rs`): type, default, range and meaning of a key
//! stand there and nowhere else; reader, JSON Schema and `docs/reference/configuration.md` follow from it.
//!
//! A driver takes what it needs from the value: `config.general.listen.address`, `config.servers`, and for each server
//! [`Server::program`] or `server.url` and `server.headers` (how it is reached), [`Server::settings`] (how it is gated), with what the file
//! says for all servers already in it.

mod address;
mod choice;
mod compare;
mod environment;
mod fleet;
mod governance;
mod inherit;
mod key_options;
mod kind;
mod options;
mod page;
mod reference;
mod remote;
mod rules;
mod schema;
mod secret;
mod section;
mod sections;
mod server;
mod sound;
mod table;
mod taught;
mod value;
mod watch;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use redress_registry::{Problem, Source, nearest::nearest, problems::Problems, read::tree};

pub use self::{
    address::{Address, Host, Origin, Url},
    environment::{Environment, Machine, Nowhere},
    fleet::{EngineUrl, Fleet, FleetName},
    governance::{Caller, Confine, Governance, PreflightRow, Preset, RoleRow, WriteRule},
    inherit::Inherit,
    reference::{Contract, Location, PemFile, Plugin, SecretFile, Word},
    secret::Secret,
    sections::{
        Auth, Breaker, Emit, General, Ledger, Limits, Listen, Loop, MadeToken, Metrics, Retry, Tls,
    },
    server::{Server, Tool},
    value::NamedSections,
    watch::{Look, Watch},
};
pub(crate) use self::{
    compare::{ConfigComparison, KeyChange, Loosening, Strictness},
    watch::{EACH, REST},
};
use self::{
    kind::{Key, TableShape},
    section::Section,
    table::{ConfigTable, Reading},
    value::rows,
};
pub(crate) use self::{
    options::{GateOptions, address, meaning},
    sound::Doubt,
    value::{Shown, Value, toml_key, toml_string},
};
pub use self::{page::page, schema::schema};
use crate::{contract::refused, failure::Failure, files};

/// A valid configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// What holds for all servers.
    pub general: General,
    /// The servers, in file order.
    pub servers: Vec<Server>,
    /// The file itself, if there is one.
    pub file: Option<PathBuf>,
    /// The other files that were read.
    pub files: Vec<PathBuf>,
}

impl Config {
    /// One server with what is usual, as the command line names it.
    pub(crate) fn of_command(name: String, command: &[OsString]) -> Self {
        let command = command.iter().cloned().map(Word).collect();
        let server = Server { name, command, ..Server::default() };
        Self { general: General::default(), servers: vec![server], file: None, files: Vec::new() }
    }

    /// The files of a directory, with what is usual.
    pub(crate) fn of_workspace(name: String, root: PathBuf) -> Self {
        let server = Server { name, workspace: Some(Location(root)), ..Server::default() };
        Self { general: General::default(), servers: vec![server], file: None, files: Vec::new() }
    }

    /// The same with only the server of that name.
    pub(crate) fn only(mut self, name: &str) -> Result<Self, Failure> {
        if !self.servers.iter().any(|it| it.name == name) {
            let names: Vec<&str> = self.servers.iter().map(|it| it.name.as_str()).collect();
            let meant = nearest(name, names.iter().copied());
            let meant = meant.map(|it| format!(" Did you mean `{it}`?")).unwrap_or_default();
            let problem = format!("The file has no server of this name.{meant}");
            return Err(Failure::config("--name", &problem)
                .fix("Name a server of the file.")
                .note(format!("It has: {}.", names.join(", "))));
        }
        self.servers.retain(|it| it.name == name);
        Ok(self)
    }

    /// How many bytes the gate holds for its clients.
    pub(crate) fn most_bytes(&self) -> u64 {
        let longest = self.servers.iter().map(|it| it.max_message_bytes).max().unwrap_or_default();
        let usual = USUAL_MEMORY_BYTES.max(longest.saturating_mul(MESSAGES_IN_MEMORY));
        self.general.listen.max_memory_bytes.unwrap_or(usual)
    }

    /// Its only server.
    pub(crate) fn single(&self) -> Result<&Server, Failure> {
        let [server] = self.servers.as_slice() else {
            let names: Vec<&str> = self.servers.iter().map(|it| it.name.as_str()).collect();
            return Err(Failure::config("--name", "The file has more than one server.")
                .fix("Name the one that is meant.")
                .note(format!("It has: {}.", names.join(", "))));
        };
        Ok(server)
    }
}

/// Reads a file on this machine.
pub(crate) fn load(path: &Path) -> Result<Config, Failure> {
    load_for(path, |_| false)
}

/// The same for a gate: where it is governed, its self-audit tells which contracts cannot be read, with everything else that does not hold.
pub(crate) fn load_for(
    path: &Path,
    is_governed: impl FnOnce(&General) -> bool,
) -> Result<Config, Failure> {
    let shown = path.to_string_lossy();
    let bytes = files::read(path).map_err(|it| Failure::reading(&shown, &it))?;
    let source = Source::from_bytes(&shown, &bytes).map_err(|it| refused(&[it]))?;
    let read = read_for(&source, &Machine::around(path), is_governed, Config::doubts);
    let config = read.map_err(|it| refused(&it))?;
    Ok(Config { file: Some(path.to_owned()), ..config })
}

/// Reads a file: what it means, or everything that is wrong with it.
pub fn read(source: &Source, environment: &dyn Environment) -> Result<Config, Vec<Problem>> {
    read_for(source, environment, |_| false, |_| Vec::new())
}

fn read_for(
    source: &Source,
    environment: &dyn Environment,
    is_governed: impl FnOnce(&General) -> bool,
    doubts: impl FnOnce(&Config) -> Vec<Doubt>,
) -> Result<Config, Vec<Problem>> {
    let root = tree(source)?;
    let problems = Problems::new(source);
    let mut reading = Reading { problems, environment, files: Vec::new(), unread: Vec::new() };
    let (general, mut servers) = sections(ConfigTable::root(root.get_ref(), &mut reading));
    for server in &mut servers {
        server.find_program(environment);
    }
    let Reading { mut problems, files, unread, .. } = reading;
    let config = Config { general, servers, file: None, files };
    let found = problems.none_yet();
    if found.is_ok() && (unread.is_empty() || is_governed(&config.general)) {
        return Ok(config);
    }
    for (at, message, meant) in unread {
        problems.add_meant(at, message, meant.as_deref());
    }
    // All problems are reported at once, so that one correction is enough.
    for doubt in doubts(&config) {
        problems.add(table::place_of(root.get_ref(), &doubt.place), doubt.line());
    }
    let mut all = found.err().unwrap_or_default();
    all.extend(problems.into_list());
    all.sort_by(|a, b| a.place.cmp(&b.place));
    Err(all)
}

/// All tables of the file.
fn sections(mut table: ConfigTable<'_, '_>) -> (General, Vec<Server>) {
    let mut general = General::take(&mut table, &General::default());
    general.check(&mut table);
    // A policy in the file is meant to be applied.
    let policy = table.given("governance").and_then(|it| it.value.get_ref().as_table());
    general.governance.enabled |= policy.is_some_and(|it| !it.contains_key("enabled"));
    let usual = Server {
        emit: general.emit.clone(),
        retry: general.retry.clone(),
        breaker: general.breaker.clone(),
        r#loop: general.r#loop.clone(),
        limits: general.limits.clone(),
        ..Server::default()
    };
    let servers = match table.given(SERVER) {
        Some(given) => rows(&given, &usual, table.reading).unwrap_or_default(),
        None => Vec::new(),
    };
    if let Some(most) = general.listen.max_memory_bytes {
        for server in &servers {
            let least = server.max_message_bytes.saturating_mul(MESSAGES_IN_MEMORY);
            if most < least {
                let problem = format!(
                    "`listen.max_memory_bytes` must be at least {MESSAGES_IN_MEMORY} times `server.{}.max_message_bytes`, which is {least}.",
                    server.name
                );
                table.refuse("listen", problem);
            }
        }
    }
    for server in servers.iter().filter(|it| it.forward_authorization && !general.auth.is_open()) {
        let problem = format!(
            "`server.{}.forward_authorization` would give that server the tokens of [auth]; `headers` give it one of its own.",
            server.name
        );
        table.refuse("auth", problem);
    }
    if !table.has(SERVER) {
        table.refuse("", "The file has no server: it needs a `[server.NAME]`.".to_owned());
    }
    let known: Vec<&str> = General::NAMES.iter().copied().chain([SERVER]).collect();
    table.close(&known);
    (general, servers)
}

/// How many bytes the gate holds for its clients, if the file does not say it.
const USUAL_MEMORY_BYTES: u64 = 256 << 20;

/// How many of the longest messages must fit: a caller gets half, and a message is held while it is read, while it waits, and with its answer.
const MESSAGES_IN_MEMORY: u64 = 8;

/// The table of the servers.
const SERVER: &str = "server";

/// All about the file, for its schema and its page.
fn shape() -> TableShape {
    let mut shape = General::shape();
    shape.about = "The configuration of the Redress gate.";
    shape.keys.push(Key {
        name: SERVER,
        meaning: "The servers, each under its name.",
        kind: NamedSections::<Server>::kind(),
        range: None,
        default: None,
        example: "",
    });
    shape
}

#[cfg(test)]
mod tests;
