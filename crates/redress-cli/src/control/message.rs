//! What is said over the control socket: one request, one answer, each a line of JSON.

use std::{fmt::Write as _, path::Path};

use redress::codes;
use serde_json::{Value, json};

use crate::{
    config::{KeyChange, Strictness},
    failure::Failure,
};

/// The first member of every message.
const FORMAT: &str = "redress-control/1";

/// The most bytes of an answer.
pub(super) const ANSWER_BYTES: u64 = 1 << 24;

/// Asks for a file to be applied as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Apply {
    /// The file, whole and without links.
    pub(super) file: String,
    /// The hash of its bytes, so that nothing else is applied.
    pub(super) sha256: [u8; 32],
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The gate serves another file.
    OtherFile(String),
    /// The gate serves the file, with these changes.
    Applied(Vec<KeyChange>),
    /// Nothing changed, for this reason.
    Refused(Failure),
}

/// A path as messages name it.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Apply {
    pub(super) fn to_line(&self) -> String {
        let sha256 = self.sha256.iter().fold(String::new(), |mut all, it| {
            write!(all, "{it:02x}").unwrap_or_default();
            all
        });
        json!({ "format": FORMAT, "apply": self.file, "sha256": sha256 }).to_string() + "\n"
    }

    /// Reads a request; it may be anything.
    pub(super) fn read(line: &[u8]) -> Result<Self, Failure> {
        let read = || {
            let message: Value = serde_json::from_slice(line).ok()?;
            message.get("format").filter(|it| *it == FORMAT)?;
            let file = message.get("apply")?.as_str()?.to_owned();
            Some(Self { file, sha256: hash(message.get("sha256")?.as_str()?)? })
        };
        read().ok_or_else(|| {
            let mut fault = codes::INVALID_REQUEST.raise([] as [(&str, &str); 0]);
            fault.message = format!("This is no request of {FORMAT}.");
            Failure::input(fault).fix("Use `redress config apply FILE` of the gate's own version.")
        })
    }
}

/// A hash in hexadecimal digits.
fn hash(digits: &str) -> Option<[u8; 32]> {
    let digits = digits.as_bytes();
    let mut hash = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |it: &u8| char::from(*it).to_digit(16).and_then(|it| u8::try_from(it).ok());
        let [high, low] = pair else { return None };
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(hash)
}

impl Outcome {
    pub(super) fn to_line(&self) -> String {
        let said = match self {
            Self::OtherFile(file) => json!({ "format": FORMAT, "serves": file }),
            Self::Applied(changes) => {
                let changes: Vec<_> = changes.iter().map(written).collect();
                json!({ "format": FORMAT, "applied": changes })
            }
            Self::Refused(failure) => json!({ "format": FORMAT, "refused": failure.to_json() }),
        };
        said.to_string() + "\n"
    }

    /// Reads an answer; `None` if it is none.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let message: Value = serde_json::from_slice(line).ok()?;
        message.get("format").filter(|it| *it == FORMAT)?;
        if let Some(file) = message.get("serves") {
            return Some(Self::OtherFile(file.as_str()?.to_owned()));
        }
        if let Some(changes) = message.get("applied") {
            let changes: Option<_> = changes.as_array()?.iter().map(change).collect();
            return changes.map(Self::Applied);
        }
        Some(Self::Refused(Failure::from_json(message.get("refused")?)?))
    }
}

fn written(change: &KeyChange) -> Value {
    let KeyChange { key, verdict, detail, after_restart } = change;
    json!({ "key": key, "verdict": verdict.name(), "detail": detail, "after_restart": after_restart })
}

fn change(written: &Value) -> Option<KeyChange> {
    let verdicts = [Strictness::Tightened, Strictness::Loosened, Strictness::Neutral];
    let verdict = written.get("verdict")?.as_str()?;
    Some(KeyChange {
        key: written.get("key")?.as_str()?.to_owned(),
        verdict: verdicts.into_iter().find(|it| it.name() == verdict)?,
        detail: written.get("detail")?.as_str()?.to_owned(),
        after_restart: written.get("after_restart")?.as_bool()?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Apply, Outcome};
    use crate::{
        config::{KeyChange, Strictness},
        failure::Failure,
    };

    #[test]
    fn messages_are_read_as_they_were_written() {
        let apply = Apply { file: "/a \"b\".toml".to_owned(), sha256: [0xa5; 32] };
        assert_eq!(Apply::read(apply.to_line().as_bytes()).unwrap(), apply);
        let change = KeyChange {
            key: "auth".to_owned(),
            verdict: Strictness::Loosened,
            detail: "1 added".to_owned(),
            after_restart: true,
        };
        let line = Outcome::Applied(vec![change.clone()]).to_line();
        let Some(Outcome::Applied(read)) = Outcome::read(line.as_bytes()) else { panic!("{line}") };
        assert_eq!(read, [change]);
        let failure = Failure::config("redress.toml:1:2", "It is wrong.").note("a").of_machine();
        let line = Outcome::Refused(failure).to_line();
        let Some(Outcome::Refused(read)) = Outcome::read(line.as_bytes()) else { panic!("{line}") };
        assert_eq!(Outcome::Refused(read).to_line(), line);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let apply = Apply { file: "/a".to_owned(), sha256: [0; 32] }.to_line();
        let deep = "[".repeat(100_000);
        for bad in [
            "",
            "{",
            "null",
            "{}",
            &deep,
            &apply.replace("control/1", "control/2"),
            &apply.replace("00", "0g"),
            &apply.replace("00\"", "\""),
            &apply.replace("\"/a\"", "7"),
        ] {
            assert!(Apply::read(bad.as_bytes()).is_err(), "{bad}");
            assert!(Outcome::read(bad.as_bytes()).is_none(), "{bad}");
        }
        assert!(Apply::read(&[0xff, 0, 0xc3]).is_err());
    }
}
