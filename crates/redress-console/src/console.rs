//! `Console`: answers a request for a page, its CSV or JSON, or an event, from the index.

use std::{
    fmt,
    hash::{Hash as _, Hasher as _},
    io,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
        SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
    },
};
use maud::{Markup, html};
use redress::Lookup;
use redress_ledger::{Checked, Evidence};
use redress_registry::{Registry, taught::Taught};
use rustc_hash::FxHasher;

use crate::{
    BASE,
    access::{Access, Grant, Right, is_own_page},
    address::Pairs,
    filter::{Filter, FilterError},
    index::{Follower, Index, Mark, Shared},
    page::{self, Frame, PAGES, list, shown},
    server_state::ServerState,
    view::{self, Listed, check, failure, failures, ledger, now, runs, unnamed},
};

/// What nothing on a page may do but load our own style and script.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const ONLY_READS: &str = "You may only read here. `redress console --write`, or in `redress serve` a token of a caller with `console_write`, lets you change something.";

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// How many rows a CSV or JSON of all pages has at most.
const MOST_ROWS: usize = 10_000;

/// Writes a mark into the ledger of a directory.
pub type Writer = Box<dyn Fn(&std::path::Path, Checked) -> Result<(), String> + Send + Sync>;

/// Adds a row to the contract of a server. Gives the name of its file.
pub type Teacher = Box<dyn Fn(Taught) -> Result<String, String> + Send + Sync>;

/// What a console is made of.
pub struct Options {
    /// Gives the ledgers that are there now.
    pub ledgers: Arc<dyn Fn() -> Vec<PathBuf> + Send + Sync>,
    /// Tells the time, in milliseconds since 1970.
    pub clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// The contracts whose codes are explained, and whose tools are known to be read-only.
    pub contracts: Vec<Arc<Registry>>,
    /// Writes marks, if the console may.
    pub writer: Option<Writer>,
    /// Adds rows to a contract, if the console may.
    pub teacher: Option<Teacher>,
    /// Tells the state of each server, if servers are served here.
    pub servers: Option<Box<dyn Fn() -> Vec<ServerState> + Send + Sync>>,
    /// The address of a trace, with `{trace}` for its id.
    pub trace_link: Option<String>,
    /// What ledgers are verified against.
    pub evidence: Evidence,
    /// The name under which failures are marked as checked.
    pub person: String,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("person", &self.person).finish_non_exhaustive()
    }
}

/// The console of some ledgers.
pub struct Console {
    options: Options,
    lookup: Lookup,
    access: Access,
    verification: ledger::Verification,
    index: Arc<Shared>,
    follower: OnceLock<Follower>,
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").finish_non_exhaustive()
    }
}

/// What is answered.
type Answer = Response<Vec<u8>>;

impl Console {
    /// A console that reads the ledgers as soon as a person opens it, or [`Self::read`] is called.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn new(options: Options) -> io::Result<Self> {
        let lookup = Lookup::with(options.contracts.iter().cloned());
        Ok(Self {
            lookup,
            access: Access::new()?,
            verification: ledger::Verification::default(),
            index: Arc::default(),
            follower: OnceLock::new(),
            options,
        })
    }

    /// Reads the ledgers in the background from now on.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn read(&self) -> io::Result<()> {
        if self.follower.get().is_none() {
            let ledgers = Arc::clone(&self.options.ledgers);
            let started = Follower::start(Arc::clone(&self.index), Box::new(move || ledgers()))?;
            // Of two that start at once, one stays.
            drop(self.follower.set(started));
        }
        Ok(())
    }

    /// Waits until everything was read that is there, or so long.
    pub fn wait(&self, most: std::time::Duration) {
        self.index.wait(most);
    }

    /// A place with a secret that works once: the browser that opens it may read, or write too.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn link(&self, right: Right) -> io::Result<String> {
        self.link_for(Grant { right, by: self.options.person.as_str().into() })
    }

    fn link_for(&self, grant: Grant) -> io::Result<String> {
        let right =
            if self.options.writer.is_some() { grant.right } else { grant.right.min(Right::Read) };
        Ok(format!("{BASE}/enter?link={}", self.access.link(Grant { right, ..grant })?))
    }

    /// The index of the ledgers.
    pub(crate) fn index(&self) -> &Shared {
        &self.index
    }

    pub(crate) fn now(&self) -> u64 {
        (self.options.clock)()
    }

    pub(crate) fn contracts(&self) -> &[Arc<Registry>] {
        &self.options.contracts
    }

    pub(crate) fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    /// Answers a request whose host was checked. `token` is what its token gives, if it has one.
    pub fn answer(&self, request: &Request<impl AsRef<[u8]>>, token: &Grant) -> Answer {
        let mut answer = self.answer_unguarded(request, token);
        let headers = answer.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        if request.method() == Method::HEAD {
            answer.body_mut().clear();
        }
        answer
    }

    fn answer_unguarded(&self, request: &Request<impl AsRef<[u8]>>, token: &Grant) -> Answer {
        let path = request.uri().path();
        let Some(place) = path.strip_prefix(BASE).map(|it| it.strip_prefix('/').unwrap_or(it))
        else {
            return if path == "/" {
                to(&format!("{BASE}/"))
            } else {
                refused(StatusCode::NOT_FOUND, "There is no such page.")
            };
        };
        let address = Pairs::parse(request.uri().query().unwrap_or_default());
        match (request.method(), place) {
            (&Method::GET | &Method::HEAD, "style.css") => {
                return file("text/css; charset=utf-8", include_str!("style.css"));
            }
            (&Method::GET | &Method::HEAD, "script.js") => {
                return file("text/javascript; charset=utf-8", include_str!("script.js"));
            }
            (&Method::GET, "enter") => return self.enter(address.get("link").unwrap_or_default()),
            _ => (),
        }
        let signed_in = self.access.grant(request.headers());
        let grant = if signed_in.right > token.right { &signed_in } else { token };
        let right = grant.right;
        if right == Right::None {
            return refused(
                StatusCode::UNAUTHORIZED,
                "Open the link that the start of the console printed. It works once; the browser that opened it stays signed in. A new start prints a new one.",
            );
        }
        if let Err(error) = self.read() {
            return refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("The ledgers cannot be read: {error}"),
            );
        }
        match *request.method() {
            Method::GET | Method::HEAD => self.get(place, &address, right, request),
            // A browser adds no such token by itself.
            Method::POST if token.right != Right::Write && !is_own_page(request.headers()) => {
                refused(StatusCode::FORBIDDEN, "Only a page of this console may do that.")
            }
            Method::POST => {
                let body = String::from_utf8_lossy(request.body().as_ref()).into_owned();
                self.post(place, &Pairs::parse(&body), (grant, token))
            }
            _ => {
                let mut answer =
                    refused(StatusCode::METHOD_NOT_ALLOWED, "A page is read with GET.");
                answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
                answer
            }
        }
    }

    /// Signs a browser in. The page leads on by itself: a cookie of that kind is not sent along where another site led here.
    fn enter(&self, link: &str) -> Answer {
        match self.access.enter(link) {
            Ok(Some(cookie)) => {
                let content = html! {
                    meta http-equiv="refresh" content={ "0;url=" (BASE) "/" };
                    h1 { "Signed in" }
                    p { a href={ (BASE) "/" } { "To the console" } }
                };
                let mut answer = whole(StatusCode::OK, HTML, page::plain("Signed in", &content));
                if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                    answer.headers_mut().insert(SET_COOKIE, cookie);
                }
                answer
            }
            Ok(None) => refused(
                StatusCode::UNAUTHORIZED,
                "This link was used already, or is of another start. Start the console anew for another link.",
            ),
            Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }

    fn get<B>(&self, place: &str, address: &Pairs, right: Right, request: &Request<B>) -> Answer {
        if place == "live" {
            let last = request.headers().get("last-event-id").and_then(|it| it.to_str().ok());
            return self.event(last.or_else(|| address.get("since")));
        }
        let filter = match Filter::read(address) {
            Ok(filter) => filter,
            Err(error) => return unreadable(&error),
        };
        if let Some(rest) = place.strip_prefix("failure/") {
            return self.failure(rest, right);
        }
        let (name, form) = place.rsplit_once('.').unwrap_or((place, "html"));
        let index = self.index.read();
        let now = self.now();
        let Some(mut listed) = self.list(&index, name, (&filter, address), now) else {
            return refused(StatusCode::NOT_FOUND, "There is no such page.");
        };
        if let Some(by) = address.get("sort") {
            listed.table.sort(by);
        }
        let number = address.get("page").and_then(|it| it.parse().ok());
        match (form, number) {
            // A file has the rows of the page that is shown; without a page all of them.
            ("csv" | "json", None) => listed.table.page(1, MOST_ROWS),
            _ => listed.table.page(number.unwrap_or(1), list::PAGE),
        }
        match form {
            "csv" => whole(StatusCode::OK, "text/csv; charset=utf-8", listed.table.csv()),
            "json" => whole(StatusCode::OK, "application/json", listed.table.json(listed.total)),
            "html" => self.page(&index, name, (&filter, address), (listed, right)),
            _ => refused(StatusCode::NOT_FOUND, "A page is there as .csv and .json."),
        }
    }

    /// What a page lists.
    pub(crate) fn list(
        &self,
        index: &Index,
        name: &str,
        asked: (&Filter, &Pairs),
        now: u64,
    ) -> Option<Listed> {
        view::list(index, name, asked, now, &self.options.contracts)
    }

    fn page(
        &self,
        index: &Index,
        name: &str,
        (filter, address): (&Filter, &Pairs),
        (listed, right): (Listed, Right),
    ) -> Answer {
        let table = &listed.table;
        let shown_as = (table, address);
        let title = PAGES.iter().find(|it| it.0 == name).map_or("", |it| it.1);
        let title = if name == "time" { "Calls by time" } else { title };
        let content: Markup = match (name, &listed.summary) {
            ("" | "now", Some(summary)) => {
                let servers = self.options.servers.as_ref().map(|it| it());
                now::content(index, summary, self.now(), servers.as_deref())
            }
            ("server" | "tool" | "code", Some(summary)) => {
                let code = filter.get("code").filter(|_| name == "code");
                let code = code.and_then(|code| {
                    self.options.contracts.iter().find_map(|it| it.codes.get(code))
                });
                let explained = html! { @if let Some(code) = code { (failure::about(code)) } };
                failures::subject(index, summary, filter, (name, &explained), shown_as)
            }
            ("list", Some(summary)) => html! {
                h1 { "Failures, one by one" }
                (failures::lead(index, summary))
                (list::filter(index, filter, "list"))
                (list::table(table, "list", address, "No failure fits. Widen the filter, or wait."))
            },
            (_, Some(summary)) => {
                failures::content(index, summary, filter, (name, title), shown_as)
            }
            ("check", None) => check::content(index, filter, shown_as, right),
            ("loops", None) => runs::loops_content(index, filter, shown_as),
            ("recovery", None) => runs::recovery_content(index, filter, shown_as),
            ("unnamed", None) => {
                let may_teach = right == Right::Write && self.options.teacher.is_some();
                unnamed::content(index, filter, shown_as, may_teach)
            }
            _ => ledger::content(index, shown_as, &self.verification),
        };
        let place = match name {
            "list" => "failures",
            "server" => "servers",
            "tool" | "time" => "tools",
            "code" => "codes",
            it => it,
        };
        let title = match name {
            "server" | "tool" | "code" => filter.get(name).unwrap_or(name),
            _ if title.is_empty() => "Failures",
            _ => title,
        };
        self.framed(index, (place, title), &content)
    }

    fn framed(&self, index: &Index, (place, title): (&str, &str), content: &Markup) -> Answer {
        let frame = Frame {
            place,
            title,
            progress: index.progress,
            problems: &index.problems,
            mark: &self.mark(index),
        };
        whole(StatusCode::OK, HTML, page::page(frame, content))
    }

    /// The page of one failure, at `CHAIN/NUMBER`.
    fn failure(&self, place: &str, right: Right) -> Answer {
        let index = self.index.read();
        let decoded = Pairs::parse(&format!("it={place}"));
        let place = decoded.get("it").unwrap_or_default();
        let found = place
            .rsplit_once('/')
            .and_then(|(chain, seq)| Some((chain, seq.parse().ok()?)))
            .ok_or_else(|| "A failure is at failure/CHAIN/NUMBER.".to_owned())
            .and_then(|(chain, seq)| failure::recorded(&index, chain, seq));
        match found {
            Ok(found) => {
                let link = self.options.trace_link.as_deref();
                let content =
                    found.content(&index, &self.lookup, &self.options.contracts, (right, link));
                self.framed(&index, ("failures", "Failure"), &content)
            }
            Err(why) => {
                let content = html! {
                    h1 { "This failure cannot be shown" }
                    p { (shown(&why)) }
                    p { a href={ (BASE) "/list" } { "All failures" } }
                };
                let mut answer = self.framed(&index, ("failures", "Failure"), &content);
                *answer.status_mut() = StatusCode::NOT_FOUND;
                answer
            }
        }
    }

    /// What changes when something was recorded, or a server does something else.
    fn mark(&self, index: &Index) -> String {
        let states = self.options.servers.as_ref().map(|it| it()).unwrap_or_default();
        if states.is_empty() {
            return index.generation.to_string();
        }
        let mut hasher = FxHasher::default();
        states.hash(&mut hasher);
        format!("{}.{:x}", index.generation, hasher.finish())
    }

    /// An event if something was recorded since, or a server does something else. The browser asks again by itself, so that no connection stays open.
    fn event(&self, last: Option<&str>) -> Answer {
        let mark = self.mark(&self.index.read());
        let body = if last == Some(mark.as_str()) {
            "retry: 2000\n: nothing new\n\n".to_owned()
        } else {
            format!("retry: 2000\nid: {mark}\nevent: change\ndata: {mark}\n\n")
        };
        whole(StatusCode::OK, "text/event-stream", body)
    }

    fn post(&self, place: &str, form: &Pairs, (grant, token): (&Grant, &Grant)) -> Answer {
        match place {
            "link" if token.right == Right::Write => match self.link_for(token.clone()) {
                Ok(link) => whole(StatusCode::OK, TEXT, format!("{link}\n")),
                Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
            },
            "teach" => self.teach(form, grant.right),
            "verify" => {
                let ledgers = (self.options.ledgers)();
                self.verification.start(ledgers, self.options.evidence.clone(), self.now());
                to(&format!("{BASE}/ledger"))
            }
            "check" => self.check(form, grant),
            _ => refused(StatusCode::NOT_FOUND, "There is no such page."),
        }
    }

    /// Marks a failure as checked.
    fn check(&self, form: &Pairs, grant: &Grant) -> Answer {
        let may = grant.right == Right::Write;
        let Some(writer) = self.options.writer.as_ref().filter(|_| may) else {
            return refused(StatusCode::FORBIDDEN, ONLY_READS);
        };
        let found = form.get("chain").zip(form.get("seq").and_then(|it| it.parse().ok()));
        let Some((chain, seq)) = found else {
            return refused(StatusCode::BAD_REQUEST, "The form names no record.");
        };
        let ledger = {
            let index = self.index.read();
            index.row(chain, seq).map(|it| index.file(it).ledger.clone())
        };
        let Some(ledger) = ledger else {
            return refused(StatusCode::NOT_FOUND, "There is no such failure.");
        };
        let note = form.get("note").map(str::to_owned);
        let by = grant.by.to_string();
        let checked = Checked { chain: chain.to_owned(), seq, by: by.clone(), note: note.clone() };
        if let Err(why) = writer(&ledger, checked) {
            let why = format!("The ledger cannot be written: {why}");
            return refused(StatusCode::SERVICE_UNAVAILABLE, &why);
        }
        let mark = Mark { by: by.into(), note: note.map(Into::into), time: self.now() };
        self.index.mark((chain.into(), seq), mark);
        to(&format!("{BASE}/check"))
    }

    /// Adds the row of a group of failures to the contract.
    fn teach(&self, form: &Pairs, right: Right) -> Answer {
        let may = right == Right::Write;
        let Some(teacher) = self.options.teacher.as_ref().filter(|_| may) else {
            return refused(StatusCode::FORBIDDEN, ONLY_READS);
        };
        let (text, code) = (form.get("text").unwrap_or_default(), form.get("code"));
        let code = code.map(str::trim).filter(|it| !it.is_empty() && *it != unnamed::UNKNOWN);
        let Some(code) = code else {
            return refused(
                StatusCode::BAD_REQUEST,
                "The form names no code that says what failed.",
            );
        };
        let row = unnamed::row_of(&self.index.read(), text, code, self.now());
        let Some(row) = row else {
            return refused(
                StatusCode::NOT_FOUND,
                "There is no such group, or its words are too few for a row.",
            );
        };
        match teacher(row) {
            Ok(file) => {
                let content = html! {
                    h1 { "Added" }
                    p { "The row that names these failures as " code { (shown(code)) } " is in " code { (shown(&file)) } ". It names those to come." }
                    p { a href={ (BASE) "/unnamed" } { "Unnamed" } }
                };
                whole(StatusCode::OK, HTML, page::plain("Added", &content))
            }
            Err(why) => refused(StatusCode::CONFLICT, &format!("Nothing was added: {why}")),
        }
    }
}

fn whole(status: StatusCode, kind: &'static str, body: impl Into<Vec<u8>>) -> Answer {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// A file of ours, which browsers keep for a while.
fn file(kind: &'static str, text: &'static str) -> Answer {
    let mut answer = whole(StatusCode::OK, kind, text);
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=300"));
    answer
}

fn to(place: &str) -> Answer {
    let mut answer = whole(StatusCode::SEE_OTHER, TEXT, "");
    if let Ok(place) = HeaderValue::from_str(place) {
        answer.headers_mut().insert(LOCATION, place);
    }
    answer
}

fn refused(status: StatusCode, why: &str) -> Answer {
    let title = status.canonical_reason().unwrap_or("Refused");
    let content = html! { h1 { (title) } p { (shown(why)) } };
    whole(status, HTML, page::plain(title, &content))
}

/// A filter that cannot be read is said, never passed over.
fn unreadable(error: &FilterError) -> Answer {
    let content = html! {
        h1 { "This filter cannot be read" }
        p { code { "INVALID_INPUT_VALUE" } ": " (error.name) " is “" (shown(&error.value)) "”. Write " (error.expected) "." }
        p { a href={ (BASE) "/failures" } { "Without a filter" } }
    };
    whole(StatusCode::BAD_REQUEST, HTML, page::plain("Filter", &content))
}
