//! The list of dialects where it is repeated: the names that an alias can be for, and the pages about dialects and registries.

use std::{fmt::Write as _, fs, path::Path};

use redress::Dialect;

const FROM: &str = "<!-- The list is written by `cargo xtask codegen`. -->\n";
const TO: &str = "<!-- End of the list. -->\n";

/// The source of the names, and both pages with the list of today.
pub(super) fn files(root: &Path) -> Result<[(String, String); 3], String> {
    let page = |path: &str, list: &str| -> Result<(String, String), String> {
        let text = fs::read_to_string(root.join(path)).map_err(|it| format!("{path}: {it}"))?;
        let parts = text.split_once(FROM).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(TO)?;
            Some(format!("{before}{FROM}{list}{TO}{after}"))
        });
        Ok((path.to_owned(), parts.ok_or_else(|| format!("{path} has lost a mark of its list"))?))
    };
    let names: Vec<String> = Dialect::ALL.iter().map(|it| format!("`{}`", it.name())).collect();
    let names = format!("Dialects are {}.\n", sentence(&names));
    Ok([
        ("crates/redress-registry/src/dialects.rs".to_owned(), source()),
        page("docs/reference/dialects.md", &table())?,
        page("docs/reference/registry.md", &names)?,
    ])
}

fn source() -> String {
    let names: Vec<String> = Dialect::ALL.iter().map(|it| format!("\"{}\"", it.name())).collect();
    format!(
        "//! The dialects that an alias can be for.\n//!\n\
         //! This file is written by `cargo xtask codegen`, from the list of dialects in `redress`.\n\n\
         /// Their names.\n#[rustfmt::skip]\npub const DIALECTS: [&str; {}] = [{}];\n",
        names.len(),
        names.join(", ")
    )
}

fn table() -> String {
    let mut text = String::from(
        "| dialect | shape | wire form of a failed tool call |\n| --- | --- | --- |\n",
    );
    for dialect in Dialect::ALL {
        let [shape, wire] = dialect.described();
        writeln!(text, "| `{}` | {shape} | {wire} |", dialect.name()).unwrap_or_default();
    }
    text
}

fn sentence(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
