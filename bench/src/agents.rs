//! `agents`: scripted agents at servers that fail, without the gate, with it, and with the rows that `redress learn` drafts.

mod agent;
mod client;
mod lab;
mod server;
mod tally;
mod task;
mod world;

use std::path::{Path, PathBuf};

use tiktoken_rs::{CoreBPE, o200k_base};

use self::{
    agent::{AGENTS, Agent, Answer, Known, Step},
    client::Client,
    server::{Arm, Servers},
    tally::{Tally, Texts},
    task::{Call, End, IN_PUBLIC, IN_THE_LAB, Mend, Task},
    world::{CALL_MS, World},
};
use crate::{fallible::Fallible, place::Place};

/// What an agent that follows its card, and what agents with common habits, make of failures.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the public servers of `tests/servers` are installed; only the lab without.
    #[arg(long, value_name = "DIR")]
    servers: Option<PathBuf>,
    /// A registry with taught rows (`errors.toml`), instead of those that `redress learn` drafts from a first round.
    #[arg(long, value_name = "FILE")]
    taught: Option<PathBuf>,
    /// Only the tasks that begin with these calls.
    #[arg(long, value_name = "TOOL,…", value_delimiter = ',')]
    tasks: Vec<String>,
    /// Also print what came of each task that did not end right.
    #[arg(long)]
    each: bool,
}

/// How long a person takes, in simulated milliseconds.
const PERSON_MS: u64 = 300_000;
/// How long an agent waits that has seen that its call took no effect.
const LOOK_MS: u64 = 1_000;
/// How many steps an agent takes at most.
const STEPS: usize = 10;

/// Serves the lab on stdio.
pub(crate) fn serve_lab(world: &Path, patience_ms: u64) -> Fallible<()> {
    lab::serve(world, patience_ms)
}

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<()> {
    let tokens = o200k_base().map_err(|it| it.to_string())?;
    let servers = Servers::new(place, args.servers.clone(), args.taught.clone())?;
    let mut texts = Texts::default();
    for (name, tasks) in [("the lab", &IN_THE_LAB[..]), ("public servers", &IN_PUBLIC[..])] {
        let is_wanted =
            |it: &&Task| args.tasks.is_empty() || args.tasks.iter().any(|name| name == it.call.0);
        let tasks: Vec<Task> = tasks.iter().filter(is_wanted).copied().collect();
        if tasks.is_empty() {
            continue;
        }
        if !servers.has(&tasks) {
            println!("not measured: {name} (see --servers)\n");
            continue;
        }
        learn(&tasks, &servers, &tokens)?;
        let mut lines = Vec::new();
        for (agent, shown) in AGENTS {
            for arm in [Arm::Direct, Arm::Gate, Arm::Taught] {
                let mut tally = Tally::default();
                for task in &tasks {
                    let mut play = Play::start(agent, task, arm, &servers, &tokens)?;
                    let end = play.play()?;
                    let outcome = play.ended(end)?;
                    if args.each && !outcome.is_right {
                        println!("{shown}, {}: {} {end:?} {outcome:?}", arm.shown(), task.call.0);
                    }
                    tally.add(&outcome);
                    texts.add(agent, arm, play.failures);
                }
                lines.push((shown, arm, tally));
            }
        }
        println!("{}", tally::table(name, tasks.len(), &lines));
    }
    println!("{}", texts.table());
    Ok(())
}

/// Has rows learnt for each server: the agent that follows its card does the tasks once behind a gate with a ledger.
fn learn(tasks: &[Task], servers: &Servers<'_>, tokens: &CoreBPE) -> Fallible<()> {
    let mut names: Vec<&str> = tasks.iter().map(|it| it.server).collect();
    names.sort_unstable();
    names.dedup();
    for server in names.into_iter().filter(|it| servers.must_learn(it)) {
        for task in tasks.iter().filter(|it| it.server == server) {
            Play::start(Agent::Card, task, Arm::Learning, servers, tokens)?.play()?;
        }
        servers.learn(server)?;
    }
    Ok(())
}

/// What came of a task.
#[derive(Debug)]
struct Outcome {
    is_right: bool,
    wasted: u64,
    doubled: u64,
    ms: u64,
    tokens: u64,
}

/// One agent at one task.
struct Play<'a> {
    agent: Agent,
    task: &'a Task,
    arm: Arm,
    tokens: &'a CoreBPE,
    client: Client,
    /// Below which all folders are.
    dir: String,
    /// The world of the lab.
    world: Option<PathBuf>,
    calls: u64,
    waited_ms: u64,
    used: usize,
    /// The tokens of each answer to the first call that failed.
    failures: Vec<usize>,
}

impl<'a> Play<'a> {
    fn start(
        agent: Agent,
        task: &'a Task,
        arm: Arm,
        servers: &Servers<'_>,
        tokens: &'a CoreBPE,
    ) -> Fallible<Self> {
        let (start, world) = servers.start(task.server, arm)?;
        let dir = servers.dir();
        let client = Client::new(start);
        let failures = Vec::new();
        Ok(Self {
            agent,
            task,
            arm,
            tokens,
            client,
            dir,
            world,
            calls: 0,
            waited_ms: 0,
            used: 0,
            failures,
        })
    }

    fn play(&mut self) -> Fallible<End> {
        let (mut call, mut made, mut is_mended, mut is_helped) = (self.task.call, 0, false, false);
        for _ in 0..STEPS {
            let answer = self.call(call)?;
            made += 1;
            if made == 1 && !is_mended && self.task.first_call_fails() {
                self.failures.push(self.count(&answer.text));
            }
            let (only_reads, has_cards) = (self.task.only_reads, self.arm != Arm::Direct);
            match self.agent.step(&answer, Known { made, only_reads, has_cards }) {
                Step::Accept => return Ok(End::Done),
                Step::Repeat { wait_ms } => self.wait(wait_ms)?,
                Step::Look => match self.look()? {
                    Some(true) => return Ok(End::Done),
                    Some(false) => self.wait(LOOK_MS)?,
                    None => return Ok(End::Asked),
                },
                Step::Ask if self.task.is_for_a_person && !is_helped => {
                    is_helped = true;
                    self.ask_a_person()?;
                }
                Step::Ask => return Ok(End::Asked),
                Step::Mend if is_mended => return Ok(End::Stopped),
                Step::Mend => {
                    (is_mended, made) = (true, 0);
                    match self.task.mend {
                        Mend::None => return Ok(End::Stopped),
                        Mend::Instead(other) => call = other,
                        Mend::First(first) => drop(self.call(first)?),
                    }
                }
                Step::Stop => return Ok(End::Stopped),
            }
        }
        Ok(End::Stopped)
    }

    fn call(&mut self, (tool, arguments): Call) -> Fallible<Answer> {
        let mut answer = self.client.call(tool, arguments)?;
        // A folder's name is chance, and would count.
        answer.text = answer.text.replace(&self.dir, "/tmp/agents");
        self.calls += 1;
        self.used += self.count(tool) + self.count(arguments) + self.count(&answer.text);
        Ok(answer)
    }

    fn count(&self, text: &str) -> usize {
        self.tokens.encode_ordinary(text).len()
    }

    /// Whether the call took effect, if a call tells.
    fn look(&mut self) -> Fallible<Option<bool>> {
        let Some((look, says)) = self.task.look else { return Ok(None) };
        Ok(Some(self.call(look)?.text.contains(says)))
    }

    fn ask_a_person(&mut self) -> Fallible<()> {
        self.wait(PERSON_MS)?;
        self.change(|it| it.has_person_acted = true)
    }

    fn wait(&mut self, ms: u64) -> Fallible<()> {
        self.waited_ms += ms;
        self.change(|it| it.clock_ms += ms)
    }

    fn change(&self, change: impl FnOnce(&mut World)) -> Fallible<()> {
        let Some(path) = &self.world else { return Ok(()) };
        let mut world = World::load(path)?;
        change(&mut world);
        world.store(path)
    }

    fn ended(&self, end: End) -> Fallible<Outcome> {
        let (calls, doubled, ms) = match &self.world {
            Some(path) => {
                let world = World::load(path)?;
                (world.calls, world.doubled(), world.clock_ms)
            }
            None => (self.calls, 0, self.calls * CALL_MS + self.waited_ms),
        };
        Ok(Outcome {
            is_right: self.task.right.contains(&end) && doubled == 0,
            wasted: calls.saturating_sub(self.task.fewest),
            doubled,
            ms,
            tokens: self.used.try_into()?,
        })
    }
}
