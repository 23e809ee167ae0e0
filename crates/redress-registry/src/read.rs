//! The reader: the text of an `errors.toml` to a [`Draft`], or every problem in it at its place.

mod depth;
mod table;
mod value;

use toml::de::{DeTable, DeValue};

use crate::{
    Problem, Source, Spanned,
    dialects::DIALECTS,
    draft::{
        Draft, DraftAllow, DraftCode, DraftDefaults, DraftDeprecated, DraftDomain, DraftMatch,
        DraftNext, DraftOverride, DraftParam, DraftPlugin, DraftRetired, DraftTool,
    },
    problems::{Problems, quoted},
};
use table::{Path, TableReader, named};

/// What the first line of a registry file says.
pub const FORMAT: &str = "redress-registry/1";

/// Bigger files are refused.
pub const MAX_FILE_BYTES: usize = 4 << 20;

/// Reads a registry file as written. What is missing is the lint's business; what is unknown or of
/// the wrong type is a problem here, and all of them are listed.
pub fn read(source: &Source) -> Result<Draft, Vec<Problem>> {
    from_tree(source, &tree(source)?)
}

/// The tree of any TOML file, with the place of each value. A file that is huge, deep or no TOML is refused.
pub fn tree(source: &Source) -> Result<Tree<'_>, Vec<Problem>> {
    if source.text.len() > MAX_FILE_BYTES {
        let message = format!("The file is larger than {MAX_FILE_BYTES} bytes.");
        return Err(vec![source.problem(0, message)]);
    }
    if let Some(at) = depth::too_deep(&source.text) {
        let message = format!("This is nested deeper than {} levels.", depth::MAX_DEPTH);
        return Err(vec![source.problem(at, message)]);
    }
    parsed(source)
}

/// Reads a file that is known to be neither huge nor deep, such as one that is compiled in.
pub(crate) fn read_sound(source: &Source) -> Result<Draft, Vec<Problem>> {
    from_tree(source, &parsed(source)?)
}

/// A file as the parser gives it.
pub type Tree<'i> = toml::Spanned<DeTable<'i>>;

fn parsed(source: &Source) -> Result<Tree<'_>, Vec<Problem>> {
    let mut problems = Problems::new(source);
    let (root, errors) = DeTable::parse_recoverable(&source.text);
    for error in errors {
        let at = error.span().map_or(0, |it| it.start);
        problems.add(at, format!("This is not TOML: {}.", error.message()));
    }
    problems.none_yet()?;
    Ok(root)
}

fn from_tree(source: &Source, root: &Tree<'_>) -> Result<Draft, Vec<Problem>> {
    let mut problems = Problems::new(source);
    let mut root = TableReader::of(root.get_ref(), Path::File, &mut problems);
    if format_is_known(&mut root) {
        let draft = draft(source, &mut root);
        root.close();
        problems.none_yet()?;
        Ok(draft)
    } else {
        Err(problems.into_list())
    }
}

/// Whether the file says that it is one of ours; if not, nothing else in it has a meaning.
fn format_is_known(root: &mut TableReader<'_, '_>) -> bool {
    let first = root.first_key();
    if first.is_none_or(|it| it.get_ref() != "format") {
        let message = format!("The first key must be `format = \"{FORMAT}\"`.");
        root.problems.add(first.map_or(0, |it| it.span().start), message);
    }
    let Some(format) = root.take::<String>("format") else { return false };
    if format.value != FORMAT {
        let message =
            format!("The format {} is not known; it must be `{FORMAT}`.", quoted(&format.value));
        root.problems.add(format.span.start, message);
    }
    format.value == FORMAT
}

fn draft(source: &Source, root: &mut TableReader<'_, '_>) -> Draft {
    let mut extends = root.list("extends");
    let registry = root.table("registry", |it| {
        extends.extend(it.list("extends"));
        (it.take("name"), it.take("version"), it.take("docs_base"))
    });
    let (name, version, docs_base) = registry.map(|it| it.value).unwrap_or_default();
    Draft {
        source: source.clone(),
        name,
        version,
        docs_base,
        extends,
        plugin: root.table("plugin", plugin).map(|it| it.value),
        defaults: root.table("defaults", defaults).map(|it| it.value).unwrap_or_default(),
        domains: root.rows("domain", domain),
        codes: root.rows("code", code),
        retired: root.rows("retired", retired),
        overrides: root.rows("override", overriding),
        tools: root.rows("tool", tool),
        allows: root.tables("allow", allow),
        matches: root.tables("match", matching),
    }
}

fn plugin(table: &mut TableReader<'_, '_>) -> DraftPlugin {
    DraftPlugin { namespace: table.take("namespace"), core: table.take("core") }
}

fn defaults(table: &mut TableReader<'_, '_>) -> DraftDefaults {
    DraftDefaults {
        severity: table.take("severity"),
        stability: table.take("stability"),
        effect: table.take("effect"),
        since: table.take("since"),
    }
}

fn domain(name: Spanned<String>, table: &mut TableReader<'_, '_>) -> DraftDomain {
    DraftDomain { name, title: table.take("title"), range: table.take("range") }
}

fn code(name: Spanned<String>, table: &mut TableReader<'_, '_>) -> DraftCode {
    DraftCode {
        name,
        number: table.take("number"),
        domain: table.take("domain"),
        class: table.take("class"),
        http: table.take("http"),
        retry: table.take("retry"),
        effect: table.take("effect"),
        severity: table.take("severity"),
        title: table.take("title"),
        message: table.take("message"),
        hint: table.take("hint"),
        next: table.tables("next", next),
        similar: table.take("similar"),
        params: table.rows("params", param),
        explain: table.take("explain"),
        example: table.take("example"),
        since: table.take("since"),
        stability: table.take("stability"),
        deprecated: table.table("deprecated", deprecated),
        alias: table.table("alias", alias).map(|it| it.value).unwrap_or_default(),
    }
}

fn next(table: &mut TableReader<'_, '_>) -> DraftNext {
    DraftNext { tool: table.take("tool"), args: table.take("args") }
}

fn param(name: Spanned<String>, table: &mut TableReader<'_, '_>) -> DraftParam {
    DraftParam {
        name,
        kind: table.take("type"),
        doc: table.take("doc"),
        required: table.take("required"),
        values: table.list("enum"),
        untrusted: table.take("untrusted"),
        secret: table.take("secret"),
        max_chars: table.take("max_chars"),
    }
}

fn deprecated(table: &mut TableReader<'_, '_>) -> DraftDeprecated {
    DraftDeprecated {
        since: table.take("since"),
        reason: table.take("reason"),
        to: table.take("to"),
        until: table.take("until"),
    }
}

fn alias(table: &mut TableReader<'_, '_>) -> Vec<(Spanned<String>, Vec<Spanned<String>>)> {
    let mut spelt = Vec::new();
    for dialect in DIALECTS {
        let Some((key, value)) = table.entry(dialect) else { continue };
        let spellings = match value.get_ref() {
            DeValue::String(_) => table.one(dialect, value).into_iter().collect(),
            _ => table.many(dialect, value),
        };
        spelt.push((named(key), spellings));
    }
    spelt.sort_by_key(|(key, _)| key.span.start);
    spelt
}

fn retired(name: Spanned<String>, table: &mut TableReader<'_, '_>) -> DraftRetired {
    DraftRetired {
        name,
        number: table.take("number"),
        since: table.take("since"),
        why: table.take("why"),
        to: table.take("to"),
    }
}

fn overriding(name: Spanned<String>, table: &mut TableReader<'_, '_>) -> DraftOverride {
    DraftOverride {
        name,
        message: table.take("message"),
        hint: table.take("hint"),
        next: table.tables("next", next),
    }
}

fn tool(name: Spanned<String>, table: &mut TableReader<'_, '_>) -> DraftTool {
    DraftTool {
        name,
        may: table.list("may"),
        operation: table.take("operation"),
        read_only: table.take("read_only"),
        idempotent: table.take("idempotent"),
        paths: table.list("paths"),
        content: table.take("content"),
        patch: table.take("patch"),
    }
}

fn allow(table: &mut TableReader<'_, '_>) -> DraftAllow {
    DraftAllow {
        rule: table.take("rule"),
        code: table.take("code"),
        why: table.take("why"),
        until: table.take("until"),
    }
}

fn matching(table: &mut TableReader<'_, '_>) -> DraftMatch {
    DraftMatch {
        tool: table.take("tool"),
        text: table.take("text"),
        pattern: table.take("pattern"),
        json: table.take("json"),
        rpc_code: table.take("rpc_code"),
        status: table.take("status"),
        code: table.take("code"),
        effect: table.take("effect"),
        silent: table.take("silent"),
        example: table.take("example"),
    }
}

#[cfg(test)]
mod tests;
