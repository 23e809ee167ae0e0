//! The table of rules: parsed once from the texts in `rules/`, searched top down, the first that fits wins.
//!
//! A rule text is lines; an indented line belongs to the line above it that starts at the margin.
//!
//! ```text
//! kind <fact> <word> =<name> …          tools with one of these words in their name, or of that whole name, have the fact
//! word <sense> <word> …                 what a word says about work that was done; `*n't` is any word with that end
//! wrap <start> [… <end>]                a prefix that SDKs put before a server's own words
//! ran <phrase> | <phrase> …             what stands in a text that tells how a program ended
//! about <start> | <start> …             how a text starts that talks of failures and reports none: no sign looks at it
//! scope text|own|head|last              where the rules that follow look: the whole text, what comes after the wrappers, or
//!                                       the first sentence of that (and the rest only if nothing else fits); `last`: nowhere,
//!                                       they count if no words of the whole text fit any other
//! rule <id> <CODE> [<retry kind>]       names a failure
//! sign <id> [certain]                   makes a text a failure although nobody flagged it
//! step <id>                             what failed is one step of several: those before it may have changed something
//!   any <phrase> | <phrase> …           at least one occurs; each `any` line must hold
//!   no <phrase> | <phrase> …            none occurs
//!   start <phrase> | <phrase> …         the message starts with one (words; `*ing` is any word with that end)
//!   from tool|rpc|http|silent|malformed|closed|exit|deadline …   how the failure came
//!   rpc <code> …                        the JSON-RPC code
//!   http <status> …                     the HTTP status, of the answer or in the text
//!   ask <fact> !<fact> …                facts that must hold, and must not
//!   long <n>                            the text has at most that many bytes
//!   words <n>                           the text has at least that many words
//!   effect none|unknown                 what the failure says of changes, where the row of the code says otherwise; `none` also
//!                                       where a program was handed over: it was refused before anything ran
//!   misnamed                            what is wrong is the name of an argument, whatever its value is
//!   named by-prose|by-machine            a rule names the failure, at least in prose, or in a machine's own words
//!   eg <text>                           a real text that this row is for; with `{` a whole input line
//! ```

use std::{collections::BTreeMap, fmt::Display, str::FromStr, sync::LazyLock};

use redress_registry::{Effect, RetryKind};

use super::{
    facts::{Fact, Facts},
    phrase::{Finder, Gathering, Hits, Phrase},
    start::Start,
    work::Vocabulary,
};

/// The rules that ship with the library, in their order.
const TEXTS: [(&str, &str); 9] = [
    ("tools.rules", include_str!("rules/tools.rules")),
    ("protocol.rules", include_str!("rules/protocol.rules")),
    ("validators.rules", include_str!("rules/validators.rules")),
    ("services.rules", include_str!("rules/services.rules")),
    ("systems.rules", include_str!("rules/systems.rules")),
    ("tongues.rules", include_str!("rules/tongues.rules")),
    ("prose.rules", include_str!("rules/prose.rules")),
    ("signs.rules", include_str!("rules/signs.rules")),
    ("work.rules", include_str!("rules/work.rules")),
];

/// The table that ships with the library.
#[expect(clippy::expect_used, reason = "the texts are embedded and a test reads them")]
pub(crate) static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::read(&TEXTS).expect("embedded rules are valid"));

/// All rules.
#[derive(Debug)]
pub(crate) struct Table {
    /// What tools do, by words of their names.
    pub(crate) kinds: BTreeMap<String, Facts>,
    /// Prefixes that SDKs write.
    pub(crate) wrappers: Vec<Start>,
    /// How texts start that only talk of failures.
    pub(crate) abouts: Vec<Start>,
    /// What tells how a program ended.
    pub(crate) ran: Vec<Phrase>,
    /// What names a failure.
    pub(crate) rules: Vec<Row>,
    /// What makes an unflagged text a failure.
    pub(crate) signs: Vec<Row>,
    /// What tells that others may have gone before what failed.
    pub(crate) steps: Vec<Row>,
    /// What tells of work that was done.
    pub(crate) vocabulary: Vocabulary,
    /// Where every phrase is found.
    pub(crate) finder: Finder,
    /// The rules that ask for no phrase.
    always: Vec<u32>,
    /// The rules that ask for a phrase, by its pattern.
    by_pattern: Vec<Vec<u32>>,
}

/// One row.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) id: String,
    /// Empty unless it is a rule.
    pub(crate) code: String,
    pub(crate) retry: Option<RetryKind>,
    pub(crate) effect: Option<Effect>,
    pub(crate) certain: bool,
    pub(crate) scope: Scope,
    pub(crate) any: Vec<Vec<Phrase>>,
    pub(crate) none: Vec<Phrase>,
    pub(crate) starts: Vec<Start>,
    pub(crate) from: Vec<Source>,
    pub(crate) rpc: Vec<i64>,
    pub(crate) http: Vec<u16>,
    pub(crate) wanted: Facts,
    pub(crate) unwanted: Facts,
    pub(crate) long: Option<usize>,
    pub(crate) words: usize,
    pub(crate) naming: Naming,
    pub(crate) misnamed: bool,
    /// Read by the test that holds every row to its own example.
    pub(crate) example: String,
}

/// Where a row looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole text.
    Text,
    /// What comes after the wrappers.
    #[default]
    Own,
    /// The first sentence of that.
    Head,
    /// Nothing: it counts if no row that looks at words fits.
    Last,
}

/// What a sign asks of the rule that names the failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    /// There need be none.
    #[default]
    Nothing,
    /// Any rule.
    Prose,
    /// A rule about a machine's own words.
    Machine,
}

/// How a failure came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A result with `isError`.
    Tool,
    /// A JSON-RPC error.
    Rpc,
    /// An HTTP status.
    Http,
    /// A result that does not say that it failed.
    Silent,
    /// Bytes that are no message.
    Malformed,
    /// A pipe that closed.
    Closed,
    /// A process that ended.
    Exit,
    /// Nothing in time.
    Deadline,
    /// We did not ask.
    Refusal,
}

impl Table {
    /// The rules that can fit where these phrases occur, in their order.
    pub(crate) fn candidates(&self, hits: &Hits<'_>) -> Vec<&Row> {
        let mut places = self.always.clone();
        for pattern in hits.patterns() {
            places.extend(self.by_pattern.get(pattern as usize).into_iter().flatten());
        }
        places.sort_unstable();
        places.dedup();
        places.into_iter().filter_map(|it| self.rules.get(it as usize)).collect()
    }

    fn read(texts: &[(&str, &str)]) -> Result<Self, String> {
        let mut reading = Reading::default();
        for (file, text) in texts {
            for (at, line) in text.lines().enumerate() {
                reading.line(line).map_err(|it| format!("{file}:{}: {it}", at + 1))?;
            }
        }
        reading.finish()
    }
}

/// Which of the lists the last row is in.
#[derive(Default)]
enum Last {
    #[default]
    Rule,
    Sign,
    Step,
}

#[derive(Default)]
struct Reading {
    gathering: Gathering,
    kinds: BTreeMap<String, Facts>,
    wrappers: Vec<Start>,
    abouts: Vec<Start>,
    ran: Vec<Phrase>,
    vocabulary: Vocabulary,
    rules: Vec<Row>,
    signs: Vec<Row>,
    steps: Vec<Row>,
    last: Last,
    scope: Scope,
}

impl Reading {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim();
        if line.starts_with(' ') { self.condition(word, rest) } else { self.open(word, rest) }
    }

    fn open(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let mut words = rest.split_whitespace();
        match word {
            "kind" => {
                let fact = words.next().and_then(Fact::parse).ok_or("no such fact")?;
                for word in words {
                    self.kinds.entry(word.to_owned()).or_default().set(fact, true);
                }
            }
            "word" => self.vocabulary.read(rest)?,
            "ran" => {
                let phrases = alternatives(rest).map(|it| self.gathering.phrase(it));
                self.ran.extend(phrases);
            }
            "wrap" => self.wrappers.push(Start::read(rest)),
            "about" => self.abouts.extend(alternatives(rest).map(Start::read)),
            "scope" => self.scope = Scope::parse(rest).ok_or("no such scope")?,
            "rule" => {
                let (Some(id), Some(code)) = (words.next(), words.next()) else {
                    return Err("a rule has an id and a code".to_owned());
                };
                let retry = words.next().map(|it| RetryKind::parse(it).ok_or("no such retry kind"));
                let (id, code, retry) = (id.to_owned(), code.to_owned(), retry.transpose()?);
                let scope = self.scope;
                self.rules.push(Row { id, code, retry, scope, ..Row::default() });
                self.last = Last::Rule;
            }
            "sign" => {
                let id = words.next().ok_or("a sign has an id")?.to_owned();
                let certain = words.next() == Some("certain");
                self.signs.push(Row { id, certain, ..Row::default() });
                self.last = Last::Sign;
            }
            "step" => {
                let id = words.next().ok_or("a step has an id")?.to_owned();
                self.steps.push(Row { id, ..Row::default() });
                self.last = Last::Step;
            }
            _ => return Err(format!("no such line: {word}")),
        }
        Ok(())
    }

    fn condition(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let gathering = &mut self.gathering;
        let rows = match self.last {
            Last::Rule => &mut self.rules,
            Last::Sign => &mut self.signs,
            Last::Step => &mut self.steps,
        };
        let row = rows.last_mut().ok_or("a condition without a row")?;
        let mut phrases = || alternatives(rest).map(|it| gathering.phrase(it)).collect::<Vec<_>>();
        match word {
            "any" => row.any.push(phrases()),
            "no" => row.none.extend(phrases()),
            "start" => row.starts.extend(alternatives(rest).map(Start::read)),
            "from" => {
                for it in rest.split_whitespace() {
                    row.from.push(Source::parse(it).ok_or("no such source")?);
                }
            }
            "rpc" => row.rpc = numbers(rest)?,
            "http" => row.http = numbers(rest)?,
            "ask" => {
                for it in rest.split_whitespace() {
                    let name = it.trim_start_matches('!');
                    let fact = Fact::parse(name).ok_or_else(|| format!("no such fact: {name}"))?;
                    let set = if it == name { &mut row.wanted } else { &mut row.unwanted };
                    *set = set.with(fact);
                }
            }
            "long" => row.long = Some(number(rest)?),
            "words" => row.words = number(rest)?,
            "effect" => row.effect = Some(Effect::parse(rest).ok_or("no such effect")?),
            "misnamed" => row.misnamed = true,
            "named" => row.naming = Naming::parse(rest).ok_or("no such naming")?,
            "eg" => rest.clone_into(&mut row.example),
            _ => return Err(format!("no such condition: {word}")),
        }
        Ok(())
    }

    fn finish(self) -> Result<Table, String> {
        let Self { rules, signs, steps, .. } = self;
        let mut always = Vec::new();
        let finder = self.gathering.build()?;
        let mut by_pattern = vec![Vec::new(); finder.patterns()];
        for (at, row) in (0..).zip(&rules) {
            match row.any.first() {
                None => always.push(at),
                Some(any) => {
                    for pattern in any.iter().filter_map(Phrase::pattern) {
                        if let Some(rules) = by_pattern.get_mut(pattern as usize) {
                            rules.push(at);
                        }
                    }
                }
            }
        }
        Ok(Table {
            kinds: self.kinds,
            wrappers: self.wrappers,
            abouts: self.abouts,
            ran: self.ran,
            rules,
            signs,
            steps,
            vocabulary: self.vocabulary,
            finder,
            always,
            by_pattern,
        })
    }
}

impl Scope {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "own" => Self::Own,
            "head" => Self::Head,
            "last" => Self::Last,
            _ => return None,
        })
    }
}

impl Naming {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "by-prose" => Self::Prose,
            "by-machine" => Self::Machine,
            _ => return None,
        })
    }
}

impl Source {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "tool" => Self::Tool,
            "rpc" => Self::Rpc,
            "http" => Self::Http,
            "silent" => Self::Silent,
            "malformed" => Self::Malformed,
            "closed" => Self::Closed,
            "exit" => Self::Exit,
            "deadline" => Self::Deadline,
            _ => return None,
        })
    }
}

fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    text.split(" | ").map(str::trim).filter(|it| !it.is_empty())
}

fn numbers<T: FromStr<Err: Display>>(text: &str) -> Result<Vec<T>, String> {
    text.split_whitespace().map(number).collect()
}

fn number<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|it: T::Err| format!("{text}: {it}"))
}
