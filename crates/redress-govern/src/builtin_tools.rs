//! The tools that the gate itself offers where it governs.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redress::{Fault, codes, text};
use redress_ledger::{Query, tail};
use redress_wire::json::{Members, Value, write_str};

use crate::{
    argument,
    call::{Call, CallContext, Principal},
    hash::{root_hash, uuid},
    policy::Policy,
    report::{self, ReportedBy},
    root::Root,
    server_state::ServerState,
    session::{GovernedSession, SessionEvent, not_begun, not_named},
    session_store::{SessionStore, process_key},
};

/// Names and definitions.
pub(crate) const TOOLS: &[(&str, &str)] = &[
    (
        "begin_session",
        r#"{"name":"begin_session","description":"Begin a governed session in one workspace. Everything else needs it first; the root cannot change afterwards.","inputSchema":{"type":"object","properties":{"workspace_root":{"type":"string","description":"The absolute path of an existing directory."}},"required":["workspace_root"]},"annotations":{"idempotentHint":true}}"#,
    ),
    (
        "session_status",
        r#"{"name":"session_status","description":"Say whether a session has begun, in which workspace and role, and which failure locks it.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}"#,
    ),
    (
        "submit_failure_report",
        r#"{"name":"submit_failure_report","description":"Report the failure that locks the session, which unlocks it.","inputSchema":{"type":"object","properties":{"ledger_seq":{"type":"integer","description":"The ledger record of the failure, as session_status gives it."},"report":{"type":"string","description":"What failed, why, and what follows from it."}},"required":["ledger_seq","report"]}}"#,
    ),
    (
        "list_plans",
        r#"{"name":"list_plans","description":"List the approved plans with their hashes and scopes, and the files that cannot be used as plans.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}"#,
    ),
    (
        "read_ledger",
        r#"{"name":"read_ledger","description":"Read the newest records of this session.","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":50}}},"annotations":{"readOnlyHint":true}}"#,
    ),
];

/// What a workspace has to be.
const DIRECTORY: &str = "Give the absolute path of an existing directory as workspace_root.";

/// The most records that are read at once.
const MOST_RECORDS: u64 = 50;

/// Whether a tool is one of the gate's own.
pub fn is_own(tool: &str) -> bool {
    TOOLS.iter().any(|it| it.0 == tool)
}

/// Their names.
pub(crate) fn names<'n>() -> impl Iterator<Item = &'n str> {
    TOOLS.iter().map(|it| it.0)
}

/// The answer to a call of one of them.
pub(crate) struct BuiltinAnswer {
    /// The result of the call.
    pub(crate) result: String,
    /// The record of what it changed.
    pub(crate) record: Option<String>,
}

/// Answers calls of the gate's own tools.
pub(crate) struct BuiltinTools<'g> {
    pub(crate) policy: &'g Policy,
    /// Paths that no workspace may hold.
    pub(crate) apart: Option<&'g BTreeSet<PathBuf>>,
    pub(crate) server: &'g Mutex<ServerState>,
}

impl BuiltinTools<'_> {
    /// Answers a call.
    pub(crate) fn answer(
        &self,
        call: &Call<'_>,
        key: &str,
        context: &mut CallContext,
        mut store: MutexGuard<'_, SessionStore>,
    ) -> Result<BuiltinAnswer, Box<Fault>> {
        if matches!(call.name, "begin_session" | "session_status") {
            store.catch_up(self.policy);
        }
        match call.name {
            "begin_session" => self.begin(call, key, context, &mut store),
            "session_status" => {
                let session = store.sessions.of(key).map(|it| &**it);
                Ok(answer(&status(session, context.role.as_deref())))
            }
            "submit_failure_report" => self.report(call, key, context.role.as_deref(), &mut store),
            "list_plans" => {
                let root = self.root(&store, key).ok_or_else(|| not_begun_yet(call.name))?;
                drop(store);
                Ok(answer(&self.policy.plans.listed(&root)))
            }
            _ => {
                let session = store.sessions.of(key).cloned();
                // The ledger takes time to read: other callers do not wait for it.
                drop(store);
                let session = session.ok_or_else(|| not_begun_yet(call.name))?;
                let most = optional(call, "limit", "integer", Value::as_u64)?;
                Ok(answer(&self.records(&session, most.unwrap_or(20))))
            }
        }
    }

    fn root(&self, store: &SessionStore, key: &str) -> Option<Arc<Root>> {
        let path = &store.sessions.of(key)?.root;
        self.server.lock().unwrap_or_else(PoisonError::into_inner).root(path)
    }

    fn begin(
        &self,
        call: &Call<'_>,
        key: &str,
        context: &mut CallContext,
        store: &mut SessionStore,
    ) -> Result<BuiltinAnswer, Box<Fault>> {
        let given = required(call, "workspace_root", "string", Value::as_str);
        let given = given.map_err(|it| not_named(*it, DIRECTORY.to_owned()))?;
        let root = usable(&given).map_err(|it| {
            not_begun(&given, it, format!("This one cannot be used: {it}. {DIRECTORY}"))
        })?;
        if let Some(served) = self.policy.root.as_deref().and_then(|it| it.canonicalize().ok())
            && served.to_str() != Some(&root)
        {
            let served = text::quote(&served.to_string_lossy(), 160);
            let hint = format!("Begin in {served}, the one directory that this gate serves.");
            return Err(not_begun(&given, "this gate serves another directory", hint));
        }
        if self.apart.into_iter().flatten().any(|it| it.starts_with(&root)) {
            let hint = "Begin in a directory that does not hold the gate's own files (its ledger, keys and configuration), such as one below it.".to_owned();
            return Err(not_begun(&given, "this gate keeps its own files there", hint));
        }
        let is_new_process = call.caller == Principal::Process && store.of_process.is_none();
        let of_root = process_key(&root);
        let key = if is_new_process { of_root.as_str() } else { key };
        store.find_root(key, &root);
        let known = store.sessions.may_begin(key, &root)?.cloned();
        let is_new = known.is_none();
        let session =
            known.unwrap_or_else(|| GovernedSession::new(uuid(), root, context.role.clone()));
        if is_new_process {
            store.of_process = Some(key.to_owned());
        }
        let record = is_new.then(|| self.begun(key, &session));
        if is_new {
            let session = session.clone();
            store.sessions.fold(SessionEvent::Begun { caller: key, session });
        }
        let result = status(Some(&session), context.role.as_deref());
        context.session = Some(Arc::new(session));
        Ok(BuiltinAnswer { result: as_result(&result), record })
    }

    fn begun(&self, caller: &str, session: &GovernedSession) -> String {
        let mut object = String::new();
        let mut members = Members::open(&mut object);
        members.str("event", "begun").str("server", &self.policy.server).str("caller", caller);
        members.str("session_id", &session.id).str("workspace_root", &session.root);
        members.str("root_hash", &root_hash(&session.root));
        members.opt_str("role", session.role.as_deref());
        members.close();
        object
    }

    fn report(
        &self,
        call: &Call<'_>,
        key: &str,
        role: Option<&str>,
        store: &mut SessionStore,
    ) -> Result<BuiltinAnswer, Box<Fault>> {
        let seq = required(call, "ledger_seq", "integer", Value::as_u64)?;
        let report = required(call, "report", "string", Value::as_str)?;
        let (session, lock) = store.sessions.may_report(key, seq, &report)?;
        let (id, place) = (session.id.clone(), lock.place.clone());
        let record = report::record(&self.policy.server, &id, &place, ReportedBy::Tool(&report));
        store.sessions.fold(SessionEvent::Reported { id: &id, place });
        let session = store.sessions.of(key).map(|it| &**it);
        let result = as_result(&status(session, role));
        Ok(BuiltinAnswer { result, record: Some(record) })
    }

    /// The newest records of a session, without what only the operator sees.
    fn records(&self, session: &GovernedSession, most: u64) -> String {
        let most = usize::try_from(most.min(MOST_RECORDS)).unwrap_or(1);
        let query = Query { session: Some(session.id.clone()), ..Query::default() };
        let entries = tail(&[&self.policy.ledger], most, &query, &mut |_| ());
        let mut records = String::from("[");
        for entry in &entries {
            if records.len() > 1 {
                records.push(',');
            }
            let mut members = Members::open(&mut records);
            members.int("seq", entry.seq).str("time", &entry.time.to_string());
            members.str("kind", entry.kind.name());
            if let Some(object) = entry.with(|it| it.raw().to_owned()) {
                members.raw(entry.kind.name(), &object);
            }
            members.close();
        }
        records.push(']');
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.raw("records", &records);
        members.close();
        out
    }
}

/// An argument that has to be there.
fn required<'c, T>(
    call: &Call<'c>,
    name: &str,
    expected: &str,
    read: impl Fn(Value<'c>) -> Option<T>,
) -> Result<T, Box<Fault>> {
    let missing = || Box::new(argument::missing(&format!("/{name}")));
    optional(call, name, expected, read)?.ok_or_else(missing)
}

/// An argument that may be left out.
fn optional<'c, T>(
    call: &Call<'c>,
    name: &str,
    expected: &str,
    read: impl Fn(Value<'c>) -> Option<T>,
) -> Result<Option<T>, Box<Fault>> {
    let given = call.arguments.and_then(|it| it.get(name)).filter(|it| !it.is_null());
    let other = || Box::new(argument::mistyped(&format!("/{name}"), expected));
    given.map(|it| read(it).ok_or_else(other)).transpose()
}

/// A directory that exists, without links.
fn usable(given: &str) -> Result<String, &'static str> {
    let path = Path::new(given);
    if !path.is_absolute() {
        return Err("not an absolute path");
    }
    let path = path.canonicalize().map_err(|_why| "no such directory")?;
    Root::open(&path).map_err(|_why| "no directory that can be confined")?;
    path.to_str().map(str::to_owned).ok_or("its name is no text")
}

fn not_begun_yet(tool: &str) -> Box<Fault> {
    Box::new(codes::SESSION_NOT_INITIALIZED.raise([("tool", tool)]))
}

/// A session as its caller sees it.
fn status(session: Option<&GovernedSession>, role: Option<&str>) -> String {
    let state = match session {
        None => "NOT_INITIALIZED",
        Some(session) if session.lock().is_some() => "SESSION_LOCKED",
        Some(_) => "SESSION_INITIALIZED",
    };
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.str("status", state).str_or_null("role", role);
    members.str_or_null("session_id", session.map(|it| it.id.as_str()));
    members.str_or_null("workspace_root", session.map(|it| it.root.as_str()));
    if let Some(lock) = session.and_then(GovernedSession::lock) {
        let mut inner = Members::open(members.key("locked_by"));
        inner.str("code", &lock.code).int("ledger_seq", lock.place.seq);
        inner.close();
    }
    members.close();
    out
}

fn answer(object: &str) -> BuiltinAnswer {
    BuiltinAnswer { result: as_result(object), record: None }
}

/// The result of a call: an object, and the same as text.
fn as_result(object: &str) -> String {
    let mut text = String::new();
    write_str(&mut text, object);
    format!(r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{object}}}"#)
}
