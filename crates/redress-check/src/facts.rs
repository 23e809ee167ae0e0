//! `Facts`: what one source file says that a contract is about, without its tree and its text.

use crate::{
    error_flow::{ErrorFlow, Handler},
    language::Language,
    span::Span,
};

/// What is kept of one file. Everything is language-neutral; names of paths are joined by dots.
#[derive(Debug, Default)]
pub struct Facts {
    /// What the file is written in.
    pub language: Language,
    /// It tests, so what it raises is no part of the contract.
    pub is_test: bool,
    /// A program wrote it, so it is not corrected by hand.
    pub is_generated: bool,
    /// Every value that is where a code can stand.
    pub mentions: Vec<Mention>,
    /// Names for single texts.
    pub constants: Vec<Constant>,
    /// Enums, objects, lists and types that hold codes.
    pub tables: Vec<CodeTable>,
    /// Texts that a type allows: `code: "A" | "B"`.
    pub typed: Vec<Box<str>>,
    /// Names that come from other files.
    pub imports: Vec<Import>,
    /// Functions, methods and classes that can be called, in the order of their starts.
    pub functions: Vec<Function>,
    /// Calls, for what a tool reaches.
    pub calls: Vec<Call>,
    /// Tools that are declared here.
    pub tools: Vec<DeclaredTool>,
    /// What is done for the names of tools, where one handler takes all calls.
    pub branches: Vec<Branch>,
    /// Code-shaped words in texts for people and models.
    pub words: Vec<Word>,
    /// Comments that allow a rule to be broken.
    pub allowances: Vec<crate::suppress::Written>,
    /// What is done when something fails.
    pub error_flow: ErrorFlow,
    /// The first place that is no syntax of the language.
    pub broken: Option<Span>,
}

impl Facts {
    /// The function around a byte, the innermost one.
    pub fn function_at(&self, at: u32) -> Option<u32> {
        let before = self.functions.partition_point(|it| it.span.start <= at);
        let around = self.functions.get(..before)?.iter().rposition(|it| it.span.contains(&at))?;
        u32::try_from(around).ok()
    }

    /// The functions around a byte, the innermost first.
    pub(crate) fn functions_around(&self, at: u32) -> impl Iterator<Item = &Function> {
        let before = self.functions.partition_point(|it| it.span.start <= at);
        let nearest = self.functions.get(..before).unwrap_or_default().iter().rev();
        nearest.take(MAX_AROUND).filter(move |it| it.span.contains(&at))
    }

    /// The class of the function that begins there, or of one around it.
    pub(crate) fn class_around(&self, at: u32) -> Option<&str> {
        self.functions_around(at).find_map(|it| it.name.split_once('.').map(|it| it.0))
    }
}

/// More functions before a place are not looked at.
const MAX_AROUND: usize = 200;

/// A value where a code can stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// What is there.
    pub value: Value,
    /// The value without quotes.
    pub span: Span,
    /// Where it is.
    pub position: Position,
    /// The message beside it, if that is a literal.
    pub message: Option<Box<str>>,
}

/// A value as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A literal.
    Text(Box<str>),
    /// A name, or names joined by dots: `codes.NOT_FOUND`.
    Path(Box<str>),
    /// Put together at run time; the pieces that are literal, joined by `…`.
    Computed(Box<str>),
}

impl Value {
    /// The text, path or pieces.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(it) | Self::Path(it) | Self::Computed(it) => it,
        }
    }
}

/// Where a value is, which says whether it is a code and whether it is raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// The value of a member: `code: X`, `error.code = X`, `"code": X`, `code=X`.
    Member {
        /// The name of the member.
        key: Box<str>,
        /// Something around it is about failures: a sibling such as `message`, a throw, an error's constructor.
        of_error: bool,
    },
    /// An argument of a call.
    Argument {
        /// The function that it is passed to, joined by dots.
        callee: Box<str>,
        /// Which one, from 0.
        index: u8,
        /// Of how many.
        count: u8,
        /// The call is thrown or raised.
        thrown: bool,
    },
    /// Compared with something, or an arm of a match: the code is used, not raised.
    Compared {
        /// What it is compared with, joined by dots; empty if that is unknown.
        with: Box<str>,
    },
    /// Returned from a function.
    Returned,
    /// On its own: a typed path that is neither of the above.
    Loose,
}

/// A name for one text: `const GONE = "GONE"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: Box<str>,
    /// The text, or the path of another name.
    pub value: Value,
    /// The value without quotes.
    pub span: Span,
}

/// Several codes in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeTable {
    /// Its name; empty if it has none.
    pub name: Box<str>,
    /// What it is.
    pub kind: TableKind,
    /// The name where it is declared.
    pub span: Span,
    /// What it holds.
    pub members: Vec<Member>,
}

/// What a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// Names with texts: an enum, an object of texts, a class of constants.
    Names,
    /// Something for each code: the keys are the codes.
    Keys,
    /// A union of literals.
    Values,
    /// A list or a set.
    List,
    /// An enum of Rust, its variants named as codes are.
    Variants,
    /// An error type of Rust that derives `Contract`: the compiler compares it with the registry.
    Derived,
}

/// One member of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name; that of the text, where there is only a text.
    pub name: Box<str>,
    /// The text.
    pub text: Box<str>,
    /// The text without quotes.
    pub span: Span,
    /// What the table says of the code, if it says something.
    pub row: Option<Box<TableRow>>,
}

/// What a table of the sources says of a code: `{ http: 409, retryable: false, hint: "…" }`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableRow {
    /// The HTTP status.
    pub http: Option<u16>,
    /// Whether the call can be repeated.
    pub is_retryable: Option<bool>,
    /// What to do.
    pub hint: Option<Box<str>>,
    /// What happened.
    pub message: Option<Box<str>>,
}

/// A name that comes from another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Its name here; `*` if everything comes in.
    pub local: Box<str>,
    /// Its name there; `*` for the whole file.
    pub name: Box<str>,
    /// Which file, as written: `./errors.js`, `..errors`, `crate.errors`.
    pub from: Box<str>,
    /// Other files see it here, too.
    pub is_exported: bool,
}

/// A function, method or class that can be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name; a method has its class before the dot, a closure has none.
    pub name: Box<str>,
    /// All of it.
    pub span: Span,
    /// Which parameter is a code, from 0.
    pub code_parameter: Option<u8>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Who is called, joined by dots.
    pub callee: Box<str>,
    /// Where the call begins.
    pub at: u32,
}

/// A tool that is declared in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTool {
    /// Its name.
    pub name: Box<str>,
    /// The name in the source.
    pub span: Span,
    /// What it tells the model, if that is a literal.
    pub description: Option<Word>,
    /// It says what its results look like.
    pub has_output_schema: bool,
    /// Where its work is done, if that is beside it.
    pub handler: Handler,
}

/// What is done for one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The name.
    pub name: Box<str>,
    /// The whole branch.
    pub span: Span,
}

/// A text with its place: a word in a document, a description of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: Box<str>,
    /// Where it is.
    pub span: Span,
    /// Why it could be a code.
    pub hint: WordHint,
}

/// Why a word of a text could be a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordHint {
    /// The words before it say so: "fails with `X`".
    Said,
    /// It is one of several in a list or a column of a table; the number tells lists apart.
    Listed(u32),
    /// Nothing does.
    Plain,
}
