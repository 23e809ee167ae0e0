//! `Governor`: what a governed server lets pass. The guards themselves are judgements of `redress-govern`; here is what they are told, and what
//! follows from them.

mod after;
mod called;
mod desk;
mod extra;
mod holds;
mod list;
mod manifest;
mod payload;
mod places;
mod plans;
mod recall;
mod report;
mod root;
mod touched;
mod unserved;
mod writes;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use redress::{Dialect, Fault, codes, fault::Context, json::Value};
use redress_govern::{
    eval,
    role::Roles,
    session::{Event, Lock, Place, Rules, Session, Sessions, Wish, not_begun},
};
use redress_ledger::Follow;

pub(crate) use self::{
    called::Called,
    extra::without,
    manifest::Doing,
    writes::{Answer, Job, Report, Writes, Writing},
};
pub use self::{
    desk::is_own,
    extra::Extra,
    manifest::Manifest,
    places::Guarded,
    plans::{Plans, is_hash, revoked},
    root::can_confine,
    unserved::{Unserved, tool_lines},
    writes::{Checks, Preflight},
};
use self::{
    desk::uuid,
    root::Root,
    touched::{Touched, is_plain},
};
use crate::outgoing::TokenId;

/// The policy of a governed server.
#[derive(Debug)]
pub struct Policy {
    /// The server's name in the ledger.
    pub server: String,
    /// Who may call what.
    pub roles: Roles,
    /// What locks a session, and where reports are written.
    pub rules: Rules,
    /// Whether the server is the built-in one, which changes nothing but what calls name.
    pub is_built_in: bool,
    /// What each tool does.
    pub manifest: Manifest,
    /// What calls bring for the gate itself.
    pub extras: Vec<Extra>,
    /// What is asked of writes.
    pub writes: Checks,
    /// Where plans are, and who approves them.
    pub plans: Plans,
    /// What no tool may change.
    pub guarded: Guarded,
    /// The role of the process on stdio.
    pub role: Option<String>,
    /// The roles of those who bring a token.
    pub callers: BTreeMap<TokenId, Option<String>>,
    /// The one workspace that sessions are about; without it, the one that they name.
    pub root: Option<PathBuf>,
    /// The shape of envelope that clients get.
    pub dialect: Dialect,
    /// The directory of the ledger.
    pub ledger: PathBuf,
    /// Tells the operator.
    pub say: fn(&str),
}

/// Lets calls of a governed server pass, refuses them or answers them. What it asks of the system is the workspace's
/// directories and, for `read_ledger`, the ledger.
#[derive(Debug)]
pub struct Governor {
    policy: Policy,
    /// The writes that are checked.
    pub(crate) writes: Arc<Writes>,
    /// Shared with those before and after it.
    state: Arc<Mutex<State>>,
    /// Shared with those of the same server.
    served: Arc<Mutex<Served>>,
    /// What no workspace may hold.
    apart: OnceLock<BTreeSet<PathBuf>>,
}

#[derive(Debug, Default)]
struct State {
    sessions: Sessions,
    /// This process's chain in the ledger.
    chain: Arc<str>,
    /// How far the ledger was read, and what of each chain was taken in.
    follow: Follow,
    taken_in: BTreeMap<Arc<str>, u64>,
    /// What the process on stdio began; another process begins anew, and finds its session as it was left.
    of_process: Option<String>,
}

/// What is known of a server.
#[derive(Debug, Default)]
struct Served {
    roots: BTreeMap<String, Arc<Root>>,
    /// Where the server looks for relative paths; unless it is known, that is the root.
    server_dir: Option<PathBuf>,
    /// The tools of which the operator knows that they are not served.
    unserved: BTreeSet<String>,
    /// Arguments of ours that tools of the server take themselves.
    kept: BTreeMap<String, Vec<&'static str>>,
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The process on stdio.
    Process,
    /// Whoever has this token.
    Token(TokenId),
    /// Somebody over HTTP.
    Nobody,
}

/// A request, as far as a governor cares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'c> {
    pub(crate) caller: Caller,
    /// The tool that is called, or the method.
    pub(crate) name: &'c str,
    pub(crate) is_tool: bool,
    /// Whether it may be done after it was answered.
    pub(crate) is_task: bool,
    pub(crate) arguments: Option<Value<'c>>,
}

/// What is known of a governed request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Governed {
    session: Option<Arc<Session>>,
    role: Option<String>,
    plan_hash: Option<String>,
    phase_id: Option<String>,
    /// The fingerprint of its arguments.
    arguments: Option<String>,
    /// Whether its failure may lock the session.
    can_lock: bool,
    /// The report that its success is.
    report: Option<report::Written>,
}

impl Governed {
    /// The session that its failure may lock.
    pub(crate) fn lockable(&self) -> Option<&str> {
        self.session.as_ref().filter(|_| self.can_lock).map(|it| it.id.as_str())
    }

    /// Adds what is known to the context of a fault.
    pub(crate) fn tell(&self, context: &mut Context) {
        context.role.clone_from(&self.role);
        context.plan_hash.clone_from(&self.plan_hash);
        context.phase_id.clone_from(&self.phase_id);
        if let Some(session) = &self.session {
            context.session_id = Some(session.id.clone());
            context.workspace_root = Some(session.root.clone());
        }
    }
}

/// What becomes of a request.
#[derive(Debug)]
pub(crate) enum Ruling {
    /// The server is asked, without what stands at these places of the line: it is for the gate. A write is checked, if it is to be.
    Pass(Vec<Range<usize>>, Option<Box<Writing>>),
    /// It is not.
    Refuse(Box<Fault>),
    /// The gate answers itself, with the result and what is to be recorded.
    Answer { result: String, record: Option<String> },
}

impl Governor {
    /// A governor who knows of no session yet.
    pub fn new(mut policy: Policy) -> Self {
        let checks = std::mem::take(&mut policy.writes);
        let writes = Arc::new(Writes::new(checks, &policy.ledger));
        let (state, served) = (Arc::default(), Arc::default());
        Self { policy, writes, state, served, apart: OnceLock::new() }
    }

    /// From now on no session begins in a directory that holds one of these paths, which have no links in them.
    pub fn keep_apart(&self, paths: BTreeSet<PathBuf>) {
        self.apart.get_or_init(|| paths);
    }

    /// Judges a request before the server hears of it.
    pub(crate) fn before(&self, call: &Call<'_>) -> (Governed, Ruling) {
        // Reading code takes time, and nobody else waits for it.
        let runs = self.runs(call);
        let mut state = self.lock();
        let mut governed = Governed { role: self.role_of(call.caller), ..Governed::default() };
        let Some(key) = key(call.caller, &state) else {
            return (governed, Ruling::Refuse(nobody()));
        };
        governed.session = state.sessions.of(&key).cloned();
        let is_own = call.is_tool && is_own(call.name);
        governed.can_lock = !is_own;
        let ruling = if is_own {
            self.answer(call, &key, &mut governed, state)
        } else {
            let judged = self.judge((call, runs), &key, &mut governed, &mut state);
            judged.map(|it| Ruling::Pass(self.ours(call), it))
        };
        // Of what is refused there is a fault.
        governed.arguments = ruling.is_ok().then(|| called::fingerprint(call)).flatten();
        (governed, ruling.unwrap_or_else(Ruling::Refuse))
    }

    /// Every guard that a call of the server passes.
    fn judge(
        &self,
        (call, runs): (&Call<'_>, Result<(), Box<Fault>>),
        key: &str,
        governed: &mut Governed,
        state: &mut State,
    ) -> Result<Option<Box<Writing>>, Box<Fault>> {
        let doing = if call.is_tool { self.policy.manifest.get(call.name) } else { None };
        let reads = doing.map_or(!call.is_tool, Doing::reads);
        let root = self.root(state, key);
        let given = match (doing, &root) {
            (Some(doing), Some(root)) => Touched::of(doing, call.arguments, root),
            _ => Ok(Touched::default()),
        };
        let paths = given.as_ref().map(|it| it.paths.as_slice()).unwrap_or_default();
        let is_report = !reads
            && !paths.is_empty()
            && root
                .as_ref()
                .is_some_and(|it| it.are_all(paths, |path| self.policy.rules.is_report(path)));
        let report = doing.filter(|_| is_report).map(|it| self.report_text(call, it));
        let wish = Wish { tool: call.name, reads, report: report.as_deref() };
        // Another process may have reported what holds it.
        if !reads && state.sessions.of(key).is_some_and(|it| it.lock().is_some()) {
            self.catch_up(state);
            governed.session = state.sessions.of(key).cloned();
        }
        let session = state.sessions.judge(&self.policy.rules, key, wish)?;
        if let (Some(lock), Some(path), true) = (session.lock(), paths.first(), is_report) {
            let (place, path) = (lock.place.clone(), path.clone());
            governed.report = Some(report::Written { place, path });
        }
        if !call.is_tool {
            if !is_of_session(call.name) {
                self.policy.roles.judge(governed.role.as_deref(), call.name)?;
            }
            return self.holds(governed, None, reads).map(|()| None);
        }
        // What cannot be confined is not done.
        let Some(root) = &root else {
            let hint = "Begin again: the workspace of this session cannot be opened.".to_owned();
            return Err(not_begun(&session.root, "the workspace cannot be opened", hint));
        };
        let role = governed.role.as_deref();
        let Some(doing) = doing.filter(|it| self.policy.manifest.is_served(call.name, it)) else {
            return Err(self.unknown(call.name, role));
        };
        self.policy.roles.judge(role, call.name)?;
        is_plain(call.arguments)?;
        let touched = given?;
        touched.paths.iter().try_for_each(|it| self.confine(call.name, root, it))?;
        let is_placed = !reads || self.needs_plan(call.name);
        let places = if is_placed { root.places(&touched.paths)? } else { Vec::new() };
        if !reads {
            self.policy.guarded.judge(root, self.policy.plans.folder(), &places)?;
        }
        if !is_report {
            self.follows(call, governed, root, (&touched.paths, &places))?;
        }
        runs?;
        self.holds(governed, Some(root), reads || is_report)?;
        if doing.writes() && !is_report {
            return self.write(call, &touched, root, &session.id);
        }
        Ok(None)
    }

    /// Whether the code that a call brings may be run.
    fn runs(&self, call: &Call<'_>) -> Result<(), Box<Fault>> {
        let manifest = &self.policy.manifest;
        let doing = manifest.get(call.name).filter(|it| call.is_tool && it.is_eval());
        match doing.filter(|it| manifest.is_served(call.name, it)) {
            Some(_) if call.caller != Caller::Nobody => {
                payload::judge(call.arguments, self.policy.dialect)
            }
            _ => Ok(()),
        }
    }

    /// Whether a failure that is about to be recorded locks the session; if so, [`Self::locked`] follows.
    pub(crate) fn will_lock(&self, id: &str, code: &str) -> bool {
        self.policy.rules.locks(code) && self.lock().sessions.will_lock(id)
    }

    /// Such a failure stands in that record, or could not be recorded.
    pub(crate) fn locked(&self, id: &str, code: &str, seq: Option<u64>) {
        let mut state = self.lock();
        let Some(seq) = seq else { return state.sessions.no_lock(id) };
        let place = Place { chain: Arc::clone(&state.chain), seq };
        let lock = Lock { place, code: code.to_owned() };
        state.sessions.fold(Event::Locked { id, lock });
    }

    /// The tools of a page of the list, as this server serves them.
    pub(crate) fn tools(&self, listed: Value<'_>, is_first: bool) -> String {
        let Policy { manifest, extras, .. } = &self.policy;
        let list::Page { tools: page, unknown, kept } =
            list::served(manifest, extras, listed, is_first);
        self.served().kept.extend(kept);
        for tool in unknown {
            if self.served().unserved.insert(tool.clone()) {
                (self.policy.say)(&format!(
                    "not served, since the contract does not say what it does:\n{}",
                    tool_lines(&tool, None)
                ));
            }
        }
        page
    }

    fn role_of(&self, caller: Caller) -> Option<String> {
        match caller {
            Caller::Process => self.policy.role.clone(),
            Caller::Token(token) => self.policy.callers.get(&token).cloned().flatten(),
            Caller::Nobody => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn served(&self) -> MutexGuard<'_, Served> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The process on stdio before it has begun a session.
const PROCESS: &str = "stdio";

/// A root may hold what the ledger must not; its hash does not.
fn process_key(root: &str) -> String {
    format!("{PROCESS} {}", root_hash(root))
}

/// What tells roots apart.
fn root_hash(root: &str) -> String {
    let mut hash = eval::sha256(root);
    hash.truncate(32);
    hash
}

/// Under which name the sessions know a caller.
fn key(caller: Caller, state: &State) -> Option<String> {
    match caller {
        Caller::Process => Some(state.of_process.clone().unwrap_or_else(|| PROCESS.to_owned())),
        // Behind the word `token` a record would hide it.
        Caller::Token(token) => Some(format!("caller {token}")),
        Caller::Nobody => None,
    }
}

fn nobody() -> Box<Fault> {
    let mut fault = codes::AUTH_REQUIRED.raise([] as [(&str, &str); 0]);
    "Bring a bearer token of this gate: a governed server has no nameless callers."
        .clone_into(&mut fault.hint);
    Box::new(fault)
}

/// Requests about what the session itself has asked for.
fn is_of_session(method: &str) -> bool {
    ["tasks/", "subscriptions/"].iter().any(|it| method.starts_with(it))
}
