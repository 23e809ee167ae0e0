//! What a request tells about its failure: whether it is well-formed, what its arguments are, what its tool does by its name.

use std::borrow::Cow;

use super::{
    normal::normal,
    paths::{PathKind, is_directory, path_kind},
};
use crate::outcome::{Asked, Unreadable};
use redress_wire::is_method;
use redress_wire::json::{Doc, Kind, Limits, Value};

const MOST_VALUES: usize = 48;
const DEEPEST: usize = 5;
/// A longer text among the arguments is not read.
const MOST_JSON: usize = 64 << 10;

/// Words in the names of tools that give back what others wrote, as it is, so that it can say anything.
const SHOWS: &str = " read cat show view fetch open download scrape crawl echo dump tail head logs log console transcribe transcript \
    extract contents content text load retrieve recall peek pop receive export convert encode decode transform translate summarize \
    repeat upper lower format render ask think chat generate answer explain reason describe draft compose story define prompt print \
    history journal message messages output trace complete completion mget hget lrange hgetall lpop rpop xrange page document note \
    snippet clipboard rewrite rephrase paraphrase correct improve ";
/// Words in the names of tools that look for something, and may find nothing.
const SEARCHES: &str = " search find grep lookup look locate match glob scan browse discover explore recommend suggest ";
/// Words in the names of tools that ask a database, which answers with rows.
const ASKS: &str = " query sql cypher select ";
/// Words in the names of tools whose answer is a judgement, which may be that something is wrong.
const JUDGES: &str = " exists exist check has is validate verify test lint type ping health status diagnose analyze audit compare \
    inspect detect count assert parse review ";
/// Words in the names of tools that run a program.
const RUNS: &str = " run exec execute shell bash sh zsh powershell pwsh terminal command cmd cli eval evaluate repl python javascript \
    js node script interpreter sandbox ssh process code ";
/// Words in the names of tools that change something.
const ACTS: &str = " complete finish archive chmod chown mkdir rmdir copy cp move rename rm unzip add append apply approve assign attach book cancel clear \
    close commit create delete deploy disable drop edit enable insert install invite kill make mark merge modify patch post publish \
    push put remove replace restart save send set start stop submit touch truncate uninstall update upload upsert write ";
/// Names of arguments that hold a command, or code where the tool runs some.
const COMMANDS: &str = " command commands cmd cmds argv shell script scripts ";
const CODE: &str = " code javascript js python function snippet expression expr program ";
/// Names of arguments that say what is asked of a database.
const QUERIES: &str = " sql query queries statement statements cypher pipeline filter where table tables column columns collection \
    schema database jql expression ";

/// What is wrong with a request by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// It is not JSON.
    NotJson,
    /// Several messages at once.
    Batch,
    /// `params` is not an object.
    BadParams,
    /// A tool call without the name of a tool.
    NoToolName,
    /// The name of the tool, or `arguments`, has the wrong type.
    BadCall,
}

/// What a tool does, by the words of its name.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Deeds {
    /// It gives back what others wrote.
    pub(crate) shows: bool,
    /// It looks for something.
    pub(crate) searches: bool,
    /// It lists or gets what there is, as data.
    pub(crate) gets: bool,
    /// It answers with a judgement.
    pub(crate) judges: bool,
    /// It runs programs or code.
    pub(crate) runs: bool,
    /// It changes something.
    pub(crate) acts: bool,
    /// It makes a file.
    pub(crate) writes: bool,
}

/// One text or number among the arguments.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    /// The key it is under.
    pub(crate) key: Cow<'a, str>,
    /// Where it is, as a JSON pointer into the arguments.
    pub(crate) place: String,
    /// Its text.
    pub(crate) value: Cow<'a, str>,
}

impl Argument<'_> {
    pub(crate) fn is_path(&self) -> bool {
        matches!(path_kind(&self.key, &self.value), Some(PathKind::File | PathKind::Directory))
    }

    /// Whether it is a path or an address.
    pub(crate) fn is_place(&self) -> bool {
        path_kind(&self.key, &self.value).is_some()
    }

    pub(crate) fn is_directory(&self) -> bool {
        is_directory(&self.key) && !self.value.is_empty()
    }

    pub(crate) fn is_query(&self) -> bool {
        normal(&self.key).split(' ').any(|it| is_among(it, QUERIES))
            || self.is_statement(&["select", "with"])
            || self.is_change()
    }

    /// Whether it is a statement that changes a database.
    pub(crate) fn is_change(&self) -> bool {
        self.is_statement(&["insert", "update", "delete", "create", "drop", "alter", "replace"])
    }

    fn is_statement(&self, verbs: &[&str]) -> bool {
        let first = self.value.split_whitespace().next().unwrap_or_default();
        self.value.contains(' ') && verbs.iter().any(|it| first.eq_ignore_ascii_case(it))
    }

    /// Whether it is meant as JSON, by its first sign or its name, and is none.
    pub(crate) fn is_bad_json(&self) -> bool {
        let is_meant =
            self.value.trim_start().starts_with(['{', '[']) || normal(&self.key).contains("json");
        is_meant
            && (1..=MOST_JSON).contains(&self.value.len())
            && Doc::parse(self.value.as_bytes(), Limits::DOCUMENT).is_err()
    }

    /// Whether it is a program or code to be run. One word can be the name of an action: `{"command":"view"}` of an editor.
    fn is_program(&self, deeds: Deeds) -> bool {
        let is_word =
            self.value.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it));
        let has_words = self.value.bytes().any(|it| it.is_ascii_alphabetic());
        if self.is_command() {
            has_words && (deeds.runs || !is_word)
        } else {
            deeds.runs && !is_word && normal(&self.key).split(' ').any(|it| is_among(it, CODE))
        }
    }

    /// Whether it names one thing: `id`, `messageId`.
    pub(crate) fn is_id(&self) -> bool {
        normal(&self.key).rsplit(' ').next().is_some_and(|it| matches!(it, "id" | "uid" | "uuid"))
    }

    /// Whether it is named as a command.
    fn is_command(&self) -> bool {
        normal(&self.key).split(' ').any(|it| is_among(it, COMMANDS))
    }
}

/// A request, taken apart.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Request<'a> {
    pub(crate) mistake: Option<Mistake>,
    /// A tool is called.
    pub(crate) is_call: bool,
    /// The method is none of MCP.
    pub(crate) is_unknown_method: bool,
    /// Whether the server lists the tool, where its list is known.
    pub(crate) is_listed: Option<bool>,
    /// It named a session.
    pub(crate) has_session: bool,
    /// The name of the tool, in our spelling.
    pub(crate) tool: String,
    pub(crate) deeds: Deeds,
    /// The arguments of a call, the parameters of any other request.
    pub(crate) given: Option<Value<'a>>,
    pub(crate) arguments: Vec<Argument<'a>>,
    /// It holds several documents, items or statements.
    pub(crate) holds_several: bool,
    /// It hands over a program or code to be run.
    pub(crate) hands_over_program: bool,
    /// It hands over code, and not only the name of a program with its options.
    pub(crate) hands_over_code: bool,
}

impl<'a> Request<'a> {
    pub(crate) fn of(asked: &Asked<'a>) -> Self {
        let params = asked.request.and_then(|it| it.get("params"));
        let is_call = asked.method.as_deref() == Some("tools/call");
        let listed = asked.known_tools.zip(asked.tool.as_deref());
        let tool = normal(asked.tool.as_deref().unwrap_or_default());
        let given = params.and_then(|it| if is_call { it.get("arguments") } else { Some(it) });
        let mut request = Self {
            mistake: mistake(asked, params, is_call),
            is_call,
            is_unknown_method: asked.request.is_some()
                && asked
                    .method
                    .as_deref()
                    .is_some_and(|it| !is_method(it) && !it.starts_with("notifications/")),
            is_listed: listed.map(|(known, tool)| known.iter().any(|it| it == tool)),
            has_session: asked.http.is_some_and(|it| it.session),
            deeds: deeds(&tool),
            tool,
            given,
            ..Self::default()
        };
        if let Some(given) = given {
            request.gather(None, String::new(), 0, given);
        }
        let has_program = request.programs().next().is_some();
        let has_code = request.programs().any(|it| !it.is_command());
        (request.hands_over_program, request.hands_over_code) = (has_program, has_code);
        request
    }

    /// The arguments that are programs or code to be run.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Argument<'a>> {
        self.arguments.iter().filter(|it| it.is_program(self.deeds))
    }

    /// Whether the answer may be content of others: the tool reads, or it is given a place and does not say that it changes it.
    pub(crate) fn may_show_content(&self) -> bool {
        let has_place = || self.arguments.iter().any(Argument::is_place);
        let Deeds { shows, judges, runs, searches, gets, acts, .. } = self.deeds;
        shows || judges || runs || searches || gets || !acts && has_place()
    }

    fn gather(&mut self, key: Option<Value<'a>>, pointer: String, depth: usize, value: Value<'a>) {
        if self.arguments.len() >= MOST_VALUES || depth > DEEPEST {
            return;
        }
        let name = key.and_then(Value::as_str).unwrap_or_default();
        match value.kind() {
            Kind::String => {
                let text = value.as_str().unwrap_or_default();
                let is_several = text.trim_end_matches([';', ' ', '\n']).contains(';')
                    || text.trim_start().starts_with("mutation");
                self.arguments.push(Argument { key: name, place: pointer, value: text });
                self.holds_several |= is_several;
            }
            Kind::Number => {
                let value = value.raw().into();
                self.arguments.push(Argument { key: name, place: pointer, value });
            }
            Kind::Array => {
                self.holds_several |= value.elements().nth(1).is_some();
                for (at, it) in value.elements().take(MOST_VALUES).enumerate() {
                    self.gather(key, format!("{pointer}/{at}"), depth + 1, it);
                }
            }
            Kind::Object => {
                for (key, value) in value.members() {
                    let step = key.as_str().unwrap_or_default();
                    let step = step.replace('~', "~0").replace('/', "~1");
                    self.gather(Some(key), format!("{pointer}/{step}"), depth + 1, value);
                }
            }
            Kind::Bool | Kind::Null => (),
        }
    }
}

fn mistake(asked: &Asked<'_>, params: Option<Value<'_>>, is_call: bool) -> Option<Mistake> {
    match asked.unreadable {
        Some(Unreadable::NotJson) => return Some(Mistake::NotJson),
        Some(Unreadable::Batch) => return Some(Mistake::Batch),
        None => (),
    }
    let params = params?;
    if params.kind() != Kind::Object {
        return Some(Mistake::BadParams);
    }
    if !is_call {
        return None;
    }
    let kind = |key| params.get(key).map_or(Kind::Null, Value::kind);
    match (kind("name"), kind("arguments")) {
        (Kind::Null, _) => Some(Mistake::NoToolName),
        (Kind::String, Kind::Object | Kind::Null) => None,
        _ => Some(Mistake::BadCall),
    }
}

pub(crate) fn deeds(tool: &str) -> Deeds {
    let words = || tool.split(|it: char| !it.is_ascii_alphanumeric());
    let has = |list: &str| words().any(|it| is_among(it, list));
    let (acts, asks) = (has(ACTS), has(ASKS) && tool != "query");
    let is_bare = tool == "get" || tool == "query";
    let makes = ["write", "create", "save", "new"].iter().any(|it| tool.starts_with(it));
    Deeds {
        shows: is_bare || has(SHOWS) && !acts && !asks,
        searches: has(SEARCHES),
        gets: asks && !acts || has(" get list "),
        judges: has(JUDGES),
        runs: has(RUNS) && !asks,
        acts,
        writes: makes && (tool == "write" || tool.ends_with("file")),
    }
}

/// Whether a word is in a list that parts its words by spaces.
pub(crate) fn is_among(word: &str, list: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|it| it == word)
}
