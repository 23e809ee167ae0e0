//! `[server.NAME]`: one server, and how it is gated.

use std::collections::BTreeMap;

use redress::Dialect;
use redress_gate::{RemoteAddress, serve::Sharing, settings::Mode};
use redress_registry::plugin::Plugins;

use super::{
    address::Url,
    environment::Environment,
    inherit::Inherit,
    reference::{Contract, Location, Plugin, Word},
    secret::Secret,
    section::section,
    sections::{Breaker, Emit, Limits, Loop, Retry},
    table::{ConfigTable, Given},
    taught::{self, Match},
    value::{NamedSection, NamedSections},
};

section! {
    /// One server, and how it is gated. Its name is in the URL, in faults and in the ledger: lower-case letters, digits, `-`, `_` and `.`.
    pub struct Server (name: String) {
        /// The program that is started for it, and its arguments: the server speaks on stdio. A program with a `/` in it is a path. Either this, or `url`, or `workspace`.
        command: Vec<Word> = Vec::new(), example "[\"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \"/srv\"]";
        /// Variables of its environment, besides those of the gate that it gets.
        env: BTreeMap<String, Secret> = BTreeMap::new(), example "{ GITHUB_TOKEN = \"${GITHUB_TOKEN}\" }";
        /// The names of further variables that `redress serve` hands on from its own environment; `"all"` for every one. Without it a server gets `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `USER`, `LANG`, `LANGUAGE`, `LC_*`, `TMPDIR`, `XDG_*` and those about proxies and certificates. `redress run` hands on all.
        inherit_env: Inherit = Inherit::Named(Vec::new()), example "[\"GITHUB_TOKEN\"]";
        /// The most private memory of each of its processes, in bytes; by default what the system allows. What processes share is not counted.
        memory: Option<u64> = None, in 1 << 20..=1 << 50, example "1073741824";
        /// The most processes and threads that it has. The system counts those of the user, so that what the same user starts later counts, too, and does not hold root.
        processes: Option<u64> = None, in 1..=1 << 22, example "64";
        /// The most files and connections that each of its processes has open.
        open_files: Option<u64> = None, in 8..=1 << 20, example "256";
        /// The folder in which it is started; by default that of the gate.
        cwd: Option<Location> = None, example "\"/srv\"";
        /// Where the server waits: it speaks streamable HTTP. What its variables stand for is a secret. Either this, or `command`, or `workspace`.
        url: Option<Url> = None, example "\"https://mcp.example/mcp\"";
        /// A folder whose files the built-in server offers, and nothing outside of it. Either this, or `command`, or `url`.
        workspace: Option<Location> = None, example "\".\"";
        /// Headers of every request to it.
        headers: BTreeMap<String, Secret> = BTreeMap::new(), example "{ Authorization = \"Bearer ${API_TOKEN}\" }";
        /// Whether a client's `Authorization` header goes to the server, too.
        forward_authorization: bool = false, example "true";
        /// How far the gate goes.
        mode: Mode = Mode::Enforce, example "\"observe\"";
        /// The shape of envelope that clients get.
        dialect: Dialect = Dialect::Native, example "\"rpc\"";
        /// The codes that the server itself may use.
        contract: Contract = Contract::core(), example "\"errors.toml\"";
        /// The files of plugins: registries with a `[plugin] namespace`, whose codes and tools the server may use, too.
        plugins: Vec<Plugin> = Vec::new(), example "[\"plugins/signing.toml\"]";
        /// How long a request may take, in milliseconds. The first one of a session waits for the server to start, too.
        deadline_ms: u64 = 55_000, in DEADLINE_MS, option "deadline" "MS", example "10000";
        /// The longest message, in bytes.
        max_message_bytes: u64 = 16 << 20, in MESSAGE_BYTES, option "max-message" "BYTES", example "1048576";
        /// Whether sessions share one server.
        sharing: Sharing = Sharing::PerSession, example "\"shared\"";
        /// How many sessions there are at once; one more is refused. Where there can be several callers, the last quarter is kept for those that have less than their share.
        max_sessions: u64 = 64, in 1..=100_000, example "8";
        /// Whether what the server says with a code of its contract reaches the client: message, hint, next steps, details, context. By default a `command` with a `contract` of its own is trusted, a `url` is not.
        trust: Option<bool> = None, example "false";
        /// Whether the server is believed when it calls a tool read-only or idempotent. By default a `command` is, a `url` is not.
        trust_annotations: Option<bool> = None, example "false";
        /// How its failures are answered to clients, where that differs from `[emit]`.
        emit: Emit = Emit::default(), example "";
        /// When its calls are made again, where it differs from `[retry]`.
        retry: Retry = Retry::default(), example "";
        /// When it is not asked for a while, where it differs from `[breaker]`.
        breaker: Breaker = Breaker::default(), example "";
        /// When its repeated calls are answered without asking it, where it differs from `[loop]`.
        r#loop: Loop = Loop::default(), example "";
        /// How much it is asked, where it differs from `[limits]`.
        limits: Limits = Limits::default(), example "";
        /// What answers of it mean, where neither it nor its contract says so.
        r#match: Vec<Match> = Vec::new(), example "[{ text = \"No such order*\", code = \"NOT_FOUND\", example = \"No such order 7\" }]";
        /// Its tools.
        tool: NamedSections<Tool> = NamedSections::default(), example "";
    }
    check check_server
}

section! {
    /// What differs for one tool of the server.
    pub struct Tool (name: String) {
        /// How long a call may take, in milliseconds.
        deadline_ms: Option<u64> = None, in DEADLINE_MS, example "300000";
    }
}

/// How long a request may take, in milliseconds.
pub(crate) const DEADLINE_MS: std::ops::RangeInclusive<u64> = 1..=86_400_000;

/// How long a message may be, in bytes.
pub(crate) const MESSAGE_BYTES: std::ops::RangeInclusive<u64> = 1024..=1 << 30;

fn check_server(server: &Server, table: &mut ConfigTable<'_, '_>) {
    let path = table.path().to_owned();
    let kinds = ["command", "url", "workspace"].map(|it| (it, table.has(it)));
    let mut given = kinds.iter().filter(|it| it.1).map(|it| it.0);
    match (given.next(), given.next()) {
        (Some(one), Some(other)) => {
            table.refuse(
                other,
                format!("[{path}] has a `{one}` and a `{other}`; it must be one of them."),
            );
        }
        (None, _) => {
            table.refuse("", format!("[{path}] needs a `command`, a `url` or a `workspace`."));
        }
        (Some(kind), None) => check_kind(server, kind, table),
    }
    let plugins = Plugins::default();
    for plugin in &server.plugins {
        if let Err(problem) = plugins.register_all(&plugin.registry) {
            let file = plugin.file.to_string_lossy();
            table.refuse("plugins", format!("`{path}.plugins` cannot take {file} in: {problem}"));
        }
    }
    taught::check(&server.r#match, &server.own_codes(), table);
    for name in server.env.keys().filter(|it| it.is_empty() || it.contains(['=', '\0'])) {
        table
            .refuse("env", format!("`{path}.env` has a name that no variable can have: {name:?}."));
    }
    for name in server.headers.keys().filter(|it| !is_header(it)) {
        table.refuse(
            "headers",
            format!("`{path}.headers` has a name that no header can have: {name:?}."),
        );
    }
    for name in server.headers.keys().filter(|it| RemoteAddress::writes(it)) {
        let problem = format!("`{path}.headers` has {name:?}, which the gate writes itself.");
        table.refuse("headers", problem);
    }
    if server
        .headers
        .values()
        .any(|it| it.reveal().contains(|it: char| it.is_ascii_control() && it != '\t'))
    {
        table.refuse("headers", format!("`{path}.headers` has a value that no header can have."));
    }
}

/// What is wrong for this kind of server alone.
fn check_kind(server: &Server, kind: &str, table: &mut ConfigTable<'_, '_>) {
    let is_list = |it: Given<'_>| it.value.get_ref().is_array();
    let is_without_program =
        server.command.is_empty() || server.command.first().is_some_and(|it| it.0.is_empty());
    if kind == "command" && is_without_program && table.given("command").is_some_and(is_list) {
        let problem = format!("`{}.command` must start with a program.", table.path());
        table.refuse("command", problem);
    }
    if kind != "url" {
        let (headers, forwards) = (!server.headers.is_empty(), server.forward_authorization);
        only_for("url", &[("headers", headers), ("forward_authorization", forwards)], table);
    }
    if kind != "command" {
        let keys = [
            ("env", !server.env.is_empty()),
            ("cwd", server.cwd.is_some()),
            ("inherit_env", server.inherit_env != Inherit::Named(Vec::new())),
            ("memory", server.memory.is_some()),
            ("processes", server.processes.is_some()),
            ("open_files", server.open_files.is_some()),
        ];
        only_for("command", &keys, table);
    }
}

/// Reports keys that mean nothing for this kind of server.
fn only_for(kind: &str, keys: &[(&str, bool)], table: &mut ConfigTable<'_, '_>) {
    for (key, _) in keys.iter().filter(|it| it.1) {
        let problem = format!("`{}.{key}` has a meaning only with `{kind}`.", table.path());
        table.refuse(key, problem);
    }
}

fn is_header(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it))
}

impl Server {
    /// A program that is named by a path is where the file says, whatever folder it is started in. One without a `/` is looked for in PATH.
    pub(super) fn find_program(&mut self, environment: &dyn Environment) {
        let Some(Word(program)) = self.command.first_mut() else { return };
        let Some(written) = program.to_str().filter(|it| it.contains('/')) else { return };
        let path = environment.path(written);
        // The system looks for a relative one only after it has gone into `cwd`.
        *program = std::path::absolute(&path).unwrap_or(path).into();
    }
}

impl NamedSection for Server {
    fn name_rule(name: &str) -> Result<(), &'static str> {
        const MOST_CHARS: usize = 64;
        let is_fine =
            |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b"-_.".contains(&it);
        if name.len() > MOST_CHARS {
            Err("it has more than 64 characters")
        } else if !name.bytes().all(is_fine) {
            Err("it may have lower-case letters, digits, `-`, `_` and `.`")
        } else if !name.starts_with(|it: char| it.is_ascii_alphanumeric()) {
            Err("it must start with a letter or digit")
        } else {
            Ok(())
        }
    }

    fn called(&self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self.clone() }
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl NamedSection for Tool {
    fn name_rule(name: &str) -> Result<(), &'static str> {
        if name.is_empty() { Err("it is empty") } else { Ok(()) }
    }

    fn called(&self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self.clone() }
    }

    fn name(&self) -> &str {
        &self.name
    }
}
