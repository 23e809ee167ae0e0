//! Versions: how large a step a change needs, and how large the step was.

use semver::Version;

/// The step from one version to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// No step.
    None,
    /// Texts only.
    Patch,
    /// Nothing that worked stops to work.
    Minor,
    /// Something that worked can stop to work.
    Major,
    /// No version may do this.
    Impossible,
}

impl Bump {
    /// The name in reports and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Impossible => "impossible",
        }
    }
}

/// The step that a version took. Before 1.0.0 the steps shift by one place, as in Cargo: 0.2.0 after
/// 0.1.9 is a major step, and 0.1.9 after 0.1.8 a minor one. A pre-release promises nothing, so
/// every step away from one is a major step.
pub(super) fn declared(old: &str, new: &str) -> Bump {
    let (Ok(old), Ok(new)) = (Version::parse(old), Version::parse(new)) else { return Bump::None };
    if new <= old {
        return Bump::None;
    }
    let (major, minor, patch) =
        (new.major != old.major, new.minor != old.minor, new.patch != old.patch);
    match old {
        _ if !old.pre.is_empty() || major => Bump::Major,
        Version { major: 0, minor: 0, .. } => Bump::Major,
        Version { major: 0, .. } if minor => Bump::Major,
        _ if minor => Bump::Minor,
        Version { major: 0, .. } if patch => Bump::Minor,
        _ => Bump::Patch,
    }
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn a_step_is_as_large_as_semver_says() {
        for (old, new, step) in [
            ("1.2.3", "1.2.3", "none"),
            ("1.2.3", "1.2.2", "none"),
            ("1.2.3", "1.2.4", "patch"),
            ("1.2.3", "1.3.0", "minor"),
            ("1.2.3", "1.3.0-dev", "minor"),
            ("1.2.3", "2.0.0", "major"),
            ("0.1.0", "0.1.1", "minor"),
            ("0.1.9", "0.2.0", "major"),
            ("0.0.1", "0.0.2", "major"),
            ("0.9.0", "1.0.0", "major"),
            ("1.0.0-rc.1", "1.0.0", "major"),
            ("old", "new", "none"),
        ] {
            assert_eq!(declared(old, new).name(), step, "{old} to {new}");
        }
    }
}
