//! `search_files`: lines that match a text or a regular expression, and files whose paths match a glob.

mod lines;

use std::time::{Duration, Instant};

use ignore::overrides::{Override, OverrideBuilder};
use regex::bytes::{Regex, RegexBuilder};
use rmcp::schemars::{self, JsonSchema};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use super::{Brief, counted};
use crate::{
    Workspace,
    error::{Refused, WorkspaceError},
    walk::{Bounds, Met, Then, walk},
};

/// How many matches come unless the call says otherwise.
const MATCHES: usize = 100;
/// How long a search may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many files and directories are looked at.
const MOST_ENTRIES: usize = 200_000;
/// The largest automaton that a pattern may become, in bytes.
const MOST_REGEX_BYTES: usize = 4 << 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchFilesArguments {
    /// What lines must have in them. Without it, files are found by their paths alone.
    #[schemars(length(min = 1, max = 1000))]
    pattern: Option<String>,
    /// Whether the pattern is a regular expression (syntax of the Rust crate regex), not a plain text.
    #[serde(default)]
    regex: bool,
    /// Whether upper and lower case are the same.
    #[serde(default)]
    ignore_case: bool,
    /// The directory to search, relative to the root; the root itself by default.
    #[serde(default = "here")]
    path: String,
    /// Globs as in .gitignore, such as "*.rs" or "src/**"; with "!" in front, what is left out.
    #[serde(default)]
    #[schemars(length(max = 64))]
    globs: Vec<String>,
    /// Search what .gitignore names, too.
    #[serde(default)]
    include_ignored: bool,
    /// How many matches.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

fn here() -> String {
    ".".to_owned()
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchFilesAnswer {
    matches: Vec<SearchMatch>,
    /// How many files were read.
    searched_files: usize,
    /// Whether there may be more: a limit of results, files or time was reached.
    truncated: bool,
}

/// A file, or a line in it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Match")]
pub(crate) struct SearchMatch {
    path: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// The line's text, at most 300 characters of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Brief for SearchFilesAnswer {
    fn brief(&self) -> String {
        let mut text = counted(self.matches.len(), "match", "matches");
        if self.truncated {
            text.push_str(", and there may be more");
        }
        for it in &self.matches {
            text.extend(["\n", &it.path]);
            if let (Some(line), Some(shown)) = (it.line, &it.text) {
                text.extend([":", &line.to_string(), ": ", shown]);
            }
        }
        text
    }
}

pub(crate) fn run(
    workspace: &Workspace,
    ask: &SearchFilesArguments,
) -> Result<SearchFilesAnswer, Refused> {
    let pattern = ask.pattern.as_deref().map(|it| compiled(it, ask)).transpose()?;
    let globs = globs(&ask.globs)?;
    let at = |error: WorkspaceError| error.at("/path");
    let path = workspace.root.below(&ask.path).map_err(at)?;
    let dir = workspace.root.directory(&path).map_err(at)?;
    let mut bounds = Bounds {
        until: Instant::now() + PATIENCE,
        entries: MOST_ENTRIES,
        respects_gitignore: !ask.include_ignored,
    };
    let limit = ask.limit.unwrap_or(MATCHES);
    let mut done = SearchFilesAnswer { matches: Vec::new(), searched_files: 0, truncated: false };
    let until = bounds.until;
    let is_whole = walk(dir, &path, &mut bounds, &mut |met| {
        let is_directory = met.kind == FileType::Directory;
        if globs.matched(met.path.as_str(), is_directory).is_ignore() {
            return Then::Skip;
        }
        if met.kind == FileType::RegularFile {
            look(met, pattern.as_ref(), (limit, until), &mut done);
        }
        if done.matches.len() > limit { Then::Stop } else { Then::GoOn }
    });
    done.truncated = !is_whole || done.matches.len() > limit;
    done.matches.truncate(limit);
    Ok(done)
}

/// Takes what matches in a file: one more than the limit says that there is more.
fn look(
    met: &Met<'_>,
    pattern: Option<&Regex>,
    (limit, until): (usize, Instant),
    done: &mut SearchFilesAnswer,
) {
    let path = met.path.as_str();
    let Some(pattern) = pattern else {
        done.matches.push(SearchMatch { path: path.to_owned(), line: None, text: None });
        return;
    };
    let room = (limit + 1).saturating_sub(done.matches.len());
    // What cannot be read is as if it were not there: a search is for what one may see.
    let Some(found) = lines::matching(met.dir, met.name, pattern, (room, until)) else { return };
    done.searched_files += 1;
    done.matches.extend(found.into_iter().map(|(line, text)| SearchMatch {
        path: path.to_owned(),
        line: Some(line),
        text: Some(text),
    }));
}

fn compiled(pattern: &str, ask: &SearchFilesArguments) -> Result<Regex, Refused> {
    let written = if ask.regex { pattern.to_owned() } else { regex::escape(pattern) };
    RegexBuilder::new(&written)
        .case_insensitive(ask.ignore_case)
        .size_limit(MOST_REGEX_BYTES)
        .build()
        .map_err(|problem| malformed("/pattern", "a regular expression", &problem.to_string()))
}

fn globs(given: &[String]) -> Result<Override, Refused> {
    let mut builder = OverrideBuilder::new("");
    for (at, glob) in given.iter().enumerate() {
        let pointer = format!("/globs/{at}");
        builder.add(glob).map_err(|it| malformed(&pointer, "a glob", &it.to_string()))?;
    }
    builder.build().map_err(|it| malformed("/globs", "a list of globs", &it.to_string()))
}

fn malformed(pointer: &str, expected: &'static str, problem: &str) -> Refused {
    // The last line says what is wrong, those before it show where.
    let problem = problem.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let problem = redress::text::strip(problem);
    let field = pointer.to_owned();
    let refused = WorkspaceError::InvalidInputFormat { field, expected }.at(pointer);
    let name = pointer.trim_start_matches('/');
    refused.saying(format!("The argument {name} is not {expected}: {problem}."))
}
