//! Servers in TOML.

use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

use super::{Command, Entry, List, Remote, Shape, Unread, Word, line_end, part};

/// The servers in these tables.
pub(super) fn entries(text: &str, tables: &[&[&str]]) -> Result<Vec<Entry>, Unread> {
    let root = DeTable::parse(text).map_err(|error| Unread {
        offset: error.span().map_or(0, |it| it.start),
        problem: error.message().to_owned(),
    })?;
    let mut found = Vec::new();
    for keys in tables {
        let table = keys.iter().try_fold(root.get_ref(), |table, key| {
            table.get(*key).and_then(|it| it.get_ref().as_table())
        });
        let servers = table.into_iter().flatten();
        found.extend(servers.map(|(name, server)| Entry {
            name: name.get_ref().to_string(),
            table: keys.iter().map(|it| (*it).to_owned()).collect(),
            shape: shape(text, server),
        }));
    }
    Ok(found)
}

fn shape(text: &str, server: &Spanned<DeValue<'_>>) -> Shape {
    let Some(entry) = server.get_ref().as_table() else { return Shape::Other("it is no table") };
    let is = |key: &str, wanted: bool| {
        entry.get(key).is_some_and(|it| it.get_ref().as_bool() == Some(wanted))
    };
    if is("enabled", false) || is("disabled", true) {
        return Shape::Other("it is switched off");
    }
    let is_remote = entry.contains_key("url");
    match (entry.get_key_value("command"), is_remote) {
        (None, true) => remote(entry),
        (None, false) => Shape::Other("it has no command"),
        (Some(_), true) => Shape::Other("it has a command and a url"),
        (Some((key, program)), false) => command(text, entry, key, program)
            .map_or_else(Shape::Other, |it| Shape::Command(Box::new(it))),
    }
}

/// A remote server. Its headers can be in tables of their own anywhere in the file, so that it is left as it is.
fn remote(entry: &DeTable<'_>) -> Shape {
    let text = |key: &str| entry.get(key).and_then(|it| it.get_ref().as_str());
    let Some(url) = text("url") else { return Shape::Other("its url is no text") };
    let headers = entry.get("http_headers").and_then(|it| it.get_ref().as_table());
    let mut headers: Vec<(String, String)> = texts(headers);
    if let Some(variable) = text("bearer_token_env_var") {
        headers.push(("Authorization".to_owned(), format!("Bearer ${{{variable}}}")));
    }
    let named = entry.get("env_http_headers").and_then(|it| it.get_ref().as_table());
    headers.extend(texts(named).into_iter().map(|(name, it)| (name, format!("${{{it}}}"))));
    Shape::Remote(Box::new(Remote::fixed(
        url.to_owned(),
        headers,
        "its entry of TOML can be in several places",
    )))
}

fn texts(table: Option<&DeTable<'_>>) -> Vec<(String, String)> {
    let members = table.into_iter().flatten();
    let text = |(name, it): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        Some((name.get_ref().to_string(), it.get_ref().as_str()?.to_owned()))
    };
    members.filter_map(text).collect()
}

fn command(
    text: &str,
    entry: &DeTable<'_>,
    key: &Spanned<DeString<'_>>,
    program: &Spanned<DeValue<'_>>,
) -> Result<Command, &'static str> {
    let program = word(program).ok_or("its command is no text")?;
    let list = entry.get("args").map(list).transpose()?;
    let env = entry.get("env").and_then(|it| it.get_ref().as_table());
    let env = texts(env);
    let cwd = entry.get("cwd").and_then(|it| it.get_ref().as_str()).map(ToOwned::to_owned);
    let before_list = before_list(text, key.span().start);
    Ok(Command { program: Some(program), list, before_list, env, cwd, old: None })
}

/// What comes between a program and its arguments: in a table of its own another line, with the same dotted keys before it; in an
/// inline table a comma.
fn before_list(text: &str, key: usize) -> String {
    let before = part(text, 0..key);
    let line = before.rfind('\n').map_or(before, |it| part(before, it + 1..key));
    if line.contains(['{', '=', ',']) {
        ", args = ".to_owned()
    } else {
        format!("{}{line}args = ", line_end(text, key))
    }
}

fn list(value: &Spanned<DeValue<'_>>) -> Result<List, &'static str> {
    let array = value.get_ref().as_array().ok_or("its arguments are no list")?;
    let words = array.iter().map(word).collect::<Option<_>>();
    Ok(List { range: value.span(), words: words.ok_or("one of its arguments is no text")? })
}

fn word(value: &Spanned<DeValue<'_>>) -> Option<Word> {
    Some(Word { range: value.span(), value: value.get_ref().as_str()?.to_owned() })
}
