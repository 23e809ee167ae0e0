//! Python: what a module does, whatever it calls it.

mod texts;

use std::collections::HashSet;

use tree_sitter::{Node, Tree};

use super::{
    Refusal,
    fold::Text,
    tokens::{Tokens, in_text},
    tree::{name, nodes, text, unescape, word},
    words::{PY_DUNDERS, PY_KEYWORDS, PY_MEMBERS, PY_MODULE_MEMBERS, PY_MODULES, PY_VALUES, has},
};
use texts::Texts;

/// Calls whose texts are code, names of members or names of modules.
const READS_TEXT: &[&str] =
    &["eval", "exec", "compile", "getattr", "setattr", "delattr", "__import__", "import_module"];

/// Keywords first, then constructs.
pub(super) fn judge(
    code: &str,
    tree: &Tree,
    expired: &mut dyn FnMut() -> bool,
) -> Result<(), Refusal> {
    let mut texts = Texts::new(code);
    let mut keywords = Keywords { code, tokens: Tokens::new(PY_KEYWORDS), telling: HashSet::new() };
    let nodes = nodes(tree, expired)?;
    for (kind, node) in &nodes {
        texts.learn(kind, *node);
        keywords.visit(kind, *node)?;
    }
    let mut module = Module { code, texts: &texts, excused: HashSet::new() };
    nodes.iter().try_for_each(|(kind, node)| module.visit(kind, *node))
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
            "subscript" => {
                self.telling.extend(node.child_by_field_name("subscript").map(|it| it.id()));
            }
            "call" => self.tell_arguments(node),
            "string" if self.telling.contains(&node.id()) => {
                return in_text(PY_KEYWORDS, &unescape(text(self.code, node)));
            }
            "comment" | "string_content" | "string_start" | "string_end" | "escape_sequence" => {}
            _ if node.child_count() == 0 => return self.tokens.push(word(self.code, node)),
            _ => {}
        }
        Ok(())
    }

    fn tell_arguments(&mut self, call: Node<'_>) {
        let Some(callee) = call.child_by_field_name("function") else { return };
        let called = callee.child_by_field_name("attribute").unwrap_or(callee);
        if !has(READS_TEXT, &name(self.code, called)) {
            return;
        }
        if let Some(arguments) = call.child_by_field_name("arguments") {
            self.telling.extend(arguments.named_children(&mut arguments.walk()).map(|it| it.id()));
        }
    }
}

/// The constructs. Parents come before their children, so a parent can excuse what it makes harmless.
struct Module<'c, 't> {
    code: &'c str,
    texts: &'c Texts<'c, 't>,
    excused: HashSet<usize>,
}

impl<'t> Module<'_, 't> {
    fn visit(&mut self, kind: &str, node: Node<'t>) -> Result<(), Refusal> {
        match kind {
            "identifier" => self.mention(node),
            "attribute" => self.attribute(node),
            "call" => self.call(node),
            "import_statement" => self.import(node),
            "import_from_statement" => self.import_from(node),
            "keyword_argument" => {
                self.excuse(node.child_by_field_name("name"));
                Ok(())
            }
            "string" | "concatenated_string" => self.datum(node),
            "wildcard_import" => refuse("import *"),
            "exec_statement" => refuse("exec"),
            _ => Ok(()),
        }
    }

    fn mention(&self, node: Node<'t>) -> Result<(), Refusal> {
        let spelled = word(self.code, node);
        match self.excused.contains(&node.id()) {
            false if has(PY_VALUES, &spelled) || spelled == "getattr" => refuse(&spelled),
            _ if is_forbidden_dunder(&spelled) => refuse(&spelled),
            _ => Ok(()),
        }
    }

    fn attribute(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        let attribute = node.child_by_field_name("attribute");
        self.excuse(attribute);
        let member = attribute.map(|it| name(self.code, it)).unwrap_or_default();
        let object = node.child_by_field_name("object").map(|it| name(self.code, it));
        let own = matches!(object.as_deref(), Some("self" | "cls"));
        if member.starts_with('_') && !member.starts_with("__") && !own {
            return refuse("a private member");
        }
        self.reach(&member)
    }

    /// A member by its name, taken from anything.
    fn reach(&self, member: &str) -> Result<(), Refusal> {
        let leads_out = has(PY_MEMBERS, member)
            || has(PY_VALUES, member)
            || (self.texts.imports() && has(PY_MODULE_MEMBERS, member));
        if leads_out || is_forbidden_dunder(member) {
            refuse(&format!(".{member}"))
        } else {
            Ok(())
        }
    }

    /// `getattr` of a member that is spelled out is an attribute; any other is not.
    fn call(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        let Some(callee) = node.child_by_field_name("function") else { return Ok(()) };
        if callee.kind() != "identifier" || name(self.code, callee) != "getattr" {
            return Ok(());
        }
        let key = node.child_by_field_name("arguments").and_then(|it| it.named_child(1));
        match key.map(|it| self.texts.fold(it)) {
            Some(Text::Known(key)) if !key.starts_with('_') => {
                self.excuse(Some(callee));
                self.reach(&key)
            }
            _ => refuse("getattr"),
        }
    }

    fn import(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        let mut cursor = node.walk();
        for import in node.children_by_field_name("name", &mut cursor) {
            let module = import.child_by_field_name("name").unwrap_or(import);
            self.allow_module(module)?;
        }
        Ok(())
    }

    fn import_from(&mut self, node: Node<'t>) -> Result<(), Refusal> {
        if let Some(module) = node.child_by_field_name("module_name") {
            self.allow_module(module)?;
        }
        let mut cursor = node.walk();
        for import in node.children_by_field_name("name", &mut cursor) {
            let member = name(self.code, import.child_by_field_name("name").unwrap_or(import));
            if member.starts_with('_') {
                return refuse("a private member");
            }
            self.reach(&member)?;
        }
        Ok(())
    }

    fn allow_module(&self, module: Node<'t>) -> Result<(), Refusal> {
        let spelled = name(self.code, module);
        if has(PY_MODULES, &spelled) {
            Ok(())
        } else {
            refuse(&format!("import of {}", shown(&spelled)))
        }
    }

    /// `"{0.__class__}".format(x)` reads members, too.
    fn datum(&self, node: Node<'t>) -> Result<(), Refusal> {
        match self.texts.fold(node) {
            Text::Known(datum) if datum.contains('{') && datum.contains(".__") => {
                refuse("a member in a format")
            }
            _ => Ok(()),
        }
    }

    fn excuse(&mut self, node: Option<Node<'t>>) {
        self.excused.extend(node.map(|it| it.id()));
    }
}

fn refuse(construct: &str) -> Result<(), Refusal> {
    Err(Refusal::Construct(construct.to_owned()))
}

fn is_forbidden_dunder(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__") && name.len() > 4 && !has(PY_DUNDERS, name)
}

/// A module's name as it may be told: the payload itself never is.
fn shown(module: &str) -> &str {
    let known =
        PY_MODULE_MEMBERS.iter().find(|it| module == **it || module.starts_with(&format!("{it}.")));
    known.copied().unwrap_or("a module")
}
