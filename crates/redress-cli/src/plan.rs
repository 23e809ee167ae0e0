//! `redress plan`: plans of governed work, for a person at a terminal: approve, revoke, list, show.

mod changed;
mod decide;
mod list;
mod show;
mod standing;

use std::{
    fs,
    path::{Path, PathBuf},
};

use redress::codes;
use redress_govern::plan::{NotAPlan, Plan};
use redress_ledger::OpenError;
use redress_registry::nearest::nearest_n;

use crate::{Done, failure::Failure, files, output::Out};

/// Approve, revoke and list the plans that governed calls must follow.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Args {
    Approve(decide::Approve),
    Revoke(decide::Revoke),
    List(list::Args),
    Show(show::Args),
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    match args {
        Args::Approve(args) => decide::approve(args, out),
        Args::Revoke(args) => decide::revoke(args, out),
        Args::List(args) => list::run(args, out),
        Args::Show(args) => show::run(args, out),
    }
}

/// Which plan.
#[derive(Debug, clap::Args)]
struct Which {
    /// The plan: its file, or the first digits of its hash (at least 8).
    plan: String,
    /// The folder in which plans are looked for.
    #[arg(long, value_name = "DIR", default_value = "docs/plans")]
    dir: PathBuf,
}

/// A plan, its file, and its bytes.
struct StoredPlan {
    file: PathBuf,
    bytes: Vec<u8>,
    plan: Plan,
}

impl Which {
    /// The plan that is meant.
    fn find(&self) -> Result<StoredPlan, Failure> {
        let given = PathBuf::from(&self.plan);
        let below = self.dir.join(&self.plan);
        let file = if given.exists() {
            given
        } else if below.exists() {
            below
        } else {
            self.of_hash()?.ok_or_else(|| self.nothing())?
        };
        open(file)
    }

    /// The file of the plan whose hash starts so.
    fn of_hash(&self) -> Result<Option<PathBuf>, Failure> {
        let digits = self.plan.to_ascii_lowercase();
        let is_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_hex || !(8..=64).contains(&digits.len()) {
            return Ok(None);
        }
        let all = files_in(&self.dir).unwrap_or_default().into_iter();
        let is_meant = |it: &PathBuf| {
            let plan = Some(it).filter(|it| !is_link(it)).and_then(|it| files::read(it).ok());
            let plan = plan.and_then(|it| Plan::read(&it).ok());
            plan.is_some_and(|it| it.hash.starts_with(&digits))
        };
        let mut meant: Vec<PathBuf> = all.filter(is_meant).collect();
        if meant.len() > 1 {
            let names: Vec<_> = meant.iter().map(|it| it.to_string_lossy()).collect();
            return Err(Failure::option(&format!("{digits} is the hash of more than one plan"))
                .note(names.join(", "))
                .fix("Name the file."));
        }
        Ok(meant.pop())
    }

    fn nothing(&self) -> Failure {
        let failure = Failure::input(codes::FILE_NOT_FOUND.raise([("path", &*self.plan)]));
        let shown = self.dir.to_string_lossy();
        let files = files_in(&self.dir).unwrap_or_default();
        let names: Vec<&str> = files.iter().filter_map(|it| it.file_name()?.to_str()).collect();
        let near = nearest_n(&self.plan, names.iter().copied(), 3);
        let failure = match (near.as_slice(), names.as_slice()) {
            ([], []) => failure.note(format!("There is no plan in {shown}.")),
            ([], names) => failure.note(format!("In {shown} there is {}.", names.join(", "))),
            (near, _) => failure.note(format!("Did you mean {}?", near.join(", "))),
        };
        failure.fix(
            "Name the file of a plan, or the first digits of its hash; --dir says where plans are.",
        )
    }
}

/// Reads a plan from its file.
fn open(file: PathBuf) -> Result<StoredPlan, Failure> {
    if is_link(&file) {
        let shown = file.to_string_lossy();
        let params = [("path", &*shown), ("reason", LINK)];
        return Err(Failure::input(codes::INVALID_PATH.raise(params))
            .note(LINK)
            .fix("Put the file itself into the folder of plans, and name that."));
    }
    let bytes = files::read(&file).map_err(|it| Failure::reading(&file.to_string_lossy(), &it))?;
    let plan = Plan::read(&bytes).map_err(|it| no_plan(&file, &it))?;
    Ok(StoredPlan { file, bytes, plan })
}

/// What is said of a link in the folder of plans.
const LINK: &str = "it is a link, and a governed gate follows none to a plan";

fn is_link(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok_and(|it| it.is_symlink())
}

/// The plans of a folder, by name.
fn files_in(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir)?.filter_map(Result::ok).map(|it| it.path());
    let is_plan = |it: &PathBuf| {
        let name = it.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        !name.starts_with('.') && it.extension().is_some_and(|it| it == "md")
    };
    let mut files: Vec<PathBuf> = entries.filter(is_plan).collect();
    files.sort();
    Ok(files)
}

/// A file that is no plan, and where it is not.
fn no_plan(file: &Path, why: &NotAPlan) -> Failure {
    let shown = file.to_string_lossy();
    let place = match why.line() {
        Some(line) => format!("{shown}:{line}"),
        None => shown.into_owned(),
    };
    let failure = Failure::config(&place, &format!("It is no plan: {why}."));
    if let NotAPlan::BadScope(_) = why {
        return failure
            .fix("Correct that pattern behind SCOPE: it starts at the workspace, as in `src/**`.");
    }
    failure
        .fix("Begin the file with the comment of a plan, in lines of its own.")
        .note("<!-- redress-plan")
        .note("SCOPE: src/**, docs/*.md")
        .note("-->")
}

/// The operator's key, which cannot be used.
fn no_key(key: &Path, why: &OpenError) -> Failure {
    let shown = key.to_string_lossy();
    Failure::environment(codes::FILE_READ_FAILED.raise([("path", &*shown)]))
        .note(why)
        .fix("Make it a file that only you can read (mode 0600), or remove it: then a new one is made, and plans are approved anew.")
}
