//! The Python runtime: its types, its own tests with each SDK that it wraps, an export that bundles it, and sizes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use redress::package::{Runtime, package};

use super::{
    Bench, done,
    pages::{CARD, answer},
    registry_at, told, write,
};

/// The SDKs besides the peers' own, each in an environment of its own, by the lock files in `tests/peers`.
const OTHERS: [&str; 2] = ["mcp1", "fastmcp"];

/// A registry of five codes on top of `core`, to measure an export.
const CODES: usize = 5;

impl Bench {
    /// Makes the runtime importable for the peers' Python, as an installation would.
    pub(super) fn link_python(&self) -> Result<(), String> {
        let ask = ["-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"];
        let (is_fine, folder) = told(Command::new(self.peers.python()).args(ask))?;
        if !is_fine {
            return Err(folder);
        }
        let sources = self.python_package().join("src");
        write(
            &Path::new(folder.trim()).join("redress_runtime.pth"),
            &format!("{}\n", sources.display()),
        )
    }

    /// The types, the tests with every SDK, the bundled form, and how large all of it is.
    pub(super) fn python_runtime(&self) -> Result<(), String> {
        let cache = self.folder.join("mypy");
        let mut mypy = Command::new(self.peers.python());
        mypy.args(["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir"]).arg(cache);
        done(mypy.args(["src/redress_runtime", "tests"]).current_dir(self.python_package()))?;
        self.python_tests("mcp", &self.peers.python(), "tests")?;
        for name in OTHERS {
            let python = self.python_with(name)?;
            self.python_tests(name, &python, "tests/test_mcp.py")?;
        }
        self.python_vectors()?;
        self.python_bundled()?;
        self.python_page()?;
        self.python_sizes()
    }

    /// The server that the page for Python authors shows.
    fn python_page(&self) -> Result<(), String> {
        let folder = self.docs()?.join("python");
        for (from, to) in [("python.md", "server.py"), ("python.md", "errors.toml")] {
            self.put(&format!("docs/guides/{from}"), to, &folder)?;
        }
        let registry = registry_at(&folder.join("errors.toml"))?;
        let form = package("python").ok_or("the export to Python is gone")?;
        for file in (form.files)(&registry, Runtime::Bundled) {
            write(&folder.join(&file.path), &file.text)?;
        }
        let answer =
            answer(Command::new(self.peers.python()).arg("server.py").current_dir(&folder))?;
        if !answer.contains(CARD) || !answer.contains(r#""dev.redress/fault":{"v":1,"#) {
            return Err(format!("server.py of docs/guides/python.md: {answer}"));
        }
        let mypy = ["-m", "mypy", "--strict", "--no-error-summary", "server.py"];
        done(Command::new(self.peers.python()).args(mypy).current_dir(&folder))
    }

    /// What every language must make of the same input, with the rows of `core` as they are exported.
    fn python_vectors(&self) -> Result<(), String> {
        let mut vectors = Command::new(self.peers.python());
        vectors.arg(self.root.join("tests/packages/vectors.py")).args(["python", "core_errors"]);
        done(vectors.arg(self.root.join("tests/vectors")).current_dir(self.folder.join("core")))
    }

    fn python_package(&self) -> PathBuf {
        self.root.join("packages/python")
    }

    fn python_tests(&self, sdk: &str, python: &Path, tests: &str) -> Result<(), String> {
        let mut pytest = Command::new(python);
        pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", tests]);
        pytest.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(self.python_package());
        let (is_fine, text) = told(&mut pytest)?;
        let last = text.lines().rev().find(|it| it.contains(" passed")).unwrap_or_default();
        let count = last.split(" passed").next().unwrap_or_default();
        if !is_fine || last.contains("skipped") {
            return Err(format!("{pytest:?}: {text}"));
        }
        println!("Python runtime with {sdk}: {last}\nran: {} Python tests", count.trim());
        Ok(())
    }

    /// A Python with another SDK, installed once from its lock file.
    fn python_with(&self, name: &str) -> Result<PathBuf, String> {
        let lock = self.root.join("tests/peers").join(format!("{name}.txt"));
        let folder = self.peers.folder(&format!("python-{name}"));
        let stamp = folder.join("installed.txt");
        let wanted = fs::read_to_string(&lock).map_err(|it| format!("{}: {it}", lock.display()))?;
        let python = folder.join("bin/python");
        if fs::read_to_string(&stamp).is_ok_and(|it| it == wanted) {
            return Ok(python);
        }
        println!("installing what {} names below {}", lock.display(), folder.display());
        done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let pip = ["-m", "pip", "install", "-q", "--require-hashes", "-r"];
        done(Command::new(&python).args(pip).arg(&lock))?;
        write(&stamp, &wanted)?;
        Ok(python)
    }

    /// An export with the runtime inside works alone, under a Python that knows no other.
    fn python_bundled(&self) -> Result<(), String> {
        let registry = self.registry("notes")?;
        let folder = self.folder.join("notes/python-standalone");
        let form = package("python").ok_or("the export to Python is gone")?;
        for file in (form.files)(&registry, Runtime::Bundled) {
            write(&folder.join(&file.path), &file.text)?;
        }
        let rows = self.root.join("tests/packages/rows.py");
        let mut alone = Command::new("python3");
        alone.arg("-I").arg(rows).args([".", "notes_errors", "../registry.json"]);
        done(alone.current_dir(&folder))?;
        let mut mypy = Command::new(self.peers.python());
        mypy.args(["-m", "mypy", "--strict", "--no-error-summary", "notes_errors"]);
        done(mypy.current_dir(&folder))
    }

    /// Prints the sizes, and refuses an export that is longer than it may be.
    fn python_sizes(&self) -> Result<(), String> {
        let sources = files_below(&self.python_package().join("src/redress_runtime"), "py")?;
        let (bytes, lines) = sources
            .iter()
            .fold((0, 0), |(bytes, lines), it| (bytes + it.len(), lines + it.lines().count()));
        println!("Python runtime: {} files, {lines} lines, {bytes} bytes", sources.len());
        let registry = self.registry("five")?;
        let own = registry.own().count();
        let form = package("python").ok_or("the export to Python is gone")?;
        let files = (form.files)(&registry, Runtime::Imported);
        let module = files.first().ok_or("the export to Python has no files")?;
        let lines = module.text.lines().count();
        println!("Python export of {own} codes: {lines} lines, {} bytes", module.text.len());
        if own != CODES || lines > 400 {
            return Err(format!("an export of {own} codes has {lines} lines; five may have 400"));
        }
        Ok(())
    }
}

/// The texts of the files of a folder that end so.
fn files_below(folder: &Path, ending: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|it| format!("{}: {it}", folder.display()))?;
    let paths = entries.flatten().map(|it| it.path());
    let paths = paths.filter(|it| it.extension().is_some_and(|it| it == ending));
    paths
        .map(|it| fs::read_to_string(&it).map_err(|error| format!("{}: {error}", it.display())))
        .collect()
}
