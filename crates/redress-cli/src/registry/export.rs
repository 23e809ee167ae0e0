//! `redress registry export`: a registry in other forms, the same bytes every time.

use std::{fs, path::Path, sync::Arc};

use clap::builder::PossibleValue;
use redress::package::{File, PACKAGES, Package, Runtime, package};
use redress_registry::{
    Registry,
    export::{FORMATS, Format, format},
};

use crate::{Done, Status, choice::one_of, contract, failure::Failure, files, output::Out};

/// Export a registry as data, as pages, or as code and tests in another language.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry export core --format markdown > codes.md\n  redress registry export errors.toml --format json-schema > envelope.schema.json\n  redress registry export errors.toml --format typescript --out notes-errors\n  redress registry export errors.toml --format python --out notes-errors --check"
)]
pub(crate) struct Args {
    /// The file, or the name of a built-in registry.
    contract: String,
    /// The form.
    #[arg(long, value_name = "F", value_parser = one_of(forms(), form))]
    format: Form,
    /// Write all files of the form into this folder; without it, the main one goes to standard output.
    #[arg(long, value_name = "DIR")]
    out: Option<String>,
    /// Write the code that all exports share beside the codes, so that the package needs no other (typescript, python).
    #[arg(long)]
    standalone: bool,
    /// Only say which files in the folder are stale.
    #[arg(long, requires = "out")]
    check: bool,
}

/// A form of one text, or of several files.
#[derive(Debug, Clone, Copy)]
enum Form {
    Text(&'static Format),
    Package(&'static Package),
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let registry = contract::find(&args.contract)?;
    let runtime = if args.standalone { Runtime::Bundled } else { Runtime::Imported };
    let files = args.format.files(&registry, runtime);
    let Some(folder) = &args.out else {
        if let Some(main) = files.first() {
            out.bytes(main.text.as_bytes())?;
        }
        return Ok(Status::Fine);
    };
    let mut status = Status::Fine;
    for file in files {
        let path = Path::new(folder).join(&file.path);
        let shown = path.to_string_lossy().into_owned();
        let old = files::read(&path);
        if old.as_ref().is_ok_and(|it| file.is_draft || *it == file.text.as_bytes()) {
            out.line(&format!("{shown}: up to date"))?;
        } else if args.check {
            out.line(&format!("{shown}: stale"))?;
            status = Status::Findings;
        } else {
            write(&path, &file.text)?;
            out.line(&format!("{shown}: written"))?;
        }
    }
    Ok(status)
}

impl Form {
    fn files(self, registry: &Arc<Registry>, runtime: Runtime) -> Vec<File> {
        match self {
            Self::Package(it) => (it.files)(registry, runtime),
            Self::Text(it) => {
                let path = format!("{}.{}", registry.name, it.ending);
                vec![File { path, text: (it.write)(registry), is_draft: false }]
            }
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let shown = path.to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|it| Failure::writing(&shown, &it))?;
    files::replace(&shown, text)
}

fn form(name: &str) -> Option<Form> {
    format(name).map(Form::Text).or_else(|| package(name).map(Form::Package))
}

fn forms() -> impl Iterator<Item = PossibleValue> {
    let texts = FORMATS.iter().map(|it| (it.name, it.about));
    let packages = PACKAGES.iter().map(|it| (it.name, it.about));
    texts.chain(packages).map(|(name, about)| PossibleValue::new(name).help(about))
}
