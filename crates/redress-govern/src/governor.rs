//! `Governor`: decides on every request of a governed server, and follows what comes of it.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use redress::{Fault, codes, text};
use redress_ledger::ReadError;
use redress_wire::json::{Doc, Limits, Value};

use crate::{
    access::FileAccess,
    builtin_tools::{BuiltinTools, is_own},
    call::{Call, CallContext, Principal},
    checked_writes::{CheckedWrite, Job, Launcher, OnReport, Writes},
    gate_argument,
    guards::{self, GuardedRequest},
    policy::Policy,
    report::{self, ReportedBy},
    server_state::ServerState,
    session::{Lock, RecordRef, SessionEvent},
    session_store::SessionStore,
    tool_list,
    unserved::{Unserved, tool_lines},
};

/// Lets calls of a governed server pass, refuses them or answers them. It reads the directories of workspaces and, for `read_ledger`, the
/// ledger.
#[derive(Debug)]
pub struct Governor {
    policy: Policy,
    /// The writes that are checked.
    writes: Arc<Writes>,
    /// Shared with the governors before and after it.
    sessions: Arc<Mutex<SessionStore>>,
    /// Shared with the governors of the same server.
    server: Arc<Mutex<ServerState>>,
    /// Paths that no workspace may hold.
    apart: OnceLock<BTreeSet<PathBuf>>,
}

/// What becomes of a request.
#[derive(Debug)]
pub enum Decision {
    /// The server is asked, without the bytes at these places of the arguments: they are for the gate. A write may have checks.
    Pass(Vec<Range<usize>>, Option<Box<CheckedWrite>>),
    /// The server is not asked.
    Refuse(Box<Fault>),
    /// The gate answers itself.
    Answer {
        /// The result of the call.
        result: String,
        /// The record of what it changed.
        record: Option<String>,
    },
}

impl Governor {
    /// A governor that knows of no session yet.
    pub fn new(mut policy: Policy) -> Self {
        let checks = std::mem::take(&mut policy.writes);
        let launcher = Arc::clone(&policy.launcher);
        let writes = Arc::new(Writes::new(checks, launcher, &policy.ledger));
        let (sessions, server) = (Arc::default(), Arc::default());
        Self { policy, writes, sessions, server, apart: OnceLock::new() }
    }

    /// A governor with another policy for the same server. It shares the knowledge of the one before it, and learns what that one still does.
    #[must_use]
    pub fn after(before: &Self, policy: Policy) -> Self {
        Self { server: Arc::clone(&before.server), ..Self::instead_of(before, policy) }
    }

    /// A governor for another server under the same name: the sessions are the same, and their locks.
    #[must_use]
    pub fn instead_of(before: &Self, policy: Policy) -> Self {
        Self { sessions: Arc::clone(&before.sessions), ..Self::new(policy) }
    }

    /// From now on no session begins in a directory that holds one of these paths, which have no links in them.
    pub fn keep_apart(&self, paths: BTreeSet<PathBuf>) {
        self.apart.get_or_init(|| paths);
    }

    /// From now on relative paths start where the server looks for them: in this directory, which has no links in it.
    pub fn serve_from(&self, directory: PathBuf) {
        self.server().serve_from(directory);
    }

    /// Takes in what the ledger knows of sessions; `chain` is this process's own. Records that cannot be read are skipped, as everywhere.
    ///
    /// # Errors
    /// The directory could not be read.
    pub fn recall(&self, chain: &str) -> Result<(), ReadError> {
        self.sessions().recall(&self.policy, chain)
    }

    /// Decides on a request before the server hears of it.
    pub fn before(&self, call: &Call<'_>) -> (CallContext, Decision) {
        let store = self.sessions();
        let role = self.role_of(call.caller);
        let mut context = CallContext { role, ..CallContext::default() };
        let Some(key) = store.key(call.caller) else {
            return (context, Decision::Refuse(anonymous()));
        };
        context.session = store.sessions.of(&key).cloned();
        let is_own = call.is_tool && is_own(call.name);
        context.can_lock = !is_own;
        let decision = if is_own {
            self.answer(call, &key, &mut context, store)
        } else {
            // What the guards read takes time: other callers do not wait for it.
            drop(store);
            self.judge(call, &key, &mut context)
        };
        // A refused call has its fault on record.
        context.arguments = decision.is_ok().then(|| call.fingerprint()).flatten();
        (context, decision.unwrap_or_else(Decision::Refuse))
    }

    fn answer(
        &self,
        call: &Call<'_>,
        key: &str,
        context: &mut CallContext,
        store: MutexGuard<'_, SessionStore>,
    ) -> Result<Decision, Box<Fault>> {
        let apart = self.apart.get();
        let tools = BuiltinTools { policy: &self.policy, apart, server: &self.server };
        let answer = tools.answer(call, key, context, store)?;
        Ok(Decision::Answer { result: answer.result, record: answer.record })
    }

    /// Has every guard judge a call of the server.
    fn judge(
        &self,
        call: &Call<'_>,
        key: &str,
        context: &mut CallContext,
    ) -> Result<Decision, Box<Fault>> {
        let policy = &self.policy;
        let tool = if call.is_tool { policy.manifest.get(call.name) } else { None };
        let path = context.session.as_ref().map(|it| it.root.as_str());
        let root = path.and_then(|it| self.server().root(it));
        let (access, malformed) = match (tool, &root) {
            (Some(tool), Some(root)) => FileAccess::of(tool, call.arguments, root)
                .map_or_else(|it| (FileAccess::default(), Some(it)), |it| (it, None)),
            _ => (FileAccess::default(), None),
        };
        let only_reads = tool.map_or(!call.is_tool, crate::manifest::ToolPolicy::reads);
        let is_report = !only_reads
            && !access.paths.is_empty()
            && root
                .as_ref()
                .is_some_and(|it| it.are_all(&access.paths, |path| policy.rules.is_report(path)));
        let report = tool.filter(|_| is_report);
        let mut case = GuardedRequest {
            call,
            policy,
            sessions: &self.sessions,
            writes: &self.writes,
            key,
            tool,
            only_reads,
            report: report.map(|it| report::text(&policy.extras, call, it)),
            root,
            access,
            malformed,
            places: Vec::new(),
            context,
            write: None,
        };
        guards::judge(&mut case)?;
        let write = case.write.take();
        Ok(Decision::Pass(self.for_the_gate(call), write))
    }

    /// The places of the arguments that are for the gate, and not for the server.
    fn for_the_gate(&self, call: &Call<'_>) -> Vec<Range<usize>> {
        let server = self.server();
        let kept = server.kept.get(call.name).map(Vec::as_slice).unwrap_or_default();
        gate_argument::places(&self.policy.extras, kept, call)
    }

    /// A governed request succeeded. Returns the record of a report, if it was one.
    pub fn succeeded(&self, context: &CallContext) -> Option<String> {
        let (session, report) = (context.session.as_ref()?, context.report.as_ref()?);
        let place = report.place.clone();
        self.sessions().sessions.fold(SessionEvent::Reported { id: &session.id, place });
        let by = ReportedBy::File(&report.path);
        Some(report::record(&self.policy.server, &session.id, &report.place, by))
    }

    /// Whether a failure that is about to be recorded locks the session; if so, [`Self::locked`] follows.
    pub fn will_lock(&self, id: &str, code: &str) -> bool {
        self.policy.rules.locks(code) && self.sessions().sessions.will_lock(id)
    }

    /// Such a failure has that place in the ledger, or could not be recorded.
    pub fn locked(&self, id: &str, code: &str, seq: Option<u64>) {
        let mut store = self.sessions();
        let Some(seq) = seq else { return store.sessions.no_lock(id) };
        let place = RecordRef { chain: Arc::clone(&store.chain), seq };
        let lock = Lock { place, code: code.to_owned() };
        store.sessions.fold(SessionEvent::Locked { id, lock });
    }

    /// The tools of a page of the list, as this server serves them.
    pub fn tools(&self, listed: Value<'_>, is_first: bool) -> String {
        let page = tool_list::served(&self.policy.manifest, &self.policy.extras, listed, is_first);
        self.server().kept.extend(page.kept);
        for tool in page.unknown {
            if self.server().unserved.insert(tool.clone()) {
                (self.policy.say)(&format!(
                    "not served, since the contract does not say what it does:\n{}",
                    tool_lines(&tool, None)
                ));
            }
        }
        page.tools
    }

    /// Takes note of all tools of the server, and returns those that are not served. The operator hears of each of them once.
    pub fn take_tools(&self, tools: &[String]) -> Unserved {
        let list = format!("[{}]", tools.join(","));
        let limits = Limits { bytes: list.len(), ..Limits::DOCUMENT };
        let mut unserved = Unserved { all: tools.len(), ..Unserved::default() };
        let Ok(doc) = Doc::parse(list.as_bytes(), limits) else { return unserved };
        for tool in doc.root().elements() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            match self.policy.manifest.get(&name) {
                _ if is_own(&name) => unserved.hidden.push(text::strip(&name)),
                Some(known) if self.policy.manifest.is_served(&name, known) => (),
                Some(_) => unserved.eval.push(text::strip(&name)),
                None => {
                    unserved.unknown.push(tool_lines(&name, Some(tool)));
                    self.server().unserved.insert(name.into_owned());
                }
            }
        }
        // What it learns from a list that a client asks for, it learns from this one.
        self.tools(doc.root(), true);
        unserved
    }

    /// Whether commands must succeed after writes.
    pub fn has_preflights(&self) -> bool {
        self.writes.has_preflights()
    }

    /// From now on those commands are started by this launcher.
    pub fn launch_preflights_with(&self, launcher: Arc<dyn Launcher>) {
        self.writes.launch_with(launcher);
    }

    /// Has a write wait for its turn; `then` hears what comes of it, from another thread.
    pub fn begin_write(&self, job: Arc<Job>, then: OnReport) {
        self.writes.begin(job, then);
    }

    /// Waits until no write is on its way, but not longer than that.
    pub fn finish_writes(&self, patience: Duration) {
        self.writes.rest(patience);
    }

    /// Puts back the unchecked writes that killed gates left behind. Each of them is a failure to be recorded.
    pub fn recover_writes(&self) -> Vec<Fault> {
        self.writes.recover()
    }

    fn role_of(&self, caller: Principal) -> Option<String> {
        match caller {
            Principal::Process => self.policy.role.clone(),
            Principal::Token(token) => self.policy.callers.get(&token).cloned().flatten(),
            Principal::Anonymous => None,
        }
    }

    fn sessions(&self) -> MutexGuard<'_, SessionStore> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn server(&self) -> MutexGuard<'_, ServerState> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn anonymous() -> Box<Fault> {
    let mut fault = codes::AUTH_REQUIRED.raise([] as [(&str, &str); 0]);
    "Bring a bearer token of this gate: a governed server has no nameless callers."
        .clone_into(&mut fault.hint);
    Box::new(fault)
}
