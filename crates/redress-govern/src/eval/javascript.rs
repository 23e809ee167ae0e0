//! JavaScript: a text as the scripts that it may be.

mod values;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, SourceType, Statement};
use oxc_parser::{Kind, ParseOptions, Parser, Token, config::TokensParserConfig};

use super::{
    Refusal,
    judge::judge,
    payload::{self, Payload, Value, plain},
    place::{mistake, unescape},
    rules::JAVASCRIPT,
};

/// What runs a payload may take it for a script, a module, or the body of a function that may wait.
#[derive(Clone, Copy)]
enum Reading {
    Script,
    Module,
    Body,
}

/// What stands around the body of a function.
const HEAD: &str = "async function f() {\n";
const TAIL: &str = "\n}";

/// Judges every reading that parses. Where `await` does not stand all of them are the same, so that the first is enough.
pub(super) fn inspect(code: &str, expired: &dyn Fn() -> bool) -> Result<(), Refusal> {
    let (mut is_read, mut furthest) = (false, 0);
    for reading in [Reading::Script, Reading::Module, Reading::Body] {
        match inspect_as(reading, code, expired) {
            Ok(verdict) => {
                verdict?;
                is_read = true;
                if !code.contains("await") {
                    break;
                }
            }
            Err(at) => furthest = furthest.max(at),
        }
    }
    if is_read { Ok(()) } else { Err(mistake(code, furthest)) }
}

/// The verdict, or where it does not parse.
fn inspect_as(
    reading: Reading,
    code: &str,
    expired: &dyn Fn() -> bool,
) -> Result<Result<(), Refusal>, usize> {
    let (source, head) = match reading {
        Reading::Body => (&*format!("{HEAD}{code}{TAIL}"), HEAD.len()),
        Reading::Script | Reading::Module => (code, 0),
    };
    let kind = match reading {
        Reading::Module => SourceType::mjs(),
        Reading::Script | Reading::Body => SourceType::script(),
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
        return Err(at.saturating_sub(head).min(code.len()));
    }
    if parsed.panicked || (head > 0 && !is_one_function(&parsed.program)) {
        return Err(0);
    }
    let mut payload = Payload::new(tokens(source, &parsed.tokens));
    if has_html_comment(source, &parsed.program) {
        payload.push(Value::Forbidden("an HTML comment"));
    }
    values::read(&mut payload, &parsed.program, head > 0);
    Ok(judge(&payload, &JAVASCRIPT, expired))
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
