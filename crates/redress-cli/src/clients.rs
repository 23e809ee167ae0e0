//! The MCP clients whose configuration is known: where the files are, and under which keys they name their servers. `document.rs` finds
//! the servers in a file, `file.rs` reads and replaces one, `placeholder.rs` fills in what a client fills in.

pub(crate) mod document;
pub(crate) mod file;
pub(crate) mod placeholder;

use std::{
    env,
    path::{Path, PathBuf},
};

use redress_registry::nearest::nearest;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    /// JSON, with comments and trailing commas if the client takes them.
    Json,
    /// TOML.
    Toml,
    /// YAML, which is shown how to change and never changed.
    Yaml,
}

/// How an entry says that it has a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Local {
    /// By its command.
    Plain,
    /// By this `type`.
    Typed(&'static str),
    /// By this `type`; its command and arguments are one list, and its variables are called `environment`.
    List(&'static str),
}

/// A place of the user's own files.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// Below the home directory.
    Home(&'static str),
    /// Below `XDG_CONFIG_HOME`, or else `~/.config`.
    Config(&'static str),
    /// Below the system's folder for the data of applications.
    Application(&'static str),
    /// Below a directory that a variable names, or else below the home directory.
    Variable(&'static str, &'static str, &'static str),
}

/// An MCP client.
#[derive(Debug)]
pub(crate) struct Client {
    /// What `--client` calls it.
    pub(crate) name: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    user: &'static [Base],
    /// Its files in a project.
    project: &'static [&'static str],
    /// Its files that an administrator writes.
    managed: &'static [&'static str],
    /// The tables that name servers, as paths of keys; `*` is any key.
    pub(crate) keys: &'static [&'static [&'static str]],
    pub(crate) format: FileFormat,
    /// How an entry says that it has a command and no URL.
    pub(crate) local: Local,
}

/// A file of a client that exists.
#[derive(Debug)]
pub(crate) struct ClientFile {
    pub(crate) client: &'static Client,
    pub(crate) path: PathBuf,
    /// The directory that it must not leave through a link.
    pub(crate) home: PathBuf,
    /// An administrator writes it.
    pub(crate) is_managed: bool,
}

const SERVERS: &[&[&str]] = &[&["mcpServers"]];

use Base::{Application, Config, Home, Variable};

/// Every client, one row each.
#[rustfmt::skip]
pub(crate) const CLIENTS: &[Client] = &[
    Client { name: "claude-code", title: "Claude Code", user: &[Home(".claude.json")], project: &[".mcp.json"],
        managed: &["/etc/claude-code/managed-mcp.json", "/Library/Application Support/ClaudeCode/managed-mcp.json"],
        keys: &[&["mcpServers"], &["projects", "*", "mcpServers"]], format: FileFormat::Json, local: Local::Plain },
    Client { name: "claude-desktop", title: "Claude Desktop", user: &[Application("Claude/claude_desktop_config.json")],
        project: &[], managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Plain },
    Client { name: "cursor", title: "Cursor", user: &[Home(".cursor/mcp.json")], project: &[".cursor/mcp.json"],
        managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Plain },
    Client { name: "vscode", title: "VS Code", user: &[Application("Code/User/mcp.json")], project: &[".vscode/mcp.json"],
        managed: &[], keys: &[&["servers"]], format: FileFormat::Json, local: Local::Typed("stdio") },
    Client { name: "copilot", title: "Copilot CLI", user: &[Home(".copilot/mcp-config.json")],
        project: &[".mcp.json", ".github/mcp.json"], managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Typed("local") },
    Client { name: "codex", title: "Codex", user: &[Variable("CODEX_HOME", "config.toml", ".codex/config.toml")],
        project: &[".codex/config.toml"], managed: &["/etc/codex/config.toml"], keys: &[&["mcp_servers"]], format: FileFormat::Toml, local: Local::Plain },
    Client { name: "gemini", title: "Gemini CLI", user: &[Home(".gemini/settings.json")], project: &[".gemini/settings.json"],
        managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Plain },
    Client { name: "windsurf", title: "Windsurf", user: &[Home(".codeium/windsurf/mcp_config.json")], project: &[],
        managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Plain },
    Client { name: "zed", title: "Zed", user: &[Config("zed/settings.json")], project: &[".zed/settings.json"],
        managed: &[], keys: &[&["context_servers"]], format: FileFormat::Json, local: Local::Plain },
    Client { name: "opencode", title: "OpenCode", user: &[Config("opencode/opencode.jsonc"), Config("opencode/opencode.json")],
        project: &["opencode.jsonc", "opencode.json"], managed: &[], keys: &[&["mcp"]], format: FileFormat::Json, local: Local::List("local") },
    Client { name: "goose", title: "Goose", user: &[Config("goose/config.yaml")], project: &[".goose/config.yaml"],
        managed: &[], keys: &[&["extensions"]], format: FileFormat::Yaml, local: Local::Plain },
    Client { name: "kiro", title: "Kiro", user: &[Home(".kiro/settings/mcp.json")], project: &[".kiro/settings/mcp.json"],
        managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Plain },
    Client { name: "cline", title: "Cline", user: &[Home(".cline/data/settings/cline_mcp_settings.json"),
        Application("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")],
        project: &[], managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Plain },
    Client { name: "antigravity", title: "Antigravity", user: &[Home(".gemini/config/mcp_config.json")], project: &[],
        managed: &[], keys: SERVERS, format: FileFormat::Json, local: Local::Plain },
];

/// Reads the name of a client on the command line.
pub(crate) fn named(given: &str) -> Result<String, String> {
    let names = || CLIENTS.iter().map(|it| it.name);
    if names().any(|it| it == given) {
        return Ok(given.to_owned());
    }
    let meant =
        nearest(given, names()).map_or_else(String::new, |it| format!(", did you mean {it}?"));
    Err(format!("no client of that name is known{meant}"))
}

/// The files of these clients that are there: of the user, of a project, of the administrator. A file that two clients read is
/// named once.
pub(crate) fn files(chosen: &[String], project: &Path) -> Vec<ClientFile> {
    let mut found: Vec<ClientFile> = Vec::new();
    let is_chosen = |it: &&Client| chosen.is_empty() || chosen.iter().any(|name| name == it.name);
    for client in CLIENTS.iter().filter(is_chosen) {
        let user = client.user.iter().filter_map(|it| it.path()).map(|path| (path, home(), false));
        let of_project = client.project.iter();
        let of_project = of_project.map(|it| (project.join(it), Some(project.to_owned()), false));
        let managed = client.managed.iter().map(|it| (PathBuf::from(it), None, true));
        for (path, home, is_managed) in user.chain(of_project).chain(managed) {
            let is_new = found.iter().all(|it| it.path != path);
            if is_new && path.symlink_metadata().is_ok() {
                let home = home.unwrap_or_else(|| path.parent().unwrap_or(&path).to_owned());
                found.push(ClientFile { client, path, home, is_managed });
            }
        }
    }
    found
}

impl Base {
    fn path(self) -> Option<PathBuf> {
        match self {
            Self::Home(below) => Some(home()?.join(below)),
            Self::Config(below) => {
                let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")));
                Some(config?.join(below))
            }
            Self::Application(below) => Some(application_data()?.join(below)),
            Self::Variable(name, below, below_home) => {
                variable(name).map(|it| it.join(below)).or_else(|| Some(home()?.join(below_home)))
            }
        }
    }
}

fn home() -> Option<PathBuf> {
    variable("HOME")
}

/// Where the system keeps the data of applications.
fn application_data() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return Some(home()?.join("Library/Application Support"));
    }
    variable("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
}

/// An absolute path in a variable.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute())
}
