//! `Named`: a place in a source that names a code, with what is known of it after all files were joined.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use redress_registry::{Entry, name::is_full_code};

use crate::{
    contract::{Contract, Meaning},
    facts::{CodeTable, Constant, Facts, Mention, Position, TableKind, Value},
    position::{is_code_key, is_error_name},
    resolve::{Index, Target},
    span::Span,
};

/// A place that names a code.
#[derive(Debug, Clone)]
pub struct Named<'w> {
    /// The number of the file.
    pub file: usize,
    /// The code as it is spelt where its text is.
    pub text: &'w str,
    /// Where it is named.
    pub span: Span,
    /// The text itself is there, and not a name for it.
    pub is_literal: bool,
    /// What happens to it.
    pub role: Role,
    /// Only a code can stand there.
    pub is_certain: bool,
}

/// What happens to a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A failure gets it.
    Raised,
    /// A failure is compared with it.
    Compared,
    /// It is one of several in a table.
    Listed,
}

/// Texts of other families than that of the contract: what a type or another table of the sources allows is declared there,
/// and need not be registered.
pub(crate) type Families<'w> = FxHashSet<&'w str>;

/// The other families of some files.
pub(crate) fn families<'w>(
    files: impl Iterator<Item = &'w Facts>,
    contract: &Contract,
) -> Families<'w> {
    let mut families = Families::default();
    for facts in files {
        families.extend(facts.typed.iter().map(|it| &**it));
        let others = facts.tables.iter().filter(|it| !is_code_table(it, contract));
        families.extend(others.flat_map(|it| &it.members).map(|it| &*it.text));
    }
    families
}

/// Where the codes of a file are named.
pub(crate) fn named<'w>(
    file: usize,
    facts: &'w Facts,
    with: (&'w Contract, &Index<'w>, &Families<'w>),
) -> Vec<Named<'w>> {
    let (contract, index, families) = with;
    let mut list: Vec<Named<'w>> = Vec::new();
    let tables: Vec<(&CodeTable, bool)> =
        facts.tables.iter().map(|it| (it, is_code_table(it, contract))).collect();
    for (table, is_of_codes) in &tables {
        list.extend(listed(file, table, *is_of_codes, contract));
    }
    list.sort_by_key(|it| it.span.start);
    list.dedup_by_key(|it| it.span.start);
    let mut found = Vec::new();
    for mention in &facts.mentions {
        if list.binary_search_by_key(&mention.span.start, |it| it.span.start).is_ok() {
            continue;
        }
        found.extend(mentioned(file, mention, (contract, index)));
    }
    // What a constant of a code's name holds is judged by that name.
    let of_code =
        |it: &&Constant| contract.code(it.name.rsplit('.').next().unwrap_or_default()).is_some();
    let constants: FxHashSet<u32> =
        facts.constants.iter().filter(of_code).map(|it| it.span.start).collect();
    for named in &mut found {
        named.is_certain &=
            !families.contains(named.text) && !constants.contains(&named.span.start);
    }
    list.extend(found);
    list.sort_by_key(|it| it.span.start);
    list
}

/// A table is one of codes if most of it is registered: three codes at least.
pub(crate) fn is_code_table(table: &CodeTable, contract: &Contract) -> bool {
    let known = registered(table, contract);
    known >= 3 && known * 3 >= table.members.len() * 2
}

/// How many members of a table are codes of the contract.
pub(crate) fn registered(table: &CodeTable, contract: &Contract) -> usize {
    table.members.iter().filter(|it| contract.code(&it.text).is_some()).count()
}

fn listed<'w>(
    file: usize,
    table: &'w CodeTable,
    is_of_codes: bool,
    contract: &'w Contract,
) -> impl Iterator<Item = Named<'w>> {
    // Something else under each name is a translation: what comes out of it is raised.
    let is_literal = !matches!(table.kind, TableKind::Variants | TableKind::Derived);
    // Beside a registered code even a short table shows a slip.
    let is_mixed = is_literal && registered(table, contract) > 0;
    table.members.iter().map(move |it| {
        let is_translation = table.kind == TableKind::Names && it.name != it.text && !is_of_codes;
        Named {
            file,
            text: &it.text,
            span: it.span.clone(),
            is_literal,
            role: if is_translation { Role::Raised } else { Role::Listed },
            is_certain: (is_of_codes && is_literal && table.kind != TableKind::List)
                || (is_mixed && is_slip(&it.text, contract)),
        }
    })
}

fn mentioned<'w>(
    file: usize,
    mention: &'w Mention,
    (contract, index): (&'w Contract, &Index<'w>),
) -> Option<Named<'w>> {
    let role = match mention.position {
        Position::Compared { .. } => Role::Compared,
        _ => Role::Raised,
    };
    let named = |text, is_literal, is_certain| {
        Some(Named { file, text, span: mention.span.clone(), is_literal, role, is_certain })
    };
    match &mention.value {
        Value::Text(text) => {
            let is_certain = is_full_code(text)
                && (is_certain(file, &mention.position, index)
                    || (is_possible(&mention.position) && is_slip(text, contract))
                    || (is_likely(&mention.position) && near(text, contract).is_some()));
            (is_certain || contract.meaning(text).is_some())
                .then(|| named(&**text, true, is_certain))?
        }
        Value::Path(path) => match index.target(file, path) {
            Target::NoMember(table) if is_code_table(table, contract) => {
                let last = path.rsplit('.').next().unwrap_or_default();
                named(last, false, is_full_code(last))
            }
            Target::Member(..) | Target::Constant(..) => {
                let text = index.text(file, path)?;
                let last = path.rsplit('.').next().unwrap_or_default();
                let is_certain = is_full_code(text)
                    && contract.code(last).is_none()
                    && is_certain(file, &mention.position, index);
                (is_certain || contract.meaning(text).is_some())
                    .then(|| named(text, false, is_certain))?
            }
            _ => {
                let last = path.rsplit('.').next().unwrap_or_default();
                contract.meaning(last).is_some().then(|| named(last, false, false))?
            }
        },
        Value::Computed(_) => None,
    }
}

/// Whether only a code can stand there.
pub(crate) fn is_certain(file: usize, position: &Position, index: &Index<'_>) -> bool {
    match position {
        Position::Member { key, of_error } => *of_error && is_code_key(key),
        Position::Argument { callee, index: at, count, .. } => match index.target(file, callee) {
            Target::Function(_, it) => it.code_parameter == Some(*at) && is_error_name(callee),
            _ => *at == 0 && (is_factory(callee) || (*count >= 2 && is_error_type(callee))),
        },
        _ => false,
    }
}

/// Whether a code is there more often than not.
fn is_likely(position: &Position) -> bool {
    match position {
        Position::Member { key, .. } => is_code_key(key),
        Position::Compared { with } => with.rsplit('.').next().is_some_and(is_code_key),
        Position::Argument { callee, index: 0, .. } => is_error_type(callee) || sets_code(callee),
        _ => false,
    }
}

/// `.with_code("X")`, `.setErrorCode("X")`.
fn sets_code(callee: &str) -> bool {
    const SETTERS: [&str; 8] = [
        "with_code",
        "set_code",
        "with_error_code",
        "set_error_code",
        "withCode",
        "setCode",
        "withErrorCode",
        "setErrorCode",
    ];
    SETTERS.contains(&callee.rsplit('.').next().unwrap_or_default())
}

/// Functions that make an error of a code, in the SDKs and servers that we know.
fn is_factory(callee: &str) -> bool {
    const NAMES: [&str; 16] = [
        "makeError",
        "createError",
        "makePluginError",
        "toolError",
        "mcpError",
        "errorResult",
        "errorResponse",
        "toolFailure",
        "tool_failure",
        "domainError",
        "make_error",
        "create_error",
        "tool_error",
        "error_result",
        "error_response",
        "startupFailure",
    ];
    NAMES.contains(&callee.rsplit('.').next().unwrap_or_default())
}

/// A type of errors that an author wrote: those of the languages take a message.
fn is_error_type(callee: &str) -> bool {
    const OF_LANGUAGES: [&str; 20] = [
        "Error",
        "TypeError",
        "RangeError",
        "SyntaxError",
        "ReferenceError",
        "EvalError",
        "URIError",
        "AggregateError",
        "ValueError",
        "RuntimeError",
        "KeyError",
        "OSError",
        "IOError",
        "NotImplementedError",
        "PermissionError",
        "FileNotFoundError",
        "AttributeError",
        "AssertionError",
        "ImportError",
        "LookupError",
    ];
    let mut parts = callee.rsplit('.');
    let last = parts.next().unwrap_or_default();
    let is_type = |it: &str| {
        it.starts_with(|it: char| it.is_ascii_uppercase())
            && ["Error", "Exception", "Fault", "Failure", "Problem"]
                .iter()
                .any(|end| it.ends_with(end))
            && !OF_LANGUAGES.contains(&it)
    };
    is_type(last) || parts.next().is_some_and(is_type)
}

/// Whether a code can stand there: not what is asked of something else, such as `getenv("X")`.
fn is_possible(position: &Position) -> bool {
    match position {
        Position::Member { of_error, .. } => *of_error,
        Position::Compared { with } => with.is_empty(),
        Position::Argument { callee, thrown, .. } => *thrown || is_error_name(callee),
        Position::Returned | Position::Loose => true,
    }
}

/// Whether a text is so near to one code that it is no word of its own: several words, and one letter wrong.
fn is_slip(text: &str, contract: &Contract) -> bool {
    const LEAST: usize = 8;
    // One more letter at the end is a plural more often than a slip.
    let is_form =
        |it: &str| text.strip_suffix('S') == Some(it) || it.strip_suffix('S') == Some(text);
    text.len() >= LEAST
        && text.contains('_')
        && contract.meaning(text).is_none()
        && near(text, contract).is_some_and(|it| !is_form(it))
}

/// The one registered code that a text was surely meant to be: a slip away.
pub(crate) fn near<'c>(text: &str, contract: &'c Contract) -> Option<&'c str> {
    const LEAST: usize = 6;
    const MAX_SLIPS: usize = 1;
    let is_near = |it: &&str| {
        it.len().abs_diff(text.len()) <= MAX_SLIPS && strsim::osa_distance(text, it) <= MAX_SLIPS
    };
    let mut found = contract.registry.codes.keys().map(|it| &**it).filter(is_near);
    let only = found.next().filter(|_| text.len() >= LEAST)?;
    found.next().is_none().then_some(only)
}

impl Named<'_> {
    /// What its contract says of it.
    pub fn meaning<'c>(&self, contract: &'c Contract) -> Option<Meaning<'c>> {
        contract.meaning(self.text)
    }

    /// Its row.
    pub fn entry<'c>(&self, contract: &'c Contract) -> Option<&'c Arc<Entry>> {
        contract.code(self.text)
    }
}
