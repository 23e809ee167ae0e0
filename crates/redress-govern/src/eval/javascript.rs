//! JavaScript: a text as the scripts that it may be.

pub(super) mod calls;
mod functions;
mod parts;
mod values;
pub(super) mod words;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, SourceType, Statement};
use oxc_parser::{Kind, ParseOptions, Parser, Token, config::TokensParserConfig};

use super::{
    Refusal,
    judge::judge,
    payload::{self, Node, Payload, Value, plain},
    place::{mistake, unescape},
    rules::JAVASCRIPT,
};

/// What runs a payload may take it for a script, a module, the body of a function that may wait, or the value of one.
#[derive(Clone, Copy)]
enum Reading {
    Script,
    Module,
    Body,
    Value,
}

impl Reading {
    /// What stands around it.
    const fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Script | Self::Module => ("", ""),
            Self::Body => ("async function f() {\n", "\n}"),
            Self::Value => ("async function f() { return (\n", "\n) }"),
        }
    }
}

/// Judges every reading that parses and is not the same as one before.
///
/// Where two readings parse, they differ in three things: what `await` is, which a script may take for a name; whether `<!--` begins a
/// comment; and what the first word is. Strict code is read as other code is, or not at all.
pub(super) fn inspect(code: &str, expired: &dyn Fn() -> bool) -> Result<(), Refusal> {
    let (mut is_read, mut furthest) = (false, 0);
    let mut is_open = code.contains("<!--") || code.contains("-->");
    let mut readings = [Reading::Script, Reading::Module, Reading::Body, Reading::Value];
    if code.contains("await ") {
        // Most such code is no script, which takes long to be found out.
        readings.swap(0, 1);
    }
    for reading in readings {
        let is_other = is_open || matches!(reading, Reading::Value) && begins_as_statement(code);
        if is_read && !is_other {
            continue;
        }
        match inspect_as(reading, code, expired) {
            Ok(waits) => {
                is_open |= waits? == Waits::Perhaps;
                is_read = true;
            }
            Err(at) => furthest = furthest.max(at),
        }
    }
    if is_read { Ok(()) } else { Err(mistake(code, furthest)) }
}

/// What `await` is in a reading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// What it is in every other that parses.
    Always,
    /// It may be something else in another.
    Perhaps,
}

/// What `await` is in what may be run; else where it does not parse.
fn inspect_as(
    reading: Reading,
    code: &str,
    expired: &dyn Fn() -> bool,
) -> Result<Result<Waits, Refusal>, usize> {
    let (head, tail) = reading.around();
    let source = &*format!("{head}{code}{tail}");
    let kind = match reading {
        Reading::Module => SourceType::mjs(),
        Reading::Script | Reading::Body | Reading::Value => SourceType::script(),
    };
    let options = ParseOptions {
        allow_return_outside_function: true,
        preserve_parens: false,
        enable_ident_hashes: false,
        ..ParseOptions::default()
    };
    let allocator = Allocator::default();
    let parser = Parser::new(&allocator, source, kind).with_options(options);
    let parsed = parser.with_config(TokensParserConfig).parse();
    let failed = parsed.diagnostics.iter().map(|it| {
        it.labels.iter().map(|label| usize::try_from(label.offset()).unwrap_or_default()).min()
    });
    if let Some(at) = failed.map(Option::unwrap_or_default).min() {
        return Err(at.saturating_sub(head.len()).min(code.len()));
    }
    if parsed.panicked || (!head.is_empty() && !is_one_function(&parsed.program)) {
        return Err(0);
    }
    let mut payload = Payload::new(tokens(source, &parsed.tokens));
    if has_html_comment(source, &parsed.program) {
        payload.push(Value::Forbidden("an HTML comment"));
    }
    values::read(&mut payload, &parsed.program, !head.is_empty());
    let waits = waits(reading, &payload);
    Ok(judge(&payload, &JAVASCRIPT, expired).map(|()| waits))
}

/// A script may have a name that is none elsewhere, and something that waits may be such a name in a script.
fn waits(reading: Reading, payload: &Payload<'_>) -> Waits {
    let is_name = |it: &Node<'_>| matches!(&it.value, Value::Name(name) | Value::Key(name) if name == "await");
    let is_always = match reading {
        Reading::Script => !payload.nodes.iter().any(is_name),
        _ => !payload.waits || payload.surely_waits,
    };
    if is_always { Waits::Always } else { Waits::Perhaps }
}

/// Whether the first word is another thing where a value is expected: `{}` is a block or an object.
fn begins_as_statement(code: &str) -> bool {
    let mut rest = code;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_whitespace() || it == '\u{feff}');
        let after = match rest.get(..2) {
            Some("//") => rest.split_once(['\n', '\r', '\u{2028}', '\u{2029}']),
            Some("/*") => rest.split_once("*/"),
            _ => break,
        };
        rest = after.map_or("", |it| it.1);
    }
    ["{", "function", "class", "async", "let"].iter().any(|it| rest.starts_with(it))
}

/// A payload that closes the function around it is none of its body.
fn is_one_function(program: &Program<'_>) -> bool {
    matches!(program.body.as_slice(), [Statement::FunctionDeclaration(_)])
}

/// Words and signs; texts are left out, and a pattern is marked.
fn tokens<'c>(source: &'c str, tokens: &[Token]) -> Vec<payload::Token<'c>> {
    let mut words = Vec::with_capacity(tokens.len());
    for token in tokens {
        let span = token.span();
        let range = usize::try_from(span.start).ok().zip(usize::try_from(span.end).ok());
        let spelled = range.and_then(|(start, end)| source.get(start..end)).unwrap_or_default();
        let is_text = matches!(
            token.kind(),
            Kind::Str
                | Kind::NoSubstitutionTemplate
                | Kind::TemplateHead
                | Kind::TemplateMiddle
                | Kind::TemplateTail
        );
        if is_text {
            words.push(payload::Token { word: "\"".into(), is_pattern: false });
            continue;
        }
        let word = if token.escaped() {
            plain(&unescape(spelled)).into_owned().into()
        } else {
            plain(spelled)
        };
        words.push(payload::Token { word, is_pattern: token.kind() == Kind::RegExp });
    }
    words
}

/// `<!--` and `-->` are comments in a script and code in a module.
fn has_html_comment(source: &str, program: &Program<'_>) -> bool {
    program.comments.iter().any(|comment| {
        let start = usize::try_from(comment.span.start).unwrap_or_default();
        let text = source.get(start..).unwrap_or_default();
        !text.starts_with("//") && !text.starts_with("/*")
    })
}
