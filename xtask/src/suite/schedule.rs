//! Steps as processes, each started when all that it waits for is over, and reported in one line when it has ended.

use std::{
    collections::BTreeMap,
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use super::counts::{Counts, Floor, readable};
use crate::{cargo::cargo, peers::target};

/// Names the file to which tests write their counts: libtest keeps what a test prints to itself.
const COUNTS: &str = "REDRESS_COUNTS";

/// A command with a name.
pub(super) struct Step {
    name: &'static str,
    program: Program,
    args: Vec<String>,
    envs: Vec<(&'static str, String)>,
    /// The least that it must run; a step that runs less has failed.
    floors: Vec<Floor>,
    /// Steps that must have ended well.
    needs: Vec<&'static str>,
    /// Steps that must have ended, in whatever way.
    after: Vec<&'static str>,
}

enum Program {
    Cargo,
    /// One of our own tasks.
    Own,
}

/// How a step ended.
#[derive(Clone, PartialEq, Eq)]
enum End {
    Well,
    /// For this reason.
    Badly(String),
    /// It needed one that did not end well.
    NotRun,
}

impl Step {
    pub(super) fn cargo(name: &'static str, args: &str, floors: &[Floor]) -> Self {
        Self::new(name, Program::Cargo, args, floors)
    }

    pub(super) fn task(name: &'static str, args: &str, floors: &[Floor]) -> Self {
        Self::new(name, Program::Own, args, floors)
    }

    fn new(name: &'static str, program: Program, args: &str, floors: &[Floor]) -> Self {
        let args = args.split(' ').map(str::to_owned).collect();
        let floors = floors.to_vec();
        Self { name, program, args, floors, envs: Vec::new(), needs: Vec::new(), after: Vec::new() }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    #[cfg(test)]
    pub(super) fn floors(&self) -> &[Floor] {
        &self.floors
    }

    /// The steps for which it waits.
    #[cfg(test)]
    pub(super) fn awaited(&self) -> impl Iterator<Item = &'static str> {
        self.needs.iter().chain(&self.after).copied()
    }

    #[cfg(test)]
    pub(super) fn words(&self) -> &[String] {
        &self.args
    }

    #[cfg(test)]
    pub(super) fn is_cargo(&self) -> bool {
        matches!(self.program, Program::Cargo)
    }

    /// Waits for no step but these.
    pub(super) fn waits_only_for(mut self, names: &[&str]) -> Self {
        self.needs.retain(|it| names.contains(it));
        self.after.retain(|it| names.contains(it));
        self
    }

    pub(super) fn env(mut self, name: &'static str, value: &str) -> Self {
        self.envs.push((name, value.to_owned()));
        self
    }

    pub(super) fn needs(mut self, step: &'static str) -> Self {
        self.needs.push(step);
        self
    }

    pub(super) fn after(mut self, step: &'static str) -> Self {
        self.after.push(step);
        self
    }

    /// Runs it; what it says goes to a file, since other steps speak at the same time.
    fn run(&self, root: &Path, log: &Log) -> io::Result<ExitStatus> {
        let out = log.start()?;
        let mut command = match self.program {
            Program::Cargo => cargo(),
            Program::Own => Command::new(env::current_exe()?),
        };
        command
            .args(&self.args)
            .env(COUNTS, &log.counts)
            .envs(self.envs.iter().map(|(name, value)| (name, value)))
            .current_dir(root)
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .status()
    }
}

/// The files of a step: what it said, and what its tests counted.
struct Log {
    said: PathBuf,
    counts: PathBuf,
}

impl Log {
    fn new(logs: &Path, step: &str) -> Self {
        let name = step.replace(' ', "-");
        Self { said: logs.join(format!("{name}.log")), counts: logs.join(format!("{name}.counts")) }
    }

    /// Empties both: counts of an older run would be counted again.
    fn start(&self) -> io::Result<File> {
        File::create(&self.counts)?;
        File::create(&self.said)
    }

    fn said(&self) -> String {
        let said = fs::read(&self.said).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }

    fn counted(&self) -> Counts {
        Counts::of(&(self.said() + &fs::read_to_string(&self.counts).unwrap_or_default()))
    }
}

/// Runs all steps, and lists those that did not end well.
pub(super) fn run(root: &Path, steps: &[Step]) -> Result<Vec<String>, String> {
    let logs = target()?.join("steps");
    fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let ends = Ends::default();
    thread::scope(|scope| {
        for step in steps {
            let (ends, log) = (&ends, Log::new(&logs, step.name));
            scope.spawn(move || ends.put(step.name, in_turn(root, step, &log, ends)));
        }
    });
    let ends = ends.lock();
    Ok(steps.iter().filter_map(|it| problem(it.name, ends.get(it.name))).collect())
}

fn problem(step: &str, end: Option<&End>) -> Option<String> {
    match end {
        Some(End::Well) => None,
        Some(End::Badly(why)) => Some(format!("{step}: {why}")),
        Some(End::NotRun) => Some(format!("{step}: not run, since it needs a step that failed")),
        None => Some(format!("{step}: it never ended")),
    }
}

/// Waits until it is a step's turn, runs it and tells how it ended and what it ran.
fn in_turn(root: &Path, step: &Step, log: &Log, ends: &Ends) -> End {
    if !ends.allow(step) {
        println!(" not run  {}", step.name);
        return End::NotRun;
    }
    let start = Instant::now();
    let ran = step.run(root, log);
    let took = start.elapsed().as_secs();
    let counts = log.counted();
    let why = match ran {
        Ok(status) if !status.success() => status.to_string(),
        Ok(_) => match counts.missed(&step.floors) {
            None => {
                println!("      ok  {} ({took} s): {}", step.name, counts.told(&step.floors));
                return End::Well;
            }
            Some(missed) => missed,
        },
        Err(error) => format!("it did not start: {error}"),
    };
    println!("  FAILED  {} ({took} s): {why}\n{}", step.name, readable(&log.said()));
    End::Badly(why)
}

/// How the steps ended that are over.
#[derive(Default)]
struct Ends {
    ends: Mutex<BTreeMap<&'static str, End>>,
    changed: Condvar,
}

impl Ends {
    /// Waits for all that a step waits for, and says whether it may run.
    fn allow(&self, step: &Step) -> bool {
        let is_early = |ends: &mut BTreeMap<_, _>| {
            step.needs.iter().chain(&step.after).any(|it| !ends.contains_key(it))
        };
        let ends =
            self.changed.wait_while(self.lock(), is_early).unwrap_or_else(PoisonError::into_inner);
        step.needs.iter().all(|it| ends.get(it) == Some(&End::Well))
    }

    fn put(&self, step: &'static str, end: End) {
        self.lock().insert(step, end);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, End>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
