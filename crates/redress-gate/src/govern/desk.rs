//! The tools that the gate itself offers where it governs.

use std::path::Path;

use redress::{
    Fault, codes,
    json::{Members, Value, write_str},
};
use redress_govern::session::{Event, Session, not_begun};
use redress_ledger::{Query, tail};

use super::{Call, Caller, Governed, Governor, Ruling, State, process_key, root::Root, root_hash};

/// Names and definitions.
pub(super) const TOOLS: &[(&str, &str)] = &[
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

/// The fewest characters of a report: a number alone is none.
const LEAST_CHARS: usize = 20;

/// The most records that are read at once.
const MOST_RECORDS: u64 = 50;

/// Whether a tool is one of the gate's own.
pub(crate) fn is_own(tool: &str) -> bool {
    TOOLS.iter().any(|it| it.0 == tool)
}

impl Governor {
    /// Answers a call of one of the gate's own tools.
    pub(super) fn answer(
        &self,
        call: &Call<'_>,
        key: &str,
        governed: &mut Governed,
        state: &mut State,
    ) -> Result<Ruling, Box<Fault>> {
        match call.name {
            "begin_session" => self.begin(call, key, governed, state),
            "session_status" => {
                Ok(answer(&status(state.sessions.of(key), governed.role.as_deref())))
            }
            "submit_failure_report" => self.report(call, key, state),
            "list_plans" => {
                let root = state.root(key).ok_or_else(|| not_begun_yet(call.name))?;
                Ok(answer(&self.policy.plans.listed(&root)))
            }
            _ => {
                let session = state.sessions.of(key).ok_or_else(|| not_begun_yet(call.name))?;
                Ok(answer(&self.records(session, call.arguments)))
            }
        }
    }

    fn begin(
        &self,
        call: &Call<'_>,
        key: &str,
        governed: &mut Governed,
        state: &mut State,
    ) -> Result<Ruling, Box<Fault>> {
        let given = call.arguments.and_then(|it| it.get("workspace_root")).and_then(Value::as_str);
        let given = given.unwrap_or_default();
        let root = usable(&given).map_err(|it| not_begun(&given, &it))?;
        let is_other = |it: &Path| it.canonicalize().is_ok_and(|it| it.to_str() != Some(&root));
        if self.policy.root.as_deref().is_some_and(is_other) {
            return Err(not_begun(&given, "this gate serves another directory"));
        }
        if self.apart.get().into_iter().flatten().any(|it| it.starts_with(&root)) {
            return Err(not_begun(&given, "this gate keeps its own files there"));
        }
        let is_new_process = call.caller == Caller::Process && state.of_process.is_none();
        let of_root = process_key(&root);
        let key = if is_new_process { of_root.as_str() } else { key };
        state.find_root(key, &root);
        let known = state.sessions.may_begin(key, &root)?.cloned();
        let is_new = known.is_none();
        let session = known.unwrap_or_else(|| Session {
            id: uuid(),
            root,
            role: governed.role.clone(),
            lock: None,
        });
        if is_new_process {
            state.of_process = Some(key.to_owned());
        }
        let record = is_new.then(|| self.begun(key, &session));
        if is_new {
            let session = session.clone();
            state.sessions.fold(Event::Begun { caller: key, session });
        }
        let result = status(Some(&session), governed.role.as_deref());
        governed.session = Some(session);
        Ok(Ruling::Answer { result: as_result(&result), record })
    }

    fn begun(&self, caller: &str, session: &Session) -> String {
        let mut object = String::new();
        let mut members = Members::open(&mut object);
        members.str("event", "begun").str("server", &self.policy.server).str("caller", caller);
        members.str("session_id", &session.id).str("workspace_root", &session.root);
        members.str("root_hash", &root_hash(&session.root));
        members.opt_str("role", session.role.as_deref());
        members.close();
        object
    }

    fn report(&self, call: &Call<'_>, key: &str, state: &mut State) -> Result<Ruling, Box<Fault>> {
        let argument = |name: &str| call.arguments.and_then(|it| it.get(name));
        let seq = argument("ledger_seq").and_then(Value::as_u64);
        let report = argument("report").and_then(Value::as_str);
        let missing =
            |field: &str| Box::new(codes::MISSING_REQUIRED_FIELD.raise([("field", field)]));
        let seq = seq.ok_or_else(|| missing("/ledger_seq"))?;
        let report = report.ok_or_else(|| missing("/report"))?;
        let session = state.sessions.may_report(key, seq)?.clone();
        if report.trim().chars().count() < LEAST_CHARS {
            let mut fault = codes::INVALID_INPUT_VALUE.raise([("field", "/report")]);
            fault.hint = format!(
                "Say in at least {LEAST_CHARS} characters what failed, why, and what follows from it."
            );
            return Err(Box::new(fault));
        }
        state.sessions.fold(Event::Reported { id: &session.id, seq });
        let mut record = self.reported(&session.id, seq, "tool");
        record.pop();
        record.push_str(",\"report\":");
        write_str(&mut record, &report);
        record.push('}');
        let unlocked = Session { lock: None, ..session };
        let result = as_result(&status(Some(&unlocked), unlocked.role.as_deref()));
        Ok(Ruling::Answer { result, record: Some(record) })
    }

    /// The newest records of a session, without what only the operator sees.
    fn records(&self, session: &Session, arguments: Option<Value<'_>>) -> String {
        let limit = arguments.and_then(|it| it.get("limit")).and_then(Value::as_u64);
        let most = usize::try_from(limit.unwrap_or(20).min(MOST_RECORDS)).unwrap_or(1);
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

/// A directory that exists, without links.
fn usable(given: &str) -> Result<String, String> {
    let path = Path::new(given);
    if !path.is_absolute() {
        return Err("not an absolute path".to_owned());
    }
    let path = path.canonicalize().map_err(|_why| "no such directory".to_owned())?;
    Root::open(&path).map_err(|_why| "no directory that can be confined".to_owned())?;
    path.to_str().map(str::to_owned).ok_or_else(|| "its name is no text".to_owned())
}

impl State {
    /// Of a session whose root the ledger could not tell, the caller says it again.
    fn find_root(&mut self, key: &str, root: &str) {
        if let Some(session) = self.sessions.of(key).filter(|it| it.root == root_hash(root)) {
            let session = Session { root: root.to_owned(), ..session.clone() };
            self.sessions.fold(Event::Begun { caller: key, session });
        }
    }
}

fn not_begun_yet(tool: &str) -> Box<Fault> {
    Box::new(codes::SESSION_NOT_INITIALIZED.raise([("tool", tool)]))
}

/// A session as its caller sees it.
fn status(session: Option<&Session>, role: Option<&str>) -> String {
    let state = match session {
        None => "NOT_INITIALIZED",
        Some(Session { lock: Some(_), .. }) => "SESSION_LOCKED",
        Some(_) => "SESSION_INITIALIZED",
    };
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.str("status", state).str_or_null("role", role);
    members.str_or_null("session_id", session.map(|it| it.id.as_str()));
    members.str_or_null("workspace_root", session.map(|it| it.root.as_str()));
    if let Some(lock) = session.and_then(|it| it.lock.as_ref()) {
        let mut inner = Members::open(members.key("locked_by"));
        inner.str("code", &lock.code).int("ledger_seq", lock.seq);
        inner.close();
    }
    members.close();
    out
}

fn answer(object: &str) -> Ruling {
    Ruling::Answer { result: as_result(object), record: None }
}

/// The result of a call: an object, and the same as text.
fn as_result(object: &str) -> String {
    let mut text = String::new();
    write_str(&mut text, object);
    format!(r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{object}}}"#)
}

/// A random UUID, version 4.
pub(super) fn uuid() -> String {
    let mut bytes = [0_u8; 16];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|it| !it.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty()).unwrap_or(0);
    }
    let number = u128::from_be_bytes(bytes);
    let number = number & !(0xf << 76) | 4 << 76;
    let number = number & !(0b11 << 62) | 0b10 << 62;
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}
