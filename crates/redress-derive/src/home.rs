//! Where the codes of a type stand: the registry, and how the program gets at it when it runs.

use std::{
    cell::RefCell,
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use redress_declare::{At, Declaration, Home, Mistakes, Package, make};
use redress_registry::{Problem, Registry, Source, load, nearest::nearest, shipped};

/// The registry of a type.
pub(crate) struct FoundRegistry {
    /// What it is called in messages.
    pub(crate) shown: String,
    /// What it means.
    pub(crate) registry: Arc<Registry>,
    /// Where the program takes it from.
    pub(crate) origin: RegistrySource,
}

/// Where the program takes a registry from.
pub(crate) enum RegistrySource {
    /// It ships with the library.
    BuiltIn(String),
    /// These files, by the names they have for each other; the compiler embeds them, and watches them.
    Files(Vec<(String, PathBuf)>),
    /// This text, made from the attributes.
    Text(String, String),
}

/// The registry of a type, unless it cannot be had.
pub(crate) fn find(declaration: &Declaration, mistakes: &mut Mistakes) -> Option<FoundRegistry> {
    match &declaration.home {
        Home::Registry(name) => match shipped::get(&name.value) {
            Some(registry) => Some(FoundRegistry {
                shown: name.value.clone(),
                registry: Arc::clone(registry),
                origin: RegistrySource::BuiltIn(name.value.clone()),
            }),
            None => from_file(name, mistakes),
        },
        Home::Inline { .. } => {
            let made = make(declaration, &package(), mistakes)?;
            let name = made.registry.name.to_string();
            let shown = format!("this type or {}", made.registry.extends.join(" or "));
            Some(FoundRegistry {
                shown,
                registry: made.registry,
                origin: RegistrySource::Text(name, made.text),
            })
        }
    }
}

fn package() -> Package {
    let or = |key: &str, otherwise: &str| cargo(key).unwrap_or_else(|| otherwise.to_owned());
    Package { name: or("CARGO_PKG_NAME", "errors"), version: or("CARGO_PKG_VERSION", "0.1.0") }
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a macro about its package by no other way"
)]
fn cargo(key: &str) -> Option<String> {
    env::var(key).ok()
}

fn from_file(name: &At<String>, mistakes: &mut Mistakes) -> Option<FoundRegistry> {
    let folder = PathBuf::from(cargo("CARGO_MANIFEST_DIR").unwrap_or_default());
    let read = Files { folder: &folder, seen: RefCell::default() };
    let source = match read.open(&name.value) {
        Ok(source) => source,
        Err(problem) => {
            mistakes.add(name.span, unreadable(&name.value, &folder, &problem));
            return None;
        }
    };
    let beside = |from: &Source, name: &str| {
        let path = load::beside(&from.file, name)?;
        read.open(&path).ok().map(Ok::<_, Problem>)
    };
    match load(&source, &beside) {
        Ok(registry) => {
            let files = read.seen.into_inner();
            Some(FoundRegistry {
                shown: name.value.clone(),
                registry,
                origin: RegistrySource::Files(files),
            })
        }
        Err(problems) => {
            mistakes.add(name.span, first_of(&problems, &name.value));
            None
        }
    }
}

/// The files that were read so far.
struct Files<'a> {
    folder: &'a Path,
    seen: RefCell<Vec<(String, PathBuf)>>,
}

impl Files<'_> {
    fn open(&self, name: &str) -> Result<Source, String> {
        let path = self.folder.join(name);
        let bytes = fs::read(&path).map_err(|it| it.to_string())?;
        let source = Source::from_bytes(name, &bytes).map_err(|it| it.to_string())?;
        let mut seen = self.seen.borrow_mut();
        if seen.iter().all(|(it, _)| it != name) {
            seen.push((name.to_owned(), path));
        }
        Ok(source)
    }
}

fn unreadable(name: &str, folder: &Path, problem: &str) -> String {
    let file = Path::new(name).file_name().and_then(|it| it.to_str()).unwrap_or(name);
    let beside = files_in(folder.join(name).parent().unwrap_or(folder));
    let mut known: Vec<&str> = shipped::names().collect();
    known.extend(beside.iter().map(String::as_str));
    let meant = nearest(file, known).map(|it| format!(" Did you mean `{it}`?")).unwrap_or_default();
    format!(
        "The registry `{name}` cannot be read: {problem}.{meant} The path starts at the folder of Cargo.toml."
    )
}

/// The TOML files of a folder, by name.
fn files_in(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).into_iter().flatten();
    let names = names.filter_map(|it| it.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> =
        names.filter(|it| Path::new(it).extension().is_some_and(|it| it == "toml")).collect();
    files.sort();
    files
}

/// The first problem of a file; the lint lists the others.
fn first_of(problems: &[Problem], name: &str) -> String {
    let first = problems.first().map(ToString::to_string).unwrap_or_default();
    match problems.len() {
        0 | 1 => first,
        many => format!("{first} ({} more: redress registry lint {name})", many - 1),
    }
}
