//! `SourceReader`: reads a file to its facts, in one walk over its tree.

use std::{ops::ControlFlow, path::Path, sync::LazyLock};

use tree_sitter::{Node, ParseOptions, Parser};

use crate::{
    card,
    error_flow::{self, Recorder},
    facts::Facts,
    functions,
    language::Language,
    markdown, mentions, python, rust,
    scan::Scan,
    span::span,
    suppress::allowances,
    table, tools,
    tree::{Grammar, NodeKind, Step, Tag, Trail, Visit, walk},
    typescript,
};

/// The grammars, each built when it is first needed.
static GRAMMARS: [LazyLock<Grammar>; 5] = [
    LazyLock::new(|| {
        Grammar::new(tree_sitter_rust::LANGUAGE.into(), rust::KINDS, error_flow::RUST)
    }),
    LazyLock::new(|| {
        Grammar::new(
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            typescript::KINDS,
            error_flow::ECMA,
        )
    }),
    LazyLock::new(|| {
        Grammar::new(
            tree_sitter_typescript::LANGUAGE_TSX.into(),
            typescript::KINDS,
            error_flow::ECMA,
        )
    }),
    LazyLock::new(|| {
        Grammar::new(tree_sitter_javascript::LANGUAGE.into(), typescript::KINDS, error_flow::ECMA)
    }),
    LazyLock::new(|| {
        Grammar::new(tree_sitter_python::LANGUAGE.into(), python::KINDS, error_flow::PYTHON)
    }),
];

/// Reads files of all languages, one after the other.
#[derive(Default)]
pub(crate) struct SourceReader {
    parser: Parser,
}

impl std::fmt::Debug for SourceReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reader")
    }
}

impl SourceReader {
    /// What a file says. Total: what is no syntax is skipped and listed in `broken`.
    pub(crate) fn read(&mut self, language: Language, path: &Path, text: &str) -> Facts {
        let grammar = GRAMMARS.get(language as usize).map(|it| &**it);
        let tree = grammar.and_then(|it| self.parse(it, text));
        let scan = Scan::new(language, path, text);
        let recorder = Recorder::new(language, text, scan.facts.is_test);
        let mut visitor = Visitor { scan, recorder };
        match (grammar, &tree) {
            (None, _) => markdown::read(&mut visitor.scan),
            (Some(grammar), Some(tree)) => walk(tree, grammar, &mut visitor),
            (Some(_), None) => visitor.scan.give_up(),
        }
        let mut facts = visitor.scan.finish();
        facts.error_flow = visitor.recorder.finish();
        facts
    }

    /// The tree of a text. `None` if that takes more steps than any text written by hand.
    fn parse(&mut self, grammar: &Grammar, text: &str) -> Option<tree_sitter::Tree> {
        self.parser.set_language(&grammar.language).ok()?;
        self.parser.reset();
        let bytes = text.as_bytes();
        let mut steps = MIN_STEPS.max(bytes.len());
        let mut count = |_: &tree_sitter::ParseState| {
            steps = steps.saturating_sub(1);
            if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut count);
        let mut piece = |at: usize, _| bytes.get(at..).unwrap_or_default();
        self.parser.parse_with_options(&mut piece, None, Some(options))
    }
}

/// The parser reports every hundred operations; a sound text needs a few operations for each byte.
const MIN_STEPS: usize = 4_000;

/// Hands each node of a file to those that look for something in it.
struct Visitor<'t> {
    scan: Scan<'t>,
    recorder: Recorder<'t>,
}

impl<'t> Visit<'t> for Visitor<'t> {
    fn enter(&mut self, step: Step<'t>, trail: &Trail<'t>) {
        let (scan, node) = (&mut self.scan, step.node);
        match step.kind {
            NodeKind::Text if card::enter(scan, node, trail) => (),
            NodeKind::Text => mentions::text(scan, node, trail),
            NodeKind::Name | NodeKind::Path => mentions::name(scan, step, trail),
            NodeKind::Function => functions::function(scan, node, trail),
            NodeKind::Class => scan.enter_class(node),
            NodeKind::Call | NodeKind::New | NodeKind::Macro => functions::call(scan, node),
            NodeKind::Comment => {
                let row = node.start_position().row;
                let found = allowances(node.start_byte(), row, scan.slice(node));
                scan.facts.allowances.extend(found);
            }
            NodeKind::Error => {
                scan.facts.broken.get_or_insert(span(node.byte_range()));
            }
            _ => (),
        }
        table::enter(scan, step, trail);
        tools::enter(scan, step, trail);
        match scan.facts.language {
            Language::Rust => rust::enter(scan, step, trail),
            Language::Python => python::enter(scan, step, trail),
            _ => typescript::enter(scan, step, trail),
        }
    }

    fn tagged(&mut self, tag: Tag, node: Node<'t>, trail: &Trail<'t>) {
        self.recorder.visit(tag, node, trail);
    }

    fn leave(&mut self, step: Step<'t>) {
        if step.kind == NodeKind::Class {
            self.scan.leave_class();
        }
    }
}
