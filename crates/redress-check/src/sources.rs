//! `Sources`: the facts of all files, read on all cores; of each file only the facts stay in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::{
    facts::Facts,
    language::Language,
    reader::SourceReader,
    walk::{self, Found, MAX_BYTES, Walked},
};

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Sources {
    /// The files, in the order of their names.
    pub files: Vec<SourceFile>,
    /// What could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// The folders that were left out, but for hidden ones.
    pub left_out: BTreeSet<PathBuf>,
}

/// One file that was read.
#[derive(Debug)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub facts: Facts,
    /// Its text, if it is no file of its own.
    given: Option<Arc<str>>,
}

impl SourceFile {
    /// Its text as it is now.
    pub fn text(&self) -> Option<Arc<str>> {
        self.given.clone().or_else(|| fs::read_to_string(&self.path).ok().map(Into::into))
    }
}

/// What became of a file: its facts, nothing if it is no text, or why it could not be read.
type Outcome = Result<Option<Facts>, String>;

/// Reads all sources below the given paths on that many threads; `tell` hears how many are done, of how many.
pub fn read(paths: &[PathBuf], threads: usize, tell: &(dyn Fn(usize, usize) + Sync)) -> Sources {
    let Walked { found, unreadable, left_out } = walk::files(paths);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Outcome)>> = Mutex::default();
    let work = || {
        let mut reader = SourceReader::default();
        let mut bytes = Vec::new();
        let mut mine = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = found.get(at) else { break };
            mine.push((at, read_file(&mut reader, file, &mut bytes)));
            tell(at + 1, found.len());
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
    };
    thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|it| it.0);
    Sources { left_out, ..gathered(found, done, unreadable) }
}

fn gathered(
    found: Vec<Found>,
    done: Vec<(usize, Outcome)>,
    refused: Vec<(PathBuf, io::Error)>,
) -> Sources {
    let mut sources = Sources::default();
    sources.unreadable.extend(refused.into_iter().map(|(path, it)| (path, it.to_string())));
    for (Found { path, .. }, (_, read)) in found.into_iter().zip(done) {
        match read {
            Ok(Some(facts)) => sources.files.push(SourceFile { path, facts, given: None }),
            Ok(None) => (),
            Err(why) => sources.unreadable.push((path, why)),
        }
    }
    sources
}

/// The facts of a file; nothing if it is no text.
fn read_file(reader: &mut SourceReader, file: &Found, bytes: &mut Vec<u8>) -> Outcome {
    const HEAD: usize = 8 << 10;
    load(&file.path, bytes).map_err(|it| it.to_string())?;
    if memchr::memchr(0, bytes.get(..HEAD.min(bytes.len())).unwrap_or_default()).is_some() {
        return Ok(None);
    }
    let text = std::str::from_utf8(bytes).map_err(|it| format!("it is not UTF-8: {it}"))?;
    Ok(Some(reader.read(file.language, &file.path, text)))
}

fn load(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(())
}

impl Sources {
    /// Texts as if they were files; one whose name has no language is left out.
    pub fn of_texts(texts: &[(&str, &str)]) -> Self {
        let mut reader = SourceReader::default();
        let file = |(path, text): &(&str, &str)| {
            let path = PathBuf::from(path);
            let facts = reader.read(Language::of(&path)?, &path, text);
            Some(SourceFile { path, facts, given: Some((*text).into()) })
        };
        Self { files: texts.iter().filter_map(file).collect(), ..Self::default() }
    }

    /// How many files were read, by language: `3 files read (2 typescript, 1 markdown).`
    pub fn count(&self) -> String {
        let mut by_language: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &self.files {
            *by_language.entry(file.facts.language.name()).or_default() += 1;
        }
        let parts: Vec<_> =
            by_language.iter().map(|(name, count)| format!("{count} {name}")).collect();
        match self.files.len() {
            0 => "No file was read.".to_owned(),
            1 => format!("1 file read ({}).", parts.join(", ")),
            count => format!("{count} files read ({}).", parts.join(", ")),
        }
    }

    /// The names of the folders that were left out, each once, with its number where there are several.
    pub fn left_out(&self) -> Option<String> {
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for folder in &self.left_out {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            *by_name.entry(name.replace(char::is_control, " ")).or_default() += 1;
        }
        let said = |(name, count): (&String, &usize)| match count {
            1 => name.clone(),
            count => format!("{name} ({count})"),
        };
        let names: Vec<_> = by_name.iter().map(said).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}
