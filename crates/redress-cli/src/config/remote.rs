//! The configuration of one server behind a URL, as the command line names it.

use std::{env, path::Path};

use redress_registry::Source;

use super::{Config, Machine, read, value::toml_string};
use crate::{clients::document, contract::refused, failure::Failure, name};

/// Before the name of a variable.
const VARIABLE: &str = "env:";

/// The URL and the headers: those of the command line, or of the variable that it names.
pub(super) fn way(given: &str) -> Result<(String, Vec<(String, String)>), Failure> {
    let Some(variable) = given.strip_prefix(VARIABLE) else {
        return Ok((given.to_owned(), Vec::new()));
    };
    let refused = |problem: &str| {
        Failure::config(&format!("the variable {variable}"), problem)
            .fix("Set it to `{\"url\": \"https://…\", \"headers\": {…}}`, or give the URL itself.")
    };
    let entry = env::var_os(variable).ok_or_else(|| refused("It is not set."))?;
    let entry = entry.to_str().ok_or_else(|| refused("It is no UTF-8."))?;
    document::remote::way(entry).map_err(|it| {
        refused(&format!("At byte {}: {}.", it.offset, it.problem.trim_end_matches('.')))
    })
}

/// The server's name for people: its host.
pub(super) fn name(url: &str) -> String {
    let host = url.split_once("://").map_or(url, |it| it.1);
    name::short(&[host.split(['/', '?', ':']).next().unwrap_or_default().into()])
}

/// The configuration, with what is usual. It is read as a file is, so that a URL and headers are checked and kept secret alike.
pub(super) fn config(
    name: &str,
    url: &str,
    headers: &[(String, String)],
) -> Result<Config, Failure> {
    // The client has filled in what it fills in; another `${` is meant as it is.
    let text = |it: &str| toml_string(&it.replace("${", "$${"));
    let headers = headers.iter().map(|(name, it)| format!("{} = {}", toml_string(name), text(it)));
    let headers = headers.collect::<Vec<_>>().join(", ");
    let file = format!("[server.remote]\nurl = {}\nheaders = {{ {headers} }}\n", text(url));
    let source = Source::from_bytes("--url", file.as_bytes()).map_err(|it| refused(&[it]))?;
    let mut config = read(&source, &Machine::around(Path::new(""))).map_err(|it| refused(&it))?;
    for server in &mut config.servers {
        name.clone_into(&mut server.name);
    }
    Ok(config)
}
