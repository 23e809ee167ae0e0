//! JavaScript: a text as the scripts that it may be.

mod judge;
mod lists;
mod scope;
mod visit;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, SourceType, Statement};
use oxc_parser::{Kind, ParseOptions, Parser, Token, config::TokensParserConfig};

use super::{
    Refusal, constructs,
    keywords::{Keywords, in_text, plain},
    place::{mistake, unescape},
};
use judge::JavaScriptJudge;
use lists::KEYWORDS;

/// What runs a payload may take it for a script, a module, the body of a function that may wait, or the value of one.
#[derive(Clone, Copy)]
enum SourceGoal {
    Script,
    Module,
    Body,
    Value,
}

impl SourceGoal {
    /// What is around it.
    const fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Script | Self::Module => ("", ""),
            Self::Body => ("async function __f() {\n", "\n}"),
            Self::Value => ("async function __f() { return (\n", "\n) }"),
        }
    }
}

pub(super) fn prepare() {
    lists::is_global("");
}

/// Judges every reading that parses and may be another than one before.
///
/// They differ in what `await` is, which a script may take for a name; whether `<!--` begins a comment; and what the first word is.
pub(super) fn inspect(code: &str) -> Result<(), Refusal> {
    let (mut is_read, mut furthest) = (false, 0);
    let is_comment_open = code.contains("<!--") || code.contains("-->");
    for reading in [SourceGoal::Script, SourceGoal::Module, SourceGoal::Body, SourceGoal::Value] {
        let is_other = match reading {
            SourceGoal::Script => true,
            SourceGoal::Module => is_comment_open || code.contains("await"),
            SourceGoal::Body => is_comment_open,
            SourceGoal::Value => begins_as_statement(code),
        };
        if is_read && !is_other {
            continue;
        }
        match inspect_as(reading, code) {
            Ok(verdict) => {
                verdict?;
                is_read = true;
            }
            Err(at) => furthest = furthest.max(at),
        }
    }
    if is_read { Ok(()) } else { Err(mistake(code, furthest)) }
}

/// The verdict on a reading; the place of the mistake where it does not parse.
fn inspect_as(reading: SourceGoal, code: &str) -> Result<Result<(), Refusal>, usize> {
    let (head, tail) = reading.around();
    let source = &*format!("{head}{code}{tail}");
    let kind = match reading {
        SourceGoal::Module => SourceType::mjs(),
        SourceGoal::Script | SourceGoal::Body | SourceGoal::Value => SourceType::script(),
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
    Ok(judge(source, head.len(), &parsed.program, &parsed.tokens))
}

fn judge(
    source: &str,
    head: usize,
    program: &Program<'_>,
    tokens: &[Token],
) -> Result<(), Refusal> {
    keywords(source, tokens)?;
    if has_html_comment(source, program) {
        return Err(Refusal::Construct(constructs::HTML_COMMENT.to_owned()));
    }
    JavaScriptJudge::judge(program, usize::from(head > 0)).verdict(source, head)
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

/// The keyword list in words and signs; texts are left out, and a pattern is searched.
fn keywords(source: &str, tokens: &[Token]) -> Result<(), Refusal> {
    let mut keywords = Keywords::new(KEYWORDS);
    for token in tokens {
        let span = token.span();
        let range = usize::try_from(span.start).ok().zip(usize::try_from(span.end).ok());
        let spelled = range.and_then(|(start, end)| source.get(start..end)).unwrap_or_default();
        match token.kind() {
            Kind::Str
            | Kind::NoSubstitutionTemplate
            | Kind::TemplateHead
            | Kind::TemplateMiddle
            | Kind::TemplateTail => keywords.push("\"".into())?,
            Kind::RegExp => match in_text(KEYWORDS, spelled) {
                Some(keyword) => return Err(keyword),
                None => keywords.push("/".into())?,
            },
            _ if token.escaped() => keywords.push(plain(&unescape(spelled)).into_owned().into())?,
            _ => keywords.push(plain(spelled))?,
        }
    }
    Ok(())
}

/// `<!--` and `-->` are comments in a script and code in a module.
fn has_html_comment(source: &str, program: &Program<'_>) -> bool {
    program.comments.iter().any(|comment| {
        let start = usize::try_from(comment.span.start).unwrap_or_default();
        let text = source.get(start..).unwrap_or_default();
        !text.starts_with("//") && !text.starts_with("/*")
    })
}
