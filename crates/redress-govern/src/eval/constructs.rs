//! What a refusal says that it found, and what to write instead.

pub(super) const UNDECLARED: &str = "a name that the code does not declare";
pub(super) const DECLARED_ANEW: &str = "a name of the language that is declared anew";
pub(super) const OUTER_VAR: &str = "`var` outside of a function";
pub(super) const GLOBAL_AS_VALUE: &str = "a name of the language that is used as a value";
pub(super) const MEMBER_OF_GLOBAL: &str = "a member of a name of the language that is not listed";
pub(super) const METHOD: &str = "a method that is not listed";
pub(super) const METHOD_AS_VALUE: &str = "a method of a class that is used as a value";
pub(super) const ATTRIBUTE_OF: &str = "an attribute that is not listed";
pub(super) const LEADS_OUT: &str = "a member that leads out of the code";
pub(super) const CHOSEN: &str = "a member that is chosen when the code runs";
pub(super) const WRITE: &str = "a change of what is not the code's own";
pub(super) const SINK: &str = "a text that a browser may run";
pub(super) const TEXT_AS_CODE: &str = "a timer of what is no function of the code";
pub(super) const FETCH: &str = "fetch of more than a path of the page";
pub(super) const THIS: &str = "`this` outside of a class";
pub(super) const NEW: &str = "a class that is not listed";
pub(super) const CONSTRUCTOR_GIVES: &str = "a constructor that returns a value";
pub(super) const REPLACE: &str = "replace of what is not spelled out";
pub(super) const IMPORT_IN_CLASS: &str = "import in a class";
pub(super) const DECORATOR: &str = "a decorator";
pub(super) const EXPRESSION: &str = "an expression that is not listed";
pub(super) const HTML_COMMENT: &str = "an HTML comment";
pub(super) const ENCODING: &str = "a declaration of another encoding";
pub(super) const FORMAT: &str = "a format that is not spelled out";
pub(super) const MODULE_AS_VALUE: &str = "a module that is used as a value";
pub(super) const STAR: &str = "import *";
pub(super) const SPECIAL: &str = "a special name";
pub(super) const TYPE: &str = "type, but to compare it or to read its name";
pub(super) const DATACLASS: &str = "dataclass, but as the decorator of a plain class";
pub(super) const WRAPS: &str = "wraps, but of one function";
pub(super) const PATTERN: &str = "a pattern of a class that the code does not declare";

/// What a node is called whose kind is not listed.
pub(super) fn of_node(kind: &str) -> &'static str {
    match kind {
        "WithStatement" => "with",
        "ImportDeclaration" | "ImportExpression" => "import",
        "TaggedTemplateExpression" => "a tagged template",
        "Decorator" => DECORATOR,
        _ if kind.starts_with("Stmt") || kind.ends_with("Statement") => {
            "a statement that is not listed"
        }
        _ if kind.ends_with("Declaration") => "a statement that is not listed",
        _ => EXPRESSION,
    }
}

/// What to write instead of a construct.
pub(super) fn instead(construct: &str) -> Option<&'static str> {
    let mut known = include_str!("instead.txt").lines().filter_map(|it| it.split_once(": "));
    known.find(|it| construct.starts_with(it.0)).map(|it| it.1)
}
