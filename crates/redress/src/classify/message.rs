//! The message inside a failing text: stacks cut off, JSON reduced to what it says, wrappers of SDKs taken away, echoes hidden.

use std::{borrow::Cow, ops::Range};

use super::{echo, extract, formats::errno, normal::normal, request::Request};
use crate::{redact::floor_boundary, text::TRACEBACK};

/// How much of a text is searched for the wrappers of SDKs.
const LONGEST_HEAD: usize = 2 << 10;
/// How many wrappers can stand around each other.
const MOST_WRAPPERS: usize = 6;
/// How far a wrapper reaches to its colon.
const GAP: usize = 120;
/// How far it reaches to the end of a line: a command that was run, with its arguments.
const LINE_GAP: usize = 600;
const FRAMES: [&str; 2] = ["\n    at ", "\n\tat "];

/// What SDKs put before the words that matter, in our spelling, parted by bars. `…` reaches to the next colon, `¶` to the end of
/// the line; `ing` to the colon after any verb of that form.
const OF_SDKS: &str = "input validation error: invalid arguments for tool …|invalid arguments for tool …|input validation error:|\
    mcp error …|mcp server error:|error executing tool …|error calling tool …|error in tool …|error occurred invoking …|\
    an error occurred: |an unexpected error occurred:|unexpected error:|unhandled error:|unhandled exception:|\
    uncaught exception:|tool execution failed:|tool execution error:|tool error:|failed to execute tool …|failed to call tool …|\
    operation failed:|execution failed:|value error,|error:|\u{274c}|\u{26a0}\u{fe0f}|\u{2716}";
/// How many of them only an SDK writes that has checked the arguments, before the tool sees them.
const CHECKED: usize = 3;
/// What servers put there.
const OF_SERVERS: &str = "command failed: ¶|error executing command:|an error occurred …|unexpected error in …|internal error:|\
    internal server error:|exception:|runtime error:|runtimeerror:|error in …|error during …|error while …|error when …|error ing|\
    api error:|failed to …|could not …|couldn't …|cannot …|unable to …|err:|fatal:|error";

/// A failing text, ready to be searched.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Message {
    /// The text in our spelling.
    pub(crate) text: String,
    /// Where the server's own words start.
    start: usize,
    /// The SDK checked the arguments and refused them.
    pub(crate) is_checked: bool,
    /// An SDK says that the tool failed, and hides why.
    pub(crate) is_opaque: bool,
    /// The text names the tool.
    pub(crate) names_tool: bool,
    /// The text repeats an argument.
    pub(crate) echoes: bool,
    /// The server that was not found is one that the call names.
    pub(crate) is_own_host: bool,
}

impl Message {
    pub(crate) fn of(raw: &str, tool: &str, request: &Request<'_>) -> Self {
        let mut text = normal(&extract::said(without_stack(raw)));
        // The number of a system's error is as good as its name.
        if let Some(name) = errno::name(&text).filter(|it| !text.contains(it)) {
            text.extend(["\n", name]);
        }
        let mut message = Self { text, ..Self::default() };
        echo::hide(&mut message, tool, request);
        (message.start, message.is_checked) = after_wrappers(&message.text, &[OF_SDKS, OF_SERVERS]);
        message.is_opaque = is_opaque(message.own_text());
        message
    }

    /// What comes after the wrappers.
    pub(crate) fn own(&self) -> Range<usize> {
        self.start..self.text.len()
    }

    pub(crate) fn all(&self) -> Range<usize> {
        0..self.text.len()
    }

    pub(crate) fn own_text(&self) -> &str {
        self.text.get(self.own()).unwrap_or_default()
    }
}

/// Whether a text has the stack of an exception in it.
pub(crate) fn has_stack(raw: &str) -> bool {
    raw.contains(TRACEBACK) || FRAMES.iter().any(|it| raw.contains(it))
}

/// A JavaScript stack is cut off; of a Python traceback the last line, which has the message, comes first.
fn without_stack(raw: &str) -> Cow<'_, str> {
    if let Some((before, trace)) = raw.split_once(TRACEBACK) {
        let last = trace.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or_default();
        return Cow::Owned(format!("{before}{last}"));
    }
    let cuts = FRAMES.iter().chain(&["\nstack backtrace:"]).filter_map(|it| raw.find(it));
    Cow::Borrowed(cuts.min().and_then(|it| raw.get(..it)).unwrap_or(raw))
}

/// What a server wrote, without what its SDK put before it.
pub(crate) fn without_wrapper(raw: &str) -> &str {
    let head = raw.get(..floor_boundary(raw, LONGEST_HEAD)).unwrap_or_default();
    let (start, _) = after_wrappers(&head.to_ascii_lowercase(), &[OF_SDKS]);
    raw.get(start..).unwrap_or(raw)
}

fn after_wrappers(text: &str, wrappers: &[&str]) -> (usize, bool) {
    let (mut start, mut is_checked) = (0, false);
    for _ in 0..MOST_WRAPPERS {
        let rest = text.get(start..).unwrap_or_default();
        let own = rest.trim_start_matches([' ', '\n', ':', '*', '#', '!', '.']);
        start += rest.len() - own.len();
        let mut wrappers = wrappers.iter().flat_map(|it| it.split('|')).enumerate();
        let found = wrappers.find_map(|(at, it)| Some((at, length(it, own)?)));
        let Some((at, length)) = found else { break };
        if own.get(length..).is_none_or(|it| it.trim().is_empty()) {
            break;
        }
        start += length;
        is_checked |= at < CHECKED;
    }
    (start, is_checked)
}

/// Whether a text is the wrapper of an SDK around nothing: its words and the name of a tool.
fn is_opaque(own: &str) -> bool {
    let before_tool = OF_SDKS.split('|').skip(CHECKED).filter_map(|it| it.strip_suffix("tool …"));
    let names = before_tool.filter_map(|it| own.strip_prefix(it)?.strip_prefix("tool "));
    names.map(str::trim).any(|it| !it.is_empty() && !it.contains([' ', '\n', ':']))
}

/// How much of the text a wrapper covers.
fn length(wrapper: &str, text: &str) -> Option<usize> {
    if let Some(words) = wrapper.strip_suffix('¶') {
        let line = text.strip_prefix(words)?.find('\n').filter(|it| *it <= LINE_GAP)?;
        return Some(words.len() + line);
    }
    if let Some(words) = wrapper.strip_suffix("ing") {
        let verb = text.strip_prefix(words)?.split(' ').next()?;
        return if verb.ends_with("ing") { colon(text) } else { None };
    }
    match wrapper.strip_suffix('…') {
        Some(words) if text.starts_with(words) => colon(text),
        Some(_) => None,
        None => {
            let rest = text.strip_prefix(wrapper)?;
            let goes_on = |it: char| it.is_alphanumeric() || it == '(';
            let is_word = wrapper.ends_with(char::is_alphanumeric);
            (!is_word || !rest.trim_start().starts_with(goes_on) || rest.starts_with('\n'))
                .then_some(wrapper.len())
        }
    }
}

/// The end of the first colon of the line. One inside an address or a time ends nothing.
fn colon(text: &str) -> Option<usize> {
    let line = text.split('\n').next().unwrap_or_default();
    let mut ends = line.match_indices(':').map(|it| it.0 + 1).take_while(|it| *it <= GAP);
    ends.find(|it| text.as_bytes().get(*it).is_none_or(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::{Message, without_stack};
    use crate::classify::request::Request;

    #[test]
    fn wrappers_and_stacks_are_taken_away() {
        let own = |raw: &str| Message::of(raw, "", &Request::default()).own_text().to_owned();
        assert_eq!(
            own("Error executing tool x: MCP error -32602: Query is empty"),
            "query is empty"
        );
        assert_eq!(own("### Error\nError: boom\n    at eval (x.js:1:1)"), "boom");
        assert_eq!(own("Error:"), "error:");
        assert_eq!(own("Command failed: ls -l x: y\nls: no x"), "ls: no x");
        assert_eq!(own("error getting key a: boom"), "boom");
        let is_opaque = |raw: &str| Message::of(raw, "read_file", &Request::default()).is_opaque;
        for raw in ["Error executing tool read", "Error executing tool read_file"] {
            assert!(is_opaque(raw), "{raw}");
        }
        assert!(is_opaque("Error executing tool a: Error executing tool read_file"));
        for raw in ["Error executing tool read: boom", "Error executing tool", "boom", ""] {
            assert!(!is_opaque(raw), "{raw}");
        }
        assert!(!is_opaque("Invalid arguments for tool read"));
        let trace = "failed\nTraceback (most recent call last):\n  File \"x\"\nKeyError: 'a'\n";
        assert_eq!(without_stack(trace), "failed\nKeyError: 'a'");
    }
}
