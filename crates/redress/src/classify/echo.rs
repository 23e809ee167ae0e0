//! What a text only repeats: an argument that says "not found" is no evidence.

use super::{
    message::Message,
    normal::normal,
    paths::{PathKind, is_file_name, local, path_kind},
    phrase::is_word,
    request::Request,
};

/// Blots out the tool's name and the arguments, and notes what the text names.
pub(super) fn hide(message: &mut Message, tool: &str, request: &Request<'_>) {
    let text = &mut message.text;
    let tool = normal(tool);
    message.names_tool = !tool.is_empty() && occurs(text, &tool);
    let mut hidden = vec![tool];
    for argument in &request.arguments {
        let plain = local(argument.value.trim());
        let spelt = normal(plain);
        message.is_own_host |= is_own_host(text, plain);
        let last = normal(plain.rsplit(['/', '\\']).next().unwrap_or_default());
        let is_file = matches!(path_kind(&argument.key, plain), Some(PathKind::File));
        if is_file && is_repeated(text, &last, plain) || is_repeated(text, &spelt, plain) {
            message.echoes = true;
            hidden.push(spelt);
            hidden.extend(Some(last).filter(|it| !is_number(it)));
        }
    }
    hidden.iter().filter(|it| !it.is_empty()).for_each(|it| blot(text, it));
    blot_lines_of_files(text);
}

/// Whether the server that was not found is the one in this address or command: the text names it, or, of an address, none
/// at all.
fn is_own_host(text: &str, address: &str) -> bool {
    const BEFORE: [&str; 7] =
        ["enotfound ", "host: ", "host='", "resolve '", "lookup ", "host ", "hostname "];
    let named = |it: &&str| {
        let word = text.split_once(*it)?.1.split_whitespace().next()?;
        Some(word.trim_matches(['\'', '"', ':', ',', '.', ')'])).filter(|it| it.contains('.'))
    };
    let Some((_, rest)) = address.split_once("://") else {
        let given = normal(address);
        return BEFORE.iter().filter_map(named).any(|it| occurs(&given, it));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = normal(host.split(':').next().unwrap_or_default());
    !host.is_empty() && (occurs(text, &host) || BEFORE.iter().find_map(named).is_none())
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_digit())
}

/// Blots a value out where it is in quotes, or everywhere if it is more than a plain word.
fn blot(text: &mut String, value: &str) {
    let is_whole = text.trim() == value;
    if is_number(value) && value.len() >= 3 && !is_whole {
        return blot_number(text, value);
    }
    let is_plain = value.bytes().all(|it| it.is_ascii_lowercase());
    let blot = "~".repeat(value.len());
    if !is_plain && value.len() >= 3 && !is_whole {
        *text = text.replace(value, &blot);
        return;
    }
    for quote in ['\'', '"'] {
        let (quoted, blotted) = (format!("{quote}{value}{quote}"), format!("{quote}{blot}{quote}"));
        *text = text.replace(&quoted, &blotted);
    }
}

/// Blots out places in files: the name in `auth/login.py:12:`, `auth/login.ts(3,4)` says nothing of what is wrong there.
fn blot_lines_of_files(text: &mut String) {
    let is_sign = |it: char| it.is_whitespace() || matches!(it, '\'' | '"' | ',');
    let names = text.split(is_sign).filter_map(|word| {
        let (name, line) = word.trim_start_matches('(').split_once([':', '('])?;
        let is_place = is_file_name(name) && line.starts_with(|it: char| it.is_ascii_digit());
        is_place.then(|| name.to_owned())
    });
    for name in names.collect::<Vec<_>>() {
        *text = text.replace(&name, &"~".repeat(name.len()));
    }
}

/// Blots a number out, but not where a server says that it is a status.
fn blot_number(text: &mut String, number: &str) {
    const STATUS: [&str; 4] = ["status code ", "status code: ", "http ", "http status "];
    let blot = "~".repeat(number.len());
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|it| it.find(number)).map(|it| it + from) {
        from = at + number.len();
        let before = text.get(..at).unwrap_or_default();
        if !STATUS.iter().any(|it| before.ends_with(it)) {
            text.replace_range(at..from, &blot);
        }
    }
}

/// Whether a value is repeated. A short one counts only in quotes, a number also after what it counts: `task 9`, `id 9`.
fn is_repeated(text: &str, spelt: &str, plain: &str) -> bool {
    const BEFORE: [&str; 6] = ["id ", "id: ", "#", ": ", "index ", "number "];
    match spelt.len() {
        0 => false,
        1 | 2 => {
            let quoted = |it: &char| text.contains(&format!("{it}{spelt}{it}"));
            let named = |it: &&str| {
                let words = format!("{it}{spelt}");
                text.contains(&words) && occurs(text, &words)
            };
            ['\'', '"'].iter().any(quoted) || is_number(spelt) && BEFORE.iter().any(named)
        }
        _ => plain.len() <= 512 && occurs(text, spelt),
    }
}

/// Whether the words occur as words.
pub(super) fn occurs(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|it| text.as_bytes().get(it)).copied();
        let after = text.as_bytes().get(at + words.len()).copied();
        let free = |it: Option<u8>| it.is_none_or(|it| !is_word(it));
        let edges = (words.bytes().next(), words.bytes().next_back());
        (edges.0.is_none_or(|it| !is_word(it)) || free(before))
            && (edges.1.is_none_or(|it| !is_word(it)) || free(after))
    })
}
