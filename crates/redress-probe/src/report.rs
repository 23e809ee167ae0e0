//! `Report`: all that a probe did and found, the one value that every presentation shows.

use redress_registry::Level;
use serde::{Deserialize, Serialize};

use crate::{finding::Finding, score::Score};

/// The first member of every report, so that a reader knows what it has.
pub const FORMAT: &str = "redress-probe/1";

/// All that a probe did and found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: String,
    /// The version of the probe.
    pub version: String,
    /// When it began, ISO 8601.
    pub started: String,
    /// What was probed.
    pub target: ProbeTarget,
    /// How it was probed.
    pub settings: ProbeSettings,
    /// Who answered.
    pub server: ServerInfo,
    /// The server as it is.
    pub direct: Run,
    /// The same calls with Redress in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gated: Option<Run>,
}

/// What was probed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeTarget {
    /// A command, with its arguments.
    Command(Vec<String>),
    /// A server behind a URL.
    Url(String),
}

/// How it was probed: the same settings and the same server give the same calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeSettings {
    /// The seed of the random numbers.
    pub seed: u64,
    /// The most calls.
    pub budget: usize,
    /// The longest that it may take, in milliseconds.
    pub time_ms: u64,
    /// How long an answer may take, in milliseconds.
    pub deadline_ms: u64,
    /// Whether calls were allowed that may change something.
    pub allow_effects: bool,
    /// The cases that were asked for; empty, all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The contract that codes were compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
}

/// Who answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// Its name, as it says.
    pub name: String,
    /// Its version, as it says.
    pub version: String,
    /// The revision of MCP that was spoken.
    pub revision: String,
    /// The capabilities that it offers, by name.
    pub capabilities: Vec<String>,
}

/// One pass over the server: what was called, what came back, what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// The score of the server as a whole: its own answers and those of its tools.
    pub score: Option<Score>,
    /// Its tools, in its own order.
    pub tools: Vec<ToolReport>,
    /// What was planned for the server as a whole.
    pub cases: Cases,
    /// Everything that is wrong, the worst first.
    pub findings: Vec<Finding>,
    /// Every exchange, in the order in which they were made.
    pub exchanges: Vec<Exchange>,
    /// How often the server had to be started again.
    pub restarts: usize,
    /// Why it ended before all cases were run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The codes of the contract, with `--contract`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
}

/// One tool and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolReport {
    /// Its name.
    pub name: String,
    /// Whether it says that it changes nothing.
    pub read_only: bool,
    /// Whether it says that it may destroy something; unless it says otherwise, it does.
    pub destructive: bool,
    /// What was planned for it.
    pub cases: Cases,
    /// Absent if none of its answers was graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
}

/// How many cases were planned, and what came of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// All that the schema gives.
    pub planned: usize,
    /// Run.
    pub played: usize,
    /// Left out, since they might change something and `--allow-effects` is not set.
    pub effects: usize,
    /// Left out, since the budget or the time was used up, or it was interrupted.
    pub unplayed: usize,
}

/// Why a run ended before all cases were run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The calls were used up.
    Budget,
    /// The time was used up.
    Time,
    /// The user stopped it.
    Interrupted,
    /// The server died too often, or could not be started again.
    Dead,
}

/// One message to the server, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The case it belongs to, as `--only` takes it: `tool/kind/argument`, or `server/kind`.
    pub case: String,
    /// The tool that was called, if one of the server's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What was tried, one sentence.
    pub about: String,
    /// What was sent.
    pub request: Text,
    /// What came of it.
    pub happened: Happened,
    /// What came meanwhile and is no message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<Text>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// What came of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Happened {
    /// An answer.
    Answer {
        /// The status, over HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// The bytes of the message.
        body: Text,
        /// Further answers to the same request, which should not be.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        more: Vec<Text>,
    },
    /// Bytes that are no answer.
    Malformed {
        /// The status, over HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// The bytes.
        body: Text,
    },
    /// More bytes than a message may have.
    TooLarge {
        /// How many were read before it was given up.
        bytes: usize,
    },
    /// Nothing came in time.
    Silence {
        /// How long we waited, in milliseconds.
        waited_ms: u64,
    },
    /// Nothing came, and nothing had to.
    Nothing,
    /// The pipe or the connection closed.
    Closed {
        /// What the connection said of it.
        why: String,
    },
    /// The process ended.
    Exited {
        /// Its exit code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
        /// The signal that ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        /// The end of what it wrote to its log.
        stderr: Text,
    },
}

/// Bytes of a message as text, cut if there are many; what is not UTF-8 is shown as U+FFFD.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The first of them.
    pub text: String,
    /// How many there were.
    pub bytes: usize,
}

/// The most bytes of a message that a report keeps.
const MOST_KEPT: usize = 4 << 10;

impl Text {
    /// The bytes, cut.
    pub fn of(bytes: &[u8]) -> Self {
        let kept = bytes.get(..MOST_KEPT).unwrap_or(bytes);
        Self { text: String::from_utf8_lossy(kept).into_owned(), bytes: bytes.len() }
    }

    /// Whether there was more than is kept.
    pub const fn is_cut(&self) -> bool {
        self.bytes > MOST_KEPT
    }
}

/// Which codes of a contract were seen on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Codes that the contract has and that were answered.
    pub seen: Vec<String>,
    /// Codes that the contract has and that no call provoked.
    pub unseen: Vec<String>,
    /// Codes that were answered and that the contract does not have.
    pub unknown: Vec<String>,
}

impl Report {
    /// Whether something is broken, not only improvable: of the server as it is.
    pub fn has_violations(&self) -> bool {
        self.direct.findings.iter().any(|it| it.level == Level::Violation)
    }

    /// A report that was written before.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let report: Self = serde_json::from_slice(bytes).map_err(|it| it.to_string())?;
        if report.format != FORMAT {
            return Err(format!("its format is `{}`, not `{FORMAT}`", report.format));
        }
        Ok(report)
    }

    /// The report as JSON, in one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Run {
    /// The first exchange that shows a hit.
    pub fn exchange(&self, hit: &crate::Hit) -> Option<&Exchange> {
        hit.exchanges.first().and_then(|it| self.exchanges.get(*it))
    }
}
