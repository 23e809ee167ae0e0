//! What a rule is: its row, its page, and a function over the linked facts.

use std::sync::Arc;

use redress_registry::{Finding, Level, Place, rule::Rule};
use serde_json::{Map, Value};

use crate::{
    contract::Contract,
    project::Project,
    span::{Span, span},
    subject::Subject,
};

/// A rule and how it looks at the sources.
#[derive(Debug)]
pub struct Check {
    /// What it says of itself.
    pub rule: &'static Rule,
    /// Its page: why, and in each language a bad and a good example, which are its test.
    pub page: &'static str,
    /// What it looks at.
    pub looks_at: Subject,
    pub(crate) run: fn(&Project<'_>, &mut Hits<'_>),
}

/// The page of a rule, by its id.
macro_rules! page {
    ($id:literal) => {
        include_str!(concat!("../../pages/", $id, ".md"))
    };
}
pub(crate) use page;

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// What, without line and column.
    pub finding: Finding,
    /// The number of the file; `None` if it is about no file that was read.
    pub file: Option<usize>,
    /// What would get rid of it.
    pub edit: Option<Edit>,
}

/// New text for some bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that it replaces.
    pub span: Span,
    /// What is there.
    pub was: String,
    /// The new text.
    pub text: String,
}

/// Takes what one rule finds.
#[derive(Debug)]
pub(crate) struct Hits<'w> {
    project: &'w Project<'w>,
    rule: &'static Rule,
    list: Vec<Hit>,
}

impl<'w> Hits<'w> {
    pub(crate) fn new(project: &'w Project<'w>, rule: &'static Rule) -> Self {
        Self { project, rule, list: Vec::new() }
    }

    /// Something at a place of a file. The message is a template over the parts.
    pub(crate) fn at<const N: usize>(
        &mut self,
        (file, span): (usize, &Span),
        message: &str,
        parts: [(&str, Value); N],
    ) -> &mut Hit {
        let name = self.project.name(file);
        self.add(Some(file), (name, span.clone()), message, parts)
    }

    /// Something about a file that was not read, or is no source.
    pub(crate) fn about<const N: usize>(
        &mut self,
        name: &str,
        message: &str,
        parts: [(&str, Value); N],
    ) -> &mut Hit {
        self.add(None, (name.into(), 0..0), message, parts)
    }

    /// Something about a code or tool that a contract declares.
    pub(crate) fn in_contract<const N: usize>(
        &mut self,
        (contract, of): (&Contract, &str),
        message: &str,
        parts: [(&str, Value); N],
    ) -> &mut Hit {
        let place = contract.place(of).unwrap_or_default();
        let name = Arc::clone(&contract.source.file);
        self.add(None, (name, span(place)), message, parts)
    }

    fn add<const N: usize>(
        &mut self,
        file: Option<usize>,
        (name, span): (Arc<str>, Span),
        message: &str,
        parts: [(&str, Value); N],
    ) -> &mut Hit {
        let place = Place { file: name, line: 1, column: 1 };
        let context: Map<String, Value> =
            parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let code = context.get("code").and_then(Value::as_str).map(str::to_owned);
        let span = span.start as usize..span.end as usize;
        let mut finding = Finding::new(self.rule, (place, span), message, context);
        finding.code = code;
        self.list.push(Hit { finding, file, edit: None });
        #[expect(clippy::expect_used, reason = "it was pushed in the line before")]
        self.list.last_mut().expect("a hit")
    }

    pub(crate) fn into_list(self) -> Vec<Hit> {
        self.list
    }
}

impl Hit {
    /// The same with a way to get rid of it.
    pub(crate) fn edit(&mut self, span: &Span, was: &str, text: &str) {
        self.edit = Some(Edit { span: span.clone(), was: was.to_owned(), text: text.to_owned() });
    }

    /// The same with another weight than its rule has.
    pub(crate) fn weigh(&mut self, level: Level) -> &mut Self {
        self.finding.level = level;
        self
    }

    /// The same with another way out than its rule says.
    pub(crate) fn fix(&mut self, fix: String) -> &mut Self {
        self.finding.fix = fix;
        self
    }
}
