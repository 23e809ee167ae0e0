//! `redress plan list`: every plan of a folder and its state.

use std::path::PathBuf;

use redress::text;
use redress_govern::plan::Plan;
use serde_json::json;

use super::{LINK, files_in, is_link, standing::Against};
use crate::{
    Done, Status,
    failure::Failure,
    files,
    output::{Format, LABEL, Out, TROUBLE},
};

/// List the plans of a folder, and the state of each.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress plan list\n  redress plan list work/plans --format json\n\nExit code 1 if a file is no plan, was changed after its approval, or was not approved with your key; 2 if there is no folder."
)]
pub(crate) struct Args {
    /// The folder.
    #[arg(default_value = "docs/plans")]
    dir: PathBuf,
    /// How to print them; JSON is one object a line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let shown = args.dir.to_string_lossy();
    let files = files_in(&args.dir).map_err(|it| {
        Failure::reading(&shown, &it)
            .fix("Name the folder of the plans; by default it is docs/plans.")
    })?;
    let against = Against::load()?;
    let mut status = Status::Fine;
    for file in files {
        let name = file.to_string_lossy();
        let read = if is_link(&file) {
            Err(LINK.to_owned())
        } else {
            files::read(&file).map_err(|it| it.to_string())
        };
        let read = read.and_then(|it| Plan::read(&it).map_err(|it| it.to_string()));
        let standing = read.as_ref().ok().map(|it| against.standing(it));
        if standing.is_none_or(super::standing::Standing::is_trouble) {
            status = Status::Findings;
        }
        match (&read, standing, args.format) {
            (Ok(plan), Some(standing), Format::Json) => out.line(
                &json!({
                    "file": name,
                    "status": standing.word(),
                    "hash": plan.hash,
                    "title": plan.title,
                    "scope": plan.scope.patterns(),
                })
                .to_string(),
            )?,
            (Ok(plan), Some(standing), Format::Text) => {
                let digits = plan.hash.get(..12).unwrap_or_default();
                let (word, title) = (standing.shown(), text::strip(&plan.title));
                let scope = &plan.scope;
                out.line(&format!("{word} {name} {LABEL}{digits}{LABEL:#} {title} ({scope})"))?;
            }
            (Err(why), _, Format::Json) => {
                let line = json!({"file": name, "status": "no_plan", "reason": why});
                out.line(&line.to_string())?;
            }
            (Err(why), ..) => {
                out.line(&format!("{TROUBLE}no plan{TROUBLE:#} {name}: {}", text::strip(why)))?;
            }
            (Ok(_), None, _) => (),
        }
    }
    Ok(status)
}
