//! What the file refers to: folders, programs, registries, files with tokens.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use redress::redact::strength;
use redress_ledger::{REDACTED, Redactor};
use redress_registry::{Registry, canonical, nearest::nearest, shipped};

use super::{
    kind::ValueKind,
    secret::Secret,
    table::{Given, Reading},
    value::{Shown, Value},
};

/// A folder or file. One that is relative starts where the configuration is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location(pub PathBuf);

impl Value for Location {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let written = String::read(given, reading)?;
        Some(Self(reading.environment.path(&written)))
    }

    fn kind() -> ValueKind {
        ValueKind::Text("path, from where the file is")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.0.to_string_lossy())
    }
}

/// A word of a command. It is shown without what looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(pub OsString);

impl Word {
    /// Whether the word after it is secret, as in `--token abc`.
    fn is_telling_flag(&self) -> bool {
        let word = self.0.to_string_lossy();
        word.strip_prefix('-').is_some_and(|it| !it.contains('=') && strength(it).is_some())
    }
}

impl Value for Word {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = given.text(reading)?;
        if text.contains('\0') {
            given.refuse(reading, "must not hold a NUL character");
            return None;
        }
        Some(Self(text.into()))
    }

    fn kind() -> ValueKind {
        ValueKind::Text("text")
    }

    fn shown(&self) -> Shown {
        Shown::text(&Redactor::new([""; 0]).text(&self.0.to_string_lossy()))
    }

    fn all_shown(all: &[Self]) -> Vec<Shown> {
        let before = [None].into_iter().chain(all.iter().map(Some));
        let shown = |(before, word): (Option<&Self>, &Self)| match before {
            Some(flag) if flag.is_telling_flag() => Shown::text(REDACTED),
            _ => word.shown(),
        };
        before.zip(all).map(shown).collect()
    }
}

/// A registry: the codes that a server itself may use.
#[derive(Debug, Clone)]
pub struct Contract {
    /// As it was written.
    pub name: String,
    /// Its file, unless it is built in.
    pub file: Option<PathBuf>,
    /// What it says; that of core if that is not known.
    pub registry: Arc<Registry>,
    /// Why it is not known what it says, which only a governed gate hears of here: its self-audit tells it.
    pub problem: Option<String>,
}

impl Contract {
    /// The registry that every server may use.
    pub(crate) fn core() -> Self {
        Self {
            name: shipped::core().name.to_string(),
            file: None,
            registry: Arc::clone(shipped::core()),
            problem: None,
        }
    }

    /// A file that cannot be read as a contract.
    pub(crate) fn broken(name: String, file: PathBuf, problem: String) -> Self {
        Self { name, file: Some(file), problem: Some(problem), ..Self::core() }
    }
}

/// Whether they say the same, however often they were read.
impl PartialEq for Contract {
    fn eq(&self, other: &Self) -> bool {
        let is_same = || canonical(&self.registry) == canonical(&other.registry);
        self.name == other.name && (Arc::ptr_eq(&self.registry, &other.registry) || is_same())
    }
}

impl Value for Contract {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let name = String::read(given, reading)?;
        if let Some(built_in) = shipped::get(&name) {
            return Some(Self { name, file: None, registry: Arc::clone(built_in), problem: None });
        }
        let path = reading.environment.path(&name);
        reading.files.push(path.clone());
        match reading.environment.registry(&path) {
            Ok(registry) => Some(Self { name, file: Some(path), registry, problem: None }),
            Err(problem) => {
                let is_file = Path::new(&name).extension().is_some() || name.contains('/');
                let (problem, meant) = if is_file {
                    (problem, None)
                } else {
                    let problem = "No file and no built-in registry has this name.";
                    (problem.to_owned(), nearest(&name, shipped::names()))
                };
                let message = format!("`{}` cannot be loaded: {problem}", given.path);
                reading.unread.push((given.value.span().start, message, meant.map(str::to_owned)));
                Some(Self::broken(name, path, problem))
            }
        }
    }

    fn kind() -> ValueKind {
        ValueKind::Text("name of a built-in registry, or path of an `errors.toml`")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.name)
    }
}

/// A plugin of a server: a registry with a namespace, in a file.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// As it was written.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// What it says.
    pub registry: Arc<Registry>,
}

/// Whether they say the same, however often they were read.
impl PartialEq for Plugin {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file && canonical(&self.registry) == canonical(&other.registry)
    }
}

impl Value for Plugin {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let name = String::read(given, reading)?;
        let file = reading.environment.path(&name);
        reading.files.push(file.clone());
        match reading.environment.registry(&file) {
            Ok(registry) => Some(Self { name, file, registry }),
            Err(problem) => {
                let message = format!("`{}` cannot be loaded: {problem}", given.path);
                reading.problems.add(given.value.span().start, message);
                None
            }
        }
    }

    fn kind() -> ValueKind {
        ValueKind::Text("path of an `errors.toml` with a `[plugin]`")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.name)
    }
}

/// A file with a certificate or a key, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct PemFile {
    /// Where it is.
    pub path: PathBuf,
    bytes: Vec<u8>,
}

impl PemFile {
    /// What it says, for the one who needs it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for PemFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PemFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Value for PemFile {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let Location(path) = Location::read(given, reading)?;
        // Also one that cannot be read now: when it can be, that is a change.
        reading.files.push(path.clone());
        match reading.environment.read(&path) {
            Ok(bytes) => Some(Self { path, bytes }),
            Err(error) => {
                given.refuse(reading, &format!("names a file that cannot be read: {error}"));
                None
            }
        }
    }

    fn kind() -> ValueKind {
        ValueKind::Text("path of a PEM file, from where the file is")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.path.to_string_lossy())
    }
}

/// A file with one secret in each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFile {
    /// Where it is.
    pub path: PathBuf,
    /// What its lines say.
    pub lines: Vec<Secret>,
}

impl Value for SecretFile {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let Location(path) = Location::read(given, reading)?;
        let text = reading.environment.read(&path).map(String::from_utf8);
        let problem = match text {
            Ok(Ok(text)) => {
                reading.files.push(path.clone());
                let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
                let lines: Vec<_> = lines.map(|it| Secret::new(it.to_owned())).collect();
                if !lines.is_empty() {
                    return Some(Self { path, lines });
                }
                "names a file without a token: each line is one".to_owned()
            }
            Ok(Err(_)) => "names a file that is not UTF-8".to_owned(),
            Err(error) => format!("names a file that cannot be read: {error}"),
        };
        given.refuse(reading, &problem);
        None
    }

    fn kind() -> ValueKind {
        ValueKind::Text("path of a file with one token in each line")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.path.to_string_lossy())
    }
}
