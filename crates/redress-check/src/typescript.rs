//! TypeScript and JavaScript: their nodes, tables and imports.

use crate::{
    imports,
    scan::Scan,
    tree::{Kind, Step, Trail},
};

/// What the nodes of the grammars are.
pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("comment", Kind::Comment),
    ("string", Kind::Text),
    ("template_string", Kind::Text),
    ("identifier", Kind::Name),
    ("member_expression", Kind::Path),
    ("call_expression", Kind::Call),
    ("new_expression", Kind::New),
    ("arguments", Kind::Arguments),
    ("pair", Kind::Pair),
    ("object", Kind::Object),
    ("array", Kind::List),
    ("enum_declaration", Kind::Enum),
    ("enum_assignment", Kind::EnumMember),
    ("class_declaration", Kind::Class),
    ("abstract_class_declaration", Kind::Class),
    ("class", Kind::Class),
    ("function_declaration", Kind::Function),
    ("generator_function_declaration", Kind::Function),
    ("function_expression", Kind::Function),
    ("arrow_function", Kind::Function),
    ("method_definition", Kind::Function),
    ("formal_parameters", Kind::Parameters),
    ("variable_declarator", Kind::Declare),
    ("public_field_definition", Kind::Declare),
    ("field_definition", Kind::Declare),
    ("assignment_expression", Kind::Assign),
    ("union_type", Kind::Union),
    ("literal_type", Kind::Through),
    ("property_signature", Kind::Signature),
    ("type_alias_declaration", Kind::TypeAlias),
    ("binary_expression", Kind::Operator),
    ("switch_case", Kind::Arm),
    ("import_statement", Kind::Import),
    ("export_specifier", Kind::Import),
    ("export_statement", Kind::Export),
    ("decorator", Kind::Decorator),
    ("throw_statement", Kind::Throw),
    ("try_statement", Kind::Try),
    ("catch_clause", Kind::Catch),
    ("return_statement", Kind::Return),
    ("statement_block", Kind::Block),
    ("ternary_expression", Kind::Through),
    ("parenthesized_expression", Kind::Through),
    ("as_expression", Kind::Through),
    ("satisfies_expression", Kind::Through),
    ("non_null_expression", Kind::Through),
    ("await_expression", Kind::Through),
];

pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, _trail: &Trail<'t>) {
    let found = match step.kind {
        Kind::Import | Kind::Export => imports::typescript(scan.slice(step.node)),
        Kind::Declare if is_require(step) => imports::required(scan.slice(step.node)),
        _ => return,
    };
    scan.facts.imports.extend(found);
}

fn is_require(step: Step<'_>) -> bool {
    step.node
        .child_by_field_name("value")
        .is_some_and(|it| it.kind() == "call_expression" && it.end_byte() - it.start_byte() < 200)
}
