//! The packages for npm: a launcher without install scripts, and one with the program for each platform.

use std::process::Command;

use serde_json::{Value, json};

use super::{Dist, copy, done, files, make, read, write};
use crate::peers::Peers;

/// The name of the launcher.
const LAUNCHER: &str = "redress";

/// Writes and packs the packages. Gives how many there are.
pub(super) fn pack(dist: &Dist) -> Result<usize, String> {
    let folder = dist.folder.join("npm");
    let platform = &dist.platform;
    let program = format!("{LAUNCHER}-{}", platform.npm);
    let of_platform = folder.join(&program);
    copy(&dist.program, &of_platform.join("bin").join(format!("redress{}", platform.exe)))?;
    let mut about = json!({
        "name": program,
        "version": dist.version,
        "description": format!("The program redress for {}.", platform.npm),
        "license": "MIT OR Apache-2.0",
        "os": [platform.npm_os],
        "cpu": [platform.npm_cpu],
        "files": ["bin", "LICENSE-APACHE", "LICENSE-MIT"],
        "preferUnplugged": true,
    });
    if let (Some(libc), Value::Object(about)) = (platform.npm_libc, &mut about) {
        about.insert("libc".to_owned(), json!([libc]));
    }
    write(&of_platform.join("package.json"), &format!("{about:#}\n"))?;
    dist.papers(&of_platform)?;
    let launcher = folder.join(LAUNCHER);
    let sources = dist.root.join("packaging/npm");
    copy(&sources.join("redress.js"), &launcher.join("bin/redress.js"))?;
    copy(&sources.join("README.md"), &launcher.join("README.md"))?;
    dist.papers(&launcher)?;
    let about = json!({
        "name": LAUNCHER,
        "version": dist.version,
        "description": "The error contract for the Model Context Protocol: every failure says what happened, whether to retry, and what to do next.",
        "license": "MIT OR Apache-2.0",
        "keywords": ["mcp", "model-context-protocol", "errors", "proxy"],
        "bin": { "redress": "bin/redress.js" },
        "engines": { "node": ">=18" },
        "files": ["bin", "LICENSE-APACHE", "LICENSE-MIT"],
        // The platforms of which a run has shown that they work: those that were built.
        "optionalDependencies": { program.as_str(): dist.version },
    });
    write(&launcher.join("package.json"), &format!("{about:#}\n"))?;
    let runtime = runtime(dist)?;
    for package in [&of_platform, &launcher, &runtime] {
        let mut npm = Command::new("npm");
        npm.args(["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination"]);
        done(npm.arg(&dist.folder).current_dir(package))?;
    }
    Ok(3)
}

/// The runtime for authors, compiled.
fn runtime(dist: &Dist) -> Result<std::path::PathBuf, String> {
    let peers = Peers::install(&dist.root)?;
    let source = dist.root.join("packages/typescript");
    // Below the peers, where Node finds the compiler.
    let folder = peers.folder("dist-runtime");
    drop(std::fs::remove_dir_all(&folder));
    make(&folder)?;
    for name in ["package.json", "tsconfig.json", "build.mjs", "README.md"] {
        copy(&source.join(name), &folder.join(name))?;
    }
    for path in files(&source.join("src"))? {
        copy(&path, &folder.join("src").join(path.file_name().unwrap_or_default()))?;
    }
    done(Command::new(peers.node()).arg("build.mjs").current_dir(&folder))?;
    dist.papers(&folder)?;
    let mut about: Value = serde_json::from_str(&read(&folder.join("package.json"))?)
        .map_err(|it| format!("packages/typescript/package.json: {it}"))?;
    if let Value::Object(about) = &mut about {
        // What is packed is built, and its user has no compiler.
        about.remove("scripts");
        about.remove("devDependencies");
    }
    write(&folder.join("package.json"), &format!("{about:#}\n"))?;
    Ok(folder)
}
