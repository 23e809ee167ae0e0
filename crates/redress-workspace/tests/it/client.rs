//! A client on pipes, and a directory for it.

use std::{
    fs,
    io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use redress_workspace::{Workspace, WorkspaceServer};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A client of a server in this process.
pub(crate) struct Client {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    id: u64,
    /// The root of the workspace.
    pub(crate) root: PathBuf,
    /// What is removed with us.
    kept: Option<TempDir>,
}

impl Client {
    /// A client of a workspace in a new directory with these files in it.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        // Beside it, so that there is something outside, with a name that starts the same.
        let root = dir.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut client = Self::of(&root);
        client.kept = Some(dir);
        client
    }

    /// A client of the workspace in a directory.
    pub(crate) fn of(root: &Path) -> Self {
        let server = WorkspaceServer::start(Workspace::open(root).unwrap()).unwrap();
        Self::on(&Arc::new(server), root)
    }

    /// One more client of a server.
    pub(crate) fn on(server: &Arc<WorkspaceServer>, root: &Path) -> Self {
        let ((theirs, input), (output, ours)) = (pipe().unwrap(), pipe().unwrap());
        let server = Arc::clone(server);
        thread::spawn(move || server.speak(theirs.into(), ours.into()));
        let output = BufReader::new(output);
        let mut client = Self { input, output, id: 0, root: root.to_owned(), kept: None };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        client.ask("initialize", &hello);
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// The answer to a request.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server went away");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == json!(id) {
                return answer;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = [("name", tool.into()), ("arguments", arguments)];
        let params = params.map(|(key, it): (&str, Value)| (key.to_owned(), it));
        let answer = self.ask("tools/call", &Value::Object(params.into_iter().collect()));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// What a call that goes well answers with.
    pub(crate) fn does(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], json!(true), "{tool}: {result:#}");
        result["structuredContent"].clone()
    }

    /// What the model reads of a call: its texts, one after another.
    pub(crate) fn reads(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        let texts = result["content"].as_array().unwrap().iter().map(|it| it["text"].as_str());
        texts.map(Option::unwrap).collect::<Vec<_>>().join("\n--\n")
    }

    /// The fault of a call that fails.
    pub(crate) fn fails(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result:#}");
        let fault = result["_meta"]["dev.redress/fault"].clone();
        let first =
            result["content"][0]["text"].as_str().unwrap().lines().next().unwrap().to_owned();
        assert!(first.starts_with(fault["code"].as_str().unwrap()), "{first}");
        fault
    }

    /// The code of a call that fails.
    pub(crate) fn code(&mut self, tool: &str, arguments: Value) -> String {
        self.fails(tool, arguments)["code"].as_str().unwrap().to_owned()
    }

    /// What is in a file.
    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// The names in a directory, with those of files that are being written.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(path)).unwrap();
        let mut names: Vec<_> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
