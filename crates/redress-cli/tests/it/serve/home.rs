//! A user with a home of its own who starts `redress serve` as everybody does, with nothing but what is usual.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use tempfile::TempDir;

use super::INITIALIZE;
use crate::{
    gate::{
        client::{bad_server, wait},
        http::{Answer, post, request},
    },
    redress::{Ran, made_token, run},
};

/// A user.
pub(crate) struct Home(TempDir);

/// A gate that this user has started.
pub(crate) struct Gate {
    child: Child,
    /// Everything that it said until it listened.
    pub(crate) said: String,
    /// `host:port`
    pub(crate) address: String,
    /// The path of its first server.
    pub(crate) path: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        // Whole at once, as whoever watches it expects.
        fs::write(self.at("new"), text).unwrap();
        fs::rename(self.at("new"), self.at(path)).unwrap();
    }

    /// The token that was made for this user.
    pub(crate) fn token(&self) -> String {
        made_token(&self.state())
    }

    /// Where that token is.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.state().join("redress/serve-token")
    }

    fn state(&self) -> PathBuf {
        self.at(".local/state")
    }

    /// The command, at home here.
    pub(crate) fn redress(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.args(args).env("HOME", self.0.path()).current_dir(self.0.path());
        command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        command
    }

    /// What comes of a gate that does not start.
    pub(crate) fn refused(&self, args: &[&str]) -> Ran {
        run(&mut self.redress(args), b"")
    }

    /// A gate before the bad server.
    pub(crate) fn gate(&self, options: &[&str]) -> Gate {
        let server = bad_server().display().to_string();
        self.serve(&[options, &["--name", "bad", "--", &server]].concat())
    }

    /// A gate with a configuration, in which `SERVER` is the table of the bad server.
    pub(crate) fn configured(&self, config: &str, options: &[&str]) -> Gate {
        self.configure(config);
        self.serve(&[&["--config", "redress.toml"], options].concat())
    }

    pub(crate) fn configure(&self, config: &str) {
        let server = format!("[server.bad]\ncommand = ['{}']\n", bad_server().display());
        self.write("redress.toml", &config.replace("SERVER", &server));
    }

    fn serve(&self, args: &[&str]) -> Gate {
        let listens = args.contains(&"--listen");
        let listen = if listens { &[][..] } else { &["--listen", "127.0.0.1:0"] };
        let mut command = self.redress(&[&["serve"], listen, args].concat());
        Gate::start(command.stderr(Stdio::piped()))
    }
}

impl Gate {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let url = loop {
            let line = lines.next().unwrap_or_else(|| panic!("it ended: {said}")).unwrap();
            said.extend([&*line, "\n"]);
            if let Some((_, url)) = line.split_once("listening on http") {
                break url.trim_start_matches('s').trim_start_matches("://").to_owned();
            }
        };
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let (address, path) = url.split_once('/').unwrap();
        Self { child, said, address: address.to_owned(), path: format!("/{path}") }
    }

    /// The answer to a message that opens a session.
    pub(crate) fn initialize(&self, headers: &[(&str, &str)]) -> Answer {
        self.say(headers, INITIALIZE)
    }

    pub(crate) fn say(&self, headers: &[(&str, &str)], message: &str) -> Answer {
        post(&self.address, &self.path, headers, message.as_bytes()).head()
    }

    /// The status for somebody with a token, or with none.
    pub(crate) fn status(&self, token: Option<&str>) -> u16 {
        let bearer = token.map(|it| format!("Bearer {it}"));
        let headers: Vec<_> = bearer.iter().map(|it| ("Authorization", it.as_str())).collect();
        self.initialize(&headers).status
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        request(&self.address, &format!("GET {path}"), headers, b"").head()
    }

    /// The JSON behind the words of a line.
    pub(crate) fn told(&self, words: &str) -> serde_json::Value {
        let line =
            self.said.lines().find_map(|it| it.strip_prefix("redress: ")?.strip_prefix(words));
        serde_json::from_str(line.unwrap_or_else(|| panic!("{words}: {}", self.said))).unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as an operator does.
    pub(crate) fn end(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        assert_eq!(wait(&mut self.child), 0);
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|it| it.is_none()) {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

/// The mode of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}
