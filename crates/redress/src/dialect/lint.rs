//! The rules about dialects: what a row's own words and example do to the documents of every dialect.

use std::sync::Arc;

use redress_registry::{
    Entry, Finding, Level, Registry, Rule, Spanned,
    draft::{Draft, DraftCode},
    rule::Grade,
};
use serde_json::{Map, Value};

use super::{Dialect, Lookup, Stamp};
use crate::fault::{Fault, fields};
use redress_wire::json::{Doc, Limits};

/// A rule, and what it has to say about the example of a row in a dialect.
struct DialectCheck {
    rule: Rule,
    run: fn(&Case<'_>) -> Option<Map<String, Value>>,
    message: &'static str,
}

const CHECKS: &[DialectCheck] = &[
    DialectCheck {
        rule: Rule {
            id: "CK601",
            name: "broken-law",
            grade: Grade::Level(Level::Violation),
            summary: "A code's example does not come back from a dialect, or its spelling is not \
                      one of the dialect's closed set.",
            why: "Whoever reads that dialect gets another failure than was sent, or none.",
            how_to_fix: "Use a spelling that the dialect has, or leave the alias out to be \
                         written by class.",
        },
        run: broken_law,
        message: "In {dialect}, {code} is written as {spelling}, which its readers refuse.",
    },
    DialectCheck {
        rule: Rule {
            id: "CK602",
            name: "undeclared-loss",
            grade: Grade::Level(Level::Violation),
            summary: "An alias turns a failure that may be repeated into one that may not, or \
                      the other way round.",
            why: "The dialect cannot say it otherwise, so its readers repeat what must not be \
                  repeated, or give up.",
            how_to_fix: "Use a spelling whose own row agrees on the retry, or leave the alias out.",
        },
        run: undeclared_loss,
        message: "In {dialect}, {code} is read as {read}, which differs in whether it may be repeated.",
    },
    DialectCheck {
        rule: Rule {
            id: "CK603",
            name: "shared-place",
            grade: Grade::Level(Level::Violation),
            summary: "Two parts of a failure go to one place of a dialect, and differ.",
            why: "Only one of them can arrive there; the other is read wrong.",
            how_to_fix: "Make the two agree, or give one of them another name.",
        },
        run: shared_place,
        message: "In {dialect}, {path} of {code} comes back with the value of another part.",
    },
    DialectCheck {
        rule: Rule {
            id: "CK604",
            name: "ambiguous-detection",
            grade: Grade::Level(Level::Violation),
            summary: "A code's example is taken for another dialect, or its spelling is a word \
                      that any document may hold.",
            why: "Answers of servers that know nothing of this contract would be read as its codes.",
            how_to_fix: "Use a spelling of two words or more joined by underscores.",
        },
        run: ambiguous_detection,
        message: "In {dialect}, the spelling {spelling} of {code} is not enough to know the dialect.",
    },
];

/// Every rule about dialects, in the order of their ids.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    CHECKS.iter().map(|it| &it.rule)
}

/// All that the rules find in a file that means `registry`, in its order. Exceptions of the file hold.
pub fn lint(draft: &Draft, registry: &Arc<Registry>) -> Vec<Finding> {
    let lookup = Lookup::with([Arc::clone(registry)]);
    let mut found = Vec::new();
    for code in &draft.codes {
        let name = draft.full_name(&code.value.name.value);
        let Some(row) = registry.get(&name) else { continue };
        for dialect in Dialect::ALL {
            let case = Case { row, dialect, example: Fault::example(row), lookup: &lookup };
            for check in CHECKS.iter().filter(|it| !is_allowed(registry, it.rule.id, &name)) {
                if let Some(context) = (check.run)(&case) {
                    found.push(finding(draft, &code.value, check, &case, context));
                }
            }
        }
    }
    found.sort_by_key(|it| (it.span.start, it.rule));
    found
}

/// The example of a row in a dialect.
struct Case<'a> {
    row: &'a Arc<Entry>,
    dialect: Dialect,
    example: Fault,
    lookup: &'a Lookup,
}

impl Case<'_> {
    fn written(&self) -> String {
        self.dialect.write(&self.example, Stamp::default())
    }

    /// The row's spelling, where the row itself gives one.
    fn alias(&self) -> Option<&str> {
        self.row.spelling(self.dialect.name())
    }
}

/// CK601.
fn broken_law(case: &Case<'_>) -> Option<Map<String, Value>> {
    let carried = case.dialect.carry(&case.example, Stamp::default(), case.lookup).text;
    let back = case.dialect.read(carried.as_bytes(), case.lookup);
    let comes_back =
        back.is_ok_and(|it| fields::all().all(|field| (field.same)(&it, &case.example)));
    let is_word = case.alias().is_none_or(|it| is_in_closed_set(case.dialect, it));
    (!comes_back || !is_word).then(Map::new)
}

/// Whether the spelling is one that the dialect's readers know without this registry. Some dialects take any code.
fn is_in_closed_set(dialect: Dialect, spelling: &str) -> bool {
    !dialect.shape().has_closed_codes() || Lookup::shipped().spelled(dialect, spelling).is_some()
}

/// CK602.
fn undeclared_loss(case: &Case<'_>) -> Option<Map<String, Value>> {
    case.alias()?;
    let back = case.dialect.read(case.written().as_bytes(), &Lookup::shipped()).ok()?;
    let differs = back.retryable() != case.example.retryable();
    differs.then(|| Map::from_iter([("read".to_owned(), back.code().into())]))
}

/// CK603: what the dialect has no place for must come back as the row has it, if at all.
fn shared_place(case: &Case<'_>) -> Option<Map<String, Value>> {
    let mut back = Fault::of(case.row);
    let text = case.written();
    let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok()?;
    case.dialect.shape().fill(doc.root(), &mut back).ok()?;
    let kept = case.dialect.keeps();
    let plain = Fault::of(case.row);
    let places = kept.weakened.iter().chain(kept.invented);
    let field = fields::all().find(|it| {
        let changed = !(it.same)(&back, &case.example) && !(it.same)(&back, &plain);
        changed && (it.has)(&back) && !places.clone().any(|place| place.starts_with(it.path))
    })?;
    Some(Map::from_iter([("path".to_owned(), field.path.into())]))
}

/// CK604.
fn ambiguous_detection(case: &Case<'_>) -> Option<Map<String, Value>> {
    let text = case.written();
    let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok()?;
    let is_taken = Dialect::detect(doc.root(), case.lookup).is_ok_and(|it| it != case.dialect);
    let is_plain_word = case.alias().is_some_and(|it| case.dialect.shape().is_plain_word(it));
    (is_taken || is_plain_word).then(Map::new)
}

fn is_allowed(registry: &Registry, rule: &str, code: &str) -> bool {
    registry.allows.iter().any(|it| it.rule == rule && it.code == code)
}

/// The finding at the alias of the dialect, or at the code's name.
fn finding(
    draft: &Draft,
    code: &DraftCode,
    check: &DialectCheck,
    case: &Case<'_>,
    mut context: Map<String, Value>,
) -> Finding {
    let alias = code.alias.iter().find(|(it, _)| it.value == case.dialect.name());
    let Spanned { span, .. } = alias.and_then(|(_, it)| it.first()).unwrap_or(&code.name);
    context.insert("dialect".to_owned(), case.dialect.name().into());
    context.insert("code".to_owned(), (&*case.row.code).into());
    context.insert("spelling".to_owned(), (&*case.dialect.spelling(case.row)).into());
    let place = (draft.source.place(span.start), span.clone());
    Finding {
        code: Some(case.row.code.to_string()),
        ..Finding::new(&check.rule, place, check.message, context)
    }
}
