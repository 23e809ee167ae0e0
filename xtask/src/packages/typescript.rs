//! The TypeScript runtime: built for ESM and CommonJS, tried with the official SDKs of both generations, and measured.

use std::{
    fs, iter,
    path::{Path, PathBuf},
    process::Command,
};

use redress::package::{Runtime, package};

use super::{
    Bench, done,
    pages::{CARD, answer},
    registry_at, told, write,
};

/// The most lines that the export of a registry of five codes has.
const MAX_EXPORT_LINES: usize = 400;

/// How `tsc` reads the tests, which Node runs as they are.
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

/// A program in CommonJS.
const REQUIRES: &str = "const { card, fault } = require('redress-runtime');\nconst { toEnvelope } = require('redress-runtime/atlas');\n\
    if (!card(fault('TIMEOUT').fault).startsWith('TIMEOUT: ') || toEnvelope('x').cause !== 'x') throw new Error('CommonJS');\n";

impl Bench {
    /// Builds the runtime where the exports find it, for both kinds of modules.
    pub(super) fn build_runtime(&self) -> Result<(), String> {
        let source = self.root.join("packages/typescript");
        let target = self.folder.join("node_modules/redress-runtime");
        for name in ["package.json", "tsconfig.json", "build.mjs"] {
            copy(&source.join(name), &target.join(name))?;
        }
        for path in files(&source.join("src"))? {
            copy(&path, &target.join("src").join(path.file_name().unwrap_or_default()))?;
        }
        self.node(&target, &["build.mjs".as_ref()])?;
        let script = self.folder.join("requires.cjs");
        write(&script, REQUIRES)?;
        self.node(&self.folder, &[script.as_ref()])?;
        let sources = files(&source.join("src"))?;
        let (data, code): (Vec<_>, Vec<_>) =
            sources.iter().partition(|it| it.ends_with("shipped.ts") || it.ends_with("facts.ts"));
        println!("TypeScript runtime: {} bytes of code, {} of data", size(&code)?, size(&data)?);
        Ok(())
    }

    /// An export that holds the runtime compiles and runs by itself; and how large each kind is.
    pub(super) fn standalone(&self) -> Result<(), String> {
        let registry = self.registry("notes")?;
        let form = package("typescript").ok_or("the export to TypeScript is gone")?;
        let folder = self.folder.join("standalone");
        for file in (form.files)(&registry, Runtime::Bundled) {
            write(&folder.join(&file.path), &file.text)?;
        }
        let tsc = self.peers.module("typescript/bin/tsc");
        self.node(&folder, &[tsc.as_ref(), "-p".as_ref(), ".".as_ref()])?;
        let runs = "import { fault } from './dist/index.js'; if (fault('NOTE_NOT_FOUND', { id: 'n' }).code !== 'NOTE_NOT_FOUND') throw 1;";
        write(&folder.join("runs.mjs"), runs)?;
        self.node(&folder, &["runs.mjs".as_ref()])?;
        let five = five_codes(&self.root)?;
        let export = (form.files)(&five, Runtime::Imported);
        let index = export.first().map_or("", |it| &it.text);
        let lines = index.lines().count();
        println!("TypeScript export of five codes: {lines} lines, {} bytes", index.len());
        if lines > MAX_EXPORT_LINES {
            return Err(format!("the export of five codes has {lines} lines"));
        }
        Ok(())
    }

    /// The server that the page for TypeScript authors shows, with its own codes and the runtime inside, as the page says.
    pub(super) fn typescript_page(&self) -> Result<(), String> {
        let folder = self.folder.join("docs-typescript");
        for file in ["errors.toml", "server.ts"] {
            self.put("docs/guides/typescript.md", file, &folder)?;
        }
        write(&folder.join("package.json"), "{ \"type\": \"module\" }\n")?;
        let registry = registry_at(&folder.join("errors.toml"))?;
        let form = package("typescript").ok_or("the export to TypeScript is gone")?;
        for file in (form.files)(&registry, Runtime::Bundled) {
            write(&folder.join("notes-errors").join(&file.path), &file.text)?;
        }
        let answer = answer(Command::new(self.peers.node()).arg("server.ts").current_dir(&folder))?;
        if !answer.contains(CARD) || !answer.contains(r#""dev.redress/fault":{"v":1,"#) {
            return Err(format!("server.ts of docs/guides/typescript.md: {answer}"));
        }
        let mut check = Command::new(self.peers.node());
        check.arg(self.peers.module("typescript/bin/tsc")).args(TYPED).arg("server.ts");
        done(check.current_dir(&folder))
    }

    /// The tests of the runtime, which are type-checked, too: the seeds' samples, and what handlers throw and return.
    pub(super) fn runtime_tests(&self) -> Result<(), String> {
        let folder = self.folder.join("runtime-tests");
        let mut names = Vec::new();
        for path in files(&self.root.join("packages/typescript/test"))? {
            let name = path.file_name().unwrap_or_default().to_owned();
            copy(&path, &folder.join(&name))?;
            names.push(name);
        }
        let tsc = self.peers.module("typescript/bin/tsc");
        let mut check = Command::new(self.peers.node());
        done(check.arg(tsc).args(TYPED).args(&names).current_dir(&folder))?;
        let mut tests = Command::new(self.peers.node());
        tests.args(["--test", "--test-reporter=tap"]).args(&names).current_dir(&folder);
        let (is_fine, text) = told(&mut tests)?;
        let count = |key: &str| {
            let line = text.lines().find_map(|it| it.strip_prefix(key));
            line.and_then(|it| it.trim().parse::<usize>().ok()).unwrap_or_default()
        };
        println!("ran: {} TypeScript tests", count("# pass "));
        if is_fine && count("# fail ") == 0 && count("# skipped ") == 0 {
            return Ok(());
        }
        Err(format!("the tests of packages/typescript: {text}"))
    }
}

/// The example with four codes more.
fn five_codes(root: &Path) -> Result<std::sync::Arc<redress_registry::Registry>, String> {
    let path = root.join("tests/packages/notes/errors.toml");
    let text = fs::read_to_string(&path).map_err(|it| format!("{}: {it}", path.display()))?;
    let one = text.split("[code.NOTE_NOT_FOUND]").nth(1).and_then(|it| it.split("\n[").next());
    let one = one.ok_or("the example has no code")?;
    let rows = (1..5).map(|at| {
        let row = one.replace("5000", &format!("501{at}"));
        let row = row.replace("E_NOTE_NOT_FOUND", &format!("E_NOTE_{at}_LOST"));
        format!("\n[code.NOTE_{at}_LOST]{row}\n")
    });
    let all: Vec<_> = iter::once(text.clone()).chain(rows).collect();
    let source = redress_registry::Source::new("errors.toml", &all.concat());
    redress_registry::load(&source, &|_, _| None)
        .map_err(|it| it.first().map_or_else(String::new, |it| it.message.clone()))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(folder).map_err(|it| format!("{}: {it}", folder.display()))?;
    let mut files: Vec<_> = read.flatten().map(|it| it.path()).filter(|it| it.is_file()).collect();
    files.sort();
    Ok(files)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let text = fs::read_to_string(from).map_err(|it| format!("{}: {it}", from.display()))?;
    write(to, &text)
}

fn size(paths: &[&PathBuf]) -> Result<u64, String> {
    let sizes = paths.iter().map(|it| fs::metadata(it).map(|it| it.len()));
    sizes.sum::<std::io::Result<u64>>().map_err(|it| it.to_string())
}
