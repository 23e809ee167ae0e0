//! `StderrLog`: what the server writes to stderr goes on to ours, unless it is not read: line by line, under the server's name, with
//! what a terminal would obey made visible.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Write as _},
    sync::mpsc::{self, SyncSender, TrySendError},
    thread,
};

use redress::{redact::OpenKey, text::visible};
use redress_ledger::Redactor;

/// How many pieces may wait.
const MOST_WAITING: usize = 64;

/// The way to our own stderr.
#[derive(Debug)]
pub(crate) struct StderrLog(SyncSender<Vec<u8>>);

impl StderrLog {
    pub(crate) fn new(mut to: File) -> io::Result<Self> {
        let (sender, pieces) = mpsc::sync_channel::<Vec<u8>>(MOST_WAITING);
        let write = move || {
            for piece in pieces {
                // Nothing of ours comes between, so that each line begins with its prefix on a terminal, too.
                let _whole = io::stderr().lock();
                if to.write_all(&piece).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("redress-log".to_owned()).spawn(write)?;
        Ok(Self(sender))
    }

    /// Passes a piece on, or drops it when the reader is slow: a server must never wait for its log.
    pub(crate) fn pass(&self, piece: &[u8]) {
        match self.0.try_send(piece.to_vec()) {
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => (),
        }
    }
}

/// Of a longer line only the start is passed on: in parts, half a secret could stand in each. The redactor cuts it so that none is.
const LONGEST_LINE: usize = (256 << 10) + 4;

/// What a server writes to stderr: line by line, under its name, without secrets.
pub(crate) struct ServerLog<'l> {
    log: &'l StderrLog,
    /// What each line begins with.
    prefix: String,
    redactor: &'l Redactor,
    /// The start of a line.
    rest: Vec<u8>,
    /// Whether the rest of the line is left out.
    is_cut: bool,
    /// A private key that began in an earlier piece.
    key: Option<OpenKey>,
}

impl<'l> ServerLog<'l> {
    pub(crate) fn new(log: &'l StderrLog, name: &str, redactor: &'l Redactor) -> Self {
        let prefix = format!("[server {}] ", visible(name));
        Self { log, prefix, redactor, rest: Vec::new(), is_cut: false, key: None }
    }

    /// Passes on the lines that are whole.
    pub(crate) fn add(&mut self, mut piece: &[u8]) {
        if self.is_cut {
            let Some(end) = memchr::memchr(b'\n', piece) else { return };
            piece = piece.get(end + 1..).unwrap_or_default();
            self.is_cut = false;
        }
        self.rest.extend_from_slice(piece);
        if let Some(end) = memchr::memrchr(b'\n', &self.rest) {
            let lines: Vec<u8> = self.rest.drain(..=end).collect();
            // A line that is cut takes no other one with it.
            let first = memchr::memchr(b'\n', &lines).filter(|_| lines.len() > LONGEST_LINE);
            let (first, others) = lines.split_at(first.map_or(0, |it| it + 1));
            self.pass(first);
            self.pass(others);
        } else if self.rest.len() > LONGEST_LINE {
            self.end();
            self.is_cut = true;
        }
    }

    /// Passes on what was written last, without a line break.
    pub(crate) fn end(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        self.pass(&rest);
    }

    fn pass(&mut self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        let lines = String::from_utf8_lossy(lines);
        let lines = self.without_key(&lines);
        self.key = self.key.take().or_else(|| OpenKey::after(&lines));
        let text = self.redactor.text(&lines);
        let mut out = String::with_capacity(text.len() + 64);
        for line in text.lines() {
            out.extend([&self.prefix, &*visible(line), "\n"]);
        }
        self.log.pass(out.as_bytes());
    }

    /// The lines that do not belong to a key which began before them.
    fn without_key<'t>(&mut self, lines: &'t str) -> Cow<'t, str> {
        if self.key.is_none() {
            return lines.into();
        }
        let mut others = String::new();
        for line in lines.split_inclusive('\n') {
            self.key = self.key.take().filter(|it| !it.is_over());
            if !self.key.as_mut().is_some_and(|it| it.takes(line)) {
                others.push_str(line);
            }
        }
        self.key = self.key.take().filter(|it| !it.is_over());
        others.into()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::{BufRead as _, BufReader},
        os::fd::OwnedFd,
        os::unix::net::UnixStream,
    };

    use redress_ledger::Redactor;

    use super::{LONGEST_LINE, ServerLog, StderrLog};

    #[test]
    fn lines_have_the_name_of_their_server_and_no_secret() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let log = StderrLog::new(File::from(OwnedFd::from(theirs))).unwrap();
        let redactor = Redactor::new(["hunter2hunter2"]);
        let mut named = ServerLog::new(&log, "files", &redactor);
        for piece in ["one\ntw", "o hunter2", "hunter2\n", "last"] {
            named.add(piece.as_bytes());
        }
        named.end();
        let lines: Vec<_> = BufReader::new(ours).lines().take(3).map(Result::unwrap).collect();
        assert_eq!((&*lines[0], &*lines[2]), ("[server files] one", "[server files] last"));
        let second = lines[1].strip_prefix("[server files] two ").unwrap();
        assert!(!second.contains("hunter2"), "{lines:?}");
    }

    /// What is passed on of pieces, without the prefix that each line has.
    fn passed(redactor: &Redactor, pieces: &[&str]) -> Vec<String> {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let log = StderrLog::new(File::from(OwnedFd::from(theirs))).unwrap();
        let mut named = ServerLog::new(&log, "a", redactor);
        for piece in pieces {
            named.add(piece.as_bytes());
        }
        named.end();
        drop(log);
        let lines = BufReader::new(ours).lines().map(Result::unwrap);
        lines.map(|it| it.strip_prefix("[server a] ").unwrap().to_owned()).collect()
    }

    #[test]
    fn attack_m9_no_line_hides_its_prefix_or_reaches_the_terminal() {
        let pieces = [
            "\u{1b}]52;c;aGk=\u{7}\n",
            "50%\r\u{1b}[2Kredress: listening on http://evil/mcp\r\n",
            "\u{9b}2Jredress: no line break",
        ];
        assert_eq!(
            passed(&Redactor::default(), &pieces),
            [
                "\\u{1b}]52;c;aGk=\\u{7}",
                "50%\\u{d}\\u{1b}[2Kredress: listening on http://evil/mcp",
                "\\u{9b}2Jredress: no line break",
            ]
        );
    }

    #[test]
    fn a_private_key_goes_that_is_written_line_by_line() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n";
        let begin = "-----BEGIN RSA PRIVATE KEY-----\n";
        let pieces = [
            "one\n",
            begin,
            body,
            "2 INFO ",
            body,
            "a thread\n",
            body,
            "ab==\n",
            "-----END RSA PRIVATE KEY-----\ntwo\n",
            body,
        ];
        let lines = passed(&Redactor::default(), &pieces);
        assert_eq!(lines, ["one", "[redacted]", "a thread", "two", body.trim_end()]);
        let unended: Vec<_> =
            [begin].into_iter().chain(["a line of the log\n"; 20]).chain([body]).collect();
        assert_eq!(
            passed(&Redactor::default(), &unended).len(),
            22,
            "an end that does not come ends it"
        );
    }

    #[test]
    fn a_known_value_of_several_lines_goes_line_by_line() {
        let redactor = Redactor::new(["first-half-Z99\nsecond-half-Z99"]);
        let lines = passed(&redactor, &["first-half-Z99\n", "then\nsecond-half-Z99\n"]);
        assert_eq!(lines, ["[redacted]", "then", "[redacted]"]);
    }

    #[test]
    fn a_long_line_has_no_half_of_a_secret() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let log = StderrLog::new(File::from(OwnedFd::from(theirs))).unwrap();
        let redactor = Redactor::new(["hunter2hunter2"]);
        for before in [(16 << 10) - 7, LONGEST_LINE - 7] {
            let mut named = ServerLog::new(&log, "a", &redactor);
            named.add("x".repeat(before).as_bytes());
            for piece in ["hunter2", "hunter2 and", " more\nnext\n"] {
                named.add(piece.as_bytes());
            }
        }
        drop(log);
        let lines: Vec<_> = BufReader::new(ours).lines().map(Result::unwrap).collect();
        let [whole, _, cut, next] = lines.as_slice() else { panic!("{}", lines.len()) };
        assert!(whole.ends_with("x[redacted] and more"));
        assert!(cut.ends_with("x…") && next == "[server a] next");
    }
}
