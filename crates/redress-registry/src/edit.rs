//! Life-cycle edits of a registry file: add, deprecate, retire, with every other byte left as it is.
//!
//! An edit cuts and pastes text at places that the parser knows; it never prints the file anew.

mod layout;
mod render;
mod teach;

use semver::Version;
use serde_json::Value;

use crate::{
    Class, Deprecated, Effect, NextStep, Param, Problem, Registry, Retry, Severity, Source,
    Spanned, Stability,
    draft::{Draft, DraftCode},
    name,
    nearest::nearest,
    problems::quoted,
    read, resolve,
    resolve::Find,
};
use layout::Layout;
pub use teach::{Drafted, rows, teach};

/// A row to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCode {
    /// Its name; the namespace of a plugin's file may be left out.
    pub code: String,
    /// Its number in JSON-RPC.
    pub number: Option<u32>,
    /// Who owns it.
    pub domain: String,
    /// What kind of failure it is.
    pub class: Class,
    /// The HTTP status, if not that of the class.
    pub http: Option<u16>,
    /// When to call again.
    pub retry: Retry,
    /// Whether something may have changed, if not as the file's defaults say.
    pub effect: Option<Effect>,
    /// How bad it is, if not as the file's defaults say.
    pub severity: Option<Severity>,
    /// A few words.
    pub title: String,
    /// What happened.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// The calls to make next.
    pub next: Vec<NextStep>,
    /// The parameter that did-you-mean values are near to.
    pub similar: Option<String>,
    /// The values of an occurrence.
    pub params: Vec<Param>,
    /// The page for people.
    pub explain: Option<String>,
    /// A value for each parameter.
    pub example: Vec<(String, Value)>,
    /// The version that brings it, or `NEXT`; if absent the registry's own version, which is `NEXT` for a pre-release.
    pub since: Option<String>,
    /// Whether it may still change, if not as the file's defaults say.
    pub stability: Option<Stability>,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFile {
    /// The permanent name of the registry.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The registries that it takes in.
    pub extends: Vec<String>,
    /// Its rows, in order.
    pub codes: Vec<NewCode>,
}

/// Why and since when a code is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retirement {
    /// The version that takes it away.
    pub since: String,
    /// Why.
    pub why: String,
    /// What to use instead.
    pub to: Option<String>,
}

/// A file of that registry. Whether it can be read is for the reader to say.
pub fn write(new: &NewFile) -> String {
    render::file(new)
}

/// A row as it stands in a file.
pub fn row(new: &NewCode, since: &str) -> String {
    render::row(&new.code, new, since)
}

/// Adds a row behind the last one of its domain, else behind the last row.
pub fn add(source: &Source, new: &NewCode, find: Find<'_>) -> Result<String, Vec<Problem>> {
    let file = EditedFile::open(source, find)?;
    let full = file.draft.full_name(&new.code);
    if !name::is_full_code(&full) {
        let message = format!("{} is not a code: use SCREAMING_SNAKE_CASE.", quoted(&new.code));
        return Err(vec![source.problem(0, message)]);
    }
    if file.registry.get(&full).is_some() || file.registry.retired.contains_key(full.as_str()) {
        let message = format!("{} is taken: a name is used once.", quoted(&full));
        return Err(vec![source.problem(file.place_of(&full), message)]);
    }
    file.free_number(new)?;
    let peers: Vec<_> = file.rows_of_domain(&new.domain);
    let at = file
        .layout
        .end_of_any("code", &peers)
        .or_else(|| file.layout.end_of_all("code"))
        .unwrap_or(source.text.len());
    let key = file.key_of(&full);
    let since = new.since.clone().unwrap_or_else(|| file.now());
    file.checked(file.layout.paste(at, &render::row(key, new, &since)), find)
}

/// Marks a row as one that should no longer be raised.
pub fn deprecate(
    source: &Source,
    code: &str,
    deprecation: &Deprecated,
    find: Find<'_>,
) -> Result<String, Vec<Problem>> {
    let file = EditedFile::open(source, find)?;
    let row = file.own_row(code)?;
    if let Some(old) = &row.deprecated {
        let message = format!("{} is deprecated already.", quoted(code));
        return Err(vec![source.problem(old.span.start, message)]);
    }
    file.known_target(deprecation.to.as_deref())?;
    let at = file.end_of_row(row)?;
    file.checked(file.layout.paste(at, &render::deprecated(deprecation)), find)
}

/// Moves a row to the tombstones, with its number.
pub fn retire(
    source: &Source,
    code: &str,
    retirement: &Retirement,
    find: Find<'_>,
) -> Result<String, Vec<Problem>> {
    let file = EditedFile::open(source, find)?;
    let row = file.own_row(code)?;
    file.end_of_row(row)?;
    file.known_target(retirement.to.as_deref())?;
    file.unreferenced(row)?;
    let key = row.name.value.as_str();
    let tombstone = render::tombstone(key, row.number.as_ref().map(|it| it.value), retirement);
    let text = file.layout.cut("code", key);
    let rest = EditedFile::open(&Source { text: text.into(), ..source.clone() }, find)?;
    let at = rest
        .layout
        .end_of_all("retired")
        .or_else(|| rest.layout.end_of_all("code"))
        .unwrap_or(rest.source.text.len());
    rest.checked(rest.layout.paste(at, &tombstone), find)
}

/// A file that reads and resolves, so that an edit starts from sense.
struct EditedFile {
    source: Source,
    draft: Draft,
    registry: Registry,
    layout: Layout,
}

impl EditedFile {
    fn open(source: &Source, find: Find<'_>) -> Result<Self, Vec<Problem>> {
        let draft = read(source)?;
        let registry = resolve(&draft, find)?;
        let layout = Layout::of(&source.text);
        Ok(Self { source: source.clone(), draft, registry, layout })
    }

    /// The new text, if it still reads and resolves.
    fn checked(&self, text: String, find: Find<'_>) -> Result<String, Vec<Problem>> {
        let edited = Source { text: text.into(), ..self.source.clone() };
        Self::open(&edited, find)?;
        Ok(edited.text.to_string())
    }

    /// The version that the next change belongs to.
    fn now(&self) -> String {
        let is_release = Version::parse(&self.registry.version).is_ok_and(|it| it.pre.is_empty());
        if is_release { self.registry.version.clone() } else { "NEXT".to_owned() }
    }

    /// A number is used once, and its domain owns it.
    fn free_number(&self, new: &NewCode) -> Result<(), Vec<Problem>> {
        let Some(number) = new.number else { return Ok(()) };
        let codes = self.registry.codes.iter().map(|(name, it)| (name, it.number));
        let retired = self.registry.retired.iter().map(|(name, it)| (name, it.number));
        if let Some((owner, _)) = codes.chain(retired).find(|it| it.1 == Some(number)) {
            let message = format!("The number {number} is taken by {}.", quoted(owner));
            return Err(vec![self.source.problem(self.place_of(owner), message)]);
        }
        let range = self.registry.domains.get(new.domain.as_str()).and_then(|it| it.range);
        match range {
            Some((first, last)) if !(first..=last).contains(&number) => {
                let domain = self.draft.domains.iter().map(|it| &it.value.name);
                let at = domain.into_iter().find(|it| it.value == new.domain);
                let message = format!(
                    "The number {number} is outside {first} to {last}, the range of {}.",
                    quoted(&new.domain)
                );
                Err(vec![self.source.problem(at.map_or(0, |it| it.span.start), message)])
            }
            _ => Ok(()),
        }
    }

    /// The row of a code that this file declares itself.
    fn own_row(&self, code: &str) -> Result<&DraftCode, Vec<Problem>> {
        let full = self.draft.full_name(code);
        let row = self.rows().find(|it| self.draft.full_name(&it.name.value) == full);
        row.ok_or_else(|| {
            let problem = match self.registry.get(code) {
                Some(theirs) => {
                    let message = format!(
                        "{} belongs to `{}`; edit it there.",
                        quoted(code),
                        theirs.registry
                    );
                    self.source.problem(0, message)
                }
                None => {
                    let keys = self.rows().map(|it| it.name.value.as_str());
                    let message = format!("There is no code {}.", quoted(code));
                    self.source.problem(0, message).meant(nearest(code, keys))
                }
            };
            vec![problem]
        })
    }

    fn rows(&self) -> impl Iterator<Item = &DraftCode> {
        self.draft.codes.iter().map(|it| &it.value)
    }

    fn rows_of_domain(&self, domain: &str) -> Vec<&str> {
        self.rows()
            .filter(|it| it.domain.as_ref().is_some_and(|it| it.value == domain))
            .map(|it| it.name.value.as_str())
            .collect()
    }

    fn end_of_row(&self, row: &DraftCode) -> Result<usize, Vec<Problem>> {
        let name = &row.name;
        self.layout.end_of("code", &name.value).ok_or_else(|| {
            let message = format!(
                "{} must stand under a header `[code.X]` to be edited.",
                quoted(&name.value)
            );
            vec![self.source.problem(name.span.start, message)]
        })
    }

    /// A replacement must be a code.
    fn known_target(&self, to: Option<&str>) -> Result<(), Vec<Problem>> {
        let Some(to) = to else { return Ok(()) };
        let full = self.draft.full_name(to);
        if self.registry.get(to).or(self.registry.get(&full)).is_some() {
            return Ok(());
        }
        let meant = nearest(to, self.registry.codes.keys().map(|it| &**it));
        let message = format!("There is no code {} to use instead.", quoted(to));
        Err(vec![self.source.problem(0, message).meant(meant)])
    }

    /// Refuses while another row still names this one.
    fn unreferenced(&self, row: &DraftCode) -> Result<(), Vec<Problem>> {
        let full = self.draft.full_name(&row.name.value);
        let names = |it: &&Spanned<String>| {
            it.value == row.name.value || self.draft.full_name(&it.value) == full
        };
        let by_tools = self.draft.tools.iter().flat_map(|it| &it.value.may);
        let by_rows = self.rows().filter_map(|it| it.deprecated.as_ref()?.value.to.as_ref());
        let problems: Vec<_> = by_tools
            .chain(by_rows)
            .filter(names)
            .map(|it| {
                let message = format!("{} is still named here.", quoted(&row.name.value));
                self.source.problem(it.span.start, message)
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Where a taken name is, or the start of the file if another registry took it.
    fn place_of(&self, full: &str) -> usize {
        let codes = self.rows().map(|it| &it.name);
        let retired = self.draft.retired.iter().map(|it| &it.value.name);
        codes
            .chain(retired)
            .find(|it| self.draft.full_name(&it.value) == full)
            .map_or(0, |it| it.span.start)
    }

    /// How the file writes a full name: a plugin's own namespace goes without saying.
    fn key_of<'a>(&self, full: &'a str) -> &'a str {
        match name::split(full) {
            (Some(namespace), key) if self.registry.namespace.as_deref() == Some(namespace) => key,
            _ => full,
        }
    }
}

#[cfg(test)]
mod tests;
