//! The append-only, hash-chained audit trail of failures. The on-disk format is specified here and nowhere else.
//!
//! # Constraints
//!
//! - A record is durable (`fdatasync` returned 0) before any client is answered.
//! - `grep`, `jq` and `tail -f` work on the files: one JSON object a line, UTF-8, ended by `\n`.
//! - Writers never wait for each other: every process has a chain of its own.
//! - Any change of a record that was written is found, by any author and however small.
//! - A file of any version that ever was can be read; an unknown version is refused by its name.
//!
//! # Layout
//!
//! ```text
//! <ledger>/                                   mode 0700
//!   20260119T153210123Z-4711-9f2c41d07a3e/    a chain: start of its process (UTC), pid, random
//!     lock                                    held with `flock` by the process; gone once the chain is closed
//!     00000001.jsonl                          segments, mode 0600
//!     00000002.jsonl
//!   …-4713-….corrupt/                         a chain that was put aside: read, never written
//!   .new-…/                                   a chain that is being created: not read
//!   epochs-3f2a….jsonl                        a copy of the log of epochs, named after the first key
//! ```
//!
//! A line is exactly, without white space between tokens and with the members in this order:
//!
//! ```text
//! {"seq":N,"time":"YYYY-MM-DDThh:mm:ss.mmmZ","prev":"HASH","kind":"KIND","KIND":{…}[,"request":{…}][,"private":{…}],"hash":"HASH"}
//!
//! seq    0, 1, 2 … in the chain       prev   `hash` of the record before; 64 zeros in the first
//! hash   SHA-256, lower-case hex, over the bytes of its own line from `{` up to, not including, `,"hash"`
//! ```
//!
//! | kind | its object |
//! | --- | --- |
//! | `genesis` | first record of a chain: `format` (`redress-ledger/1`), `chain`, `key` (Ed25519 public key, hex) |
//! | `fault` | the native envelope; beside it `request`: the call ([below](#request)), and `private`: causes, stack, upstream bytes, dropped parts; and `locks` where it locks its session |
//! | `call` | a call that succeeded: of a governed server each one, with what the gate says about it; of any other the first of a tool that had failed in its run, with `server`, `tool`, `failures` (how often it had), `elapsed_ms`; beside it `request` |
//! | `session`, `retry` | what the gate says about a session, a repeated call |
//! | `gap` | failures that could not be recorded: `count`, `first`, `last` |
//! | `refusals` | failures that were counted: `count`, `first`, `last`, and `counts`, a list of `code`, `class`, `server` (if there is one), `from` (`local`, `private` or `public`), `count` |
//! | `tally` | the calls that ended in a minute: `minute` (`YYYY-MM-DDThh:mmZ`), and `calls`, a list of `server`, `tool`, the number of calls by outcome, `ok`, `fault`, `refused`, `cancelled`, `repeated` (ended well after the gate repeated it), and `ms`, the number of calls in each bucket of [`LATENCY_MILLIS`] and of those that took longer. Records of the same minute add up |
//! | `checked` | a person has checked what a failed call did: `chain` and `seq` of the fault record, `by`, `note` if there is one |
//! | `recovered` | what was cut from an unfinished chain, or which chain was put aside, and why |
//! | `rotate` | first record of a later segment: `format`, `segment`, `after {segment, bytes, failed}` |
//! | `prune` | a segment that was removed: `chain`, `segment`, `next_seq` and `head` at its end, `why`, `key`, `sig` |
//! | `checkpoint` | `count` (= `seq`), `head` (= `prev`), `why`, `key`, `sig` |
//! | `epoch` | in the log of epochs alone: `format` (`redress-epochs/1`, in the first), `key`, `next`, `event`, `ledger`, `chains`, `seq`, `hash`, `sig` |
//!
//! `sig` is Ed25519 over lines ended by `\n`: `redress-ledger/1 checkpoint`, chain, count, head; or `redress-ledger/1 prune`,
//! chain, segment, `next_seq`, head; or `redress-ledger/1 epoch`, the record's own `seq` and `prev`, next, event, ledger, chains (a space between them), seq, hash (`-` where
//! there is none). A receipt is the number of a record and the first 32 digits of its hash.
//!
//! # Request
//!
//! The object `request` of a fault record tells of the call that failed. Each member may be missing, and all are in records of older versions:
//!
//! ```text
//! {"client":{"name":"…","version":"…"},"session":"…","run":"…","arguments_hmac":"32 hex digits","arguments":{…},"attempt":N,"call":N,
//!  "mode":"enforce|annotate|observe","dialect":"…","basis":"stated|taught|protocol|inferred","rule":"…","flagged":true|false}
//! ```
//!
//! That of a call record has `client`, `session`, `run` and `call`. A run is the trace of `run`, or without one the session. `call` numbers the tool calls
//! of a run, whatever their tool, in the order in which they ended: 1 is the first failure of the run that no success of its tool has followed yet.
//! A fault record with `call` is ended by the next call record with the same run, server and tool and with a greater `call`, which came so many calls later;
//! if there is none, the tool has not succeeded in that run since. Without `call` it is not known whether it has.
//!
//! # Keys
//!
//! The keys lie outside the ledger. `<key>` holds the secret of the next epoch: `redress-key/2 NUMBER FIRST SECRET`, and the `epoch` record before on a line of its own; or, of an older version, 64 hex digits, the secret of epoch 0. Beside it
//! `.pub`, the first public key; `.lock`; `.epochs/<first key>.jsonl`, the log; `.heads/<chain>`, the newest checkpoint of each chain (`witness`) with the path of the ledger before it and `check` and the SHA-256 of both behind it.
//!
//! Record *n* of the log is signed by the key that record *n*-1 names as `next`. `event` is `begin`, `rotate` or `recovered` (`key` signs the chain), `close`, or `prune`; `seq` and `hash` are a checkpoint that the chain has from then on, its last record
//! after `recovered` and `close`. `ledger` is 16 digits of the SHA-256 of the ledger's canonical path. A key is replaced before its record is logged, and a chain gets its name after that.
//!
//! # Write
//!
//! One thread commits. All that waits when it is free becomes one `write` at the end of the segment, then one `fdatasync`; then
//! the waiters are released. No record waits for a timer; where callers come back at once, the one who would commit few of their records waits
//! for the others, as long as the last commit took and no longer than 2 ms. The file's length is compared with what was written, since a write that lies must
//! not be acknowledged. Space is reserved ahead with `fallocate(KEEP_SIZE)`.
//!
//! A new segment is created and it and its directory are synced before a record in it counts. Its `rotate` record says how many
//! bytes of which segment come before it. If that one failed, bytes behind those, and segments with a number between, are void:
//! a file whose `write` or `fdatasync` failed is left behind, never to be synced again. If the new segment fails as well, the ledger
//! is closed. On a full disk it is closed too, tries again at most once a second when asked, and then starts with a `gap`.
//!
//! # Count
//!
//! Refusals of one kind (code, server, class of address) get records of their own as long as they are few: sixteen at once, one more each second. What comes
//! faster is counted, and so are failures of a server that is over its quota of bytes. A `refusals` record tells the counts, at most once a
//! second. A counted failure is answered after the record before it is durable. So a crash loses the counts of one second at most.
//!
//! # Read
//!
//! A line that does not have the form above, or whose hash is another, is never given out as a record. Chains are merged by
//! time; in a chain the order is that of `seq`, whatever the clock did. A last line without `\n` is being written.
//!
//! # Recover
//!
//! A chain with a `lock` that no process holds was not closed. In its last segment, torn lines with no good line after them are a torn
//! tail: they are cut, and a `recovered` record says what they were. A line is torn if it does not end, or if it is not a JSON object with a `hash`: a
//! crash leaves zeros and parts of lines where it lost what was not synced, several of them where several records were written together, but no whole
//! record with another hash. Such a line was changed. A changed line, a bad line with a good one after it, or a chain shorter
//! than its witness or than the log of epochs has it, is corruption: the directory is renamed to `….corrupt` and not written to again. Verification takes a torn tail for what it
//! is, too.
//!
//! # Retain
//!
//! The oldest segments go first, of a chain always from its start. A segment that a copy elsewhere still lacks (`Hold`) stays, up to a number of bytes. For the size of the ledger none goes whose newest record is less than seven days old, so that nobody
//! drives out records with others. Their age is what their records say. Chains count that the ledger's own key
//! has closed, or another of its sequence, and the chain of the process itself; a segment is removed only if it was read and every record leads to a checkpoint of such a key.
//! The `prune` records are durable before a file is removed. One in a segment that goes is written again, as it is, if the start of a chain
//! that stays depends on it; of the chains that are gone, that of the longest is.
//!
//! A `prune` record counts if its key is known to who verifies, or is of the sequence that signed the first checkpoint of what is left of the chain: only who signed that may prune
//! what is before it.
//!
//! # Modules
//!
//! - `ledger.rs` the handle that callers hold. `commit.rs` the queue before the one pen: the ledger's own thread holds
//!   it, or a caller that waits anyway; `commit/company.rs` which callers it waits for. `writer.rs` one chain, its lines and
//!   signatures. `segment.rs` one file, its space and its syncs.
//! - `record.rs` a record and its line. `fault.rs` a fault as a record, `request.rs` the call that it belongs to,
//!   `arguments.rs` the key under which its arguments are digested. `tally.rs` the calls of
//!   a minute, `call_counter.rs` their counters. `checked.rs` the mark of a person. `hash.rs`, `time.rs` how both are written.
//! - `disk.rs` the files of the system, or those of a simulated disk. `layout.rs` the names in a ledger, and which bytes count. `lines.rs` a file line by line, in bounded memory.
//! - `recover.rs` chains whose process is gone. `lock.rs` whether it is. `sign.rs` signatures, `operator.rs` those under
//!   plans. `keys.rs` the key on disk, which every use replaces; `epoch.rs` the record of that, `epochs.rs` their log.
//!   `signed.rs` what is above a signature, and whose that is. `notes.rs` what is kept of a chain beside the key:
//!   `witness.rs` its newest checkpoint. `gap.rs` what could not be recorded. `commit/refusals.rs` failures that are counted.
//! - `reader.rs` all chains, merged by time. `query.rs` which records. `tail.rs` the newest. `follow.rs` those to come. `scan.rs` segment
//!   by segment, for an index. `cursor.rs` one chain from any record on, for a copy elsewhere.
//!   `stats.rs` in numbers. `export.rs` for other programs.
//! - `verify.rs` what was altered, and what still could be; `verify/epochs.rs` what the log of epochs says of each chain,
//!   `verify/prunings.rs` whose word counts for what is gone. `retain.rs` what is removed, and what is left of it;
//!   `retain/carry.rs` what has to be recorded again.
//! - `error.rs` why it refuses.
//!
//! # Invariants
//!
//! - A record is acknowledged only after an `fdatasync` that returned 0 and covers it. A file on which one failed is
//!   never synced again.
//! - A secret key signs one chain or segment; before it signs the second record, no file holds it.
//! - No runtime, no clock: callbacks and time are passed in.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod arguments;
mod call_counter;
mod checked;
mod commit;
mod cursor;
mod disk;
mod epoch;
mod epochs;
mod error;
mod export;
mod fault;
mod follow;
mod gap;
mod hash;
mod keys;
mod layout;
mod ledger;
mod lines;
mod lock;
mod notes;
mod operator;
mod query;
mod reader;
mod record;
mod recover;
mod request;
mod retain;
mod scan;
mod segment;
mod sign;
mod signed;
mod stats;
mod tail;
mod tally;
mod time;
mod verify;
mod witness;
mod writer;

use redress_wire::json::Limits;

pub use call_counter::CallCounter;
pub use checked::Checked;
pub use commit::{By, OnChange, OnCommit, Recording, RefusalKind};
pub use cursor::{Chain, ChainCursor, LineHead, Next, Portion, Skipped, read_line};
pub use disk::{Disk, Facts, FileKind, Lock, OpenMode, with_disk};
pub use epochs::EpochProblem;
pub use error::{Failure, LedgerError, OpenError};
pub use export::{Format, export};
pub use follow::Follow;
pub use gap::Gap;
pub use hash::Hash;
pub use keys::{check_key, is_secret_key, protect_memory};
pub use layout::{is_chain, ledgers};
pub use ledger::{Ledger, Options, SEGMENT_BYTES};
pub use operator::Operator;
pub use query::{Query, member, members};
pub use reader::{Entry, ReadError, Reader};
pub use record::{BadLine, Kind, Record};
pub use recover::Recovery;
pub use redress::redact::{REDACTED, Redactor};
pub use request::{ClientInfo, RequestInfo};
pub use retain::Hold;
pub use scan::{Scanned, ScannedLine, Segment, Segments, read_record};
pub use sign::PublicKey;
pub use stats::{Counts, Stats};
pub use tail::tail;
pub use tally::{CallOutcome, Calls, LATENCY_MILLIS, Tally};
pub use time::{Clock, Time};
pub use verify::{
    ChainReport, ChainState, Evidence, Found, Missing, Problem, ReceiptReport, RecordProblem,
    Report, Unread, mark_copies, parse_receipt, true_path, verify, verify_newest, verify_with,
};
pub use witness::witnessed_ledgers;

/// The version of the format that is written.
pub(crate) const FORMAT: &str = "redress-ledger/1";

/// The longest line, with its newline. Longer ones are never written and never read.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// What reading a line takes. A fault's details may nest as deep as any document, and stand two levels down.
pub(crate) const LINE_LIMITS: Limits = Limits { bytes: MAX_LINE, nesting: 80 };
