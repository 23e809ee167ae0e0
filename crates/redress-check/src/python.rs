//! Python: its nodes, tables and imports.

use crate::{
    imports,
    scan::Scan,
    tree::{Kind, Step, Trail},
};

/// What the nodes of the grammar are.
pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("comment", Kind::Comment),
    ("string", Kind::Text),
    ("identifier", Kind::Name),
    ("attribute", Kind::Path),
    ("call", Kind::Call),
    ("argument_list", Kind::Arguments),
    ("keyword_argument", Kind::Keyword),
    ("pair", Kind::Pair),
    ("dictionary", Kind::Object),
    ("list", Kind::List),
    ("set", Kind::List),
    ("tuple", Kind::List),
    ("class_definition", Kind::Class),
    ("function_definition", Kind::Function),
    ("lambda", Kind::Function),
    ("parameters", Kind::Parameters),
    ("assignment", Kind::Declare),
    ("subscript", Kind::Subscript),
    ("generic_type", Kind::Subscript),
    ("type_alias_statement", Kind::TypeAlias),
    ("comparison_operator", Kind::Operator),
    ("binary_operator", Kind::Operator),
    ("boolean_operator", Kind::Operator),
    ("case_pattern", Kind::Pattern),
    ("import_statement", Kind::Import),
    ("import_from_statement", Kind::Import),
    ("decorator", Kind::Decorator),
    ("raise_statement", Kind::Throw),
    ("try_statement", Kind::Try),
    ("except_clause", Kind::Catch),
    ("return_statement", Kind::Return),
    ("block", Kind::Block),
    ("conditional_expression", Kind::Through),
    ("parenthesized_expression", Kind::Through),
    ("await", Kind::Through),
    ("type", Kind::Through),
];

pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, _trail: &Trail<'t>) {
    if step.kind == Kind::Import {
        let found = imports::python(scan.slice(step.node));
        scan.facts.imports.extend(found);
    }
}
