//! The decision table as data: `decide` walks it, the docs print it, and packages for other languages carry it.

use redress_registry::{Class, RetryKind};

use super::{repeat::Repeat, rows::ROWS};
use redress_wire::json::{Members, write_list, write_str};

/// One row: if all of its columns fit, it decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its permanent name.
    pub id: &'static str,
    /// The retry kinds that it is for; empty: any.
    pub retry: &'static [RetryKind],
    /// The codes that it is for; empty: any.
    pub code: &'static [&'static str],
    /// The classes that it is for; empty: any.
    pub class: &'static [Class],
    /// What a repeat may be; empty: anything.
    pub repeat: &'static [Repeat],
    /// Whether a repeat is still allowed; empty: whether or not.
    pub room: &'static [Room],
    /// Whether the fault names next calls.
    pub next: Option<bool>,
    /// Whether there is another way.
    pub fallback: Option<bool>,
    /// What is done.
    pub then: Then,
    /// Why.
    pub because: &'static str,
}

/// What the columns are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionFacts<'f> {
    /// When a repeat helps.
    pub retry: RetryKind,
    /// The code.
    pub code: &'f str,
    /// The class of the code.
    pub class: Class,
    /// What a repeat would do.
    pub repeat: Repeat,
    /// Whether a repeat is still allowed.
    pub room: Room,
    /// Whether the fault names next calls.
    pub next: bool,
    /// Whether there is another way.
    pub fallback: bool,
}

/// Whether a repeat is still allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It is.
    Left,
    /// The call was made as often as it may be.
    AttemptsUsed,
    /// The wait would be longer than allowed, or than the caller has time.
    WaitTooLong,
    /// The budget for repeats is used up.
    BudgetSpent,
}

impl Room {
    /// Every answer.
    pub const ALL: [Self; 4] =
        [Self::Left, Self::AttemptsUsed, Self::WaitTooLong, Self::BudgetSpent];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::AttemptsUsed => "attempts_used",
            Self::WaitTooLong => "wait_too_long",
            Self::BudgetSpent => "budget_spent",
        }
    }
}

/// What a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The same call again, now.
    RetryNow,
    /// The same call again, later.
    RetryAfter,
    /// Other arguments.
    ChangeArguments,
    /// Another call first.
    CallFirst,
    /// A person must act: what to ask for, or the fault's own hint.
    AskHuman(Option<&'static str>),
    /// Another way.
    FallBack,
    /// Give up.
    Stop(StopReason),
}

impl Then {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RetryNow => "retry_now",
            Self::RetryAfter => "retry_after",
            Self::ChangeArguments => "change_arguments",
            Self::CallFirst => "call_first",
            Self::AskHuman(_) => "ask_human",
            Self::FallBack => "fall_back",
            Self::Stop(_) => "stop",
        }
    }
}

/// Why a call is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The caller gave it up already.
    Cancelled,
    /// It was carried out; what failed came after.
    AlreadyDone,
    /// It is forbidden, and no user can allow it.
    Refused,
    /// It was made as often as it may be.
    AttemptsUsed,
    /// The wait would be too long.
    WaitTooLong,
    /// The budget for repeats is used up.
    BudgetSpent,
    /// It cannot succeed.
    CannotSucceed,
}

impl StopReason {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::AlreadyDone => "already_done",
            Self::Refused => "refused",
            Self::AttemptsUsed => "attempts_used",
            Self::WaitTooLong => "wait_too_long",
            Self::BudgetSpent => "budget_spent",
            Self::CannotSucceed => "cannot_succeed",
        }
    }
}

impl Row {
    /// The last row: nothing helps.
    pub(super) const LAST: Self =
        Self { because: "Nothing that is known helps.", ..Self::any("cannot_succeed") };

    pub(super) const fn any(id: &'static str) -> Self {
        Self {
            id,
            retry: &[],
            code: &[],
            class: &[],
            repeat: &[],
            room: &[],
            next: None,
            fallback: None,
            then: Then::Stop(StopReason::CannotSucceed),
            because: "",
        }
    }

    /// Whether every column fits.
    pub fn fits(&self, facts: DecisionFacts<'_>) -> bool {
        one_of(self.retry, facts.retry)
            && (self.code.is_empty() || self.code.contains(&facts.code))
            && one_of(self.class, facts.class)
            && one_of(self.repeat, facts.repeat)
            && one_of(self.room, facts.room)
            && self.next.is_none_or(|it| it == facts.next)
            && self.fallback.is_none_or(|it| it == facts.fallback)
    }

    fn write(&self, out: &mut String) {
        let mut members = Members::open(out);
        members.str("id", self.id);
        let mut when = Members::open(members.key("when"));
        let retry = self.retry.iter().map(|it| it.name());
        let class = self.class.iter().map(|it| it.name());
        names(&mut when, "retry", retry);
        names(&mut when, "code", self.code.iter().copied());
        names(&mut when, "class", class);
        names(&mut when, "repeat", self.repeat.iter().map(|it| it.name()));
        names(&mut when, "room", self.room.iter().map(|it| it.name()));
        for (key, value) in [("next", self.next), ("fallback", self.fallback)] {
            if let Some(value) = value {
                when.bool(key, value);
            }
        }
        when.close();
        members.str("do", self.then.name());
        match self.then {
            Then::Stop(why) => {
                members.str("why", why.name());
            }
            Then::AskHuman(Some(what)) => {
                members.str("what", what);
            }
            _ => (),
        }
        members.str("because", self.because);
        members.close();
    }
}

/// When a repeat of a call helps, if only the class of its code is known.
pub const fn retry_of_class(class: Class) -> RetryKind {
    match class {
        Class::InvalidArgument | Class::OutOfRange | Class::NotFound | Class::AlreadyExists => {
            RetryKind::AfterChange
        }
        Class::FailedPrecondition | Class::Aborted => RetryKind::AfterState,
        Class::PermissionDenied | Class::Unauthenticated => RetryKind::AfterHuman,
        Class::DeadlineExceeded | Class::ResourceExhausted | Class::Unavailable => {
            RetryKind::AfterDelay
        }
        Class::Cancelled
        | Class::Unknown
        | Class::Unimplemented
        | Class::Internal
        | Class::DataLoss => RetryKind::Never,
    }
}

/// The table as JSON, for packages in other languages.
///
/// `rows` in order, the first that fits decides: a list in `when` holds the values that fit, a column that is not there fits always.
/// `retry_by_class` is for unknown codes that say nothing about a repeat.
pub fn table() -> String {
    let mut out = String::with_capacity(4096);
    let mut members = Members::open(&mut out);
    members.str("format", "redress-decisions/1");
    let mut classes = Members::open(members.key("retry_by_class"));
    for class in Class::ALL {
        classes.str(class.name(), retry_of_class(class).name());
    }
    classes.close();
    let rows = members.key("rows");
    rows.push('[');
    for (at, row) in ROWS.iter().enumerate() {
        rows.push_str(if at == 0 { "" } else { "," });
        row.write(rows);
    }
    rows.push(']');
    members.close();
    out
}

fn one_of<T: PartialEq + Copy>(set: &[T], value: T) -> bool {
    set.is_empty() || set.contains(&value)
}

fn names<'n>(members: &mut Members<'_>, key: &str, names: impl Iterator<Item = &'n str>) {
    let mut names = names.peekable();
    if names.peek().is_none() {
        return;
    }
    write_list(members.key(key), names, |it, out| write_str(out, it));
}

#[cfg(test)]
mod tests {
    use redress_registry::{Class, RetryKind};

    use super::{DecisionFacts, ROWS, Room, Row, Then, table};
    use crate::{codes, recover::Repeat};
    use redress_wire::json::{Doc, Limits};

    fn every_case() -> impl Iterator<Item = DecisionFacts<'static>> {
        let kinds = RetryKind::ALL.iter().flat_map(|kind| Class::ALL.map(|class| (*kind, class)));
        let repeats = kinds.flat_map(|it| Repeat::ALL.map(|repeat| (it, repeat)));
        let rooms = repeats.flat_map(|it| Room::ALL.map(|room| (it, room)));
        let flags = [(false, false), (false, true), (true, false), (true, true)];
        let codes = ["X", codes::UNKNOWN_TOOL.name()];
        let flags = codes.into_iter().flat_map(move |code| flags.map(|it| (code, it)));
        rooms.flat_map(move |(((retry, class), repeat), room)| {
            flags.clone().map(move |(code, (next, fallback))| DecisionFacts {
                retry,
                code,
                class,
                repeat,
                room,
                next,
                fallback,
            })
        })
    }

    fn decides(facts: DecisionFacts<'_>) -> &'static Row {
        ROWS.iter().find(|it| it.fits(facts)).unwrap()
    }

    #[test]
    fn every_case_has_a_row_and_every_row_a_case() {
        let used: Vec<&str> = every_case().map(|it| decides(it).id).collect();
        for row in ROWS {
            assert!(used.contains(&row.id), "{} never decides", row.id);
        }
        assert_eq!(ROWS.last(), Some(&Row::LAST));
    }

    #[test]
    fn no_row_repeats_or_goes_elsewhere_unless_that_is_safe() {
        for facts in every_case().filter(|it| it.repeat != Repeat::Safe) {
            let row = decides(facts);
            assert!(
                !matches!(row.then, Then::RetryNow | Then::RetryAfter | Then::FallBack),
                "{} on {facts:?}",
                row.id
            );
        }
    }

    #[test]
    fn no_row_repeats_without_room_or_against_the_kind() {
        for facts in every_case() {
            let row = decides(facts);
            if matches!(row.then, Then::RetryNow | Then::RetryAfter) {
                assert_eq!(facts.room, Room::Left, "{}", row.id);
                assert!(matches!(facts.retry, RetryKind::Now | RetryKind::AfterDelay));
            }
            if matches!(row.then, Then::FallBack) {
                assert!(facts.fallback, "{}", row.id);
                assert_ne!(facts.class, Class::PermissionDenied, "{}", row.id);
            }
        }
    }

    #[test]
    fn the_table_is_json_with_all_rows() {
        let text = table();
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
        assert_eq!(doc.root().get("rows").unwrap().elements().count(), ROWS.len());
        assert_eq!(doc.root().get("retry_by_class").unwrap().members().count(), 16);
    }
}
