//! `Err`: standard error, and the styles in which both streams are written.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use redress::text;

/// How titles look on a terminal.
pub(crate) const TITLE: Style = Style::new().bold();
/// How labels look on a terminal.
pub(crate) const LABEL: Style = AnsiColor::Cyan.on_default();
/// How codes look on a terminal.
pub(crate) const CODE: Style = AnsiColor::Yellow.on_default().bold();
/// How trouble looks on a terminal.
pub(crate) const TROUBLE: Style = AnsiColor::Red.on_default().bold();

/// Standard error. A failed write is ignored: there is no place left to report it.
///
/// A line is written whole, so that nothing which servers log comes between, and shows what a terminal would obey.
pub(crate) struct Err {
    colour: bool,
}

impl Err {
    pub(crate) fn new() -> Self {
        let choice = anstream::AutoStream::choice(&io::stderr());
        Self { colour: choice != anstream::ColorChoice::Never }
    }

    /// A line of a gate about itself. What its servers log begins with `[server NAME] `.
    pub(crate) fn say(&mut self, text: &str) {
        self.line("redress: ", text);
    }

    /// The first line of a fault.
    pub(crate) fn headline(&mut self, code: &str, message: &str) {
        self.write(&format!("{TROUBLE}{code}{TROUBLE:#}: {}\n", shown(message)));
    }

    /// A line that starts with a label.
    pub(crate) fn line(&mut self, label: &str, text: &str) {
        self.write(&format!("{LABEL}{label}{LABEL:#}{}\n", shown(text)));
    }

    /// A question, whose answer is given on the same line.
    pub(crate) fn ask(&mut self, question: &str) {
        self.write(&format!("{TITLE}{}{TITLE:#}", shown(question)));
    }

    fn write(&mut self, text: &str) {
        let plain = (!self.colour).then(|| anstream::adapter::strip_str(text).to_string());
        let mut stderr = io::stderr().lock();
        stderr.write_all(plain.as_deref().unwrap_or(text).as_bytes()).unwrap_or_default();
    }
}

/// A text of one or more lines without what a terminal would obey.
fn shown(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(text::visible).collect();
    lines.join("\n")
}
