//! `cargo xtask packages`: the exported packages compile, say what the registries say, agree with the shared vectors, and
//! work with the official clients before a live server behind the gate.

mod pages;
mod python;
mod typescript;

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use redress::package::{PACKAGES, Package, Runtime};
use redress_registry::{Registry, Source, canonical, load, shipped};
use serde_json::{Value, json};

use crate::{
    conformance,
    peers::{Peers, target},
};

/// Exports the packages of `core`, of the example and of a hostile registry, and tries them.
pub(crate) fn run(root: &Path) -> Vec<String> {
    match Bench::new(root) {
        Ok(bench) => match bench.link_python() {
            Ok(()) => bench.all(),
            Err(problem) => vec![problem],
        },
        Err(problem) => vec![problem],
    }
}

/// Where the packages are tried: below the peers, so that Node finds these.
struct Bench {
    root: PathBuf,
    peers: Peers,
    folder: PathBuf,
}

impl Bench {
    fn new(root: &Path) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|it| it.to_string())?;
        let peers = Peers::install(&root)?;
        conformance::build(&root)?;
        let folder = peers.folder("packages");
        drop(fs::remove_dir_all(&folder));
        Ok(Self { root, peers, folder })
    }

    fn all(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut checks = 0;
        let mut try_one = |done: Result<(), String>| match done {
            Ok(()) => checks += 1,
            Err(problem) => problems.push(problem),
        };
        try_one(self.build_runtime());
        for registry in
            [Ok(Arc::clone(shipped::core())), self.registry("notes"), self.registry("hostile")]
        {
            match registry.and_then(|it| self.export(&it).map(|()| it)) {
                Ok(registry) => {
                    try_one(self.typescript(&registry));
                    try_one(self.python(&registry));
                }
                Err(problem) => try_one(Err(problem)),
            }
        }
        try_one(self.standalone());
        try_one(self.typescript_page());
        try_one(self.runtime_tests());
        try_one(self.python_runtime());
        try_one(self.vectors());
        try_one(self.live());
        try_one(self.clients());
        try_one(self.servers());
        println!("ran: {checks} checks");
        problems
    }

    fn registry(&self, name: &str) -> Result<Arc<Registry>, String> {
        registry_at(&self.root.join("tests/packages").join(name).join("errors.toml"))
    }

    /// The packages of a registry, and the registry itself to compare them with.
    fn export(&self, registry: &Arc<Registry>) -> Result<(), String> {
        let folder = self.folder.join(&*registry.name);
        for Package { name, files, .. } in PACKAGES {
            for file in files(registry, Runtime::Imported) {
                write(&folder.join(name).join(&file.path), &file.text)?;
            }
        }
        write(&folder.join("registry.json"), &canonical(registry))
    }

    fn typescript(&self, registry: &Registry) -> Result<(), String> {
        let folder = self.folder.join(&*registry.name);
        let package = folder.join("typescript");
        self.node(
            &package,
            &[self.peers.module("typescript/bin/tsc").as_ref(), "-p".as_ref(), ".".as_ref()],
        )?;
        let script = self.root.join("tests/packages/rows.mjs");
        for index in ["index.ts", "dist/index.js"] {
            self.node(
                &package,
                &[
                    script.as_ref(),
                    package.join(index).as_ref(),
                    folder.join("registry.json").as_ref(),
                ],
            )?;
        }
        Ok(())
    }

    fn python(&self, registry: &Registry) -> Result<(), String> {
        let folder = self.folder.join(&*registry.name);
        let package = folder.join("python");
        let module = module(registry);
        self.python_run(
            &package,
            &["-m", "mypy", "--strict", "--no-error-summary", &module, "tests"],
        )?;
        let script = self.root.join("tests/packages/rows.py");
        self.python_run(&package, &[&*script.to_string_lossy(), ".", &module, "../registry.json"])
    }

    /// What every language must make of the same input.
    fn vectors(&self) -> Result<(), String> {
        let [scripts, vectors] = ["tests/packages", "tests/vectors"].map(|it| self.root.join(it));
        let core = self.folder.join("core");
        let script = scripts.join("vectors.mjs");
        self.node(
            &core,
            &[script.as_ref(), core.join("typescript/index.ts").as_ref(), vectors.as_ref()],
        )
    }

    /// The contract tests, by the official clients, before a server behind the gate; and that they miss what is missing.
    fn live(&self) -> Result<(), String> {
        let calls = self.calls()?;
        let mut fewer = calls.clone();
        if let Some(calls) = fewer.get_mut("calls").and_then(Value::as_object_mut) {
            calls.retain(|code, _| code == "UNKNOWN_TOOL_FAILURE");
        }
        for (name, calls, holds) in [("all", calls, true), ("fewer", fewer, false)] {
            let path = self.folder.join(format!("{name}.calls.json"));
            write(&path, &calls.to_string())?;
            let vitest = self.peers.module("vitest/vitest.mjs");
            let mut node = Command::new(self.peers.node());
            node.arg(vitest)
                .args(["run", "--reporter=default"])
                .current_dir(self.folder.join("notes/typescript"));
            let mut python = Command::new(self.peers.python());
            python.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]);
            python.current_dir(self.folder.join("notes/python")).env("PYTHONPATH", ".");
            for command in [&mut node, &mut python] {
                let told = told(command.env("CONTRACT_CALLS", &path).env("NO_COLOR", "1"))?;
                let is_missed = told.1.contains("no call provokes NOTE_NOT_FOUND");
                if told.0 != holds || is_missed == holds {
                    return Err(format!("the contract test with {name} calls: {}", told.1));
                }
            }
        }
        Ok(())
    }

    /// The calls of the example, with a command that works from anywhere.
    fn calls(&self) -> Result<Value, String> {
        let scripts = self.root.join("tests/packages");
        let text = fs::read_to_string(scripts.join("notes/contract.calls.json"))
            .map_err(|it| it.to_string())?;
        let mut calls: Value = serde_json::from_str(&text).map_err(|it| it.to_string())?;
        let command = calls.pointer_mut("/server/command").and_then(Value::as_array_mut);
        for word in command.into_iter().flatten() {
            let path = match word.as_str() {
                Some("redress") => target()?.join("debug/redress"),
                Some("node") => self.peers.node(),
                Some("errors.toml") => scripts.join("notes/errors.toml"),
                Some("server.mjs") => scripts.join("server.mjs"),
                _ => continue,
            };
            *word = json!(path);
        }
        Ok(calls)
    }

    fn node(&self, folder: &Path, args: &[&OsStr]) -> Result<(), String> {
        done(Command::new(self.peers.node()).args(args).current_dir(folder))
    }

    fn python_run(&self, folder: &Path, args: &[&str]) -> Result<(), String> {
        done(Command::new(self.peers.python()).args(args).current_dir(folder))
    }
}

/// The registry that a file holds.
fn registry_at(path: &Path) -> Result<Arc<Registry>, String> {
    let text = fs::read_to_string(path).map_err(|it| format!("{}: {it}", path.display()))?;
    let read = load(&Source::new(&path.to_string_lossy(), &text), &|_, _| None);
    read.map_err(|it| format!("{}: {}", path.display(), it.first().map_or("", |it| &it.message)))
}

/// The name of a registry's Python package.
fn module(registry: &Registry) -> String {
    registry.name.replace('-', "_") + "_errors"
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|it| format!("{}: {it}", path.display()))
}

fn done(command: &mut Command) -> Result<(), String> {
    let (is_fine, text) = told(command)?;
    if is_fine {
        print!("{text}");
        return Ok(());
    }
    Err(format!("{command:?}: {text}"))
}

/// Whether a command ended well, and what it said.
fn told(command: &mut Command) -> Result<(bool, String), String> {
    let ran = command.output().map_err(|it| format!("{command:?} did not start: {it}"))?;
    let text = [ran.stdout, ran.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    Ok((ran.status.success(), text.concat()))
}
