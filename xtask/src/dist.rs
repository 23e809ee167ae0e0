//! `cargo xtask dist`: the packages of this platform, below `dist` in the target directory: npm, PyPI, an archive, Debian, with checksums, a
//! bill of materials, completions and man pages; and whether they work where they are installed.

mod archive;
mod bill;
mod debian;
mod npm;
mod trial;
mod wheel;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use sha2::{Digest as _, Sha256};

use crate::{cargo::cargo, peers::target};

/// The largest program that is shipped, in bytes, stripped.
const LARGEST: u64 = 24 << 20;

/// The cargo profile that is shipped.
const PROFILE: &str = "dist";

/// Builds the packages; with `tries` installs each into an empty folder and starts the gate before a public server.
pub(crate) fn run(root: &Path, tries: bool, profile: Option<String>) -> Vec<String> {
    let done = Dist::new(root, profile).and_then(|dist| {
        let made = dist.all()?;
        let tried = if tries { trial::run(&dist)? } else { 0 };
        Ok((made, tried, dist.too_large()?))
    });
    match done {
        Ok((made, tried, too_large)) => {
            println!("ran: {made} packages\nran: {tried} trials");
            too_large.into_iter().collect()
        }
        Err(problem) => vec![problem],
    }
}

/// What is built, and where.
struct Dist {
    root: PathBuf,
    /// The folder of the packages.
    folder: PathBuf,
    platform: Platform,
    version: String,
    /// The stripped program.
    program: PathBuf,
    /// The cargo profile.
    profile: String,
}

/// The platform of this build, in the words of each registry.
struct Platform {
    triple: String,
    npm: String,
    npm_os: &'static str,
    npm_cpu: &'static str,
    npm_libc: Option<&'static str>,
    debian: Option<&'static str>,
    exe: &'static str,
}

impl Platform {
    fn here() -> Result<Self, String> {
        let about = text(Command::new("rustc").arg("-vV"))?;
        let triple = about.lines().find_map(|it| it.strip_prefix("host: "));
        let triple = triple.ok_or("rustc does not say its host")?.to_owned();
        let os = match std::env::consts::OS {
            "linux" => "linux",
            "macos" => "darwin",
            "windows" => "win32",
            other => return Err(format!("no package is made for {other}")),
        };
        let (cpu, debian) = match std::env::consts::ARCH {
            "x86_64" => ("x64", "amd64"),
            "aarch64" => ("arm64", "arm64"),
            other => return Err(format!("no package is made for {other}")),
        };
        let npm_libc =
            (os == "linux").then(|| if triple.ends_with("musl") { "musl" } else { "glibc" });
        let libc = if npm_libc == Some("musl") { "-musl" } else { "" };
        Ok(Self {
            npm: format!("{os}-{cpu}{libc}"),
            npm_os: os,
            npm_cpu: cpu,
            npm_libc,
            debian: (os == "linux").then_some(debian),
            exe: if os == "win32" { ".exe" } else { "" },
            triple,
        })
    }
}

impl Dist {
    fn new(root: &Path, profile: Option<String>) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|it| it.to_string())?;
        let (folder, platform) = (target()?.join("dist-packages"), Platform::here()?);
        drop(fs::remove_dir_all(&folder));
        make(&folder)?;
        let program = folder.join("program").join(format!("redress{}", platform.exe));
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let profile = profile.unwrap_or_else(|| PROFILE.to_owned());
        Ok(Self { root, folder, platform, version, program, profile })
    }

    fn all(&self) -> Result<usize, String> {
        self.build()?;
        let mut made = npm::pack(self)?;
        made += wheel::pack(self)?;
        bill::list_parts(self)?;
        made += archive::pack(self)?;
        made += debian::pack(self)?;
        self.sums()?;
        Ok(made)
    }

    /// Builds the program with every feature, and strips it.
    fn build(&self) -> Result<(), String> {
        let profile = self.profile.as_str();
        let mut build = cargo();
        build.args(["build", "--locked", "--package", "redress-cli", "--all-features"]);
        build.args(["--profile", profile]).current_dir(&self.root);
        done(&mut build)?;
        // Only this profile's folder is called otherwise.
        let folder = if profile == "dev" { "debug" } else { profile };
        let built = target()?.join(folder).join(format!("redress{}", self.platform.exe));
        make(self.program.parent().unwrap_or(&self.folder))?;
        copy(&built, &self.program)?;
        if cfg!(unix) {
            done(Command::new("strip").arg(&self.program))?;
        }
        let bytes = size(&self.program)?;
        println!(
            "program: {bytes} bytes stripped, {} as built by the profile {profile}",
            size(&built)?
        );
        Ok(())
    }

    /// Says if the program is larger than it may be. Its packages are made and tried nevertheless.
    fn too_large(&self) -> Result<Option<String>, String> {
        let bytes = size(&self.program)?;
        let is_shipped = self.profile == PROFILE;
        Ok((is_shipped && bytes > LARGEST).then(|| {
            format!("the stripped program has {bytes} bytes, and {LARGEST} are the most: `nm --size-sort` on one with symbols shows what made it large")
        }))
    }

    /// The checksums of all packages, as `sha256sum --check` reads them.
    fn sums(&self) -> Result<(), String> {
        let mut lines = Vec::new();
        for path in files(&self.folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            lines.push(format!("{}  {name}\n", hash(&path)?));
        }
        lines.sort_by(|a, b| a.get(66..).cmp(&b.get(66..)));
        write(&self.folder.join("SHA256SUMS"), &lines.concat())
    }

    /// The licences and the first page, which each package has.
    fn papers(&self, folder: &Path) -> Result<(), String> {
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            copy(&self.root.join(name), &folder.join(name))?;
        }
        Ok(())
    }
}

fn hash(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|it| format!("{}: {it}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().fold(String::new(), |hex, it| hex + &format!("{it:02x}")))
}

fn size(path: &Path) -> Result<u64, String> {
    fs::metadata(path).map(|it| it.len()).map_err(|it| format!("{}: {it}", path.display()))
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|it| format!("{}: {it}", folder.display()))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|it| format!("{}: {it}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    make(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, text).map_err(|it| format!("{}: {it}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    make(to.parent().unwrap_or(Path::new(".")))?;
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(|it| format!("{} to {}: {it}", from.display(), to.display()))
}

/// The files of a folder, without those below it.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|it| format!("{}: {it}", folder.display()))?;
    let mut files: Vec<_> =
        entries.flatten().map(|it| it.path()).filter(|it| it.is_file()).collect();
    files.sort();
    Ok(files)
}

/// Runs a command to its end.
fn output(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|it| format!("{} did not start: {it}", shown(command)))
}

/// Runs a command that must succeed.
fn done(command: &mut Command) -> Result<(), String> {
    text(command).map(drop)
}

/// What a command that must succeed prints.
fn text(command: &mut Command) -> Result<String, String> {
    let out = output(command)?;
    if !out.status.success() {
        let error = String::from_utf8_lossy(&out.stderr);
        return Err(format!("{} ended with {}:\n{error}", shown(command), out.status));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn shown(command: &Command) -> String {
    let words = command.get_args().map(|it| it.to_string_lossy().into_owned());
    let words: Vec<_> = words.collect();
    format!("`{} {}`", command.get_program().to_string_lossy(), words.join(" "))
}
