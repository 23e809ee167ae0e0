//! Stacks in texts: which lines are frames, and which tell what happened.
//!
//! It knows the stacks of Python (chained, in groups, in boxes), JavaScript, Java, .NET, Go, Rust, Ruby and PHP.

use std::{borrow::Cow, ops::Range};

/// How a Python traceback starts.
pub(crate) const TRACEBACK: &str = "Traceback (most recent call last)";

/// What Python writes between an exception and the next one.
const CHAINED: [&str; 2] =
    ["During handling of the above exception", "The above exception was the"];

/// Frames of runtimes and of what calls a handler: mistakes are not looked for there.
const HARNESS: [&str; 16] = [
    ": std::",
    ": core::",
    ": <core::",
    ": alloc::",
    ": <alloc::",
    ": __rust",
    ": tokio::",
    ": rmcp::",
    ": redress_rmcp::",
    ": <redress_rmcp::",
    "rust_begin_unwind",
    "node:internal/",
    "\"<frozen ",
    "/asyncio/",
    "/anyio/",
    "/site-packages/mcp/",
];

/// What a line of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// It tells something.
    Tells,
    /// It is around frames and tells nothing by itself.
    Around,
    /// A frame starts with it.
    Frame,
    /// It belongs to the frame before it.
    More,
}

/// In what kind of stack a line is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    /// One call a line: JavaScript, Java, .NET, Ruby, PHP.
    Calls,
    Python,
    Go,
    /// Frames with numbers: Rust.
    Numbered,
    /// A traceback in a box, as Rich draws it.
    Box,
}

/// The text without frames of stacks: what is left tells what happened.
pub fn without_frames(text: &str) -> Cow<'_, str> {
    let lines = lines(text);
    if lines.iter().all(|it| it.0 == LineKind::Tells) {
        return Cow::Borrowed(text);
    }
    let telling: Vec<_> =
        lines.iter().filter(|it| it.0 == LineKind::Tells).map(|it| it.1).collect();
    Cow::Owned(telling.join("\n").trim().to_owned())
}

/// Whether a text has frames of a stack.
pub fn has_frames(text: &str) -> bool {
    lines(text).iter().any(|it| it.0 == LineKind::Frame)
}

/// The text with so many frames at most, those nearest to the failure. Frames of runtimes count only if there are no others.
pub(crate) fn with_frames(text: &str, most: usize) -> String {
    let mut frames: Vec<(Range<usize>, &str)> = Vec::new();
    let lines = lines(text);
    for (at, (what, line)) in lines.iter().enumerate() {
        match (what, frames.last_mut()) {
            (LineKind::Frame, _) => frames.push((at..at + 1, line)),
            (LineKind::More, Some(frame)) => frame.0.end = at + 1,
            _ => (),
        }
    }
    let is_harness = |it: &str| HARNESS.iter().any(|sign| it.contains(sign));
    if frames.iter().any(|it| !is_harness(it.1)) {
        frames.retain(|it| !is_harness(it.1));
    }
    // Python tells the latest call last.
    if frames.iter().any(|it| is_python(it.1.trim_start())) {
        frames.drain(..frames.len().saturating_sub(most));
    }
    frames.truncate(most);
    let is_shown = |at: usize, what: LineKind| match what {
        LineKind::Tells | LineKind::Around => true,
        LineKind::Frame | LineKind::More => frames.iter().any(|it| it.0.contains(&at)),
    };
    let shown = lines.iter().enumerate().filter(|(at, it)| is_shown(*at, it.0));
    shown.map(|(_, it)| it.1).collect::<Vec<_>>().join("\n")
}

/// Every line of a text with what it is.
fn lines(text: &str) -> Vec<(LineKind, &str)> {
    let mut reader = StackReader::default();
    let mut all = text.lines().peekable();
    while let Some(line) = all.next() {
        reader.read(line, all.peek().copied().unwrap_or_default());
    }
    reader.lines
}

#[derive(Default)]
struct StackReader<'t> {
    within: Within,
    /// Whether the lines have the margin of an exception group.
    has_margin: bool,
    lines: Vec<(LineKind, &'t str)>,
}

impl<'t> StackReader<'t> {
    fn read(&mut self, line: &'t str, next: &str) {
        let line = self.without_margin(line);
        if let Some((before, after)) = line.split_once(TRACEBACK) {
            return self.traceback(line, before, after);
        }
        let inner = line.trim_start();
        let is_indented = inner.len() < line.len();
        let what = self
            .opened(inner)
            .or_else(|| self.continued(inner, is_indented))
            .unwrap_or_else(|| self.begun(inner, is_indented, next));
        let is_excerpt = what == LineKind::Tells && is_marker(inner) && self.is_excerpt();
        self.lines.push((what, line));
        if is_excerpt {
            self.lines.iter_mut().rev().take(3).for_each(|it| it.0 = LineKind::Around);
        }
    }

    /// A line in an exception group is behind a margin.
    fn without_margin(&mut self, line: &'t str) -> &'t str {
        let inner = line.trim_start();
        self.has_margin |= inner.starts_with("+ Exception Group ");
        self.has_margin &= inner.len() < line.len() && inner.starts_with(['|', '+']);
        match inner.strip_prefix('|').filter(|_| self.has_margin) {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
            None => line,
        }
    }

    fn traceback(&mut self, line: &'t str, before: &'t str, after: &'t str) {
        let before = before.strip_suffix("Exception Group ").unwrap_or(before);
        if before.contains('╭') {
            self.within = Within::Box;
            return self.lines.push((LineKind::Frame, line));
        }
        let is_word = |it: &str| it.contains(char::is_alphanumeric);
        if is_word(before) {
            self.lines.push((LineKind::Tells, before.trim_end()));
        }
        self.within = Within::Python;
        self.lines.push((LineKind::Around, line.get(before.len()..).unwrap_or(line)));
        // All of it in one line: the exception comes last.
        if is_word(after) {
            self.lines.push((LineKind::Tells, exception(after)));
            self.within = Within::Nothing;
        }
    }

    /// A line that is above a stack.
    fn opened(&mut self, inner: &str) -> Option<LineKind> {
        let inner = inner.trim_end();
        self.within = if inner.ends_with("stack backtrace:") {
            Within::Numbered
        } else if inner.starts_with("goroutine ") && inner.ends_with("]:") {
            Within::Go
        } else if inner.ends_with("(most recent call first):") {
            Within::Python
        } else if matches!(inner, "Stack trace:" | "PHP Stack trace:") {
            Within::Calls
        } else {
            return None;
        };
        Some(LineKind::Around)
    }

    /// A line in the stack that is read; `None` if the stack is over.
    fn continued(&mut self, inner: &str, is_indented: bool) -> Option<LineKind> {
        let what = match self.within {
            Within::Nothing => return None,
            Within::Box if inner.starts_with('╰') => {
                self.within = Within::Nothing;
                return Some(LineKind::More);
            }
            Within::Box => Some(LineKind::More),
            Within::Python if is_python(inner) => Some(LineKind::Frame),
            Within::Python => (is_indented || inner.is_empty()).then_some(LineKind::More),
            Within::Go if is_indented => Some(LineKind::More),
            Within::Go => (inner.ends_with(')') || inner.starts_with("created by "))
                .then_some(LineKind::Frame),
            Within::Numbered if inner.starts_with("at ") => Some(LineKind::More),
            Within::Numbered => is_numbered(inner).then_some(LineKind::Frame),
            Within::Calls => is_further_call(inner, is_indented).then_some(LineKind::Frame),
        };
        if what.is_none() {
            self.within = Within::Nothing;
        }
        what
    }

    /// A line that may begin a stack.
    fn begun(&mut self, inner: &str, is_indented: bool, next: &str) -> LineKind {
        let is_first_of_several = inner.starts_with("at ") && next.trim_start().starts_with("at ");
        if is_indented && is_python(inner) {
            self.within = Within::Python;
            LineKind::Frame
        } else if is_first_of_several || is_call(inner, is_indented) {
            self.within = Within::Calls;
            LineKind::Frame
        } else if CHAINED.iter().any(|it| inner.starts_with(it)) || self.is_divider(inner) {
            LineKind::Around
        } else {
            LineKind::Tells
        }
    }

    /// `+-+---------------- 1 ----------------` in an exception group.
    fn is_divider(&self, inner: &str) -> bool {
        let is_sign = |it: char| it.is_ascii_digit() || matches!(it, '+' | '-' | ' ' | '.');
        self.has_margin && inner.starts_with('+') && inner.chars().all(is_sign)
    }

    /// The line above a marker is source, if the one above that names a file.
    fn is_excerpt(&self) -> bool {
        self.lines.iter().nth_back(1).is_some_and(|it| is_place(it.1))
    }
}

/// `File "x.py", line 3, in f`; without a function it is the place of a mistake in a file.
fn is_python(inner: &str) -> bool {
    let rest = inner.strip_prefix("File \"").and_then(|it| it.split_once("\", line "));
    rest.is_some_and(|(_, it)| it.contains(" in "))
}

/// `at f (file.js:1:2)`, `at com.x.Y.z(Y.java:3)`, `at X.Y() in C:\z.cs:line 3`, `from x.rb:3:in 'f'`
fn is_call(inner: &str, is_indented: bool) -> bool {
    if let Some(call) = inner.strip_prefix("at ") {
        let call = call.trim_end().trim_end_matches([' ', '{']);
        let place = call.strip_suffix(')').unwrap_or(call);
        let is_placed = call.contains(":line ") || ends_in_number(place);
        return is_placed || is_indented && call.ends_with(')') && call.contains('(');
    }
    is_indented && inner.starts_with("from ") && inner.contains(":in ")
}

/// A line below a call that belongs to the same stack, which is shortened or summed up at its end.
fn is_further_call(inner: &str, is_indented: bool) -> bool {
    let is_number = |it: &str| it.starts_with(|it: char| it.is_ascii_digit());
    inner.starts_with("at ")
        || inner.strip_prefix('#').is_some_and(is_number)
        || inner.starts_with("--- End of ")
        || is_indented && ["... ", "from ", "thrown in "].iter().any(|it| inner.starts_with(it))
}

/// `12: std::panicking::begin_panic`
fn is_numbered(inner: &str) -> bool {
    inner.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

/// A line of `^` and `~` below source.
fn is_marker(inner: &str) -> bool {
    let inner = inner.trim_end();
    inner.contains('^') && inner.chars().all(|it| matches!(it, '^' | '~'))
}

/// `/w/x.js:3`
fn is_place(line: &str) -> bool {
    line.contains(['/', '\\', '.']) && ends_in_number(line)
}

/// `…:12`
fn ends_in_number(text: &str) -> bool {
    let number = text.trim_end().rsplit_once(':').map_or("", |it| it.1);
    !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit())
}

/// The exception at the end of a traceback that was written in one line.
fn exception(text: &str) -> &str {
    const NAMES: [&str; 4] = ["Error:", "Exception:", "Exit:", "Interrupt:"];
    let at = NAMES.iter().filter_map(|it| text.rfind(it)).max();
    let word = at.and_then(|at| text.get(..at)?.rfind(' '));
    word.and_then(|it| text.get(it..)).unwrap_or(text).trim()
}

#[cfg(test)]
mod tests;
