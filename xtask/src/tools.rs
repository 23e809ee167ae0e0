//! `cargo xtask tools`: the programs that tests and commands of the docs start, installed where apt-get can.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A program that the run starts.
struct Tool {
    /// Its names; one of them is enough.
    names: &'static [&'static str],
    /// The package of Debian that has it.
    package: &'static str,
    /// Arguments with which it must end well; without any, it only has to be there.
    works_with: &'static [&'static str],
    /// Whether only the long run starts it.
    is_for_full: bool,
}

/// All that is started beside cargo; README.md names the same packages.
const TOOLS: &[Tool] = &[
    tool(&["chromedriver"], "chromium-driver"),
    tool(&["chromium", "chromium-browser", "google-chrome"], "chromium"),
    tool(&["curl"], "curl"),
    tool(&["grep"], "grep"),
    tool(&["kill"], "procps"),
    tool(&["mkfifo"], "coreutils"),
    tool(&["npm"], "npm"),
    tool(&["prlimit"], "util-linux"),
    // Debian's python3 alone makes no environment to install into.
    Tool { works_with: &["-c", "import ensurepip, venv"], ..tool(&["python3"], "python3-venv") },
    tool(&["sed"], "sed"),
    tool(&["setsid"], "util-linux"),
    tool(&["sh"], "dash"),
    tool(&["sha256sum"], "coreutils"),
    tool(&["strace"], "strace"),
    tool(&["valgrind"], "valgrind"),
    long(&["git"], "git"),
    long(&["mkfs.ext4"], "e2fsprogs"),
    long(&["mkfs.xfs"], "xfsprogs"),
    long(&["mount"], "mount"),
    long(&["umount"], "mount"),
];

/// Where a PATH of an ordinary user does not look.
const FOR_ROOT: [&str; 2] = ["/usr/sbin", "/sbin"];

const fn tool(names: &'static [&'static str], package: &'static str) -> Tool {
    Tool { names, package, works_with: &[], is_for_full: false }
}

const fn long(names: &'static [&'static str], package: &'static str) -> Tool {
    Tool { is_for_full: true, ..tool(names, package) }
}

impl Tool {
    fn is_in(&self, dirs: &[PathBuf]) -> bool {
        let mut paths =
            self.names.iter().flat_map(|name| dirs.iter().map(move |dir| dir.join(name)));
        let path = paths.find(|it| it.is_file());
        path.is_some_and(|it| self.works_with.is_empty() || ends_well(&it, self.works_with))
    }
}

fn ends_well(program: &Path, args: &[&str]) -> bool {
    let ran = Command::new(program).args(args).stdin(Stdio::null()).output();
    ran.is_ok_and(|it| it.status.success())
}

/// Installs the tools that are missing, and lists those that still are.
pub(crate) fn check(full: bool) -> Vec<String> {
    let tools: Vec<_> = TOOLS.iter().filter(|it| full || !it.is_for_full).collect();
    let mut dirs: Vec<PathBuf> =
        env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    dirs.extend(FOR_ROOT.map(PathBuf::from));
    let packages = packages(&tools, &dirs);
    if !packages.is_empty() && !install(&packages) {
        println!("apt-get did not install: {}", packages.join(" "));
    }
    let missing: Vec<_> = tools.iter().filter(|it| !it.is_in(&dirs)).collect();
    println!("ran: {} tools", tools.len() - missing.len());
    missing.iter().map(|it| it.problem()).collect()
}

/// The packages of the tools that are missing, each once.
fn packages(tools: &[&Tool], dirs: &[PathBuf]) -> Vec<&'static str> {
    let mut packages: Vec<_> =
        tools.iter().filter(|it| !it.is_in(dirs)).map(|it| it.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

impl Tool {
    fn problem(&self) -> String {
        let name = self.names.first().copied().unwrap_or_default();
        format!("`{name}` is missing: install the package `{}`", self.package)
    }
}

/// Tries apt-get, again with fresh lists if the machine has none.
fn install(packages: &[&str]) -> bool {
    let install = ["install", "--yes", "--no-install-recommends"];
    let install: Vec<_> = install.iter().chain(packages).copied().collect();
    apt(&install) || (apt(&["update"]) && apt(&install))
}

fn apt(args: &[&str]) -> bool {
    let mut apt = Command::new("apt-get");
    apt.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    apt.status().is_ok_and(|it| it.success())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{TOOLS, Tool, packages, tool};

    const README: &str = include_str!("../../README.md");

    #[test]
    fn a_tool_that_is_missing_names_its_package_once() {
        let (one, other) = (tool(&["setsid"], "util-linux"), tool(&["prlimit"], "util-linux"));
        assert_eq!(packages(&[&one, &other], &[]), ["util-linux"]);
        assert_eq!(one.problem(), "`setsid` is missing: install the package `util-linux`");
    }

    #[test]
    fn a_tool_is_there_under_any_of_its_names() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("google-chrome"), "").unwrap();
        let browser = tool(&["chromium", "google-chrome"], "chromium");
        assert_eq!(packages(&[&browser], &[dir.path().to_owned()]), [""; 0]);
    }

    #[test]
    fn a_tool_that_does_not_work_is_missing() {
        let dirs = ["/usr/bin", "/bin"].map(PathBuf::from);
        let shell = |works_with| Tool { works_with, ..tool(&["sh"], "dash") };
        assert_eq!(packages(&[&shell(&["-c", "exit 0"])], &dirs), [""; 0]);
        assert_eq!(packages(&[&shell(&["-c", "exit 1"])], &dirs), ["dash"]);
    }

    #[test]
    fn the_readme_names_every_package() {
        for it in TOOLS {
            assert!(README.contains(&format!("`{}`", it.package)), "{}", it.package);
        }
    }
}
