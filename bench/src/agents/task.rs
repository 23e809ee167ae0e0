//! The tasks: what an agent wants, what it can do about a failure, and which end is right.

/// A tool and its arguments as JSON.
pub(super) type Call = (&'static str, &'static str);

/// How a task ends for its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It has what it wanted.
    Done,
    /// It asked a person.
    Asked,
    /// It gave up.
    Stopped,
}

/// What the model does when it knows that, and why, the call has to change.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mend {
    /// Nothing helps.
    None,
    /// This call in its place.
    Instead(Call),
    /// This call, then the same one.
    First(Call),
}

/// One thing that an agent wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    /// The server: the lab, or a public one.
    pub(super) server: &'static str,
    pub(super) call: Call,
    pub(super) mend: Mend,
    /// A call that tells whether the first one took effect, and what it says then.
    pub(super) look: Option<(Call, &'static str)>,
    /// Whether the agent knows that the call only reads.
    pub(super) only_reads: bool,
    /// Whether a person can help.
    pub(super) is_for_a_person: bool,
    /// The ends that are right, and the fewest calls that reach one.
    pub(super) right: &'static [End],
    pub(super) fewest: u64,
}

impl Task {
    /// Whether the first call fails: all but one do.
    pub(super) fn first_call_fails(&self) -> bool {
        self.fewest > 1 || self.right != DONE
    }
}

/// The name of the server that fails.
pub(super) const LAB: &str = "lab";

const DONE: &[End] = &[End::Done];
const LEFT: &[End] = &[End::Asked, End::Stopped];
const TOLD: &[End] = &[End::Done, End::Asked];

const fn task(call: Call, mend: Mend, right: &'static [End], fewest: u64) -> Task {
    Task {
        server: LAB,
        call,
        mend,
        look: None,
        only_reads: false,
        is_for_a_person: false,
        right,
        fewest,
    }
}

const fn reads(call: Call, mend: Mend, right: &'static [End], fewest: u64) -> Task {
    Task { only_reads: true, ..task(call, mend, right, fewest) }
}

const fn looks(call: Call, look: Call, says: &'static str) -> Task {
    Task { look: Some((look, says)), ..task(call, Mend::None, TOLD, 2) }
}

const fn asks(call: Call) -> Task {
    Task { is_for_a_person: true, ..task(call, Mend::None, DONE, 2) }
}

const fn of(server: &'static str, call: Call, mend: Mend, right: &'static [End]) -> Task {
    let fewest = match mend {
        Mend::None => 1,
        Mend::Instead(_) => 2,
        Mend::First(_) => 3,
    };
    Task { server, ..reads(call, mend, right, fewest) }
}

/// The tasks at the server that fails.
pub(super) const IN_THE_LAB: [Task; 23] = [
    reads(("search_orders", r#"{"query":"pen"}"#), Mend::None, DONE, 2),
    reads(("get_order", r#"{"id":7}"#), Mend::None, DONE, 2),
    reads(("list_rows", r#"{"table":"items"}"#), Mend::None, DONE, 2),
    reads(("stock", r#"{"item":"pen"}"#), Mend::None, DONE, 2),
    looks(("send_mail", r#"{"to":"ada@example.com","text":"hi"}"#), ("list_mail", "{}"), "1 sent"),
    looks(("charge_card", r#"{"amount":20}"#), ("list_charges", "{}"), "1 charge"),
    looks(("create_order", r#"{"item":"pen"}"#), ("list_new_orders", "{}"), "1 new"),
    Task {
        look: Some((("list_notes", "{}"), "1 note")),
        ..task(("save_note", r#"{"text":"buy ink"}"#), Mend::None, DONE, 2)
    },
    reads(
        ("read_file", r#"{"path":"src/mian.rs"}"#),
        Mend::Instead(("read_file", r#"{"path":"src/main.rs"}"#)),
        DONE,
        2,
    ),
    task(("resize", r#"{"width":"640"}"#), Mend::Instead(("resize", r#"{"width":640}"#)), DONE, 2),
    reads(("total_orders", "{}"), Mend::Instead(("count_orders", "{}")), DONE, 2),
    task(
        ("add_slide", r#"{"title":"One"}"#),
        Mend::First(("open_presentation", r#"{"path":"deck.pptx"}"#)),
        DONE,
        3,
    ),
    reads(
        ("run_query", r#"{"sql":"SELECT name FROM user"}"#),
        Mend::Instead(("run_query", r#"{"sql":"SELECT name FROM users"}"#)),
        DONE,
        2,
    ),
    reads(("read_log", r#"{"lines":2}"#), Mend::None, DONE, 1),
    task(("export", r#"{"format":"csv"}"#), Mend::None, LEFT, 1),
    asks(("deploy", r#"{"version":"1.2"}"#)),
    task(("delete_backup", r#"{"number":1}"#), Mend::None, LEFT, 1),
    task(
        ("edit_doc", r#"{"version":1,"text":"new"}"#),
        Mend::Instead(("edit_doc", r#"{"version":2,"text":"new"}"#)),
        DONE,
        2,
    ),
    task(
        ("create_user", r#"{"name":"ada"}"#),
        Mend::Instead(("create_user", r#"{"name":"ada2"}"#)),
        DONE,
        2,
    ),
    task(
        ("send_batch", r#"{"to":["ada@example.com","bob@example.com","carol"]}"#),
        Mend::Instead(("send_batch", r#"{"to":["carol@example.com"]}"#)),
        DONE,
        2,
    ),
    reads(("read_secret", r#"{"path":"/etc/secret"}"#), Mend::None, LEFT, 1),
    asks(("weather", r#"{"city":"Bern"}"#)),
    task(("run_step", r#"{"step":1}"#), Mend::First(("start_session", "{}")), DONE, 3),
];

/// The tasks at the public servers of `tests/servers`.
pub(super) const IN_PUBLIC: [Task; 14] = [
    of(
        "filesystem",
        ("read_text_file", r#"{"path":"b.txt"}"#),
        Mend::Instead(("read_text_file", r#"{"path":"a.txt"}"#)),
        DONE,
    ),
    of(
        "filesystem",
        ("edit_file", r#"{"path":"a.txt","edits":[{"oldText":"three","newText":"four"}]}"#),
        Mend::Instead((
            "edit_file",
            r#"{"path":"a.txt","edits":[{"oldText":"one","newText":"four"}]}"#,
        )),
        DONE,
    ),
    of(
        "filesystem",
        ("write_file", r#"{"path":"new/b.txt","content":"x"}"#),
        Mend::First(("create_directory", r#"{"path":"new"}"#)),
        DONE,
    ),
    of("filesystem", ("read_text_file", r#"{"path":"/etc/hostname"}"#), Mend::None, LEFT),
    of(
        "filesystem",
        ("list_directory", r#"{"folder":"."}"#),
        Mend::Instead(("list_directory", r#"{"path":"."}"#)),
        DONE,
    ),
    of(
        "memory",
        ("add_observations", r#"{"observations":[{"entityName":"ada","contents":["writes"]}]}"#),
        Mend::First((
            "create_entities",
            r#"{"entities":[{"name":"ada","entityType":"person","observations":[]}]}"#,
        )),
        DONE,
    ),
    of(
        "git",
        ("git_checkout", r#"{"repo_path":"repository","branch_name":"next"}"#),
        Mend::First(("git_create_branch", r#"{"repo_path":"repository","branch_name":"next"}"#)),
        DONE,
    ),
    of(
        "git",
        ("git_add", r#"{"repo_path":"repository","files":["b.txt"]}"#),
        Mend::Instead(("git_add", r#"{"repo_path":"repository","files":["a.txt"]}"#)),
        DONE,
    ),
    of(
        "git",
        ("git_log", r#"{"repo_path":"files"}"#),
        Mend::Instead(("git_log", r#"{"repo_path":"repository"}"#)),
        DONE,
    ),
    of(
        "time",
        ("get_current_time", r#"{"timezone":"Europe/Berne"}"#),
        Mend::Instead(("get_current_time", r#"{"timezone":"Europe/Zurich"}"#)),
        DONE,
    ),
    of(
        "time",
        (
            "convert_time",
            r#"{"source_timezone":"UTC","time":"noon","target_timezone":"Asia/Tokyo"}"#,
        ),
        Mend::Instead((
            "convert_time",
            r#"{"source_timezone":"UTC","time":"12:00","target_timezone":"Asia/Tokyo"}"#,
        )),
        DONE,
    ),
    of("fetch", ("fetch", r#"{"url":"http://127.0.0.1:9/"}"#), Mend::None, LEFT),
    of(
        "everything",
        ("ecco", r#"{"message":"hi"}"#),
        Mend::Instead(("echo", r#"{"message":"hi"}"#)),
        DONE,
    ),
    of("postgres", ("query", r#"{"sql":"SELECT 1"}"#), Mend::None, LEFT),
];
