//! Servers in JSON, with comments and trailing commas.

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, ObjectProp, StringLit, Value},
    common::Ranged as _,
    parse_to_ast,
};

use super::{Command, Entry, List, Remote, Shape, Unread, Word, indent, line_end, remote};
use crate::clients::Client;

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The servers in these tables. A file without anything in it names none.
pub(super) fn entries(text: &str, client: &Client) -> Result<Vec<Entry>, Unread> {
    let mut found = Vec::new();
    object(text, |root| {
        for keys in client.keys {
            walk((text, client), root, keys, &mut Vec::new(), &mut found)?;
        }
        Ok(())
    })?
    .transpose()?;
    Ok(found)
}

/// What `look` finds in the object that a text is. `None` if there is nothing in it.
pub(super) fn object<T>(
    text: &str,
    look: impl FnOnce(&Object<'_>) -> T,
) -> Result<Option<T>, Unread> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| {
        Unread { offset: error.range().start, problem: error.kind().to_string() }
    })?;
    match &parsed.value {
        Some(Value::Object(root)) => Ok(Some(look(root))),
        Some(other) => {
            Err(Unread { offset: other.range().start, problem: "It is no object".into() })
        }
        None => Ok(None),
    }
}

fn walk(
    (text, client): (&str, &Client),
    object: &Object<'_>,
    keys: &[&str],
    table: &mut Vec<String>,
    found: &mut Vec<Entry>,
) -> Result<(), Unread> {
    refuse_twice(object)?;
    let Some((key, deeper)) = keys.split_first() else {
        for server in &object.properties {
            let shape = shape(text, client, server)?;
            let name = server.name.as_str().to_owned();
            found.push(Entry { name, table: table.clone(), shape });
        }
        return Ok(());
    };
    for member in &object.properties {
        if (*key == "*" || member.name.as_str() == *key)
            && let Value::Object(inner) = &member.value
        {
            table.push(member.name.as_str().to_owned());
            walk((text, client), inner, deeper, table, found)?;
            table.pop();
        }
    }
    Ok(())
}

/// Of two members with one name a client takes either: such a file is not changed.
fn refuse_twice(object: &Object<'_>) -> Result<(), Unread> {
    let mut names: Vec<(&str, usize)> =
        object.properties.iter().map(|it| (it.name.as_str(), it.range.start)).collect();
    names.sort_unstable();
    let twice = names.windows(2).find_map(|it| match it {
        [(a, _), (b, offset)] if a == b => Some((*b, *offset)),
        _ => None,
    });
    twice.map_or(Ok(()), |(name, offset)| {
        Err(Unread { offset, problem: format!("The name {name:?} is there twice") })
    })
}

fn shape(text: &str, client: &Client, server: &ObjectProp<'_>) -> Result<Shape, Unread> {
    let Value::Object(entry) = &server.value else {
        return Ok(Shape::Other("it is no object"));
    };
    refuse_twice(entry)?;
    let is = |key: &str, wanted: bool| entry.get_boolean(key).is_some_and(|it| it.value == wanted);
    if is("disabled", true) || is("enabled", false) {
        return Ok(Shape::Other("it is switched off"));
    }
    let is_remote = ["url", "httpUrl", "serverUrl"].iter().any(|it| entry.get(it).is_some());
    let Some(command) = entry.get("command") else {
        let remote = Remote::read(entry, client.name);
        return Ok(match remote {
            Some(remote) => Shape::Remote(Box::new(remote)),
            None if is_remote => Shape::Other("its url is no text"),
            None => Shape::Other("it has no command"),
        });
    };
    if is_remote {
        return Ok(Shape::Other("it has a command and a url"));
    }
    let env = entry.get_object("env").or_else(|| entry.get_object("environment"));
    let env = env.map_or_else(Vec::new, texts);
    let cwd = entry.get_string("cwd").map(|it| it.value.to_string());
    let old = env.iter().find(|it| it.0 == remote::VARIABLE).map(|it| it.1.clone());
    let old = old.map(|it| (entry.range.start..entry.range.end, it));
    let command = match &command.value {
        Value::StringLit(program) => apart(text, entry, command, program),
        // An earlier form of Zed: the command is an object.
        Value::Object(inner) => {
            refuse_twice(inner)?;
            let env = inner.get_object("env").map_or(env, texts);
            let given = inner.get("path");
            return Ok(match given.map(|it| (it, &it.value)) {
                Some((member, Value::StringLit(program))) => {
                    match apart(text, inner, member, program) {
                        Ok(it) => Shape::Command(Box::new(Command { env, cwd, ..it })),
                        Err(why) => Shape::Other(why),
                    }
                }
                _ => Shape::Other("its command has no path"),
            });
        }
        Value::Array(_) => list(command).map(|list| Command {
            program: None,
            list: Some(list),
            before_list: String::new(),
            env: Vec::new(),
            cwd: None,
            old: None,
        }),
        _ => Err("its command is no text"),
    };
    Ok(match command {
        Ok(it) if it.words().is_empty() => Shape::Other("its command is empty"),
        Ok(it) => Shape::Command(Box::new(Command { env, cwd, old, ..it })),
        Err(why) => Shape::Other(why),
    })
}

/// A program with its arguments in a member beside it.
fn apart(
    text: &str,
    object: &Object<'_>,
    member: &ObjectProp<'_>,
    program: &StringLit<'_>,
) -> Result<Command, &'static str> {
    let list = object.get("args").map(list).transpose()?;
    let at = member.range.start;
    let gap = match indent(text, at) {
        Some(it) => format!("{}{it}", line_end(text, at)),
        None => " ".to_owned(),
    };
    let before_list = format!(",{gap}\"args\": ");
    Ok(Command {
        program: Some(word(program)),
        list,
        before_list,
        env: Vec::new(),
        cwd: None,
        old: None,
    })
}

fn list(member: &ObjectProp<'_>) -> Result<List, &'static str> {
    let Value::Array(array) = &member.value else { return Err("its arguments are no list") };
    let words = array.elements.iter().map(|it| it.as_string_lit().map(word));
    let words = words.collect::<Option<_>>().ok_or("one of its arguments is no text")?;
    Ok(List { range: array.range.start..array.range.end, words })
}

fn word(text: &StringLit<'_>) -> Word {
    Word { range: text.range.start..text.range.end, value: text.value.to_string() }
}

pub(super) fn texts(object: &Object<'_>) -> Vec<(String, String)> {
    let members = object.properties.iter();
    members
        .filter_map(|it| Some((it.name.as_str().to_owned(), it.value.as_string_lit()?)))
        .map(|(name, it)| (name, it.value.to_string()))
        .collect()
}
