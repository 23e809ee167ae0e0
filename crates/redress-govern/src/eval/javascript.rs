//! JavaScript: what a script does, whatever it calls it.

mod texts;

use std::collections::HashSet;

use tree_sitter::{Node, Tree};

use super::{
    Refusal,
    fold::Text,
    tokens::{Tokens, in_text},
    tree::{name, nodes, text, word},
    words::{JS_GLOBALS, JS_KEYWORDS, JS_MEMBERS, JS_PROCESS, JS_RUNS_TEXT, JS_VALUES, has},
};
use texts::Texts;

/// Keywords first, then constructs.
pub(super) fn judge(
    code: &str,
    tree: &Tree,
    expired: &mut dyn FnMut() -> bool,
) -> Result<(), Refusal> {
    let mut texts = Texts::new(code);
    let mut keywords = Keywords { code, tokens: Tokens::new(JS_KEYWORDS), telling: HashSet::new() };
    let nodes = nodes(tree, expired)?;
    for (kind, node) in &nodes {
        texts.learn(kind, *node);
        keywords.visit(kind, *node)?;
    }
    let mut script = Script::new(code, &texts);
    nodes.iter().try_for_each(|(kind, node)| script.visit(kind, *node))?;
    script.end()
}

/// The blocklist, and the texts that count as code.
struct Keywords<'c> {
    code: &'c str,
    tokens: Tokens<'c>,
    telling: HashSet<usize>,
}

impl Keywords<'_> {
    fn visit(&mut self, kind: &str, node: Node<'_>) -> Result<(), Refusal> {
        match kind {
            "subscript_expression" => self.tell(node.child_by_field_name("index")),
            "pair" | "pair_pattern" => self.tell(node.child_by_field_name("key")),
            "computed_property_name" => self.tell(node.named_child(0)),
            "import_statement" | "export_statement" => {
                self.tell(node.child_by_field_name("source"));
            }
            "call_expression" | "new_expression" => self.tell_arguments(node),
            "string" | "template_string" if self.telling.contains(&node.id()) => {
                return in_text(JS_KEYWORDS, &super::tree::unescape(text(self.code, node)));
            }
            "regex_pattern" => return in_text(JS_KEYWORDS, text(self.code, node)),
            "comment" | "html_comment" | "hash_bang_line" | "string_fragment"
            | "escape_sequence" => {}
            _ if node.child_count() == 0 => return self.tokens.push(word(self.code, node)),
            _ => {}
        }
        Ok(())
    }

    fn tell(&mut self, node: Option<Node<'_>>) {
        self.telling.extend(node.map(|it| it.id()));
    }

    fn tell_arguments(&mut self, call: Node<'_>) {
        let Some(callee) = callee(call) else { return };
        let called = match callee.kind() {
            "member_expression" => callee.child_by_field_name("property"),
            _ => Some(callee),
        };
        let called = called.map(|it| name(self.code, it)).unwrap_or_default();
        if !(has(JS_RUNS_TEXT, &called) || called == "require" || called == "import") {
            return;
        }
        if let Some(arguments) = call.child_by_field_name("arguments") {
            self.telling.extend(arguments.named_children(&mut arguments.walk()).map(|it| it.id()));
        }
    }
}

/// What a value is by where it comes from.
#[derive(PartialEq, Eq)]
enum Root {
    Global,
    Process,
    Reflect,
    Else,
}

/// The constructs. Parents come before their children, so a parent can excuse what it makes harmless.
struct Script<'c, 't> {
    code: &'c str,
    texts: &'c Texts<'c, 't>,
    excused: HashSet<usize>,
    computed: bool,
    word: Option<String>,
}

impl<'c, 't> Script<'c, 't> {
    fn new(code: &'c str, texts: &'c Texts<'c, 't>) -> Self {
        Self { code, texts, excused: HashSet::new(), computed: false, word: None }
    }

    fn visit(&mut self, kind: &str, node: Node<'t>) -> Result<(), Refusal> {
        match kind {
            "identifier" | "shorthand_property_identifier" => self.mention(node),
            "member_expression" | "subscript_expression" => self.member(node),
            "unary_expression" => {
                self.operator(node);
                Ok(())
            }
            "binary_expression" => self.binary(node),
            "pair_pattern" | "shorthand_property_identifier_pattern" => self.taken_apart(node),
            "pair" => self.named(node),
            "call_expression" | "new_expression" => self.call(node),
            "string" | "template_string" => self.datum(node),
            "import" => refuse("import()"),
            "import_statement" => refuse("import"),
            "export_statement" if node.child_by_field_name("source").is_some() => {
                refuse("export from")
            }
            "with_statement" => refuse("with"),
            "html_comment" => refuse("an HTML comment"),
            _ => Ok(()),
        }
    }

    /// A word that is harmless as data, beside a member that is chosen when the code runs.
    fn end(self) -> Result<(), Refusal> {
        match self.word {
            Some(word) if self.computed => refuse(&format!("{word} as a key")),
            _ => Ok(()),
        }
    }

    fn mention(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        if self.excused.contains(&node.id()) {
            return Ok(());
        }
        let spelled = word(self.code, node);
        match self.root(node) {
            _ if has(JS_VALUES, &spelled) => refuse(&spelled),
            Root::Process => refuse("process as a value"),
            Root::Global => refuse("the global object as a value"),
            Root::Reflect => refuse("Reflect as a value"),
            Root::Else => Ok(()),
        }
    }

    fn member(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        let Some(object) = node.child_by_field_name("object").map(bare) else { return Ok(()) };
        let key = self.texts.key(node);
        if node.kind() == "subscript_expression" && key == Text::Other {
            self.computed |=
                node.child_by_field_name("index").is_none_or(|it| it.kind() != "number");
        }
        match (self.root(object), &key) {
            (Root::Process, Text::Known(key)) if has(JS_PROCESS, key) => {
                return refuse(&format!("process.{key}"));
            }
            (Root::Process, Text::Known(_)) => self.excuse(object),
            (Root::Process, _) => return refuse("a computed member of process"),
            (Root::Global, Text::Known(key)) if has(JS_VALUES, key) => return refuse(key),
            (Root::Global, Text::Known(_)) => self.excuse(object),
            (Root::Global, _) => return refuse("a computed member of the global object"),
            (Root::Reflect, Text::Known(key)) if key == "has" || key == "ownKeys" => {
                self.excuse(object);
            }
            (Root::Reflect, _) => return refuse("Reflect"),
            (Root::Else, _) => {}
        }
        match key {
            Text::Known(key) if key == "name" || key == "length" => {
                self.excuse_constructor(object);
                Ok(())
            }
            _ if self.excused.contains(&node.id()) => Ok(()),
            Text::Known(key) if has(JS_MEMBERS, &key) => refuse(&format!(".{key}")),
            Text::Known(key) if key == "process" => refuse("process as a value"),
            Text::Made => refuse("a key that is made of parts"),
            Text::Known(_) | Text::Other => Ok(()),
        }
    }

    /// `typeof x` tells nothing but a word.
    fn operator(&mut self, node: Node<'t>) {
        let operator = node.child_by_field_name("operator").map(|it| text(self.code, it));
        if operator == Some("typeof") {
            node.child_by_field_name("argument")
                .map(bare)
                .into_iter()
                .for_each(|it| self.excuse(it));
        }
    }

    fn binary(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        let operator = node.child_by_field_name("operator").map(|it| text(self.code, it));
        let sides = ["left", "right"].map(|it| node.child_by_field_name(it).map(bare));
        match operator {
            Some("instanceof") => sides.iter().skip(1).flatten().for_each(|it| self.excuse(*it)),
            Some("===" | "!==" | "==" | "!=") => {
                for side in sides.into_iter().flatten() {
                    self.excuse_constructor(side);
                    if self.root(side) == Root::Global {
                        self.excuse(side);
                    }
                }
            }
            Some("+") if self.texts.is_whole(node) => return self.datum(node),
            _ => {}
        }
        Ok(())
    }

    /// `const { constructor: c } = f` takes a member as `f.constructor` does.
    fn taken_apart(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        match self.texts.pattern_key(node) {
            Text::Known(key) if has(JS_MEMBERS, &key) || has(JS_VALUES, &key) => {
                refuse(&format!(".{key}"))
            }
            Text::Known(key) if key == "process" => refuse("process as a value"),
            Text::Made => refuse("a key that is made of parts"),
            Text::Known(_) | Text::Other => Ok(()),
        }
    }

    fn named(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        match self.texts.pattern_key(node) {
            Text::Known(key) if key == "__proto__" => refuse(".__proto__"),
            _ => Ok(()),
        }
    }

    fn call(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        let Some(callee) = callee(node) else { return Ok(()) };
        let called = match callee.kind() {
            "identifier" => Text::Known(name(self.code, callee)),
            "member_expression" | "subscript_expression" => self.texts.key(callee),
            _ => Text::Other,
        };
        let Text::Known(called) = called else { return Ok(()) };
        let first = node.child_by_field_name("arguments").and_then(|it| it.named_child(0));
        match first.map(|it| self.texts.fold(it)) {
            Some(Text::Known(_) | Text::Made) if has(JS_RUNS_TEXT, &called) => {
                refuse(&format!("{called} of a text"))
            }
            _ => Ok(()),
        }
    }

    fn datum(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        let Text::Known(datum) = self.texts.fold(node) else { return Ok(()) };
        if datum.trim_start().to_ascii_lowercase().starts_with("javascript:") {
            return refuse("a javascript: address");
        }
        if has(JS_MEMBERS, &datum) || has(JS_VALUES, &datum) {
            self.word = Some(datum);
        }
        Ok(())
    }

    fn root(&self, node: Node<'t>) -> Root {
        let own = match node.kind() {
            "identifier" | "shorthand_property_identifier" => name(self.code, node),
            "member_expression" | "subscript_expression" => match self.texts.key(node) {
                Text::Known(key) => key,
                Text::Made | Text::Other => return Root::Else,
            },
            _ => return Root::Else,
        };
        let free = node.kind() != "identifier" || !self.texts.is_declared(&own);
        match own.as_str() {
            "process" => Root::Process,
            "Reflect" => Root::Reflect,
            "globalThis" | "global" | "window" if node.kind() == "identifier" => Root::Global,
            _ if has(JS_GLOBALS, &own) && free && self.of_global(node) => Root::Global,
            _ => Root::Else,
        }
    }

    /// A name of the global object stands alone, or is a member of it (`window.self`).
    fn of_global(&self, node: Node<'t>) -> bool {
        match node.child_by_field_name("object").map(bare) {
            Some(object) => {
                object.kind() == "identifier" && has(JS_GLOBALS, &name(self.code, object))
            }
            None => true,
        }
    }

    fn excuse(&mut self, node: Node<'t>) {
        self.excused.insert(node.id());
    }

    fn excuse_constructor(&mut self, node: Node<'t>) {
        if node.kind() == "member_expression"
            && self.texts.key(node) == Text::Known("constructor".to_owned())
        {
            self.excuse(node);
        }
    }
}

fn refuse(construct: &str) -> Result<(), Refusal> {
    Err(Refusal::Construct(construct.to_owned()))
}

fn callee(call: Node<'_>) -> Option<Node<'_>> {
    call.child_by_field_name("function")
        .or_else(|| call.child_by_field_name("constructor"))
        .map(bare)
}

/// A node without the parentheses around it.
fn bare(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        match node.named_child(0) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}
