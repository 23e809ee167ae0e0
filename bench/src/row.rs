//! The rows: each a way from the callers to the server.

mod table;

use std::path::{Path, PathBuf};

pub(crate) use self::table::{ROWS, row};
use crate::{
    fallible::Fallible,
    place::{Place, WORKSPACE},
};

/// What the callers speak, and what the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crossing {
    StdioToStdio,
    HttpToHttp,
    HttpToStdio,
}

impl Crossing {
    pub(crate) const fn is_http(self) -> bool {
        !matches!(self, Self::StdioToStdio)
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::StdioToStdio => "stdio → stdio",
            Self::HttpToHttp => "HTTP → HTTP",
            Self::HttpToStdio => "HTTP → stdio",
        }
    }

    /// The row without anything between: what the callers speak decides.
    pub(crate) const fn direct(self) -> &'static str {
        if self.is_http() { "direct-http" } else { "direct-stdio" }
    }

    /// The row that no gate can be faster than.
    pub(crate) const fn limit(self) -> &'static str {
        match self {
            Self::StdioToStdio => "pipe",
            Self::HttpToHttp => "bridge-hh",
            Self::HttpToStdio => "bridge-hs",
        }
    }
}

/// One way from the callers to the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    pub(crate) crossing: Crossing,
    /// Its command; empty when nothing is to be started. `{…}` stand for what [`Fill`] knows.
    pub(crate) command: &'static str,
    pub(crate) file: File,
    /// Where it listens below its address.
    pub(crate) path: &'static str,
    /// What it puts before the names of tools.
    pub(crate) prefix: &'static str,
    /// Whether its callers begin a session in the workspace first.
    pub(crate) is_governed: bool,
}

/// What is in `{file}`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum File {
    None,
    Text(&'static str),
    /// So many servers of the gate at one address, each at `/sN/mcp`.
    Servers(usize),
}

/// The values for the words in braces.
#[derive(Debug)]
pub(crate) struct Fill<'a> {
    pub(crate) place: &'a Place,
    /// The directory of this start.
    pub(crate) dir: &'a Path,
    /// Where the row is to listen.
    pub(crate) port: u16,
    /// Where the server listens.
    pub(crate) server: std::net::SocketAddr,
}

impl Row {
    /// The row of that name.
    pub(crate) fn named(name: &str) -> Fallible<&'static Self> {
        let known = || ROWS.iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
        let found = ROWS.iter().find(|it| it.name == name);
        found.ok_or_else(|| format!("no row is called `{name}`; there are {}", known()).into())
    }

    pub(crate) fn is_direct(&self) -> bool {
        self.crossing.direct() == self.name
    }

    /// Whether a process is started for it.
    pub(crate) const fn has_process(&self) -> bool {
        !self.command.is_empty()
    }

    /// What is not installed that it needs.
    pub(crate) fn missing(&self, place: &Place) -> Option<PathBuf> {
        let peers = place.peers.clone().unwrap_or_else(|| PathBuf::from("$BENCH_PEERS"));
        let needed = self.command.split(' ').filter_map(|it| it.strip_prefix("{peers}/"));
        needed.map(|it| peers.join(it)).find(|it| !it.exists())
    }

    /// The command, each word of it, with its file written.
    pub(crate) fn command(&self, fill: &Fill<'_>) -> Fallible<Vec<String>> {
        let text = match self.file {
            File::None => String::new(),
            File::Text(text) => fill.text(text),
            File::Servers(count) => (0..count)
                .map(|it| {
                    fill.text(&format!("[server.s{it}]\nurl = \"{{url}}\"\nmax_sessions = 10000\n"))
                })
                .collect(),
        };
        std::fs::write(fill.dir.join("file"), text)?;
        Ok(fill.command(self.command))
    }
}

impl Fill<'_> {
    /// A command in words; a whole server's command may stand for one of them.
    pub(crate) fn command(&self, words: &str) -> Vec<String> {
        let mut command = Vec::new();
        for word in words.split(' ') {
            match word {
                "{server}" => {
                    command.push(self.place.me.to_string_lossy().into_owned());
                    command.extend(["part".to_owned(), "upstream".to_owned()]);
                }
                _ => command.push(self.text(word)),
            }
        }
        command
    }

    fn text(&self, text: &str) -> String {
        let shown = |it: &Path| it.to_string_lossy().into_owned();
        let peers = self.place.peers.as_deref().unwrap_or_else(|| Path::new(""));
        text.replace("{me}", &shown(&self.place.me))
            .replace("{gate}", &shown(&self.place.gate))
            .replace("{peers}", &shown(peers))
            .replace("{file}", &shown(&self.dir.join("file")))
            .replace("{ledger}", &shown(&self.dir.join("ledger")))
            .replace("{workspace}", &shown(&self.place.dir().join(WORKSPACE)))
            .replace("{large-ledger}", &shown(&self.place.large_ledger()))
            .replace("{port}", &self.port.to_string())
            .replace("{address}", &self.server.to_string())
            .replace("{url}", &format!("http://{}/mcp", self.server))
            .replace("{server-text}", &format!("{} part upstream", shown(&self.place.me)))
    }
}
