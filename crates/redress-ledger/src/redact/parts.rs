//! Parts of a known value that servers write without the rest: a line, the password of a login, a value in a header.

/// A shorter line would take harmless words with it.
const SHORTEST_LINE: usize = 8;

/// The lines of a value that has several: programs write them one by one, with something before each.
pub(super) fn lines(value: &str) -> impl Iterator<Item = &str> {
    // The lines of a document, and those around a key, tell nothing.
    let is_document = value.starts_with(['{', '[']);
    let has_several = value.contains('\n') && !is_document;
    let lines = value.lines().filter(move |_| has_several).map(str::trim);
    lines.filter(|it| it.len() >= SHORTEST_LINE && !it.starts_with("-----"))
}

/// The password of `user:password`.
pub(super) fn password(value: &str) -> Option<&str> {
    let (user, password) = value.split_once(':')?;
    let is_user = !user.is_empty()
        && user.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '@' | '+'));
    (is_user && !password.starts_with("//")).then_some(password)
}

/// Names in headers whose values are no secrets.
const PLAIN: &[&str] = &[
    "algorithm",
    "charset",
    "domain",
    "expires",
    "nc",
    "opaque",
    "path",
    "qop",
    "realm",
    "uri",
    "username",
    "version",
];

/// The values in a header, as in `session=value; other="value"`.
pub(super) fn values(header: &str) -> impl Iterator<Item = &str> {
    header.split([';', ',']).filter_map(|it| {
        let (name, value) = it.trim().split_once('=')?;
        let name = name.rsplit(' ').next().unwrap_or_default();
        let is_plain = PLAIN.iter().any(|it| it.eq_ignore_ascii_case(name));
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.'));
        (is_name && !is_plain).then(|| value.trim_matches(['"', ' ']))
    })
}

#[cfg(test)]
mod tests {
    use super::{lines, password, values};

    #[test]
    fn parts_are_what_servers_repeat() {
        let all = |value| lines(value).collect::<Vec<_>>();
        assert_eq!(
            all("-----BEGIN X-----\n  first-line\nshort\nsecond-line\n"),
            ["first-line", "second-line"]
        );
        assert!(all("one line only").is_empty());
        assert!(all("{\n  \"type\": \"account\"\n}").is_empty());
        assert_eq!(password("bob:hunter2"), Some("hunter2"));
        assert_eq!([password("https://a"), password("hunter2"), password("a b:c")], [None; 3]);
        let of = |header| values(header).collect::<Vec<_>>();
        assert_eq!(of("session=abc; a=b"), ["abc", "b"]);
        assert_eq!(of("Token token=abc"), ["abc"]);
        assert_eq!(of("Digest username=\"x\", realm=\"r\", response=\"abc\""), ["abc"]);
        assert!(of("Bearer abc==").iter().all(|it| it.len() < 6));
    }
}
