//! Python: its nodes, tables and imports.

use crate::{
    imports,
    scan::Scan,
    tree::{NodeKind, Step, Trail},
};

/// What the nodes of the grammar are.
pub(crate) const KINDS: &[(&str, NodeKind)] = &[
    ("comment", NodeKind::Comment),
    ("string", NodeKind::Text),
    ("identifier", NodeKind::Name),
    ("attribute", NodeKind::Path),
    ("call", NodeKind::Call),
    ("argument_list", NodeKind::Arguments),
    ("keyword_argument", NodeKind::Keyword),
    ("pair", NodeKind::Pair),
    ("dictionary", NodeKind::Object),
    ("list", NodeKind::List),
    ("set", NodeKind::List),
    ("tuple", NodeKind::List),
    ("class_definition", NodeKind::Class),
    ("function_definition", NodeKind::Function),
    ("lambda", NodeKind::Function),
    ("parameters", NodeKind::Parameters),
    ("assignment", NodeKind::Declare),
    ("subscript", NodeKind::Subscript),
    ("generic_type", NodeKind::Subscript),
    ("type_alias_statement", NodeKind::TypeAlias),
    ("comparison_operator", NodeKind::Operator),
    ("binary_operator", NodeKind::Operator),
    ("boolean_operator", NodeKind::Operator),
    ("case_pattern", NodeKind::Pattern),
    ("import_statement", NodeKind::Import),
    ("import_from_statement", NodeKind::Import),
    ("decorator", NodeKind::Decorator),
    ("raise_statement", NodeKind::Throw),
    ("try_statement", NodeKind::Try),
    ("except_clause", NodeKind::Catch),
    ("return_statement", NodeKind::Return),
    ("block", NodeKind::Block),
    ("conditional_expression", NodeKind::Through),
    ("parenthesized_expression", NodeKind::Through),
    ("await", NodeKind::Through),
    ("type", NodeKind::Through),
];

pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, _trail: &Trail<'t>) {
    if step.kind == NodeKind::Import {
        let found = imports::python(scan.slice(step.node));
        scan.facts.imports.extend(found);
    }
}
