//! Taught rows: what a person, or `redress learn`, says that an answer of a server means. `[[match]]` in a registry file.

use std::{collections::BTreeMap, fmt};

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde_json::Value;

use crate::Effect;

/// The most rows of one contract.
pub const MOST_ROWS: usize = 1_000;
/// The longest pattern or glob, in characters.
pub const LONGEST_PATTERN: usize = 500;
/// What one compiled pattern may weigh, and all together.
const PATTERN_BYTES: usize = 256 << 10;
const SET_BYTES: usize = 64 << 20;
/// How much of a text is looked at.
const LOOKED_AT: usize = 32 << 10;

/// One row as it is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Taught {
    /// A glob over the name of the tool.
    pub tool: Option<String>,
    /// A glob over the whole text.
    pub text: Option<String>,
    /// A regular expression, found anywhere in the text; its named groups fill the code's parameters.
    pub pattern: Option<String>,
    /// JSON pointers into the answer, and the values that stand there.
    pub json: BTreeMap<String, Value>,
    /// The number of the JSON-RPC error.
    pub rpc_code: Option<i64>,
    /// The HTTP status.
    pub status: Option<i64>,
    /// The code that such an answer means.
    pub code: String,
    /// What the failed call may have changed, where the row of the code says another thing.
    pub effect: Option<Effect>,
    /// It counts although the server flagged nothing.
    pub silent: bool,
    /// A text that the row is for.
    pub example: Option<String>,
}

/// An answer that rows are held against.
pub struct Sample<'s> {
    /// The tool that was called.
    pub tool: &'s str,
    /// All that the answer says.
    pub text: &'s str,
    /// The number of its JSON-RPC error.
    pub rpc_code: Option<i64>,
    /// Its HTTP status.
    pub status: Option<u16>,
    /// Whether the answer has this value behind this pointer.
    pub has: &'s dyn Fn(&str, &Value) -> bool,
}

/// Why a row is refused: the key, and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRefusal {
    /// The place of the row in its list.
    pub row: usize,
    /// The key that is wrong; none for the row as a whole.
    pub key: Option<&'static str>,
    /// What is wrong.
    pub message: String,
}

/// The taught rows of one contract, ready to be asked. The first that fits wins.
#[derive(Debug, Clone, Default)]
pub struct Teachings {
    rows: Vec<Taught>,
    /// Every pattern, and of every glob over texts the part that tells most, in one automaton, so that the cost does not grow with
    /// their number. Whole globs would keep many of them alive at once.
    set: RegexSet,
    /// The row of each expression of the set.
    of_set: Vec<usize>,
    /// The rows with a pattern, for what they capture.
    patterns: BTreeMap<usize, Regex>,
    /// The rows that look at no text, by the tool that they name whole, and those that name none.
    by_tool: BTreeMap<String, Vec<usize>>,
    of_any_tool: Vec<usize>,
    has_silent: bool,
}

/// Two sets of rows are the same if what is written is.
impl PartialEq for Teachings {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

/// A row that fits.
#[derive(Debug)]
pub struct Fit<'t> {
    /// Its place, from 1.
    pub number: usize,
    /// The row.
    pub row: &'t Taught,
    /// What its pattern captured, by the names of the groups.
    pub captures: Vec<(String, String)>,
}

impl Teachings {
    /// Compiles rows, or says of each that cannot be taken why. `knows` tells whether a code is registered.
    pub fn new(rows: Vec<Taught>, knows: impl Fn(&str) -> bool) -> Result<Self, Vec<RowRefusal>> {
        let mut refused = Vec::new();
        if rows.len() > MOST_ROWS {
            let message = format!("There are {} rows; at most {MOST_ROWS} are taken.", rows.len());
            return Err(vec![RowRefusal { row: MOST_ROWS, key: None, message }]);
        }
        for (at, row) in rows.iter().enumerate() {
            let mut refuse = |key, message| refused.push(RowRefusal { row: at, key, message });
            check(row, &knows, &mut refuse);
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let whole = |message: String| vec![RowRefusal { row: 0, key: None, message }];
        let teachings = Self::compile(rows).map_err(|it| whole(it.to_string()))?;
        let refused = teachings.untrue_examples();
        if refused.is_empty() { Ok(teachings) } else { Err(refused) }
    }

    /// These rows before those of another list: what is said of one server counts before its contract.
    #[must_use]
    pub fn before(&self, others: &Self) -> Self {
        let mut rows = self.rows.clone();
        rows.extend(others.rows.iter().cloned());
        rows.truncate(MOST_ROWS);
        // Each list was compiled before, so that both together only weigh more.
        Self::compile(rows).unwrap_or_else(|_| self.clone())
    }

    fn compile(rows: Vec<Taught>) -> Result<Self, regex::Error> {
        let (mut written, mut of_set, mut patterns) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut by_tool = BTreeMap::<String, Vec<usize>>::new();
        let mut of_any_tool = Vec::new();
        let mut shared = BTreeMap::<&str, usize>::new();
        for part in rows.iter().filter_map(|it| it.text.as_deref()).flat_map(parts) {
            *shared.entry(part).or_default() += 1;
        }
        for (at, row) in rows.iter().enumerate() {
            if let Some(expression) = row.expression(&shared) {
                written.push(expression);
                of_set.push(at);
            } else if let Some(tool) = row.tool.as_ref().filter(|it| !it.contains(['*', '?'])) {
                by_tool.entry(tool.clone()).or_default().push(at);
            } else {
                of_any_tool.push(at);
            }
            if let Some(pattern) = &row.pattern {
                patterns.insert(at, compiled(pattern)?);
            }
        }
        let set = RegexSetBuilder::new(written).size_limit(SET_BYTES).build()?;
        let has_silent = rows.iter().any(|it| it.silent);
        Ok(Self { rows, set, of_set, patterns, by_tool, of_any_tool, has_silent })
    }

    /// The rows as they are written.
    pub fn rows(&self) -> &[Taught] {
        &self.rows
    }

    /// Whether a row says that an answer which flags nothing has failed.
    pub const fn has_silent(&self) -> bool {
        self.has_silent
    }

    /// The first row that fits an answer; of one that flags nothing, the first that counts there.
    pub fn find(&self, sample: &Sample<'_>, is_silent: bool) -> Option<Fit<'_>> {
        if self.rows.is_empty() || is_silent && !self.has_silent {
            return None;
        }
        let sample = Sample { text: start_of(sample.text), ..*sample };
        let by_text = self.set.matches(sample.text).into_iter();
        let mut places: Vec<usize> =
            by_text.filter_map(|it| self.of_set.get(it).copied()).collect();
        places.extend(self.by_tool.get(sample.tool).into_iter().flatten());
        places.extend(&self.of_any_tool);
        places.sort_unstable();
        places.into_iter().find_map(|at| self.fit(at, &sample, is_silent))
    }

    /// The row at a place, if all its conditions hold.
    fn fit(&self, at: usize, sample: &Sample<'_>, is_silent: bool) -> Option<Fit<'_>> {
        let row = self.rows.get(at)?;
        let holds = (row.silent || !is_silent)
            && row.tool.as_deref().is_none_or(|it| covers(it, sample.tool))
            && row.text.as_deref().is_none_or(|it| covers(it, sample.text))
            && row.rpc_code.is_none_or(|it| sample.rpc_code == Some(it))
            && row.status.is_none_or(|it| sample.status.map(i64::from) == Some(it))
            && row.json.iter().all(|(pointer, value)| (sample.has)(pointer, value));
        if !holds {
            return None;
        }
        let mut captures = Vec::new();
        if let Some(pattern) = self.patterns.get(&at) {
            let found = pattern.captures(sample.text)?;
            let names = pattern.capture_names().flatten();
            captures.extend(
                names.filter_map(|it| Some((it.to_owned(), found.name(it)?.as_str().to_owned()))),
            );
        }
        Some(Fit { number: at + 1, row, captures })
    }

    /// The examples that do not fit their own row, or that an earlier row takes.
    fn untrue_examples(&self) -> Vec<RowRefusal> {
        let mut refused = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let Some(example) = &row.example else { continue };
            let document: Option<Value> = serde_json::from_str(example).ok();
            let has = |pointer: &str, value: &Value| {
                document.as_ref().and_then(|it| it.pointer(pointer)) == Some(value)
            };
            let tool = row.tool.as_deref().unwrap_or_default().replace(['*', '?'], "x");
            let sample = Sample {
                tool: &tool,
                text: example,
                rpc_code: row.rpc_code,
                status: row.status.and_then(|it| u16::try_from(it).ok()),
                has: &has,
            };
            let message = match self.find(&sample, row.silent).map(|it| it.number) {
                Some(it) if it == at + 1 => continue,
                Some(earlier) if earlier <= at => {
                    format!("Row {earlier} takes this example before its own row does.")
                }
                _ => "The example does not match its own row.".to_owned(),
            };
            refused.push(RowRefusal { row: at, key: Some("example"), message });
        }
        refused
    }
}

impl Taught {
    /// What is searched for in texts, as a regular expression: the pattern, or the part of the glob that the fewest rows have.
    fn expression(&self, shared: &BTreeMap<&str, usize>) -> Option<String> {
        let rarest = |glob: &str| {
            let rank = |it: &&str| (shared.get(it).copied(), std::cmp::Reverse(it.len()));
            parts(glob).min_by_key(rank).map(regex::escape)
        };
        self.pattern.clone().or_else(|| rarest(self.text.as_deref()?))
    }
}

/// What a glob has between its `*` and `?`.
fn parts(glob: &str) -> impl Iterator<Item = &str> {
    glob.split(['*', '?']).filter(|it| !it.is_empty())
}

/// Says of one row what is wrong with it alone.
fn check(
    row: &Taught,
    knows: impl Fn(&str) -> bool,
    refuse: &mut impl FnMut(Option<&'static str>, String),
) {
    let has_condition = row.text.is_some()
        || row.pattern.is_some()
        || !row.json.is_empty()
        || row.rpc_code.is_some()
        || row.status.is_some();
    if !has_condition {
        let message = "The row has none of `text`, `pattern`, `json`, `rpc_code` and `status`.";
        refuse(None, message.to_owned());
    }
    if row.code.is_empty() {
        refuse(None, "The row has no `code`.".to_owned());
    } else if !knows(&row.code) {
        refuse(Some("code"), format!("`{}` is not a code of this registry.", row.code));
    }
    if row.example.is_none() {
        refuse(None, "The row has no `example`.".to_owned());
    }
    for (key, value) in [("tool", &row.tool), ("text", &row.text), ("pattern", &row.pattern)] {
        if value.as_ref().is_some_and(|it| it.chars().count() > LONGEST_PATTERN) {
            refuse(Some(key), format!("`{key}` is longer than {LONGEST_PATTERN} characters."));
        }
    }
    if row.text.as_deref().is_some_and(|it| it.trim_matches(['*', '?', ' ']).is_empty()) {
        refuse(Some("text"), "`text` matches every text.".to_owned());
    }
    if let Some(pattern) = &row.pattern {
        match compiled(pattern) {
            Err(error) => refuse(Some("pattern"), reason(&error)),
            Ok(it) if it.is_match("") => {
                refuse(Some("pattern"), "`pattern` matches every text.".to_owned());
            }
            Ok(_) => (),
        }
    }
    for pointer in row.json.keys().filter(|it| !it.is_empty() && !it.starts_with('/')) {
        refuse(Some("json"), format!("`{pointer}` is not a JSON pointer: it starts with `/`."));
    }
    if row.status.is_some_and(|it| !(100..600).contains(&it)) {
        refuse(Some("status"), "`status` is not an HTTP status.".to_owned());
    }
}

fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build()
}

fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "`pattern` is too large when compiled.".to_owned(),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim().to_owned();
            format!("`pattern` is not a regular expression: {last}.")
        }
    }
}

/// Whether a glob covers a whole text: `*` is anything, `?` one character.
pub fn covers(pattern: &str, text: &str) -> bool {
    let text = text.trim_end();
    let Some((start, _)) = pattern.split_once(['*', '?']) else { return pattern == text };
    if !text.starts_with(start) {
        return false;
    }
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut to, mut star) = (0, 0, None);
    while to < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, to));
                at += 1;
            }
            Some(it) if *it == '?' || text.get(to) == Some(it) => (at, to) = (at + 1, to + 1),
            _ => match star {
                Some((before, from)) => {
                    (at, to) = (before + 1, from + 1);
                    star = Some((before, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).is_some_and(|it| it.iter().all(|it| *it == '*'))
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

impl fmt::Debug for Sample<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, text, rpc_code, status, .. } = self;
        f.debug_struct("Sample")
            .field("tool", tool)
            .field("text", text)
            .field("rpc_code", rpc_code)
            .field("status", status)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
