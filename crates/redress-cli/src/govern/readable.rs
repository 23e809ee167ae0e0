//! What a confined server may read besides its workspace: what programs need to run. Nothing of it is a file of the user's own work.

use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use redress_transport::program::Program;

use crate::environment::CERTIFICATES;

/// Programs, libraries and what the system says of itself.
const SYSTEM: &[&str] = &[
    "/bin",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/proc",
    "/run/NetworkManager/resolv.conf",
    "/run/current-system",
    "/run/opengl-driver",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
    "/var/cache/fontconfig",
    "/var/lib/ca-certificates",
];

/// The settings of `/etc` that libraries look for. No passwords, keys or settings of services are among them.
const SETTINGS: &[&str] = &[
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "locale.alias",
    "locale.conf",
    "localtime",
    "lsb-release",
    "machine-id",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/ca-trust",
    "pki/tls/certs",
    "protocols",
    "python3",
    "redhat-release",
    "resolv.conf",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "static",
    "terminfo",
    "timezone",
];

/// Where tools put what they install below the home of a user.
const TOOLS: &[&str] = &[
    ".asdf",
    ".bun/bin",
    ".bun/install",
    ".cache/deno",
    ".cache/node",
    ".cache/uv",
    ".cargo/bin",
    ".deno/bin",
    ".dotnet",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".npm",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup/toolchains",
    ".sdkman",
    ".virtualenvs",
    ".volta",
];

/// Directories in which everything may be, so that a program there opens none of them.
const SHARED: &[&str] = &[
    "/dev/shm", "/etc", "/home", "/media", "/mnt", "/root", "/run", "/srv", "/tmp", "/var",
    "/var/lib", "/var/tmp",
];

/// The same below the home of a user.
const OWN: &[&str] = &[
    "",
    ".cache",
    ".cargo",
    ".config",
    ".local",
    ".local/share",
    ".local/state",
    "Desktop",
    "Documents",
    "Downloads",
];

/// The files by which the directory of a package is known.
const MANIFESTS: &[&str] =
    &["deno.json", "package.json", "pyproject.toml", "pyvenv.cfg", "setup.py"];

/// Where packages are below each directory above the one that needs them.
const PACKAGES: &str = "node_modules";

/// Directories of an installation in which its programs are.
const PROGRAMS: &[&str] = &["bin", "libexec", "sbin", "shims"];

/// The most links that are followed from one name to a file.
const MOST_LINKS: usize = 16;

/// What a server needs to run, by its command and its environment.
pub(super) struct Needs<'p> {
    program: &'p Program,
    /// Directories that must not be opened as a whole, because these are below them.
    within: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl<'p> Needs<'p> {
    /// Of a program; no directory that holds one of `within` is needed as a whole.
    pub(super) fn of(program: &'p Program, within: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = |it: PathBuf| it.canonicalize().unwrap_or(it);
        let home = env::var_os("HOME").map(|it| real(it.into())).filter(|it| it.is_absolute());
        Self { program, within: within.into_iter().map(real).collect(), home }
    }

    /// What belongs to the system.
    pub(super) fn system() -> impl Iterator<Item = PathBuf> {
        let settings = SETTINGS.iter().map(|it| Path::new("/etc").join(it));
        SYSTEM.iter().map(PathBuf::from).chain(settings)
    }

    /// What belongs to this server and to the tools of its user, as far as it is there.
    pub(super) fn own(&self) -> BTreeSet<PathBuf> {
        let mut own = BTreeSet::new();
        let path = self.variable("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = env::split_paths(&path).filter(|it| it.is_absolute()).collect();
        own.extend(folders.iter().filter_map(|it| self.narrow(it)));
        let mut words = self.program.command.iter();
        if let Some(program) = words.next() {
            let is_path = program.as_encoded_bytes().contains(&b'/');
            let found = folders.iter().map(|it| it.join(program)).find(|it| it.is_file());
            let found = if is_path { Some(self.start().join(program)) } else { found };
            self.take(&found.unwrap_or_default(), &mut own);
        }
        for word in words {
            self.take(&self.start().join(value(word)), &mut own);
        }
        own.extend(self.program.cwd.iter().filter_map(|it| self.narrow(it)));
        let tools = self.home.iter().flat_map(|home| TOOLS.iter().map(|it| home.join(it)));
        let certificates = CERTIFICATES.iter().filter_map(|it| self.variable(it));
        own.extend(tools.chain(certificates.map(PathBuf::from)).filter(|it| it.exists()));
        let system: Vec<PathBuf> = Self::system().filter_map(|it| it.canonicalize().ok()).collect();
        let all: Vec<PathBuf> = own.into_iter().filter_map(|it| it.canonicalize().ok()).collect();
        let is_known = |it: &PathBuf| {
            let is_above = |other: &PathBuf| other != it && it.starts_with(other);
            system.iter().any(|system| it.starts_with(system)) || all.iter().any(is_above)
        };
        all.iter().filter(|it| !is_known(it)).cloned().collect()
    }

    /// The directory in which the server starts.
    fn start(&self) -> PathBuf {
        let here = || env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        self.program.cwd.clone().map_or_else(here, |it| std::path::absolute(&it).unwrap_or(it))
    }

    /// A variable as the server has it.
    fn variable(&self, name: &str) -> Option<OsString> {
        let own = self.program.env.iter().rev().find(|it| it.0 == name).map(|it| it.1.clone());
        own.or_else(|| (!self.program.has_own_env).then(|| env::var_os(name)).flatten())
    }

    /// A file that the command names, and what is installed with it, at each link on the way to it.
    fn take(&self, file: &Path, into: &mut BTreeSet<PathBuf>) {
        if !file.is_file() {
            return;
        }
        let mut at = file.to_owned();
        for _ in 0..MOST_LINKS {
            if let Some(folder) = at.parent().and_then(|it| it.canonicalize().ok()) {
                into.extend(self.package(&folder));
                let packages = folder.ancestors().map(|it| it.join(PACKAGES));
                into.extend(packages.filter(|it| it.is_dir()));
            }
            let Ok(next) = fs::read_link(&at) else { break };
            at = at.parent().unwrap_or(Path::new("/")).join(next);
        }
        into.insert(file.to_owned());
    }

    /// The installation or the package to which a directory belongs, or the directory itself.
    fn package(&self, folder: &Path) -> Option<PathBuf> {
        let is_of_programs =
            folder.file_name().is_some_and(|it| PROGRAMS.iter().any(|is| it == *is));
        if let Some(prefix) = folder.parent().filter(|_| is_of_programs)
            && ["lib", "lib64", "libexec", "pyvenv.cfg"].iter().any(|it| prefix.join(it).exists())
            && let Some(prefix) = self.narrow(prefix)
        {
            return Some(prefix);
        }
        let mut above = folder.ancestors().map_while(|it| self.narrow(it));
        let package = above.find(|it| MANIFESTS.iter().any(|name| it.join(name).exists()));
        package.or_else(|| self.narrow(folder))
    }

    /// A directory, unless too much may be below it.
    fn narrow(&self, folder: &Path) -> Option<PathBuf> {
        let real = folder.canonicalize().ok()?;
        let own = self.home.iter().flat_map(|home| OWN.iter().map(|it| home.join(it)));
        let is_wide = real.parent().is_none()
            || SHARED.iter().any(|it| real == Path::new(it))
            || own.into_iter().any(|it| it == real)
            || self.home.iter().chain(&self.within).any(|it| it.starts_with(&real));
        (!is_wide).then_some(real)
    }
}

/// What a word of a command names: the part behind `=` of an option.
fn value(word: &OsStr) -> OsString {
    match word.to_str().filter(|it| it.starts_with('-')).and_then(|it| it.split_once('=')) {
        Some((_, value)) => value.into(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use redress_transport::program::Program;

    use super::Needs;

    #[test]
    fn a_server_needs_its_packages_but_not_the_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let at = |it: &str| top.join(it);
        for folder in
            ["root", "more", "venv/bin", "venv/lib", "app/src/deep", "plain", "node_modules"]
        {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in
            ["venv/bin/python", "app/package.json", "app/src/deep/a.js", "plain/a.py", "own.sh"]
        {
            fs::write(at(file), "").unwrap();
        }
        symlink(at("app/src/deep/a.js"), at("more/link.js")).unwrap();
        // Of all.
        let shared = at("node_modules");
        let own = |command: &[&str]| {
            let program = Program {
                command: command.iter().map(Into::into).collect(),
                cwd: Some(top.clone()),
                env: vec![("PATH".into(), "/usr/bin".into())],
                has_own_env: true,
                ..Program::default()
            };
            let own = Needs::of(&program, [at("root")]).own();
            own.into_iter().filter(|it| it.starts_with(&top)).collect::<Vec<_>>()
        };
        let python = ["venv/bin/python", "plain/a.py"];
        assert_eq!(own(&python), [shared.clone(), at("plain"), at("venv")]);
        assert_eq!(own(&["node", "./app/src/deep/a.js"]), [at("app"), shared.clone()]);
        let linked = [at("app"), at("more"), shared.clone()];
        assert_eq!(own(&["node", "--import=more/link.js"]), linked);
        assert_eq!(own(&["sh", "own.sh", "root", "more"]), [shared, at("own.sh")], "no data");
        assert!(own(&["sh", "-c", "cat more/link.js"]).is_empty());
    }
}
