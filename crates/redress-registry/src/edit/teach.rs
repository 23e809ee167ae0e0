//! `[[match]]` rows at the end of a list in a TOML file, with every other byte left as it is.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::taught::Taught;

/// The key of the rows.
const KEY: &str = "match";

/// Why a row leaves the effect `none` of its code, as a line above it.
const WHY_NONE: &str =
    "# Nothing was changed: a validator refused these calls, or their tool only reads.\n";

/// A row to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct Drafted {
    /// The row.
    pub row: Taught,
    /// The calls that it is drafted from changed nothing, and a line above it says why.
    pub is_harmless: bool,
}

/// The text of a file with further rows in the table with this path: the empty one in a registry, `server`, NAME in `redress.toml`.
/// Why it cannot be, as a sentence.
pub fn teach(text: &str, path: &[&str], rows: &[Drafted]) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|it: toml_edit::TomlError| {
        format!("It is not TOML: {}.", it.message().trim_end_matches('.'))
    })?;
    let shown = path.join(".");
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let mut is_inline = false;
    for key in path {
        let item = table.get_mut(key).ok_or_else(|| format!("It has no [{shown}]."))?;
        is_inline |= item.is_inline_table();
        table = item.as_table_like_mut().ok_or_else(|| format!("`{shown}` is no table."))?;
    }
    if table.get(KEY).is_none() {
        let list = if is_inline {
            Item::Value(Array::new().into())
        } else {
            Item::ArrayOfTables(ArrayOfTables::new())
        };
        table.insert(KEY, list);
    }
    match table.get_mut(KEY) {
        Some(Item::ArrayOfTables(list)) => list.extend(rows.iter().map(table_of)),
        Some(Item::Value(Value::Array(list))) => {
            list.extend(rows.iter().map(|it| table_of(it).into_inline_table()));
        }
        _ => return Err(format!("`{KEY}` is no list of tables.")),
    }
    Ok(document.to_string())
}

/// Rows as they stand in a registry.
pub fn rows(rows: &[Drafted]) -> String {
    let mut document = DocumentMut::new();
    let list: ArrayOfTables = rows.iter().map(table_of).collect();
    document.insert(KEY, Item::ArrayOfTables(list));
    document.to_string()
}

/// A row with its keys in the usual order; what is not said is left out.
fn table_of(Drafted { row, is_harmless }: &Drafted) -> Table {
    let mut table = Table::new();
    // A blank line is before each row.
    table.decor_mut().set_prefix(format!("\n{}", if *is_harmless { WHY_NONE } else { "" }));
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            table.insert(key, Item::Value(value));
        }
    };
    put("tool", row.tool.as_deref().map(Value::from));
    put("text", row.text.as_deref().map(Value::from));
    put("pattern", row.pattern.as_deref().map(Value::from));
    let json: InlineTable =
        row.json.iter().filter_map(|(key, it)| Some((key.as_str(), scalar(it)?))).collect();
    put("json", (!json.is_empty()).then_some(json.into()));
    put("rpc_code", row.rpc_code.map(Value::from));
    put("status", row.status.map(Value::from));
    put("code", Some(Value::from(row.code.as_str())));
    put("effect", row.effect.map(|it| Value::from(it.name())));
    put("silent", row.silent.then(|| Value::from(true)));
    put("example", row.example.as_deref().map(Value::from));
    table
}

fn scalar(value: &serde_json::Value) -> Option<Value> {
    match value {
        serde_json::Value::String(text) => Some(Value::from(text.as_str())),
        serde_json::Value::Bool(truth) => Some(Value::from(*truth)),
        serde_json::Value::Number(number) => number.as_i64().map(Value::from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Drafted, rows, teach};
    use crate::{Effect, Source, read, taught::Taught};

    fn row(text: &str) -> Drafted {
        let row = Taught {
            text: Some(text.to_owned()),
            code: "NOT_FOUND".to_owned(),
            example: Some(text.to_owned()),
            ..Taught::default()
        };
        Drafted { row, is_harmless: false }
    }

    #[test]
    fn why_a_row_leaves_the_effect_none_is_written_above_it() {
        let harmless = Drafted { is_harmless: true, ..row("a b") };
        let mut doubted = row("c d");
        doubted.row.effect = Some(Effect::Unknown);
        let text = rows(&[harmless, doubted]);
        let note = "# Nothing was changed: a validator refused these calls, or their tool only reads.\n[[match]]";
        assert!(text.contains(note), "{text}");
        assert_eq!(text.matches('#').count(), 1, "{text}");
        assert!(text.contains("code = \"NOT_FOUND\"\neffect = \"unknown\"\nexample"), "{text}");
    }

    #[test]
    fn rows_are_added_and_the_rest_stays() {
        let file = "# mine\nformat = \"redress-registry/1\"   # v1\nname = 'a'\n";
        let once = teach(file, &[], &[row("a b")]).unwrap();
        assert!(once.starts_with(file), "{once}");
        let twice = teach(&once, &[], &[row("c d")]).unwrap();
        assert!(twice.starts_with(&once), "{twice}");
        assert_eq!(twice.matches("[[match]]").count(), 2);
    }

    #[test]
    fn rows_of_a_server_stay_with_it() {
        let file = "[server.a]\nurl = \"http://a\"\n\n[server.b]\nurl = \"http://b\" # b\n";
        let taught = teach(file, &["server", "a"], &[row("x y"), row("z")]).unwrap();
        assert!(taught.contains("[server.b]\nurl = \"http://b\" # b\n"), "{taught}");
        assert_eq!(taught.matches("[[server.a.match]]").count(), 2);
        let inline = "server = { a = { url = \"http://a\" } }\n";
        let taught = teach(inline, &["server", "a"], &[row("x")]).unwrap();
        assert!(taught.contains("match = [{"), "{taught}");
        for (file, path) in [("a = 1", "server"), ("[server]\na = 1", "server"), ("match = 1", "")]
        {
            let path: Vec<&str> = if path.is_empty() { Vec::new() } else { vec![path, "a"] };
            teach(file, &path, &[row("x")]).unwrap_err();
        }
        teach("a = ", &[], &[row("x")]).unwrap_err();
    }

    #[test]
    fn a_text_is_only_ever_a_value() {
        for text in [
            "\"\n[[match]]\ncode = \"X\"",
            "'''\n[code.X]\n",
            "\"\"\"\n[[match]]\n",
            "a\\\"b\\",
            "\u{0}\u{1b}[2J\r\n",
            "# no\n",
        ] {
            let written = rows(&[row(text)]);
            let file = format!("format = \"redress-registry/1\"\n{written}");
            let source = Source::from_bytes("a.toml", file.as_bytes()).unwrap();
            let read = read::tree(&source).unwrap();
            let list = read.get_ref().get("match").unwrap().get_ref().as_array().unwrap().clone();
            assert_eq!(list.len(), 1, "{written}");
            let found = list[0].get_ref().as_table().unwrap();
            assert_eq!(found.get("text").unwrap().get_ref().as_str(), Some(text), "{written}");
        }
    }
}
