//! The clients and the servers that the docs show work as they stand there.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{Bench, done, told, write};
use crate::peers::target;

/// How `tsc` reads what Node runs as it is.
const TYPED: &[&str] = &[
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "--allowImportingTsExtensions",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "node",
];

/// A client that opens a session and asks for a note that is not there.
const ASKS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"page","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_note","arguments":{"id":"n-7"}}}
"#;

/// What the model must hear of it, as a part of a line of JSON.
pub(super) const CARD: &str = r#""NOTE_NOT_FOUND: There is no note \"n-7\".\nRetry: only with other arguments (id). Nothing was changed.\nFix: List the notes, then use an id from the list.\nNext: list_notes""#;

/// The pages that show a server, whose clients are on another page.
const TYPESCRIPT: &str = "docs/guides/typescript.md";
const PYTHON: &str = "docs/guides/python.md";

impl Bench {
    pub(super) fn clients(&self) -> Result<(), String> {
        let folder = self.docs()?;
        let mut path = vec![target()?.join("debug")];
        path.extend(self.peers.node().parent().map(Path::to_owned));
        path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let path = env::join_paths(path).map_err(|it| it.to_string())?;
        for (file, page, server, program) in [
            ("client.ts", TYPESCRIPT, "server.ts", self.peers.node()),
            ("client.py", PYTHON, "server.py", self.peers.python()),
        ] {
            self.put(page, server, &folder)?;
            self.put("docs/guides/clients.md", file, &folder)?;
            let said =
                told(Command::new(program).arg(file).current_dir(&folder).env("PATH", &path))?;
            if !said.0 || !said.1.contains("NOTE_NOT_FOUND: change_arguments.") {
                return Err(format!("{file} of docs/guides/clients.md: {}", said.1));
            }
        }
        Ok(())
    }

    pub(super) fn servers(&self) -> Result<(), String> {
        let folder = self.docs()?;
        for (page, file, program) in [
            (TYPESCRIPT, "server.ts", self.peers.node()),
            (PYTHON, "server.py", self.peers.python()),
        ] {
            self.put(page, file, &folder)?;
            let answer = answer(Command::new(program).arg(file).current_dir(&folder))?;
            if !answer.contains(CARD) || !answer.contains(r#""dev.redress/fault":{"v":1,"#) {
                return Err(format!("{file} of {page}: {answer}"));
            }
        }
        let tsc = self.peers.module("typescript/bin/tsc");
        let mut node = Command::new(self.peers.node());
        node.arg(tsc).args(TYPED).args(["client.ts", "server.ts", "makes.ts"]);
        let mut python = Command::new(self.peers.python());
        python.args([
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "client.py",
            "server.py",
            "makes.py",
        ]);
        [node, python].iter_mut().try_for_each(|it| done(it.current_dir(&folder)))
    }

    /// A folder with what the programs of the docs use.
    pub(super) fn docs(&self) -> Result<PathBuf, String> {
        let folder = self.folder.join("docs");
        let notes = self.folder.join("notes");
        let scripts = self.root.join("tests/packages");
        for (from, to) in [
            (notes.join("typescript/index.ts"), "notes-errors/index.ts"),
            (notes.join("python/notes_errors/__init__.py"), "notes_errors/__init__.py"),
            (notes.join("python/notes_errors/py.typed"), "notes_errors/py.typed"),
            (scripts.join("notes/errors.toml"), "errors.toml"),
            (scripts.join("makes.ts"), "makes.ts"),
            (scripts.join("makes.py"), "makes.py"),
        ] {
            write(&folder.join(to), &read(&from)?)?;
        }
        Ok(folder)
    }

    /// Puts a program that a page shows into a folder.
    pub(super) fn put(&self, page: &str, file: &str, folder: &Path) -> Result<(), String> {
        let text = read(&self.root.join(page))?;
        let block = text
            .split("```")
            .find_map(|it| it.split_once('\n').filter(|it| it.0.ends_with(&format!(" {file}"))));
        let (_, text) = block.ok_or_else(|| format!("{page} shows no {file}"))?;
        write(&folder.join(file), text)
    }
}

/// What a server on pipes answers to the last request.
pub(super) fn answer(command: &mut Command) -> Result<String, String> {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = piped.spawn().map_err(|it| format!("{command:?} did not start: {it}"))?;
    let (Some(mut input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
        return Err(format!("{command:?} has no pipes"));
    };
    input.write_all(ASKS.as_bytes()).map_err(|it| it.to_string())?;
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let answer = lines.find(|it| it.contains(r#""id":2"#));
    drop(input);
    server.kill().and_then(|()| server.wait()).map_err(|it| it.to_string())?;
    answer.ok_or_else(|| format!("{command:?} did not answer"))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|it| format!("{}: {it}", path.display()))
}
