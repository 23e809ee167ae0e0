//! Where a value is: a word is a code by its position, never by its letters.

use tree_sitter::Node;

use crate::{
    facts::Position,
    language::Language,
    scan::Scan,
    tree::{NodeKind, Step, Trail},
};

/// How far around a value is looked for something about failures.
const MAX_AROUND: usize = 12;

/// How often a value is passed on unchanged before that is asked no further.
const MAX_PASSED: usize = 4;

/// Where the node is, if a code can stand there.
pub(crate) fn position<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> Option<Position> {
    let Some(mut around) = passed(scan, trail) else { return standing(scan, trail) };
    for _ in 1..MAX_PASSED {
        match passed(scan, &around) {
            Some(more) => around = more,
            None => break,
        }
    }
    standing(scan, &around)
}

/// The way to what has the same value: `"X".into()`, `Some("X")`, `code ?? "X"`, the end of a branch.
fn passed<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> Option<Trail<'t>> {
    const METHODS: [&str; 5] = ["into", "to_string", "to_owned", "as_str", "as_ref"];
    const MAKERS: [&str; 6] =
        ["Some", "String.from", "Cow.Borrowed", "Cow.from", "Box.from", "str"];
    let (outer, below) = trail.meaning()?;
    let kind = match outer.kind {
        NodeKind::Path => {
            let method = outer.node.child_by_field_name("field")?;
            METHODS.contains(&scan.slice(method)).then_some(NodeKind::Call)
        }
        NodeKind::Arguments => {
            let call = trail.around().skip_while(|it| it.kind != NodeKind::Arguments).nth(1)?;
            let callee = callee(call.node).and_then(|it| scan.path(it))?;
            let is_passed = MAKERS.contains(&callee.as_str())
                || is_fallback(scan, &callee, (outer.node, below));
            is_passed.then_some(NodeKind::Call)
        }
        NodeKind::Operator => is_default(outer.node).then_some(NodeKind::Operator),
        NodeKind::Block if scan.facts.language == Language::Rust => {
            let last = u32::try_from(outer.node.named_child_count()).ok()?.checked_sub(1)?;
            (outer.node.named_child(last)?.id() == below.id()).then_some(NodeKind::Block)
        }
        _ => None,
    }?;
    trail.to(kind)
}

/// What comes where there is nothing: `a.unwrap_or("X")`, `TABLE.get(a, "X")`.
fn is_fallback(scan: &Scan<'_>, callee: &str, (arguments, given): (Node<'_>, Node<'_>)) -> bool {
    let index = match (scan.facts.language, callee.rsplit('.').next()) {
        (Language::Rust, Some("unwrap_or")) => 0,
        (Language::Python, Some("get")) => 1,
        _ => return false,
    };
    callee.contains('.') && arguments.named_child(index).is_some_and(|it| it.id() == given.id())
}

/// `a ?? "X"`, `a || "X"`, `a or "X"`.
fn is_default(operator: Node<'_>) -> bool {
    let mark = operator.child_by_field_name("operator");
    mark.is_some_and(|it| matches!(it.kind(), "??" | "||" | "or"))
}

fn standing<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> Option<Position> {
    let (outer, below) = trail.meaning()?;
    let node = outer.node;
    match outer.kind {
        NodeKind::Pair => {
            let key = node.named_child(0)?;
            (key.id() != below.id()).then(|| member(scan, unquoted(scan.slice(key)), trail))
        }
        NodeKind::Keyword => {
            let name = node.child_by_field_name("name")?;
            (name.id() != below.id()).then(|| member(scan, scan.slice(name), trail))
        }
        NodeKind::Assign => {
            let left = node.child_by_field_name("left")?;
            let key = scan.path(left)?;
            let key = key.rsplit('.').next().unwrap_or_default();
            (left.id() != below.id()).then(|| member(scan, key, trail))
        }
        NodeKind::Declare => {
            let fields = ["name", "left", "pattern", "property"];
            let name = fields.iter().find_map(|it| node.child_by_field_name(it))?;
            let key = scan.slice(name);
            let is_value = name.id() != below.id();
            is_value
                .then(|| if is_code_key(key) { member(scan, key, trail) } else { Position::Loose })
        }
        NodeKind::Arguments => argument(scan, below, trail),
        NodeKind::Operator => Some(compared(scan, node, below)),
        NodeKind::Arm | NodeKind::Pattern => Some(Position::Compared { with: "".into() }),
        NodeKind::Return | NodeKind::Function => Some(Position::Returned),
        NodeKind::Tokens => token(scan, below, trail),
        NodeKind::Import
        | NodeKind::Export
        | NodeKind::Parameters
        | NodeKind::Enum
        | NodeKind::EnumMember
        | NodeKind::Decorator => None,
        _ => Some(Position::Loose),
    }
}

fn member<'t>(scan: &Scan<'t>, key: &str, trail: &Trail<'t>) -> Position {
    Position::Member { key: key.into(), of_error: is_of_error(scan, trail) }
}

fn argument<'t>(scan: &Scan<'t>, below: Node<'t>, trail: &Trail<'t>) -> Option<Position> {
    let mut around = trail.around().skip_while(|it| it.kind != NodeKind::Arguments);
    let arguments = around.next()?;
    let call = around.next()?;
    let callee = scan.path(callee(call.node)?)?;
    let callee = if is_super(&callee) { parent_of(scan, trail).unwrap_or(callee) } else { callee };
    let mut cursor = arguments.node.walk();
    let given = arguments.node.named_children(&mut cursor);
    let index = given.filter(|it| !it.is_extra()).position(|it| it.id() == below.id())?;
    let count = u8::try_from(arguments.node.named_child_count()).unwrap_or(u8::MAX);
    let thrown =
        around.find(|it| it.kind != NodeKind::Through).is_some_and(|it| it.kind == NodeKind::Throw);
    Some(Position::Argument {
        callee: callee.into(),
        index: u8::try_from(index).ok()?,
        count,
        thrown,
    })
}

/// `super(…)`, `super().__init__(…)`.
fn is_super(callee: &str) -> bool {
    matches!(callee, "super" | "__init__")
}

/// The class that the class around extends.
fn parent_of<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> Option<String> {
    let class = trail.around().find(|it| it.kind == NodeKind::Class)?.node;
    let head = heading(scan, class)?;
    let (_, after) = head.split_once("extends ").or_else(|| head.split_once('('))?;
    let name = after.trim_start().split(|it: char| !(it.is_alphanumeric() || "_.$".contains(it)));
    name.into_iter().next().filter(|it| !it.is_empty()).map(Into::into)
}

/// What a class says before its body.
fn heading<'t>(scan: &Scan<'t>, class: Node<'t>) -> Option<&'t str> {
    const MOST: usize = 400;
    let body = class.child_by_field_name("body")?;
    scan.text.get(class.start_byte()..body.start_byte()).filter(|it| it.len() < MOST)
}

/// Who is called: the first part of a call, but for `new`.
pub(crate) fn callee(call: Node<'_>) -> Option<Node<'_>> {
    let first = call.child(0)?;
    if first.is_named() { Some(first) } else { call.named_child(0) }
}

/// Whether a node is the value of a member that holds a code; looks at no more than it must.
pub(crate) fn is_under_code_key<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> bool {
    let Some((outer, below)) = trail.meaning() else { return false };
    let is_member = matches!(
        outer.kind,
        NodeKind::Pair
            | NodeKind::Keyword
            | NodeKind::Assign
            | NodeKind::Declare
            | NodeKind::Signature
    );
    if outer.kind == NodeKind::Tokens {
        let colon = below.prev_sibling().filter(|it| it.kind() == ":");
        let key = colon.and_then(|it| it.prev_sibling());
        return key.is_some_and(|it| is_code_key(unquoted(scan.slice(it))));
    }
    let key = outer.node.named_child(0).filter(|it| is_member && it.id() != below.id());
    key.is_some_and(|it| {
        let key = unquoted(scan.slice(it));
        is_code_key(key.rsplit('.').next().unwrap_or_default())
    })
}

fn compared(scan: &Scan<'_>, node: Node<'_>, below: Node<'_>) -> Position {
    let mut cursor = node.walk();
    let is_comparison = node.children(&mut cursor).any(|it| {
        matches!(it.kind(), "==" | "===" | "!=" | "!==" | "in" | "not in" | "is" | "is not")
    });
    if !is_comparison {
        return Position::Loose;
    }
    let mut cursor = node.walk();
    let other = node.named_children(&mut cursor).find(|it| it.id() != below.id());
    let with = other.and_then(|it| scan.path(it)).unwrap_or_default();
    Position::Compared { with: with.into() }
}

/// In the tokens of a macro: `"code": X` and `code: X` are members, everything else is an argument.
fn token<'t>(scan: &Scan<'t>, below: Node<'t>, trail: &Trail<'t>) -> Option<Position> {
    let colon = below.prev_sibling();
    if let Some(colon) = colon.filter(|it| it.kind() == ":") {
        let key = unquoted(scan.slice(colon.prev_sibling()?));
        return Some(member(scan, key, trail));
    }
    let made = trail.around().find(|it| it.kind == NodeKind::Macro)?;
    let callee = scan.slice(made.node.child_by_field_name("macro")?);
    if callee.starts_with("assert") || callee == "matches" {
        return Some(Position::Compared { with: "".into() });
    }
    let index = u8::from(colon.is_some_and(|it| !matches!(it.kind(), "(" | "[" | "{")));
    Some(Position::Argument { callee: format!("{callee}!").into(), index, count: 2, thrown: false })
}

/// Whether something around says that this is about a failure.
pub(crate) fn is_of_error<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> bool {
    let mut steps = trail.around().take(MAX_AROUND);
    steps.by_ref().take_while(|it| it.kind != NodeKind::Function).any(|it| says_error(scan, it))
}

fn says_error<'t>(scan: &Scan<'t>, step: Step<'t>) -> bool {
    let named = |field| step.node.child_by_field_name(field).map(|it| scan.slice(it));
    match step.kind {
        NodeKind::Throw => true,
        NodeKind::Object | NodeKind::Arguments => has_error_sibling(scan, step.node),
        NodeKind::Call | NodeKind::New => {
            callee(step.node).and_then(|it| scan.path(it)).is_some_and(|it| makes_error(&it))
        }
        NodeKind::Macro => named("macro").is_some_and(makes_error),
        NodeKind::Pair => {
            step.node.named_child(0).is_some_and(|it| is_error_key(unquoted(scan.slice(it))))
        }
        NodeKind::Tokens => ["\"error\"", "isError", "retryable"]
            .iter()
            .any(|it| scan.slice(step.node).contains(it)),
        NodeKind::Assign => named("left").is_some_and(is_error_name),
        NodeKind::Class => heading(scan, step.node)
            .is_some_and(|it| it.contains("Error") || it.contains("Exception")),
        _ => false,
    }
}

/// Members that only a failure on its way to a client has. A message alone can be that of a diagnosis.
fn has_error_sibling(scan: &Scan<'_>, object: Node<'_>) -> bool {
    const KEYS: [&str; 12] = [
        "error",
        "error_code",
        "errorCode",
        "hint",
        "retryable",
        "retry",
        "isError",
        "human_message",
        "suggestion",
        "http",
        "remediation",
        "next_actions",
    ];
    const MOST: usize = 24;
    let mut cursor = object.walk();
    object.named_children(&mut cursor).take(MOST).any(|it| {
        let key = unquoted(scan.slice(it.named_child(0).unwrap_or(it)));
        KEYS.contains(&key) || denies(scan, key, it.named_child(1))
    })
}

/// `ok: false`, `status: "error"`.
fn denies(scan: &Scan<'_>, key: &str, value: Option<Node<'_>>) -> bool {
    let value = value.map(|it| unquoted(scan.slice(it))).unwrap_or_default();
    match key {
        "ok" | "success" => matches!(value, "false" | "False"),
        "status" | "type" => value == "error",
        _ => false,
    }
}

/// `error: { code: … }`.
fn is_error_key(key: &str) -> bool {
    matches!(key, "error" | "err" | "fault" | "failure" | "cause")
        || key.ends_with("Error")
        || key.ends_with("_error")
}

/// Whether a call makes a failure. A result that only wraps one, or a log that only tells of one, does not.
fn makes_error(path: &str) -> bool {
    const WRAPPERS: [&str; 6] = ["err", "Err", "errAsync", "error", "reject", "failure"];
    let last = path.rsplit(['.', ':']).next().unwrap_or_default();
    (is_error_name(last) && !WRAPPERS.contains(&last)) || path == "CallToolResult.error"
}

/// The message that is beside a code: a member of the same object, or the next argument.
pub(crate) fn message<'t>(
    scan: &Scan<'t>,
    trail: &Trail<'t>,
    position: &Position,
) -> Option<&'t str> {
    const KEYS: [&str; 4] = ["message", "human_message", "error", "msg"];
    let literal = |it: Node<'t>| {
        let is_text = matches!(it.kind(), "string" | "string_literal" | "template_string");
        scan.literal(it).filter(|_| is_text).map(|it| it.0)
    };
    let around = |kinds: &[NodeKind]| trail.around().find(|it| kinds.contains(&it.kind));
    let member = |object: Node<'t>| {
        let mut cursor = object.walk();
        object.named_children(&mut cursor).find_map(|it| {
            let (key, value) = it.named_child(0).zip(it.named_child(1))?;
            KEYS.contains(&unquoted(scan.slice(key))).then(|| literal(value))?
        })
    };
    match position {
        Position::Member { key, .. } if is_code_key(key) => {
            member(around(&[NodeKind::Object, NodeKind::Arguments])?.node)
        }
        Position::Argument { callee, index, .. } if is_error_name(callee) => {
            let arguments = around(&[NodeKind::Arguments])?.node;
            let next = arguments.named_child(u32::from(*index) + 1)?;
            literal(next).or_else(|| member(next))
        }
        _ => None,
    }
}

/// Whether a name is that of a failure, or of what makes one.
pub(crate) fn is_error_name(path: &str) -> bool {
    const PARTS: [&str; 12] = [
        "err",
        "fail",
        "fault",
        "exception",
        "raise",
        "throw",
        "reject",
        "refus",
        "problem",
        "violation",
        "abort",
        "deny",
    ];
    let last = path.rsplit(['.', ':']).next().unwrap_or_default();
    let before = path.rsplit(['.', ':']).nth(1).unwrap_or_default();
    let has = |name: &str| {
        let name = name.to_ascii_lowercase();
        PARTS.iter().any(|it| name.contains(it))
    };
    has(last) || has(before)
}

/// Whether a member of that name holds a code.
pub(crate) fn is_code_key(key: &str) -> bool {
    matches!(
        key,
        "code"
            | "error_code"
            | "errorCode"
            | "err_code"
            | "errCode"
            | "symbol"
            | "fault_code"
            | "faultCode"
    )
}

/// A key without its quotes.
pub(crate) fn unquoted(key: &str) -> &str {
    key.trim_matches(['"', '\'', '`'])
}
