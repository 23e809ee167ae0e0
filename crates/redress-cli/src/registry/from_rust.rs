//! `redress registry add --from-rust`: codes that stand in the attributes of Rust types move into a registry file.

use std::path::Path;

use redress_declare::{Declared, FileProblem, Package, read_file};
use redress_registry::{
    Place, Problem, Source,
    edit::{self, NewCode, NewFile},
    read,
};

use super::edit::still_to_do;
use crate::{Done, Status, contract, failure::Failure, files, output::Out};

/// Adds every code that the types of a Rust file declare and the registry does not have; makes the registry if it is not there.
pub(super) fn add(file: &str, rust: &str, out: &mut Out) -> Done {
    let declared = declared(rust)?;
    if declared.codes.is_empty() {
        let problem = "No type with `#[derive(Contract)]` says here what its codes are.";
        return Err(Failure::config(rust, problem).fix("Name the file that declares the codes."));
    }
    let _held = files::hold_folder(file)?;
    let added = if Path::new(file).exists() {
        grow(file, declared.codes)?
    } else {
        start(file, rust, declared)?
    };
    for code in &added {
        out.line(&format!("{file}: added {code}"))?;
    }
    if added.is_empty() {
        out.line(&format!("{file}: has them all"))?;
    }
    for code in &added {
        still_to_do(file, code)?;
    }
    Ok(Status::Fine)
}

fn declared(rust: &str) -> Result<Declared, Failure> {
    let source = contract::source(rust)?;
    read_file(&source.text).map_err(|wrong| {
        let problem = |FileProblem { line, column, message }| Problem {
            place: Place { file: rust.into(), line, column },
            message,
            did_you_mean: None,
        };
        contract::refused(&wrong.into_iter().map(problem).collect::<Vec<_>>())
    })
}

/// Adds the rows that a registry file does not have.
fn grow(file: &str, codes: Vec<NewCode>) -> Result<Vec<String>, Failure> {
    let mut source = contract::source(file)?;
    let registry = contract::from_source(&source)?;
    let draft = read(&source).map_err(|it| contract::refused(&it))?;
    let domain = match draft.domains.as_slice() {
        [only] => only.value.name.value.clone(),
        _ => registry.name.to_string(),
    };
    let mut added = Vec::new();
    for code in codes.into_iter().filter(|it| registry.get(&draft.full_name(&it.code)).is_none()) {
        let new = in_domain(code, &domain);
        let text = edit::add(&source, &new, &|it| contract::base(&source, it));
        let text = text.map_err(|it| refused(&it))?;
        source = Source { text: text.into(), ..source };
        added.push(new.code);
    }
    if !added.is_empty() {
        files::replace(file, &source.text)?;
    }
    Ok(added)
}

/// Makes a registry file of all rows.
fn start(file: &str, rust: &str, declared: Declared) -> Result<Vec<String>, Failure> {
    let package = package(Path::new(rust));
    let name = declared.name.unwrap_or_else(|| package.registry());
    let codes = declared.codes.into_iter().map(|it| in_domain(it, &name)).collect();
    let new = NewFile {
        version: declared.version.unwrap_or(package.version),
        extends: declared.extends.unwrap_or_else(|| vec!["core".to_owned()]),
        name,
        codes,
    };
    let source = Source::new(file, &edit::write(&new));
    contract::from_source(&source)
        .map_err(|it| it.fix("Correct the attributes; no file was written."))?;
    files::replace(file, &source.text)?;
    Ok(new.codes.into_iter().map(|it| it.code).collect())
}

/// A row without a domain belongs to this one.
fn in_domain(mut code: NewCode, domain: &str) -> NewCode {
    if code.domain.is_empty() {
        domain.clone_into(&mut code.domain);
    }
    code
}

fn refused(problems: &[Problem]) -> Failure {
    contract::refused(problems).fix("Correct the attributes; the file was left as it is.")
}

/// The package that a source file belongs to; one that cannot be found is called `errors`.
fn package(rust: &Path) -> Package {
    let path = std::path::absolute(rust).unwrap_or_else(|_| rust.to_owned());
    let manifests = path.ancestors().skip(1).map(|it| it.join("Cargo.toml"));
    let found = manifests.into_iter().find_map(|it| read_manifest(&it));
    found.unwrap_or_else(|| Package { name: "errors".to_owned(), version: "0.1.0".to_owned() })
}

fn read_manifest(path: &Path) -> Option<Package> {
    let source = Source::from_bytes("Cargo.toml", &files::read(path).ok()?).ok()?;
    let tree = read::tree(&source).ok()?;
    let package = tree.get_ref().get("package")?.get_ref().as_table()?;
    let text = |key: &str| package.get(key)?.get_ref().as_str().map(str::to_owned);
    Some(Package {
        name: text("name")?,
        version: text("version").unwrap_or_else(|| "0.1.0".to_owned()),
    })
}
