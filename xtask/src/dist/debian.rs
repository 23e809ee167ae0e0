//! The package for Debian.

use std::{fs, path::Path, process::Command};

use super::{
    Dist,
    archive::{completions, manuals},
    copy, done, files, read, size, write,
};

/// Where Debian looks for the completions of a shell.
const COMPLETIONS: [(&str, &str); 3] = [
    ("redress", "usr/share/bash-completion/completions"),
    ("redress.fish", "usr/share/fish/vendor_completions.d"),
    ("_redress", "usr/share/zsh/vendor-completions"),
];

/// Packs the package, where there is one for this platform. Gives how many there are.
pub(super) fn pack(dist: &Dist) -> Result<usize, String> {
    let Some(architecture) = dist.platform.debian else { return Ok(0) };
    let folder =
        dist.folder.join("debian").join(format!("redress_{}_{architecture}", dist.version));
    copy(&dist.program, &folder.join("usr/bin/redress"))?;
    copy(
        &dist.root.join("packaging/redress.service"),
        &folder.join("usr/lib/systemd/system/redress.service"),
    )?;
    let doc = folder.join("usr/share/doc/redress");
    let licences = ["LICENSE-MIT", "LICENSE-APACHE"].map(|it| read(&dist.root.join(it)));
    let [mit, apache] = licences;
    write(&doc.join("copyright"), &format!("{}\n\n{}", mit?, apache?))?;
    let man = folder.join("usr/share/man/man1");
    manuals(&man)?;
    for page in files(&man)? {
        done(Command::new("gzip").args(["-9n"]).arg(page))?;
    }
    let made = dist.folder.join("debian/completions");
    completions(dist, &made)?;
    for (file, at) in COMPLETIONS {
        copy(&made.join(file), &folder.join(at).join(file))?;
    }
    let control = read(&dist.root.join("packaging/debian/control"))?;
    let control = control
        .replace("{version}", &dist.version)
        .replace("{architecture}", architecture)
        .replace("{libc}", &libc(&dist.program)?)
        .replace("{size}", &(size(&dist.program)? >> 10).to_string());
    write(&folder.join("DEBIAN/control"), &control)?;
    let mut deb = Command::new("dpkg-deb");
    deb.args(["--root-owner-group", "--build"]).arg(&folder).arg(&dist.folder);
    done(&mut deb)?;
    Ok(1)
}

/// The newest version of the C library that the program asks for.
fn libc(program: &Path) -> Result<String, String> {
    let bytes = fs::read(program).map_err(|it| format!("{}: {it}", program.display()))?;
    let mut newest = (0, 0);
    let mark = b"GLIBC_";
    for (at, _) in bytes.windows(mark.len()).enumerate().filter(|it| it.1 == mark) {
        let rest = bytes.get(at + mark.len()..).unwrap_or_default();
        let word = rest.split(|it| !it.is_ascii_digit() && *it != b'.').next().unwrap_or_default();
        let mut parts = std::str::from_utf8(word).unwrap_or_default().split('.');
        let mut number = || parts.next().and_then(|it| it.parse::<u32>().ok());
        if let (Some(major), Some(minor)) = (number(), number()) {
            newest = newest.max((major, minor));
        }
    }
    Ok(format!("{}.{}", newest.0, newest.1))
}
