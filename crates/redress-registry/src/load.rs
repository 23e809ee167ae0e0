//! A file with all that it extends: shipped registries by name, other files through the caller.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crate::{Problem, Registry, Source, draft::Draft, problems::quoted, read, resolve, shipped};

/// How the caller opens what a file extends: the file, the name that it gives, and the text behind
/// that name. `None` means that there is nothing.
pub type Open<'a> = &'a dyn Fn(&Source, &str) -> Option<Result<Source, Problem>>;

/// The path of what a file extends by this name, if it can only mean a file beside it.
pub fn beside(file: &str, name: &str) -> Option<String> {
    if name.contains(['/', '\\']) || name == ".." {
        return None;
    }
    Some(Path::new(file).with_file_name(name).to_string_lossy().into_owned())
}

/// Reads and resolves a file and everything that it extends.
pub fn load(source: &Source, open: Open<'_>) -> Result<Arc<Registry>, Vec<Problem>> {
    Loader { open, done: BTreeMap::new(), under_way: Vec::new() }.load(source)
}

struct Loader<'a> {
    open: Open<'a>,
    /// By file, so that a file that comes in by many ways is read once.
    done: BTreeMap<Arc<str>, Arc<Registry>>,
    /// The files that wait for the current one.
    under_way: Vec<Arc<str>>,
}

/// Longer chains are a mistake.
const MAX_CHAIN: usize = 16;

impl Loader<'_> {
    fn load(&mut self, source: &Source) -> Result<Arc<Registry>, Vec<Problem>> {
        let draft = read(source)?;
        self.under_way.push(Arc::clone(&source.file));
        let bases = self.bases(&draft)?;
        self.under_way.pop();
        let registry = Arc::new(resolve(&draft, &|name| {
            shipped::get(name).or_else(|| bases.get(name)).map(Arc::clone)
        })?);
        self.done.insert(Arc::clone(&source.file), Arc::clone(&registry));
        Ok(registry)
    }

    /// The registries of files that the draft extends, by the name it gives them.
    fn bases(&mut self, draft: &Draft) -> Result<BTreeMap<String, Arc<Registry>>, Vec<Problem>> {
        let mut bases = BTreeMap::new();
        for wanted in draft.extends.iter().filter(|it| shipped::get(&it.value).is_none()) {
            let Some(source) = (self.open)(&draft.source, &wanted.value) else { continue };
            let source = source.map_err(|problem| vec![problem])?;
            let is_cycle = self.under_way.contains(&source.file);
            if is_cycle || self.under_way.len() >= MAX_CHAIN {
                let what = if is_cycle { "comes back to itself" } else { "is too long a chain" };
                let message = format!("What {} extends {what}.", quoted(&wanted.value));
                return Err(vec![draft.source.problem(wanted.span.start, message)]);
            }
            let base = match self.done.get(&source.file) {
                Some(done) => Arc::clone(done),
                None => self.load(&source)?,
            };
            bases.insert(wanted.value.clone(), base);
        }
        Ok(bases)
    }
}

#[cfg(test)]
mod tests {
    use super::load;
    use crate::{Problem, Registry, Source};
    use std::sync::Arc;

    fn file(name: &str, extends: &[&str]) -> Source {
        let text = format!(
            "format = \"redress-registry/1\"\nextends = {extends:?}\n[registry]\nname = \"{name}\"\nversion = \"1.0.0\"\n"
        );
        Source::new(name, &text)
    }

    fn loaded(start: &str, files: &[Source]) -> Result<Arc<Registry>, Vec<String>> {
        let named = |name: &str| files.iter().find(|it| &*it.file == name).cloned();
        load(&named(start).unwrap(), &|_, name| named(name).map(Ok))
            .map_err(|problems| problems.iter().map(Problem::to_string).collect())
    }

    #[test]
    fn a_file_takes_in_shipped_registries_and_other_files() {
        let files = [file("a", &["b", "c"]), file("b", &["core"]), file("c", &["b"])];
        let registry = loaded("a", &files).unwrap();
        assert!(registry.get("TIMEOUT").is_some());
    }

    #[test]
    fn a_circle_is_refused_where_it_closes() {
        let files = [file("a", &["b"]), file("b", &["c"]), file("c", &["a"])];
        assert_eq!(
            loaded("a", &files).unwrap_err(),
            ["c:2:12: What `a` extends comes back to itself."]
        );
    }

    #[test]
    fn what_nobody_has_is_refused() {
        assert_eq!(
            loaded("a", &[file("a", &["b"])]).unwrap_err(),
            ["a:2:12: There is no registry `b`."]
        );
    }

    #[test]
    fn a_chain_without_end_is_refused() {
        let endless =
            |_: &Source, name: &str| Some(Ok(file(&format!("{name}x"), &[&format!("{name}x")])));
        let problems = load(&file("a", &["b"]), &endless).unwrap_err();
        assert!(problems[0].message.contains("too long a chain"), "{problems:?}");
    }
}
