//! TypeScript and JavaScript: their nodes, tables and imports.

use crate::{
    imports,
    scan::Scan,
    tree::{NodeKind, Step, Trail},
};

/// What the nodes of the grammars are.
pub(crate) const KINDS: &[(&str, NodeKind)] = &[
    ("comment", NodeKind::Comment),
    ("string", NodeKind::Text),
    ("template_string", NodeKind::Text),
    ("identifier", NodeKind::Name),
    ("member_expression", NodeKind::Path),
    ("call_expression", NodeKind::Call),
    ("new_expression", NodeKind::New),
    ("arguments", NodeKind::Arguments),
    ("pair", NodeKind::Pair),
    ("object", NodeKind::Object),
    ("array", NodeKind::List),
    ("enum_declaration", NodeKind::Enum),
    ("enum_assignment", NodeKind::EnumMember),
    ("class_declaration", NodeKind::Class),
    ("abstract_class_declaration", NodeKind::Class),
    ("class", NodeKind::Class),
    ("function_declaration", NodeKind::Function),
    ("generator_function_declaration", NodeKind::Function),
    ("function_expression", NodeKind::Function),
    ("arrow_function", NodeKind::Function),
    ("method_definition", NodeKind::Function),
    ("formal_parameters", NodeKind::Parameters),
    ("variable_declarator", NodeKind::Declare),
    ("public_field_definition", NodeKind::Declare),
    ("field_definition", NodeKind::Declare),
    ("assignment_expression", NodeKind::Assign),
    ("union_type", NodeKind::Union),
    ("literal_type", NodeKind::Through),
    ("property_signature", NodeKind::Signature),
    ("type_alias_declaration", NodeKind::TypeAlias),
    ("binary_expression", NodeKind::Operator),
    ("switch_case", NodeKind::Arm),
    ("import_statement", NodeKind::Import),
    ("export_specifier", NodeKind::Import),
    ("export_statement", NodeKind::Export),
    ("decorator", NodeKind::Decorator),
    ("throw_statement", NodeKind::Throw),
    ("try_statement", NodeKind::Try),
    ("catch_clause", NodeKind::Catch),
    ("return_statement", NodeKind::Return),
    ("statement_block", NodeKind::Block),
    ("ternary_expression", NodeKind::Through),
    ("parenthesized_expression", NodeKind::Through),
    ("as_expression", NodeKind::Through),
    ("satisfies_expression", NodeKind::Through),
    ("non_null_expression", NodeKind::Through),
    ("await_expression", NodeKind::Through),
];

pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, _trail: &Trail<'t>) {
    let found = match step.kind {
        NodeKind::Import | NodeKind::Export => imports::typescript(scan.slice(step.node)),
        NodeKind::Declare if is_require(step) => imports::required(scan.slice(step.node)),
        _ => return,
    };
    scan.facts.imports.extend(found);
}

fn is_require(step: Step<'_>) -> bool {
    step.node
        .child_by_field_name("value")
        .is_some_and(|it| it.kind() == "call_expression" && it.end_byte() - it.start_byte() < 200)
}
