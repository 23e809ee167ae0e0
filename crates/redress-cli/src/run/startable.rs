//! Whether the program of a server can be started, and if not, why: what the system says is the same for many mistakes.

use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::{
    config::{General, Server},
    failure::Failure,
};

/// What keeps a server from being started.
pub(crate) fn obstacle(server: &Server, general: &General) -> Option<Failure> {
    let program = server.command.first().map(|it| it.0.as_os_str())?;
    let cwd = server.cwd.as_ref().map(|it| it.0.as_path());
    if let Some(gone) = cwd.filter(|it| !it.is_dir()) {
        let place = format!("server.{}.cwd", server.name);
        let problem = format!("There is no directory {:?}.", gone.display());
        let failure = Failure::config(&place, &problem).of_machine();
        return Some(failure.fix("Name a directory that is there."));
    }
    let path = server.env.get("PATH").map(|it| it.reveal().into());
    let path = path.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let (why, fix) = unstartable(program, cwd, &path)?;
    let redactor = super::redactor(server, general);
    let program = program.to_string_lossy();
    let failure = Failure::not_started(&redactor.known(&program)).note(redactor.known(&why));
    Some(match fix {
        Some(fix) => failure.fix(fix),
        None => failure,
    })
}

/// Why a program cannot be started, and what helps if that is special.
fn unstartable(
    program: &OsStr,
    cwd: Option<&Path>,
    path: &OsStr,
) -> Option<(String, Option<&'static str>)> {
    let shown = program.to_string_lossy();
    let is_program = |it: &PathBuf| {
        fs::metadata(it).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    if !shown.contains('/') {
        if env::split_paths(path).map(|it| it.join(program)).any(|it| is_program(&it)) {
            return None;
        }
        return Some(if shown.contains(char::is_whitespace) {
            one_word(&shown)
        } else {
            (format!("{shown:?} is in no directory of PATH."), None)
        });
    }
    let file = cwd.unwrap_or(Path::new("")).join(program);
    match fs::metadata(&file) {
        _ if is_program(&file) => None,
        Ok(it) if it.is_dir() => {
            let why = format!("{shown:?} is a directory, and no program.");
            Some((why, Some("Name the program; a directory to serve comes with `--root`.")))
        }
        Ok(_) => Some((format!("{shown:?} may not be executed."), Some("Use `chmod +x` on it."))),
        Err(_) if shown.contains(char::is_whitespace) => Some(one_word(&shown)),
        Err(error) => Some((format!("{shown:?}: {error}."), None)),
    }
}

fn one_word(shown: &str) -> (String, Option<&'static str>) {
    let why = format!("{shown:?} is one word, and no program has that name.");
    (why, Some("Give each word of the command by itself, without quotes around them all."))
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, fs, path::Path};

    use super::unstartable;

    #[test]
    fn each_mistake_has_its_own_words() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::write(dir.path().join("plain"), "").unwrap();
        let why = |program: &str| {
            let path = Path::new("/usr/bin:/bin").as_os_str();
            unstartable(OsStr::new(program), Some(dir.path()), path).map(|it| it.0)
        };
        assert_eq!(why("sh"), None);
        assert_eq!(why("/bin/sh"), None);
        for (program, words) in [
            ("no-such-program", "is in no directory of PATH"),
            ("./data", "is a directory"),
            ("./plain", "may not be executed"),
            ("./gone", "No such file"),
            ("npx -y pkg .", "is one word"),
            ("npx -y ./pkg", "is one word"),
        ] {
            assert!(why(program).is_some_and(|it| it.contains(words)), "{program}");
        }
    }
}
