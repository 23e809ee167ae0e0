//! `Runner`: runs the cases of a plan, has each answer graded, and starts a server again that died.

mod send;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use redress::Lookup;
use serde_json::Value;

use self::send::CaseResult;
use crate::{
    client::{Client, Era, Received, Reply, Unprobed, greet},
    grade::{AnswerView, ParsedAnswer, Results},
    options::ProbeOptions,
    plan::{Case, Expect, ListedTool, Plan, Rules, plan},
    repeat,
    report::{self, Cases, Exchange, Happened, Run, ServerInfo, Stopped, Text},
};

/// How often a server may be started again.
const MOST_STARTS: usize = 40;

/// After so many calls of one tool that were never answered, or ended the server, the rest of it is left out.
const MOST_TROUBLE: usize = 3;

/// How long an idle server may take for a ping.
const PING: Duration = Duration::from_secs(3);

/// How far a probe is.
#[derive(Debug, Clone, Copy)]
pub struct ProbeProgress<'a> {
    /// Cases that were run.
    pub done: usize,
    /// Cases that there are.
    pub total: usize,
    /// The one that is running.
    pub case: &'a str,
}

/// What a probe gives.
#[derive(Debug, Clone)]
pub struct Probed {
    /// Who answered.
    pub server: ServerInfo,
    /// What it did.
    pub run: Run,
    /// How long it took to start and to agree on a revision.
    pub greeted: Duration,
    /// How it answered the calls that must fail.
    pub refusals: Refusals,
}

/// How a server answered the calls that must fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refusals {
    /// The calls that it answered.
    pub answered: usize,
    /// Those of them whose answer a client program takes for a failure.
    pub flagged: usize,
}

/// One answer to a call of a tool, as it came.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// The tool that was called.
    pub tool: &'a str,
    /// Whether the tool says that it only reads.
    pub read_only: bool,
    /// The arguments do not fit the tool's schema, so that a good server fails.
    pub must_fail: bool,
    /// The names of the arguments that are wrong.
    pub wrong: &'a [String],
    /// It is not flagged, and a failure by its form, or since it must fail and begins like a failure.
    pub is_silent: bool,
    /// The bytes that were sent.
    pub request: &'a [u8],
    /// The bytes that came back.
    pub answer: &'a [u8],
}

/// Probes a server: greets it, plans, runs the cases and grades the answers. `stop` ends it after the case that is running.
pub fn probe(
    options: &ProbeOptions,
    watch: &mut dyn FnMut(ProbeProgress<'_>),
    stop: &Arc<AtomicBool>,
) -> Result<Probed, Unprobed> {
    probe_with(options, watch, &mut |_| (), stop)
}

/// The same, and hands on each answer of a tool.
pub fn probe_with(
    options: &ProbeOptions,
    watch: &mut dyn FnMut(ProbeProgress<'_>),
    keep: &mut dyn FnMut(Trial<'_>),
    stop: &Arc<AtomicBool>,
) -> Result<Probed, Unprobed> {
    let start = Instant::now();
    let greeted = match greet(&options.place, None, stop) {
        _ if stop.load(Ordering::Relaxed) => return Err(Unprobed::Interrupted),
        greeted => greeted?,
    };
    let (mut client, server) = (greeted.client, greeted.server);
    let greeted = start.elapsed();
    let contract = options.contract.as_deref();
    let has_tools = server.capabilities.iter().any(|it| it == "tools");
    let listed = if has_tools { client.tools(options.deadline.max(PING))? } else { Vec::new() };
    let mut tools: Vec<ListedTool> = Vec::new();
    for tool in listed.iter().filter_map(|it| ListedTool::read(it, contract)) {
        if tools.iter().all(|it| it.name != tool.name) {
            tools.push(tool);
        }
    }
    let rules = Rules {
        seed: options.seed,
        allow_effects: options.allow_effects,
        with_valid: options.with_valid,
        is_quick: options.is_quick,
        only: &options.only,
    };
    let plan = plan(&tools, &client.era, rules);
    if plan.cases.is_empty() {
        return Err(Unprobed::NoSuchCase(options.only.clone()));
    }
    let lookup =
        options.contract.as_ref().map_or_else(Lookup::shipped, |it| Lookup::with([Arc::clone(it)]));
    let mut runner = Runner {
        options,
        era: client.era.clone(),
        client: Some(client),
        tools: &tools,
        lookup,
        results: Results::default(),
        run: Run::default(),
        spent: 0,
        stop,
        keep,
        trouble: vec![0; tools.len()],
        refusals: Refusals::default(),
    };
    runner.run(&plan, start, watch);
    let refusals = runner.refusals;
    let mut run = runner.finish(&plan);
    run.elapsed_ms = millis(start.elapsed());
    Ok(Probed { server, run, greeted, refusals })
}

/// Runs the cases of a plan.
pub(super) struct Runner<'a> {
    options: &'a ProbeOptions,
    era: Era,
    client: Option<Client>,
    tools: &'a [ListedTool],
    lookup: Lookup,
    results: Results,
    run: Run,
    spent: usize,
    stop: &'a Arc<AtomicBool>,
    keep: &'a mut dyn FnMut(Trial<'_>),
    /// How often each tool did not answer, or ended the server.
    trouble: Vec<usize>,
    refusals: Refusals,
}

impl Runner<'_> {
    fn run(&mut self, plan: &Plan, start: Instant, watch: &mut dyn FnMut(ProbeProgress<'_>)) {
        self.run.tools = self.tools.iter().map(listed).collect();
        for (tool, left_out) in self.run.tools.iter_mut().zip(&plan.left_out) {
            tool.cases.effects = *left_out;
        }
        let total = plan.cases.len();
        for (done, case) in plan.cases.iter().enumerate() {
            if self.run.stopped.is_none() {
                self.run.stopped = self.must_stop(start);
            }
            let is_hopeless =
                case.tool.and_then(|it| self.trouble.get(it)).is_some_and(|it| *it >= MOST_TROUBLE);
            let is_played = self.run.stopped.is_none() && !is_hopeless && self.is_ready();
            let cases = self.cases_of(case.tool);
            cases.planned += 1;
            if !is_played {
                cases.unplayed += 1;
                continue;
            }
            cases.played += 1;
            watch(ProbeProgress { done, total, case: &case.id });
            self.run_case(case);
        }
    }

    fn must_stop(&self, start: Instant) -> Option<Stopped> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Stopped::Interrupted);
        }
        if self.spent >= self.options.budget {
            return Some(Stopped::Budget);
        }
        (start.elapsed() >= self.options.time).then_some(Stopped::Time)
    }

    fn cases_of(&mut self, tool: Option<usize>) -> &mut Cases {
        match tool.and_then(|it| self.run.tools.get_mut(it)) {
            Some(tool) => &mut tool.cases,
            None => &mut self.run.cases,
        }
    }

    /// Whether there is a server to talk to; one that died is started again.
    fn is_ready(&mut self) -> bool {
        if self.client.as_ref().is_some_and(|it| it.exit().is_none()) {
            return true;
        }
        self.client = None;
        self.run.restarts += 1;
        if self.run.restarts <= MOST_STARTS
            && let Ok(greeted) = greet(&self.options.place, Some(&self.era), self.stop)
        {
            self.client = Some(greeted.client);
            return true;
        }
        self.run.stopped = Some(Stopped::Dead);
        false
    }

    fn run_case(&mut self, case: &Case) {
        let mut before: Option<String> = None;
        for _ in 0..if case.twice { 2 } else { 1 } {
            if !self.is_ready() {
                return;
            }
            let Some(client) = &mut self.client else { return };
            let result = send::send(case, client, self.options, self.stop);
            if self.stop.load(Ordering::Relaxed) {
                // What was cut short says nothing about the server.
                return;
            }
            self.spent += result.exchanges.len();
            match self.grade(case, result, before.as_deref()) {
                Some(signature) => before = Some(signature),
                // Without an answer there is nothing to compare.
                None => return,
            }
        }
    }

    /// Grades what came of a case. Gives what a second try is compared with.
    fn grade(&mut self, case: &Case, result: CaseResult, before: Option<&str>) -> Option<String> {
        let tool = case.tool.and_then(|it| self.tools.get(it));
        let exit = self.client.as_ref().and_then(|it| it.exit().cloned());
        let repeat = repeat::command(self.options, Some(&case.id));
        let mut signature = None;
        let CaseResult { exchanges, lives } = result;
        for (request, mut reply) in exchanges {
            let late = self.client.as_mut().map(Client::take_late).unwrap_or_default();
            attach(&mut reply, &request, late);
            let name = tool.map(|it| it.name.as_str());
            let name = name.or_else(|| send::tool_of(case).filter(|_| case.tool.is_none()));
            let answer = ParsedAnswer::read(&request, &reply, name, &self.lookup);
            let place = self.run.exchanges.len();
            self.run.exchanges.push(exchange(case, tool, &request, &reply));
            let view = AnswerView {
                case,
                era: &self.era,
                tool,
                reply: &reply,
                answer: &answer,
                before,
                lives,
                exit: exit.as_ref(),
                contract: self.options.contract.as_ref(),
                sent: &String::from_utf8_lossy(&request),
            };
            self.results.look(&view, &[place], &repeat);
            let must_fail =
                matches!(case.expect, Expect::Refusal | Expect::Failure | Expect::UnknownTool);
            if must_fail && matches!(reply.what, Received::Answer { .. }) {
                self.refusals.answered += 1;
                self.refusals.flagged += usize::from(answer.is_failure());
            }
            if let (Some(tool), Received::Answer { bytes, .. }) = (tool, &reply.what) {
                (self.keep)(Trial {
                    tool: &tool.name,
                    read_only: tool.read_only,
                    must_fail: matches!(case.expect, Expect::Refusal | Expect::Failure),
                    wrong: &case.wrong,
                    is_silent: view.is_silent(),
                    request: &request,
                    answer: bytes,
                });
            }
            signature = answer.signature();
            let is_trouble = matches!(reply.what, Received::Silence(_) | Received::Exited { .. });
            if let Some(count) =
                case.tool.and_then(|it| self.trouble.get_mut(it)).filter(|_| is_trouble)
            {
                *count += 1;
            }
        }
        if lives == Some(false) {
            self.client = None;
            return None;
        }
        signature
    }

    fn finish(mut self, plan: &Plan) -> Run {
        for (cases, left_out) in
            self.run.tools.iter_mut().map(|it| &mut it.cases).zip(&plan.left_out)
        {
            cases.planned += left_out;
        }
        if let Some(contract) = self.options.contract.as_deref() {
            let coverage = self.results.coverage(contract);
            if self.options.only.is_empty() {
                self.results.miss(&coverage, &repeat::command(self.options, None));
            }
            self.run.coverage = Some(coverage);
        }
        for (at, tool) in self.run.tools.iter_mut().enumerate() {
            tool.score = self.results.score(Some(at));
        }
        self.run.findings = self.results.findings(self.tools);
        self.run.score = self.results.whole(self.tools.len());
        self.run
    }
}

fn listed(tool: &ListedTool) -> report::ToolReport {
    report::ToolReport {
        name: tool.name.clone(),
        read_only: tool.read_only,
        destructive: tool.destructive,
        cases: Cases::default(),
        score: None,
    }
}

/// Adds answers that came after the first one.
fn attach(reply: &mut Reply, request: &[u8], late: Vec<(Value, Vec<u8>)>) {
    let id = serde_json::from_slice::<Value>(request).ok().and_then(|it| it.get("id").cloned());
    if matches!(reply.what, Received::Answer { .. }) {
        let its = late.into_iter().filter(|(of, _)| Some(of) == id.as_ref());
        reply.more.extend(its.map(|(_, bytes)| bytes));
    }
}

fn exchange(case: &Case, tool: Option<&ListedTool>, request: &[u8], reply: &Reply) -> Exchange {
    let happened = match &reply.what {
        Received::Answer { status, bytes } => Happened::Answer {
            status: *status,
            body: Text::of(bytes),
            more: reply.more.iter().map(|it| Text::of(it)).collect(),
        },
        Received::Malformed { status, bytes } => {
            Happened::Malformed { status: *status, body: Text::of(bytes) }
        }
        Received::TooLarge(bytes) => Happened::TooLarge { bytes: *bytes },
        Received::Silence(waited) => Happened::Silence { waited_ms: millis(*waited) },
        Received::Nothing => Happened::Nothing,
        Received::Closed(trouble) => Happened::Closed { why: trouble.to_string() },
        Received::Exited { code, signal, log } => {
            Happened::Exited { code: *code, signal: *signal, stderr: Text::of(log) }
        }
    };
    Exchange {
        case: case.id.clone(),
        tool: tool.map(|it| it.name.clone()),
        about: case.about.clone(),
        request: Text::of(request),
        happened,
        noise: reply.noise.iter().map(|it| Text::of(it)).collect(),
        elapsed_ms: millis(reply.elapsed),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
