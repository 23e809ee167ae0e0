//! `Tasks`: what is known of the tasks that an upstream has begun, and the failures that their states carry.

use indexmap::IndexMap;
use redress::{
    Stated,
    classify::{Failure, is_suspect},
    outcome::What,
};
use redress_wire::json::{Doc, Kind, RawJson, Value};
use rustc_hash::FxBuildHasher;

use super::{
    Context, Session,
    client::new_exchange,
    emission::{make_template, push_fault, stamp_of},
    interface::{Actions, MessageSource},
    rewrite::{apply_to_line, rewrite_state},
    routing::{route_of, write_routed},
    stray_output::note_stray,
    verdict::{tool_of, verdict, with_own_parts},
};
use crate::{
    answer::{CallResult, ambiguous_state},
    exchange::{Exchange, Method},
    fault_template::Rewrite,
    frame::{Frame, limits},
    moment::Moment,
    outgoing::{ReplyToken, Sender},
    pending_fault::{Recipient, ReplyBody, ReplyTo},
    settings::Mode,
    upstream_id::UpstreamId,
};

/// The most tasks that are known. Then the oldest of the client that has the most is forgotten: a client that begins many loses
/// only its own.
pub(super) const MOST: usize = 4096;

/// The longest id of a task that is kept.
const LONGEST_ID: usize = 1 << 10;

/// Where a state has words of its own: the protocol's place for them, and one where some servers put them.
pub(super) const WORDS: [&str; 2] = ["statusMessage", "error"];

/// The tasks of an upstream.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    by_id: IndexMap<Box<str>, Task, FxBuildHasher>,
    /// Whether one was forgotten.
    has_forgotten: bool,
}

/// One task.
#[derive(Debug)]
pub(super) struct Task {
    /// Whose it is.
    pub(super) client: u64,
    /// The tool that was called.
    pub(super) tool: Option<Box<str>>,
    /// The request that began it, and its client's token for progress.
    progress: Option<(UpstreamId, Box<str>)>,
}

impl Tasks {
    /// The task of that id.
    pub(super) fn get(&self, id: &str) -> Option<&Task> {
        self.by_id.get(id)
    }

    /// Whether a task is a client's own.
    pub(super) fn is_of(&self, id: &str, client: u64) -> bool {
        self.get(id).is_some_and(|it| it.client == client)
    }

    /// The client of a task by the progress id of the gate, and the client's token for it.
    pub(super) fn progress(&self, ours: UpstreamId) -> Option<(u64, &str)> {
        self.by_id.values().find_map(|it| {
            let (id, token) = it.progress.as_ref()?;
            (*id == ours).then_some((it.client, &**token))
        })
    }

    /// Whether no client here can have begun a task: it is unknown, and none was forgotten.
    pub(super) fn is_of_nobody(&self, id: &str) -> bool {
        !self.has_forgotten && self.get(id).is_none()
    }

    /// Forgets everything: a new process may use the same ids for other tasks.
    pub(super) fn forget(&mut self) {
        self.has_forgotten |= !self.by_id.is_empty();
        self.by_id.clear();
    }

    /// Keeps the task that a call has begun, if it has. It belongs to the client that got its id last.
    pub(super) fn learn(&mut self, ours: UpstreamId, exchange: &Exchange, result: Value<'_>) {
        let task = result.get("task").unwrap_or(result);
        let Some(id) = task.get("taskId").and_then(Value::as_str) else { return };
        if id.len() > LONGEST_ID {
            self.has_forgotten = true;
            return;
        }
        if self.by_id.len() >= MOST && !self.by_id.contains_key(&*id) {
            self.forget_one();
        }
        let token = exchange.request.token();
        let task = Task {
            client: exchange.from.client,
            tool: exchange.request.tool().map(Into::into),
            progress: token.map(|it| (ours, it.into())),
        };
        self.by_id.insert(id.into(), task);
    }

    /// Forgets the oldest task of the client that has the most.
    fn forget_one(&mut self) {
        let mut counts = IndexMap::<u64, usize, FxBuildHasher>::default();
        for task in self.by_id.values() {
            *counts.entry(task.client).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|it| it.1).map(|it| it.0);
        let oldest = self.by_id.values().position(|it| Some(it.client) == most);
        if let Some(oldest) = oldest {
            self.by_id.shift_remove_index(oldest);
            self.has_forgotten = true;
        }
    }
}

/// The upstream tells of a task by itself, and that is a failure: it is recorded first.
pub(super) fn task_failed(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    source: MessageSource,
    actions: &mut Actions,
) -> bool {
    let is_observed = session.server.settings.mode == Mode::Observe;
    if let Some(reason) = frame.params.and_then(ambiguous_state).filter(|_| !is_observed) {
        note_stray(session, line, reason, actions);
        return true;
    }
    if frame.params.and_then(failed).is_none() {
        return false;
    }
    let Some(route) = route_of(session, frame, source) else { return true };
    let mut text = Vec::new();
    write_routed(line, &route, &mut text);
    text.pop();
    let Ok(doc) = Doc::parse(&text, limits(usize::MAX)) else { return false };
    let Ok(frame) = Frame::of(&doc) else { return false };
    let Some(params) = frame.params else { return false };
    let (Some(inner), now) = (failed(params), actions.now) else { return false };
    let exchange = new_exchange(session, &frame, Sender::default(), now.at);
    let Some(failure) = verdict_of_state(session.context(), &exchange, params, now) else {
        return false;
    };
    let failure = with_own_parts(failure, params.get("result"), line);
    let is_rewritten = session.server.settings.mode == Mode::Enforce && failure.certain;
    let form = match session.server.settings.mode {
        Mode::Observe => ReplyBody::AsItIs(text.clone()),
        _ => match rewrite_state(session.context(), params, 0, is_rewritten) {
            Rewrite::Made => ReplyBody::AsItIs(text.clone()),
            rewrite => apply_to_line(rewrite, text.clone(), 0),
        },
    };
    let tool = tool_of(session.context(), &exchange.request);
    let template = make_template(session.context(), failure.fault, (tool, inner.meta()));
    let to = ReplyTo::new(Recipient::Notified(route.to), ReplyToken(0));
    push_fault(
        session.context(),
        template,
        stamp_of(session.context(), None, now),
        (to, form),
        actions,
    );
    true
}

/// Whether the state of a task is a failure, and which. It is built like a message, with a result or an error; one
/// of revision 2025-11-25 has only words.
pub(super) fn verdict_of_state(
    cx: Context<'_>,
    exchange: &Exchange,
    state: Value<'_>,
    now: Moment,
) -> Option<Box<Failure>> {
    let Some(TaskFailure::State(_)) = failed(state) else {
        return verdict(cx, exchange, What::Answer(state), now);
    };
    let words = WORDS.iter().filter_map(|it| state.get(it));
    let words = words.into_iter().find(|it| it.kind() == Kind::String);
    let message = format!(r#"{{"error":{{"message":{}}}}}"#, words.map_or("\"\"", Value::raw));
    let doc = Doc::parse(message.as_bytes(), limits(message.len())).ok()?;
    let mut failure = verdict(cx, exchange, What::Answer(doc.root()), now)?;
    Stated::scan(state.raw().as_bytes()).limit(&mut failure.fault);
    Some(failure)
}

/// The failure that the state of a task carries.
#[derive(Debug, Clone, Copy)]
pub(super) enum TaskFailure<'d> {
    /// The result of its call.
    Result(Value<'d>),
    /// The error that ended it.
    Error(Value<'d>),
    /// Nothing but the state itself.
    State(Value<'d>),
}

impl TaskFailure<'_> {
    /// The `_meta` of a result.
    pub(super) fn meta(self) -> Option<RawJson> {
        let Self::Result(result) = self else { return None };
        result.get("_meta").filter(|it| it.kind() == Kind::Object).map(RawJson::from)
    }
}

/// What a task ended with, if that is, or may be, a failure. A wish for input is none.
pub(super) fn failed(state: Value<'_>) -> Option<TaskFailure<'_>> {
    let status = state.get("status")?;
    if status.is_str("failed") {
        let error = state.get("error").filter(|it| it.kind() == Kind::Object);
        return Some(error.map_or(TaskFailure::State(state), TaskFailure::Error));
    }
    let result = state.get("result").filter(|_| status.is_str("completed"))?;
    is_failed(result).then_some(TaskFailure::Result(result))
}

/// The object in the state of a task that failed where its server states an envelope.
pub(super) fn stated_in_state(state: Value<'_>) -> Option<Value<'_>> {
    match failed(state)? {
        TaskFailure::Result(result) => result.get("_meta"),
        TaskFailure::Error(error) => error.get("data"),
        TaskFailure::State(state) => state.get("_meta"),
    }
}

/// Whether the result of a call that went on as a task is, or may be, a failure.
pub(super) fn is_failed(result: Value<'_>) -> bool {
    match CallResult::of(result) {
        CallResult::Unflagged | CallResult::Task => {
            is_suspect(result, redress_registry::shipped::core())
        }
        // Whether it is one, a closer look says.
        CallResult::Failed | CallResult::Broken(_) => true,
    }
}

/// The failure that an answer to a question about a task carries.
pub(super) fn inner(method: Method, payload: Value<'_>) -> Option<TaskFailure<'_>> {
    (method == Method::TaskState).then(|| failed(payload)).flatten()
}

/// Whether a notification tells of a task.
pub(super) fn is_of_task(method: &str) -> bool {
    matches!(method, "notifications/tasks" | "notifications/tasks/status")
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::{LONGEST_ID, MOST, Tasks};
    use crate::{exchange::tests::asked_by, upstream_id::UpstreamId};

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{"progressToken":"p"}}}"#;

    /// The tasks, after a client's call has begun one.
    fn begin(tasks: &mut Tasks, client: u64, id: &str) {
        let result = format!(r#"{{"task":{{"taskId":"{id}"}}}}"#);
        let doc = Doc::parse(result.as_bytes(), Limits::DOCUMENT).unwrap();
        tasks.learn(UpstreamId::from_number(client), &asked_by(client, CALL), doc.root());
    }

    #[test]
    fn a_task_belongs_to_the_client_that_got_its_id_last() {
        let mut tasks = Tasks::default();
        begin(&mut tasks, 1, "t");
        assert!(tasks.is_of("t", 1) && !tasks.is_of("t", 2));
        assert_eq!(tasks.get("t").and_then(|it| it.tool.as_deref()), Some("read"));
        begin(&mut tasks, 2, "t");
        assert!(tasks.is_of("t", 2) && !tasks.is_of("t", 1));
    }

    #[test]
    fn progress_of_a_task_names_its_client_and_token() {
        let mut tasks = Tasks::default();
        begin(&mut tasks, 5, "t");
        assert_eq!(tasks.progress(UpstreamId::from_number(5)), Some((5, r#""p""#)));
        assert_eq!(tasks.progress(UpstreamId::from_number(6)), None);
    }

    #[test]
    fn a_result_without_an_id_begins_no_task() {
        let mut tasks = Tasks::default();
        let doc = Doc::parse(br#"{"task":{"taskId":7}}"#, Limits::DOCUMENT).unwrap();
        tasks.learn(UpstreamId::from_number(1), &asked_by(1, CALL), doc.root());
        assert!(tasks.is_of_nobody("7"));
    }

    #[test]
    fn an_unknown_task_may_be_of_a_client_once_one_is_forgotten() {
        let mut tasks = Tasks::default();
        tasks.forget();
        assert!(tasks.is_of_nobody("t"), "there was none to forget");
        begin(&mut tasks, 1, "t");
        assert!(!tasks.is_of_nobody("t") && tasks.is_of_nobody("u"));
        tasks.forget();
        assert!(!tasks.is_of("t", 1));
        assert!(!tasks.is_of_nobody("u"), "it may be the one that was forgotten");

        let mut tasks = Tasks::default();
        begin(&mut tasks, 1, &"x".repeat(LONGEST_ID + 1));
        assert!(!tasks.is_of_nobody("u"), "a long id is not kept");
    }

    #[test]
    fn the_client_with_the_most_tasks_loses_its_oldest() {
        let mut tasks = Tasks::default();
        begin(&mut tasks, 2, "of 2");
        for number in 1..MOST {
            begin(&mut tasks, 1, &number.to_string());
        }
        begin(&mut tasks, 2, "also of 2");
        assert!(tasks.is_of("of 2", 2) && tasks.is_of("also of 2", 2));
        assert!(!tasks.is_of("1", 1), "the oldest of the client that has the most");
        assert!(tasks.is_of("2", 1));
    }
}
