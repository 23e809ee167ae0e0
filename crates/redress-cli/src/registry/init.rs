//! `redress registry init`: a first registry file, to which codes are added.

use std::path::Path;

use redress_registry::{Source, name, shipped};

use crate::{Done, Status, contract, failure::Failure, files, output::Out};

/// Write a first registry file: a name, a version, one domain and no codes yet.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry init\n  redress registry init server/errors.toml --name notes\n\nA domain groups the codes of one part of a server, and owns a range of numbers. A file that is there is left as it is."
)]
pub(crate) struct Args {
    /// The file to write.
    #[arg(default_value = "errors.toml")]
    file: String,
    /// The permanent name of the registry; by default that of its folder.
    #[arg(long)]
    name: Option<String>,
    /// The name of the first domain; by default that of the registry.
    #[arg(long)]
    domain: Option<String>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let file = &args.file;
    let name = args.name.clone().unwrap_or_else(|| folder_name(file));
    if !name::is_registry(&name) || shipped::get(&name).is_some() {
        let problem = format!("{name:?} cannot be the name of a registry");
        return Err(Failure::option(&problem)
            .fix("Give --name: lower case letters, digits and dashes, and not the name of a built-in registry."));
    }
    let text = first_file(&name, args.domain.as_deref().unwrap_or(&name));
    contract::from_source(&Source::new(file, &text))?;
    let _held = files::hold_folder(file)?;
    if Path::new(file).exists() {
        return Err(Failure::config(file, "The file is there already, and was left as it is.")
            .fix("Add codes with redress registry add, or name another file."));
    }
    files::replace(file, &text)?;
    out.line(&format!(
        "{file}: a registry named {name}, with the domain {}",
        args.domain.as_deref().unwrap_or(&name)
    ))?;
    out.line(&format!("Next: redress registry add {file} CODE --class CLASS --retry KIND --message TEXT --hint TEXT"))?;
    Ok(Status::Fine)
}

fn first_file(name: &str, domain: &str) -> String {
    format!(
        "format = \"redress-registry/1\"\n\n[registry]\nname    = \"{name}\"   # permanent\nversion = \"0.1.0\"\nextends = [\"core\"]\n\n[defaults]\nsince = \"0.1.0\"\n\n# A domain groups the codes of one part of the server, and owns their numbers in JSON-RPC.\n[domain.{domain:?}]\ntitle = \"{title}\"\nrange = [5000, 5099]\n",
        title = name::title(&domain.replace('-', "_").to_uppercase())
    )
}

/// The name of the folder that the file is in, as a name of a registry.
fn folder_name(file: &str) -> String {
    let absolute = std::path::absolute(file).unwrap_or_default();
    let folder = absolute.parent().and_then(Path::file_name).unwrap_or_default();
    let name: String = folder
        .to_string_lossy()
        .to_lowercase()
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
        .collect();
    let name = name.trim_matches(|it: char| !it.is_ascii_lowercase());
    match name.get(..name.len().min(56)).unwrap_or_default() {
        "" => "server".to_owned(),
        name if shipped::get(name).is_some() => format!("{name}-server"),
        name => name.to_owned(),
    }
}
