//! What one handler of all calls does for the name of a tool: `case "read_note": …`, `if name == "read_note": …`.

use tree_sitter::Node;

use super::is_tool_name;
use crate::{
    facts::Branch,
    scan::Scan,
    span::span,
    tree::{NodeKind, Step, Trail},
};

/// What the name of a tool is called by those who look at it.
const SUBJECTS: [&str; 4] = ["name", "toolName", "tool_name", "tool"];

/// Keeps the branch that a node begins, if it is taken for one name.
pub(super) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, trail: &Trail<'t>) {
    let found = match step.kind {
        NodeKind::Arm => of_case(step.node, trail),
        NodeKind::Pattern => of_match(step.node, trail),
        NodeKind::Operator => of_comparison(scan, step.node, trail),
        _ => None,
    };
    let Some((subject, name, done)) = found else { return };
    let path = scan.path(subject).unwrap_or_default();
    let is_subject = SUBJECTS.contains(&path.rsplit('.').next().unwrap_or_default());
    if let Some((name, _)) = scan.literal(name).filter(|it| is_subject && is_tool_name(it.0)) {
        scan.facts.branches.push(Branch { name: name.into(), span: span(done.byte_range()) });
    }
}

/// What is looked at, what it must be, and what is done then.
type Parts<'t> = (Node<'t>, Node<'t>, Node<'t>);

/// `case "read_note":` of a `switch`. One without a body falls through to the next.
fn of_case<'t>(case: Node<'t>, trail: &Trail<'t>) -> Option<Parts<'t>> {
    let value = case.child_by_field_name("value").filter(|_| case.named_child_count() > 1)?;
    let choice = trail.around().nth(1)?.node;
    Some((inner(choice.child_by_field_name("value")?), value, case))
}

/// `"read_note" =>` of Rust, `case "read_note":` of Python.
fn of_match<'t>(pattern: Node<'t>, trail: &Trail<'t>) -> Option<Parts<'t>> {
    let mut around = trail.around().map(|it| it.node);
    let (arm, choice) = (around.next()?, around.nth(1)?);
    let subject = ["value", "subject"].iter().find_map(|it| choice.child_by_field_name(it))?;
    let done = ["value", "consequence"].iter().find_map(|it| arm.child_by_field_name(it))?;
    let text = pattern.named_child(0).filter(|it| it.kind().contains("string"))?;
    Some((subject, text, done))
}

/// `if name == "read_note"`.
fn of_comparison<'t>(
    scan: &Scan<'t>,
    comparison: Node<'t>,
    trail: &Trail<'t>,
) -> Option<Parts<'t>> {
    let right = comparison.named_child(1).filter(|it| it.kind().contains("string"))?;
    let left = comparison.named_child(0)?;
    let between = scan.text.get(left.end_byte()..right.start_byte())?.trim();
    let is_equal = matches!(between, "==" | "===") && comparison.named_child_count() == 2;
    let branch = trail.meaning().filter(|_| is_equal)?.0.node;
    let condition = inner(branch.child_by_field_name("condition")?);
    let done = branch.child_by_field_name("consequence")?;
    (condition.id() == comparison.id()).then_some((left, right, done))
}

/// What is in parentheses.
fn inner(node: Node<'_>) -> Node<'_> {
    let inside = node.named_child(0).filter(|_| node.kind() == "parenthesized_expression");
    inside.unwrap_or(node)
}
