//! Steps as processes, each started when all that it waits for is over, and told in one line when it has ended.

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

use crate::{cargo::cargo, peers::target};

/// A command with a name.
pub(super) struct Step {
    name: &'static str,
    program: Program,
    args: Vec<String>,
    envs: Vec<(&'static str, String)>,
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Well,
    Badly,
    /// It needed one that did not end well.
    NotRun,
}

impl Step {
    pub(super) fn cargo(name: &'static str, args: &str) -> Self {
        Self::new(name, Program::Cargo, args)
    }

    pub(super) fn task(name: &'static str, args: &str) -> Self {
        Self::new(name, Program::Own, args)
    }

    fn new(name: &'static str, program: Program, args: &str) -> Self {
        let args = args.split(' ').map(str::to_owned).collect();
        Self { name, program, args, envs: Vec::new(), needs: Vec::new(), after: Vec::new() }
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
    fn run(&self, root: &Path, log: &Path) -> io::Result<ExitStatus> {
        let out = File::create(log)?;
        let mut command = match self.program {
            Program::Cargo => cargo(),
            Program::Own => Command::new(env::current_exe()?),
        };
        command
            .args(&self.args)
            .envs(self.envs.iter().map(|(name, value)| (name, value)))
            .current_dir(root)
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .status()
    }
}

/// Runs all steps, and lists those that did not end well.
pub(super) fn run(root: &Path, steps: &[Step]) -> Result<Vec<String>, String> {
    let logs = target()?.join("steps");
    fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let ends = Ends::default();
    thread::scope(|scope| {
        for step in steps {
            let (ends, log) = (&ends, logs.join(step.name.replace(' ', "-") + ".log"));
            scope.spawn(move || ends.put(step.name, in_turn(root, step, &log, ends)));
        }
    });
    let ends = ends.lock();
    let bad = steps.iter().filter(|it| ends.get(it.name) != Some(&End::Well));
    Ok(bad.map(|it| format!("{}: not as it must be", it.name)).collect())
}

/// Waits until it is a step's turn, runs it and tells how it ended.
fn in_turn(root: &Path, step: &Step, log: &PathBuf, ends: &Ends) -> End {
    if !ends.allow(step) {
        println!(" not run  {}", step.name);
        return End::NotRun;
    }
    let start = Instant::now();
    let ran = step.run(root, log);
    let took = start.elapsed().as_secs();
    match ran {
        Ok(status) if status.success() => {
            println!("      ok  {} ({took} s)", step.name);
            return End::Well;
        }
        Ok(status) => {
            let said = fs::read(log).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            println!("  FAILED  {} ({took} s), {status}:\n{said}", step.name);
        }
        Err(error) => println!("  FAILED  {}: it did not start: {error}", step.name),
    }
    End::Badly
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
