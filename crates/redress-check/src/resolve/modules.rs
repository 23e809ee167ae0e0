//! Which file an import means.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use rustc_hash::FxHashMap;

use crate::{facts::Import, language::Language, sources::Sources};

/// A file that an import can mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Home {
    pub(super) file: usize,
    /// The imported name is the file itself.
    pub(super) is_name: bool,
}

/// The files by their paths and by their names without extension.
#[derive(Debug)]
pub(super) struct Modules<'w> {
    by_path: FxHashMap<&'w Path, usize>,
    by_stem: FxHashMap<&'w str, Vec<usize>>,
}

/// What TypeScript and JavaScript try behind a name without extension, in this order.
const EXTENSIONS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// More files of one name are not distinguished.
const MAX_HOMES: usize = 8;

impl<'w> Modules<'w> {
    pub(super) fn new(sources: &'w Sources) -> Self {
        let mut by_path = FxHashMap::default();
        let mut by_stem: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (number, file) in sources.files.iter().enumerate() {
            by_path.insert(file.path.as_path(), number);
            let stem = file.path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            let folder = file.path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
            let is_folder = matches!(stem, "mod" | "__init__" | "index");
            let name = if is_folder { folder.unwrap_or(stem) } else { stem };
            by_stem.entry(name).or_default().push(number);
        }
        Self { by_path, by_stem }
    }

    /// The files that an import of a file can mean, the likeliest first.
    pub(super) fn find(&self, sources: &Sources, file: usize, import: &Import) -> Vec<Home> {
        let Some(importer) = sources.files.get(file) else { return Vec::new() };
        let folder = importer.path.parent().unwrap_or(Path::new(""));
        let whole = |file: usize| Home { file, is_name: false };
        match importer.facts.language {
            Language::Python => self.python(sources, &importer.path, import),
            Language::Rust => {
                let last = import.from.rsplit('.').next().unwrap_or_default();
                let mut homes: Vec<_> =
                    self.of_rust(sources, file, last).into_iter().map(whole).collect();
                let named = self.of_rust(sources, file, &import.name);
                homes.extend(named.into_iter().map(|file| Home { file, is_name: true }));
                if matches!(&*import.from, "self" | "super" | "crate") || homes.is_empty() {
                    homes.push(whole(file));
                }
                homes
            }
            _ => self.typescript(sources, folder, &import.from).into_iter().map(whole).collect(),
        }
    }

    fn typescript(&self, sources: &Sources, folder: &Path, from: &str) -> Option<usize> {
        if from.starts_with('.') {
            return self.beside(&normal(&folder.join(from)));
        }
        // `@/errors` and `~/errors` are set up by the project: the one file that ends so is meant.
        let tail = from.strip_prefix("@/").or_else(|| from.strip_prefix("~/"))?;
        let tail = tail.trim_end_matches(".js").trim_end_matches(".ts");
        let stem = tail.rsplit('/').next()?;
        let ends = |it: &&usize| {
            let path = sources.files.get(**it).map(|it| it.path.with_extension(""));
            path.is_some_and(|it| it.ends_with(tail) || it.ends_with(format!("{tail}/index")))
        };
        let mut found = self.by_stem.get(stem)?.iter().filter(ends);
        found.next().filter(|_| found.next().is_none()).copied()
    }

    /// The file of that path: as it is, as the source of what is compiled, with an extension, as a folder.
    fn beside(&self, path: &Path) -> Option<usize> {
        let get = |path: &Path| self.by_path.get(path).copied();
        let compiled =
            path.extension().and_then(OsStr::to_str).is_some_and(|it| EXTENSIONS.contains(&it));
        get(path)
            .or_else(|| {
                EXTENSIONS.iter().filter(|_| compiled).find_map(|it| get(&path.with_extension(it)))
            })
            .or_else(|| {
                let with = |it: &str| PathBuf::from(format!("{}.{it}", path.display()));
                EXTENSIONS.iter().find_map(|it| get(&with(it)))
            })
            .or_else(|| {
                EXTENSIONS.iter().find_map(|it| get(&path.join("index").with_extension(it)))
            })
    }

    fn python(&self, sources: &Sources, importer: &Path, import: &Import) -> Vec<Home> {
        let dots = import.from.bytes().take_while(|it| *it == b'.').count();
        let parts: Vec<&str> =
            import.from.trim_start_matches('.').split('.').filter(|it| !it.is_empty()).collect();
        let mut homes = Vec::new();
        let mut add = |parts: &[&str], is_name| {
            let found = if dots > 0 {
                let base = importer.ancestors().nth(dots).unwrap_or(Path::new(""));
                self.package(&parts.iter().fold(base.to_path_buf(), |it, part| it.join(part)))
            } else {
                self.absolute(sources, importer, parts)
            };
            homes.extend(found.map(|file| Home { file, is_name }));
        };
        let mut longer = parts.clone();
        longer.push(&import.name);
        add(&longer, true);
        add(&parts, false);
        homes
    }

    fn package(&self, path: &Path) -> Option<usize> {
        let get = |path: PathBuf| self.by_path.get(path.as_path()).copied();
        get(path.with_extension("py")).or_else(|| get(path.join("__init__.py")))
    }

    /// `pkg.errors` is the file that ends so and is nearest to the one that imports it.
    fn absolute(&self, sources: &Sources, importer: &Path, parts: &[&str]) -> Option<usize> {
        let tail: PathBuf = parts.iter().collect();
        let ends = |path: &Path| {
            path.with_extension("").ends_with(&tail)
                || path
                    .parent()
                    .is_some_and(|it| path.ends_with("__init__.py") && it.ends_with(&tail))
        };
        let candidates = self.by_stem.get(*parts.last()?)?.iter();
        candidates
            .copied()
            .filter(|it| sources.files.get(*it).is_some_and(|it| ends(&it.path)))
            .max_by_key(|it| sources.files.get(*it).map(|it| common(&it.path, importer)))
    }

    /// The files of Rust that a module of that name can be, the nearest first.
    pub(super) fn of_rust(&self, sources: &Sources, file: usize, name: &str) -> Vec<usize> {
        let Some(importer) =
            sources.files.get(file).filter(|it| it.facts.language == Language::Rust)
        else {
            return Vec::new();
        };
        let mut found: Vec<usize> = self.by_stem.get(name).cloned().unwrap_or_default();
        found.retain(|it| {
            sources.files.get(*it).is_some_and(|it| it.facts.language == Language::Rust)
        });
        found.sort_by_key(|it| {
            std::cmp::Reverse(sources.files.get(*it).map(|it| common(&it.path, &importer.path)))
        });
        found.truncate(MAX_HOMES);
        found
    }
}

/// How many folders two paths share.
fn common(a: &Path, b: &Path) -> usize {
    a.components().zip(b.components()).take_while(|(a, b)| a == b).count()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => (),
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
