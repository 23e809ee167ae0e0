//! What a file means: a [`Draft`] with its defaults, templates and the registries it takes in, as a [`Registry`].

mod merge;
mod overrides;
mod row;

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    Allow, Domain, Entry, Problem, Registry, Retired, Spanned, Tool,
    draft::{Draft, DraftAllow, DraftDomain, DraftMatch, DraftRetired, DraftTool, Field, Written},
    model::Ordered,
    name,
    problems::{Problems, cut, quoted},
    range::Range,
    taught::{RowRefusal, Taught, Teachings},
};

/// The largest number that a code can have.
pub const MAX_NUMBER: u32 = 999_999;

/// Who knows the registries that `extends` names.
pub type Find<'a> = &'a dyn Fn(&str) -> Option<Arc<Registry>>;

/// Completes a draft, or lists every reason why it means nothing. `find` knows what `extends` names.
pub fn resolve(draft: &Draft, find: Find<'_>) -> Result<Registry, Vec<Problem>> {
    let mut problems = Problems::new(&draft.source);
    let name = registry_name(draft, &mut problems);
    let version = version(draft, &mut problems);
    let namespace = namespace(draft, &mut problems);
    fits_core(draft, find, &mut problems);
    let bases = merge::bases(draft, find, &mut problems);
    let rows = draft.codes.iter().map(|it| it.value.name.value.as_str()).collect();
    let mut own =
        OwnRows { draft, namespace: namespace.as_deref(), rows: &rows, problems: &mut problems };
    let mut registry = Registry {
        domains: own.domains(),
        codes: own.codes(&name),
        retired: own.retired(),
        tools: own.tools(),
        allows: own.allows(),
        matches: Arc::default(),
        extends: draft.extends.iter().map(|it| it.value.clone()).collect(),
        docs_base: draft.docs_base.written(),
        namespace: namespace.clone(),
        name,
        version,
    };
    merge::take_in(&mut registry, &bases, draft, &mut problems);
    overrides::apply(&mut registry, draft, &mut problems);
    references(&registry, draft, &rows, &mut problems);
    teach(&mut registry, draft, &mut problems);
    problems.none_yet()?;
    Ok(registry)
}

fn registry_name(draft: &Draft, problems: &mut Problems) -> Arc<str> {
    match &draft.name {
        None => problems.add(draft.head().start, "`[registry]` has no `name`.".to_owned()),
        Some(it) if !name::is_registry(&it.value) => problems.add(
            it.span.start,
            format!(
                "{} is not a name for a registry: use lower case, digits and dashes.",
                quoted(&it.value)
            ),
        ),
        Some(_) => {}
    }
    draft.name.written().unwrap_or_default().into()
}

fn version(draft: &Draft, problems: &mut Problems) -> String {
    match &draft.version {
        None => problems.add(draft.head().start, "`[registry]` has no `version`.".to_owned()),
        Some(it) => {
            if let Err(error) = semver::Version::parse(&it.value) {
                let message = format!("{} is not a version: {error}.", quoted(&it.value));
                problems.add(it.span.start, message);
            }
        }
    }
    draft.version.written().unwrap_or_default()
}

fn namespace(draft: &Draft, problems: &mut Problems) -> Option<String> {
    let plugin = draft.plugin.as_ref()?;
    match &plugin.namespace {
        None => problems.add(draft.head().start, "`[plugin]` has no `namespace`.".to_owned()),
        Some(it) if !name::is_namespace(&it.value) => {
            let reserved = name::RESERVED_NAMESPACES.contains(&it.value.as_str());
            let why = if reserved { "is reserved" } else { "is not a namespace" };
            problems.add(it.span.start, format!("{} {why}.", quoted(&it.value)));
        }
        Some(_) => {}
    }
    plugin.namespace.written()
}

/// Refuses a plugin that was written for another version of core.
fn fits_core(draft: &Draft, find: Find<'_>, problems: &mut Problems) {
    let Some(wanted) = draft.plugin.as_ref().and_then(|it| it.core.as_ref()) else { return };
    let at = wanted.span.start;
    let Some(range) = Range::parse(&wanted.value) else {
        return problems.add(at, format!("{} is not a range of versions.", quoted(&wanted.value)));
    };
    let Some(core) = find("core") else { return };
    if !semver::Version::parse(&core.version).is_ok_and(|it| range.contains(&it)) {
        let message =
            format!("This needs core {}, but core is {}.", cut(&wanted.value), core.version);
        problems.add(at, message);
    }
}

/// What the file itself declares, before anything is taken in.
struct OwnRows<'a> {
    draft: &'a Draft,
    namespace: Option<&'a str>,
    /// The keys of its `[code.X]` tables.
    rows: &'a BTreeSet<&'a str>,
    problems: &'a mut Problems,
}

impl OwnRows<'_> {
    fn domains(&mut self) -> Ordered<Domain> {
        let draft = self.draft;
        draft.domains.iter().map(|it| (boxed(&it.value.name), self.domain(&it.value))).collect()
    }

    fn domain(&mut self, domain: &DraftDomain) -> Domain {
        let range = domain.range.as_ref().and_then(|it| {
            let ends = number(it.value.0).zip(number(it.value.1)).filter(|(a, b)| a <= b);
            if ends.is_none() {
                let message = format!("`range` must be two numbers from 1 to {MAX_NUMBER}.");
                self.problems.add(it.span.start, message);
            }
            ends
        });
        Domain { title: domain.title.written().unwrap_or_default(), range }
    }

    fn codes(&mut self, registry: &Arc<str>) -> Ordered<Arc<Entry>> {
        let draft = self.draft;
        let retired: BTreeSet<_> =
            draft.retired.iter().map(|it| draft.full_name(&it.value.name.value)).collect();
        let mut codes = Ordered::default();
        for code in &draft.codes {
            let Some(full) = self.code_name(&code.value.name) else { continue };
            if codes.contains_key(&*full) || retired.contains(&*full) {
                let message = format!("{} stands twice: a name is used once.", quoted(&full));
                self.problems.add(code.value.name.span.start, message);
            }
            if let Some(entry) = row::entry(&code.value, &draft.defaults, self.problems) {
                let entry = Entry { registry: Arc::clone(registry), code: full.clone(), ..entry };
                codes.insert(full, Arc::new(self.with_full_names(entry)));
            }
        }
        codes
    }

    fn with_full_names(&self, mut entry: Entry) -> Entry {
        if let Some(to) = entry.deprecated.as_mut().and_then(|it| it.to.as_mut()) {
            *to = self.referenced(to);
        }
        entry
    }

    /// The full name of a row, if it is one.
    fn code_name(&mut self, written: &Spanned<String>) -> Option<Box<str>> {
        let full = self.draft.full_name(&written.value);
        let (prefix, _) = name::split(&full);
        let wrong = match (prefix, self.namespace) {
            (Some(prefix), None) if !name::is_namespace(prefix) => {
                format!("`{}` is not a namespace that a plugin can have.", cut(prefix))
            }
            (Some(prefix), Some(own)) if prefix != own => {
                format!("The rows of this file belong to `{own}`, not `{}`.", cut(prefix))
            }
            _ if !name::is_full_code(&full) => format!(
                "{} is not a code: 3 to {} of A-Z, 0-9 and single underscores.",
                quoted(&full),
                name::MAX_CODE
            ),
            _ => return Some(full.into()),
        };
        self.problems.add(written.span.start, wrong);
        None
    }

    /// The code that a reference means: an own row first, then a foreign one.
    fn referenced(&self, written: &str) -> String {
        if self.rows.contains(written) { self.draft.full_name(written) } else { written.to_owned() }
    }

    fn retired(&mut self) -> Ordered<Retired> {
        let draft = self.draft;
        draft
            .retired
            .iter()
            .filter_map(|it| Some((self.code_name(&it.value.name)?, self.tombstone(&it.value))))
            .collect()
    }

    fn tombstone(&mut self, retired: &DraftRetired) -> Retired {
        Retired {
            number: row::checked_number(retired.number.as_ref(), self.problems),
            since: retired.since.written().unwrap_or_default(),
            why: retired.why.written().unwrap_or_default(),
            to: retired.to.as_ref().map(|it| self.referenced(&it.value)),
        }
    }

    fn tools(&self) -> Ordered<Tool> {
        self.draft.tools.iter().map(|it| (boxed(&it.value.name), self.tool(&it.value))).collect()
    }

    fn tool(&self, tool: &DraftTool) -> Tool {
        Tool {
            may: tool.may.iter().map(|it| self.referenced(&it.value)).collect(),
            operation: tool.operation.written(),
            read_only: tool.read_only.written().unwrap_or_default(),
            idempotent: tool.idempotent.written().unwrap_or_default(),
            paths: tool.paths.iter().map(|it| it.value.clone()).collect(),
            content: tool.content.written(),
            patch: tool.patch.written(),
        }
    }

    fn allows(&self) -> Vec<Allow> {
        self.draft.allows.iter().map(|it| self.allow(&it.value)).collect()
    }

    fn allow(&self, allow: &DraftAllow) -> Allow {
        Allow {
            rule: allow.rule.written().unwrap_or_default(),
            code: allow.code.as_ref().map(|it| self.referenced(&it.value)).unwrap_or_default(),
            why: allow.why.written().unwrap_or_default(),
            until: allow.until.written().unwrap_or_default(),
        }
    }
}

/// Names that only the whole registry can know: domains of codes, codes of tools.
fn references(registry: &Registry, draft: &Draft, rows: &BTreeSet<&str>, problems: &mut Problems) {
    for domain in draft.codes.iter().filter_map(|it| it.value.domain.as_ref()) {
        if !registry.domains.contains_key(domain.value.as_str()) {
            let meant = problems.nearest(&domain.value, registry.domains.keys());
            let message = format!("There is no `[domain.{}]`.", cut(&domain.value));
            problems.add_meant(domain.span.start, message, meant);
        }
    }
    for code in draft.tools.iter().flat_map(|it| &it.value.may) {
        let is_own_row = rows.contains(code.value.as_str());
        if !is_own_row && registry.get(&code.value).is_none() {
            let meant = problems.nearest(&code.value, registry.codes.keys());
            let message = format!("{} is not a code of this registry.", quoted(&code.value));
            problems.add_meant(code.span.start, message, meant);
        }
    }
}

/// The taught rows of the file, before those of the registries that it takes in.
fn teach(registry: &mut Registry, draft: &Draft, problems: &mut Problems) {
    let rows = draft.matches.iter().map(|it| taught(&it.value, draft)).collect();
    match Teachings::new(rows, |it| registry.get(it).is_some()) {
        Ok(own) => registry.matches = Arc::new(own.before(&registry.matches)),
        Err(refused) => {
            for RowRefusal { row, key, message } in refused {
                let Some(written) = draft.matches.get(row) else { continue };
                let at = key.and_then(|it| place(&written.value, it));
                problems.add(at.unwrap_or(written.span.start), message);
            }
        }
    }
}

fn taught(row: &DraftMatch, draft: &Draft) -> Taught {
    Taught {
        tool: row.tool.written(),
        text: row.text.written(),
        pattern: row.pattern.written(),
        json: row.json.written().unwrap_or_default().into_iter().collect(),
        rpc_code: row.rpc_code.written(),
        status: row.status.written(),
        code: row.code.as_ref().map(|it| code_of(&it.value, draft)).unwrap_or_default(),
        effect: row.effect.written(),
        silent: row.silent.written().unwrap_or_default(),
        example: row.example.written(),
    }
}

/// The full name of a code, where the file declares it; else the code of a registry that it takes in.
fn code_of(written: &str, draft: &Draft) -> String {
    if draft.code(written).is_some() { draft.full_name(written) } else { written.to_owned() }
}

/// Where a key of a row is.
fn place(row: &DraftMatch, key: &str) -> Option<usize> {
    let start = |it: &Field<String>| it.as_ref().map(|it| it.span.start);
    match key {
        "tool" => start(&row.tool),
        "text" => start(&row.text),
        "pattern" => start(&row.pattern),
        "code" => start(&row.code),
        "example" => start(&row.example),
        "json" => row.json.as_ref().map(|it| it.span.start),
        "status" => row.status.as_ref().map(|it| it.span.start),
        _ => None,
    }
}

fn boxed(name: &Spanned<String>) -> Box<str> {
    name.value.as_str().into()
}

/// A number that a code can have.
fn number(written: i64) -> Option<u32> {
    u32::try_from(written).ok().filter(|it| (1..=MAX_NUMBER).contains(it))
}

#[cfg(test)]
mod tests;
