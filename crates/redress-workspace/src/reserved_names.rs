//! The names that files have while they are being written. No call can name them.

use std::fmt::Write as _;

use rustix::io::Errno;

/// The name of the journal, in the root.
pub(crate) const JOURNAL: &str = ".redress-0000000000000000.tmp";

const START: &str = ".redress-";
const END: &str = ".tmp";
const DIGITS: usize = 16;

/// Whether a name is one of files that are being written.
pub(crate) fn is_ours(name: &[u8]) -> bool {
    let random = name.strip_prefix(START.as_bytes()).and_then(|it| it.strip_suffix(END.as_bytes()));
    random.is_some_and(|it| it.len() == DIGITS && it.iter().all(u8::is_ascii_hexdigit))
}

/// A new name of that kind.
pub(crate) fn new_name() -> Result<String, Errno> {
    let mut random = [0; DIGITS / 2];
    // Requests for so few bytes are never cut short.
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
    let mut name = START.to_owned();
    for byte in random {
        write!(name, "{byte:02x}").unwrap_or_default();
    }
    name.push_str(END);
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::{is_ours, new_name};

    #[test]
    fn names_of_files_that_are_being_written_are_known() {
        let (one, two) = (new_name().unwrap(), new_name().unwrap());
        assert!(is_ours(one.as_bytes()) && is_ours(two.as_bytes()) && one != two);
        for other in
            [".redress-.tmp", ".redress-0123456789abcdeg.tmp", ".redress-0123456789abcdef", "a.tmp"]
        {
            assert!(!is_ours(other.as_bytes()), "{other}");
        }
    }
}
