//! Parts of a known value that servers write without the rest: a line, the password of a login, a value in a header, in an address.

use redress::secret::{holds_secret, is_wordlike};

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

/// What is secret of an address: parts of its path and values of its query, unless they are words, short numbers or versions.
pub(super) fn of_url(url: &str) -> impl Iterator<Item = &str> {
    let rest = url.split_once("://").map_or(url, |it| it.1);
    let rest = rest.split('#').next().unwrap_or_default();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = place.split('/').skip(1).filter(|it| is_secret_part(it));
    let query = query.split(['&', ';']).filter_map(|it| {
        let (name, value) = it.split_once('=').unwrap_or(("", it));
        (holds_secret(name, value) || is_secret_part(value)).then_some(value)
    });
    path.chain(query)
}

/// Whether a part of an address is made like a credential.
pub(super) fn is_secret_part(part: &str) -> bool {
    let words = part.split(|it: char| !it.is_ascii_alphanumeric());
    words.into_iter().any(|it| !is_plain_word(it))
}

/// Whether it is a word or a name such as `GitHub`, a short number, or a version.
fn is_plain_word(word: &str) -> bool {
    const LONGEST_NUMBER: usize = 4;
    const LONGEST_VERSION: usize = 8;
    const MOST_TURNS: usize = 2;
    let pairs = word.bytes().zip(word.bytes().skip(1));
    let turns = pairs.filter(|it| it.0.is_ascii_lowercase() && it.1.is_ascii_uppercase()).count();
    let is_number = word.len() <= LONGEST_NUMBER && word.bytes().all(|it| it.is_ascii_digit());
    let is_version = word.len() <= LONGEST_VERSION
        && word.strip_prefix('v').is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
    is_number || is_version || is_wordlike(word) && turns <= MOST_TURNS
}

#[cfg(test)]
mod tests {
    use super::{lines, of_url, password, values};

    #[test]
    fn an_address_has_secrets_in_its_path_and_its_query() {
        for (url, secrets) in [
            ("https://host/s/Zx81secretQ/mcp", &["Zx81secretQ"][..]),
            ("https://host:8080/api/v2/mcp?region=eu", &[]),
            ("https://abc123def456.host/mcp", &[]),
            ("https://host/my-company_tools.v1beta/2025-06-18/GitHub", &[]),
            (
                "https://host/550e8400-e29b-41d4-a716-446655440000",
                &["550e8400-e29b-41d4-a716-446655440000"],
            ),
            (
                "https://host/aVeryLongNameOfSomebody/AbCdEfGh",
                &["aVeryLongNameOfSomebody", "AbCdEfGh"],
            ),
            ("https://host/mcp?api_key=hunter&id=a9b8c7d6e5&x=1", &["hunter", "a9b8c7d6e5"]),
            ("https://host/mcp?a9b8c7d6e5", &["a9b8c7d6e5"]),
        ] {
            assert_eq!(of_url(url).collect::<Vec<_>>(), secrets, "{url}");
        }
    }

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
