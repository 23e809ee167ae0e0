//! Version ranges as plugin manifests write them: `^1.2.0`, `>=1.0.0 <2.0.0`, `1.x`, `0.9.0 || ^1.0.0`.

use semver::{Version, VersionReq};

/// A set of versions: those that satisfy any of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range(Vec<VersionReq>);

impl Range {
    /// Reads a range. A bare version means exactly that one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        text.split("||").map(all_of).collect::<Option<_>>().map(Self)
    }

    /// Whether a version lies in the range.
    pub(crate) fn contains(&self, version: &Version) -> bool {
        self.0.iter().any(|it| it.matches(version))
    }
}

/// Comparators side by side, with blanks or commas between them.
fn all_of(text: &str) -> Option<VersionReq> {
    const OPERATORS: [char; 5] = ['<', '>', '=', '^', '~'];
    let mut comparators: Vec<String> = Vec::new();
    for word in text.split([' ', '\t', ',']).filter(|it| !it.is_empty()) {
        match comparators.last_mut() {
            Some(operator) if operator.ends_with(OPERATORS) => operator.push_str(word),
            _ => comparators.push(word.to_owned()),
        }
    }
    for bare in comparators.iter_mut().filter(|it| it.starts_with(|it: char| it.is_ascii_digit())) {
        if !bare.contains(['*', 'x', 'X']) {
            bare.insert(0, '=');
        }
    }
    VersionReq::parse(&comparators.join(",")).ok()
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::Range;

    #[test]
    fn ranges_of_the_seed_accept_1_2_3() {
        let version = Version::new(1, 2, 3);
        for range in ["^1.2.0", ">=1.0.0 <2.0.0", "~1.2", "1.x", "0.9.0 || ^1.0.0"] {
            assert!(Range::parse(range).unwrap().contains(&version), "{range}");
        }
        for range in ["1.2.3", "1.2", ">= 1.0.0, < 2", "*", "=1"] {
            assert!(Range::parse(range).unwrap().contains(&version), "{range}");
        }
    }

    #[test]
    fn a_caret_of_another_major_refuses() {
        for range in ["^2.0.0", "1.2.4", "1.3", "<1 || >2", "0.x"] {
            assert!(!Range::parse(range).unwrap().contains(&Version::new(1, 2, 3)), "{range}");
        }
    }

    #[test]
    fn garbage_is_no_range() {
        for range in [">=garbage", "", "||", "1.2.3 - 2", ">=", "a || 1.x"] {
            assert_eq!(Range::parse(range), None, "{range}");
        }
    }
}
