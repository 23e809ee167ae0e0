//! The names that a fleet has on its engine: stream, subjects, buckets.

use crate::error::FleetError;

/// The longest name of a node or a stream.
const LONGEST: usize = 64;

/// The names of one fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    stream: String,
}

impl Names {
    /// The names of the fleet with that stream.
    ///
    /// # Errors
    /// It is no name.
    pub fn new(stream: &str) -> Result<Self, FleetError> {
        check("stream", stream)?;
        Ok(Self { stream: stream.to_owned() })
    }

    /// The stream.
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// The subjects of the stream.
    pub fn subjects(&self) -> String {
        format!("{}.ledger.*.*", self.stream)
    }

    /// The subjects of a node, or of all.
    pub fn of_node(&self, node: Option<&str>) -> String {
        format!("{}.ledger.{}.*", self.stream, node.unwrap_or("*"))
    }

    /// The subject of a chain.
    pub(crate) fn subject(&self, node: &str, chain: &str) -> String {
        format!("{}.ledger.{node}.{chain}", self.stream)
    }

    /// The node and the chain of a subject.
    pub(crate) fn place<'s>(&self, subject: &'s str) -> Option<(&'s str, &'s str)> {
        let rest = subject.strip_prefix(&self.stream)?.strip_prefix(".ledger.")?;
        let (node, chain) = rest.split_once('.')?;
        // Both become names of directories.
        let is_plain = check("node", node).is_ok() && check("chain", chain).is_ok();
        (is_plain && redress_ledger::is_chain(chain)).then_some((node, chain))
    }

    /// The bucket in which nodes say how they are.
    pub fn nodes(&self) -> String {
        format!("{}-nodes", self.stream)
    }

    /// The bucket of what governed gates must share.
    pub fn shared(&self) -> String {
        format!("{}-shared", self.stream)
    }

    /// The bucket of the contracts.
    pub fn contracts(&self) -> String {
        format!("{}-contracts", self.stream)
    }
}

/// Refuses what cannot be one token of a subject, a directory and a label at the same time.
///
/// # Errors
/// It is no name; `place` is the setting that has it.
pub fn check(place: &'static str, name: &str) -> Result<(), FleetError> {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
    let fits = !name.is_empty() && name.len() <= LONGEST && name.bytes().all(is_plain);
    if fits && !name.starts_with('-') {
        return Ok(());
    }
    let problem = format!(
        "must have 1 to {LONGEST} letters, digits, `-` or `_`, and not begin with `-`: {name:?}"
    );
    Err(FleetError::Input { place, problem })
}

#[cfg(test)]
mod tests {
    use super::{Names, check};

    #[test]
    fn a_subject_is_read_as_it_was_written_and_no_other_is() {
        let names = Names::new("redress").unwrap();
        let chain = "20260119T153210123Z-4711-9f2c41d07a3e";
        let subject = names.subject("n1", chain);
        assert_eq!(names.place(&subject), Some(("n1", chain)));
        for other in [
            "redress.ledger.n1",
            "redress.ledger..x",
            "redress.ledger.n1.notachain",
            "redress.ledger.n 1.20260119T153210123Z-4711-9f2c41d07a3e",
            "redress.ledger.n1.20260119T153210123Z-4711-9f2c41d07a3e.x",
            "other.ledger.n1.20260119T153210123Z-4711-9f2c41d07a3e",
            "redress.ledger.n1.20260119T153210123Z-4711-../../x",
        ] {
            assert_eq!(names.place(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_no_token_is_no_name() {
        for bad in ["", "a.b", "a b", "*", ">", "-x", "a/b", "..", "ä", &"x".repeat(65)] {
            assert!(check("node", bad).is_err(), "{bad}");
        }
        assert!(check("node", "Edge_7-a").is_ok());
    }
}
