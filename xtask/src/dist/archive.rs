//! The archive for a person or a script: the program, man pages, completions, licences, the unit for systemd.

use std::{path::Path, process::Command};

use super::{Dist, copy, done, make, text, write};

/// The shells that have completions, and what each calls the file.
pub(super) const SHELLS: [(&str, &str); 3] =
    [("bash", "redress"), ("fish", "redress.fish"), ("zsh", "_redress")];

/// Packs the archive. Gives how many there are.
pub(super) fn pack(dist: &Dist) -> Result<usize, String> {
    let name = format!("redress-{}-{}", dist.version, dist.platform.triple);
    let folder = dist.folder.join("archive").join(&name);
    let exe = format!("redress{}", dist.platform.exe);
    copy(&dist.program, &folder.join(&exe))?;
    dist.papers(&folder)?;
    copy(&dist.root.join("README.md"), &folder.join("README.md"))?;
    copy(&dist.root.join("packaging/redress.service"), &folder.join("redress.service"))?;
    manuals(&folder.join("man"))?;
    completions(dist, &folder.join("completions"))?;
    let mut tar = Command::new("tar");
    // The same files give the same bytes.
    tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "-czf"]);
    tar.arg(dist.folder.join(format!("{name}.tar.gz")));
    tar.env("GZIP", "-n").arg("-C").arg(dist.folder.join("archive")).arg(&name);
    done(&mut tar)?;
    Ok(1)
}

/// One page for the command, and one for each of its commands.
pub(super) fn manuals(folder: &Path) -> Result<(), String> {
    make(folder)?;
    let pages = clap_mangen::generate_to(redress_cli::command(), folder);
    pages.map_err(|it| format!("{}: {it}", folder.display()))
}

pub(super) fn completions(dist: &Dist, folder: &Path) -> Result<(), String> {
    for (shell, file) in SHELLS {
        let script = text(Command::new(&dist.program).args(["completions", shell]))?;
        write(&folder.join(file), &script)?;
    }
    Ok(())
}
