//! `World`: gates, disk, clock and clients of one run, and what happens to them.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    sync::Arc,
    time::{Duration, Instant},
};

use redress_ledger::with_disk;
use redress_proxy::{
    moment::Moment,
    outgoing::ToClient,
    session::{ClientKind, UpstreamKind},
};

use crate::{
    books::{Books, Checked, Standing, Violation, only_own_marks, violated},
    bugs::Bug,
    chance::Chance,
    connection::Connection,
    disk::{Cut, DiskFault, SimulatedDisk},
    gate::Gate,
    recorder::{Recorded, Tidings},
    recovery::{Acknowledged, Keeping, Wall, check_cut, check_now},
    trace::Trace,
};

/// How many ways a power cut is played.
const WAYS: u64 = 3;

/// How often a deadline that has passed may still be there.
const MOST_LATE: u32 = 1_000;

/// When it all begins: 19 January 2026.
const BEGIN: u64 = 1_768_836_730_123;

/// What was played.
#[derive(Debug, Clone, Copy, Default)]
pub struct Played {
    /// Requests of clients.
    pub calls: u64,
    /// Answers to them.
    pub answers: u64,
    /// Failures with a record of their own.
    pub records: u64,
    /// Power cuts and kills at an operation of the disk, each way that the disk can be left counted.
    pub crashes: u64,
    /// Operations that changed the disk.
    pub writes: u64,
    /// Actions.
    pub actions: u64,
}

impl Played {
    /// Adds what was played elsewhere.
    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.answers += other.answers;
        self.records += other.records;
        self.crashes += other.crashes;
        self.writes += other.writes;
        self.actions += other.actions;
    }
}

/// Everything that there is.
pub(crate) struct World {
    seed: u64,
    disk: Arc<SimulatedDisk>,
    base: Instant,
    passed: Duration,
    wall: Wall,
    keeping: Keeping,
    process: u32,
    gate: Option<Gate>,
    connections: BTreeMap<u64, Connection>,
    next_connection: u64,
    books: Books,
    acknowledged: Acknowledged,
    bug: Option<Bug>,
    pub(crate) trace: Trace,
    pub(crate) played: Played,
}

impl World {
    /// The world of a seed, before anything happens.
    pub(crate) fn new(seed: u64, bug: Option<Bug>) -> Self {
        let mut chance = Chance::part(seed, u64::MAX);
        let disk = Arc::new(SimulatedDisk::new(chance.next()));
        if let Some(bug) = bug.and_then(Bug::of_disk) {
            disk.plant(bug);
        }
        let wall = Wall::default();
        wall.set(BEGIN);
        let sizes = [3_000, 8_000, 40_000, 1 << 20];
        let keeping = Keeping {
            segment_bytes: chance.of(&sizes).copied().unwrap_or(8_000),
            reserve_bytes: chance.of(&[4_096, 65_536]).copied().unwrap_or(4_096),
        };
        Self {
            seed,
            disk,
            base: Instant::now(),
            passed: Duration::ZERO,
            wall,
            keeping,
            process: 100,
            gate: None,
            connections: BTreeMap::new(),
            next_connection: 1,
            books: Books::default(),
            acknowledged: Acknowledged::default(),
            bug,
            trace: Trace::default(),
            played: Played::default(),
        }
    }

    fn now(&self) -> Moment {
        Moment { at: self.base + self.passed, wall: self.wall.now() }
    }

    fn pass(&mut self, time: Duration) {
        self.passed += time;
        self.wall.set(BEGIN + u64::try_from(self.passed.as_millis()).unwrap_or_default());
    }

    /// Plays one action, all of which follows from its number.
    pub(crate) fn play(&mut self, number: u64) -> Checked {
        let disk = Arc::clone(&self.disk);
        let mut chance = Chance::part(self.seed, number);
        self.played.actions += 1;
        with_disk(disk, || {
            self.stand_up(&mut chance)?;
            self.act(&mut chance)?;
            self.settle(&mut chance)
        })
    }

    /// Ends all that is going on, and checks what must hold in the end.
    pub(crate) fn end(&mut self) -> Checked {
        let disk = Arc::clone(&self.disk);
        let mut chance = Chance::part(self.seed, u64::MAX - 1);
        with_disk(disk, || {
            self.disk.heal();
            self.stand_up(&mut chance)?;
            self.end_gate()
        })?;
        (self.played.calls, self.played.answers) = (self.books.calls, self.books.answers);
        self.played.records = self.acknowledged.count() as u64;
        self.played.writes = self.disk.counts().0;
        self.trace.number("writes", self.played.writes);
        Ok(())
    }

    /// If there is no gate, one is started.
    fn stand_up(&mut self, chance: &mut Chance) -> Checked {
        if self.gate.is_some() {
            return Ok(());
        }
        self.disk.heal();
        self.process += 1;
        self.disk.enter(self.process);
        let is_open = chance.once_in(6);
        let now = self.now();
        let gate = Gate::start((&self.wall, self.keeping), is_open, chance, now, self.bug);
        if self.disk.is_gone(self.process) {
            drop(gate);
            self.crash(chance)?;
            self.disk.spare();
            return self.stand_up(chance);
        }
        let gate = gate?;
        self.trace.add("chain", gate.chain.as_bytes());
        self.gate = Some(gate);
        for _ in 0..=chance.below(4) {
            self.connect(chance);
        }
        Ok(())
    }

    fn connect(&mut self, chance: &mut Chance) {
        let now = self.now();
        let Some(gate) = &self.gate else { return };
        let Some(server) = chance.of(&gate.servers).cloned() else { return };
        let kinds = match chance.below(6) {
            0 => ((ClientKind::Http, UpstreamKind::Pipe), false),
            1 => ((ClientKind::Pipe, UpstreamKind::Http), false),
            2 => ((ClientKind::Http, UpstreamKind::Http), true),
            3 | 4 => ((ClientKind::Http, UpstreamKind::Pipe), true),
            _ => ((ClientKind::Pipe, UpstreamKind::Pipe), false),
        };
        let number = self.next_connection;
        self.next_connection += 1;
        let bug = self.bug.and_then(Bug::of_connection);
        let mut connection = Connection::new(number, server, kinds, now, bug);
        connection.start();
        self.connections.insert(number, connection);
    }

    /// One action.
    fn act(&mut self, chance: &mut Chance) -> Checked {
        let kind = chance.below(100);
        match kind {
            90 => self.disk_trouble(chance),
            91 => self.cut(chance),
            92 if chance.once_in(6) => return self.end_gate(),
            93 if self.connections.len() < 6 => self.connect(chance),
            94 if chance.once_in(3) => return self.disconnect(chance),
            95 => self.disk.heal(),
            96 if chance.once_in(4) => self.reload(chance),
            _ => return self.act_on_one(kind, chance),
        }
        Ok(())
    }

    fn disk_trouble(&self, chance: &mut Chance) {
        let all = [
            DiskFault::Sync,
            DiskFault::SegmentSync,
            DiskFault::Write,
            DiskFault::Lie,
            DiskFault::Name,
            DiskFault::SetAside,
        ];
        let after = chance.below(12);
        if chance.once_in(5) {
            return self.disk.limit(chance.below(60_000));
        }
        if let Some(what) = chance.of(&all).copied() {
            let is_often = matches!(what, DiskFault::SegmentSync | DiskFault::SetAside);
            let times = if is_often { 1 + chance.below(4) } else { 1 };
            self.disk.fail(what, after, times);
        }
    }

    fn cut(&self, chance: &mut Chance) {
        let what = if chance.once_in(3) { Cut::Process } else { Cut::Power };
        self.disk.cut_after(1 + chance.below(40), what);
    }

    /// Sessions from now on have other settings; those that are open stay as they are.
    fn reload(&mut self, chance: &mut Chance) {
        let now = self.now();
        if let Some(gate) = &mut self.gate {
            gate.reload(chance, now);
        }
    }

    /// One connection acts, or something happens to it.
    fn act_on_one(&mut self, kind: u64, chance: &mut Chance) -> Checked {
        let numbers: Vec<u64> = self.connections.keys().copied().collect();
        let Some(number) = chance.of(&numbers).copied() else { return Ok(()) };
        let now = self.now();
        let admits = self.gate.as_ref().is_none_or(|it| it.recorder.admits());
        let Some(connection) = self.connections.get_mut(&number) else { return Ok(()) };
        connection.set_now(now);
        connection.admit_calls(admits);
        let client = chance.of(&connection.clients).copied().unwrap_or_default();
        let books = &mut self.books;
        match kind {
            0..34 => connection.ask(client, chance, books),
            34..58 => connection.answer(chance, books),
            58..78 => (0..=chance.below(4)).for_each(|_| connection.read(books)),
            78 | 79 => connection.remark(chance),
            80 | 81 => connection.cancel_one(client, chance, books),
            82 => connection.crash(chance, books),
            83 if chance.once_in(2) => connection.fail_to_start(ErrorKind::OutOfMemory),
            83..86 => connection.start(),
            86 => connection.refuse(chance, books),
            87 if connection.is_shared => connection.leave(client, books),
            88 if connection.is_shared => {
                let owed = books.owed().find(|it| it.1.connection == number).map(|it| it.0);
                if let Some(reply_token) = owed {
                    connection.withdraw(reply_token, books);
                }
            }
            89 => (0..chance.below(80)).for_each(|_| connection.ask(client, chance, books)),
            _ => {
                let time = Duration::from_millis(1 << chance.below(15));
                return self.wait(time);
            }
        }
        self.perform(number)
    }

    /// Time passes, and what is due is done.
    fn wait(&mut self, time: Duration) -> Checked {
        let until = self.passed + time;
        let mut late = 0;
        loop {
            let base = self.base;
            let next = self.connections.values().filter_map(|it| it.next_deadline(base)).min();
            let Some(next) = next.filter(|it| *it <= until) else { break };
            late += u32::from(next <= self.passed);
            if late > MOST_LATE {
                return Err(violated("what is due is not done"));
            }
            self.pass(next.saturating_sub(self.passed).max(Duration::from_micros(1)));
            self.expire_all()?;
        }
        self.pass(until.saturating_sub(self.passed));
        self.expire_all()
    }

    fn expire_all(&mut self) -> Checked {
        let now = self.now();
        for number in self.connections.keys().copied().collect::<Vec<_>>() {
            if let Some(connection) = self.connections.get_mut(&number) {
                connection.set_now(now);
                connection.expire();
            }
            self.perform(number)?;
        }
        Ok(())
    }

    /// Performs what a session wants done.
    fn perform(&mut self, number: u64) -> Checked {
        let now = self.now();
        let (Some(connection), Some(gate)) = (self.connections.get_mut(&number), &mut self.gate)
        else {
            return Ok(());
        };
        let (output, wrong) = connection.perform(&mut self.books);
        if let Some(reply_token) = wrong.first() {
            return Err(violated(format!(
                "a call is repeated that may not be: ticket {reply_token}"
            )));
        }
        for reply_token in output.withdrawn {
            self.books.withdraw(Standing::Withdrawn, |it, _| it == reply_token.0);
        }
        let server = Arc::clone(&connection.server);
        let is_to_commit = !connection.is_shared;
        for pending in output.faults {
            gate.recorder.record((&server, number), pending, (is_to_commit, now.at));
        }
        for repeat in output.repeats {
            gate.recorder.record_repeat(&server, number, &repeat);
        }
        let limit = server.settings.limits.in_flight as u64;
        if server.condition(now.at).in_flight > limit {
            return Err(violated(format!("more than {limit} calls are in flight")));
        }
        for (to, line) in output.heard {
            self.hear(number, to, &line, None)?;
        }
        Ok(())
    }

    /// A client hears something.
    fn hear(
        &mut self,
        number: u64,
        to: ToClient,
        line: &[u8],
        recorded: Option<&Recorded>,
    ) -> Checked {
        self.trace.number("to", number);
        self.trace.add("heard", line);
        match to {
            ToClient::Answer(reply_token, _) => {
                if let Some(Recorded::Kept(receipt)) = recorded
                    && !self.disk.has_durable(&receipt.hash)
                {
                    let what = String::from_utf8_lossy(line);
                    return Err(violated(format!("told before its record is durable: {what}")));
                }
                self.books.answered(number, reply_token.0, line)
            }
            ToClient::During(reply_token) => self.books.during(number, reply_token.0, line),
            ToClient::Question(question, Some(_)) if question % 3 == 0 => {
                if let Some(connection) = self.connections.get_mut(&number) {
                    connection.unheard(question);
                }
                Ok(())
            }
            ToClient::One(client) => only_own_marks(number, client, &String::from_utf8_lossy(line)),
            ToClient::Question(..) | ToClient::Any => Ok(()),
        }
    }

    /// The recorder does its work, and clients hear of it, unless the process or the power has gone.
    fn settle(&mut self, chance: &mut Chance) -> Checked {
        if chance.once_in(2) {
            self.commit()?;
        }
        if self.disk.is_gone(self.process) { self.crash(chance) } else { Ok(()) }
    }

    fn commit(&mut self) -> Checked {
        let Some(gate) = &self.gate else { return Ok(()) };
        gate.recorder.commit();
        self.tell()
    }

    /// What became of records is told.
    fn tell(&mut self) -> Checked {
        loop {
            let Some(gate) = &self.gate else { return Ok(()) };
            self.acknowledged.add(&gate.chain, gate.recorder.mailbox.acknowledged());
            let Some(told) = gate.recorder.mailbox.take() else { return Ok(()) };
            let number = told.connection;
            match told.what {
                Tidings::Repeat(id, is_recorded) => {
                    let now = self.now();
                    if let Some(connection) = self.connections.get_mut(&number) {
                        connection.set_now(now);
                        connection.repeat_recorded(id, is_recorded);
                    }
                    self.perform(number)?;
                }
                Tidings::Reply { to: Some(to), line, standing } => {
                    let Some(connection) = self.connections.get_mut(&number) else { continue };
                    for (to, line) in connection.deliver((to, line), &self.books) {
                        self.hear(number, to, &line, Some(&standing))?;
                    }
                }
                Tidings::Reply { to: None, .. } => (),
            }
        }
    }

    /// The gate is gone without a word, and maybe the power with it.
    fn crash(&mut self, chance: &mut Chance) -> Checked {
        // What it had told before counts.
        if let Some(gate) = &self.gate {
            self.acknowledged.add(&gate.chain, gate.recorder.mailbox.acknowledged());
        }
        let is_power = self.disk.is_off();
        self.trace.number("crash", u64::from(is_power));
        self.connections.clear();
        self.gate = None;
        self.books.withdraw(Standing::Left, |_, _| true);
        if !is_power {
            self.played.crashes += 1;
            self.process += 1;
            self.disk.enter(self.process);
            return check_now(&self.acknowledged);
        }
        for _ in 0..WAYS {
            let place = (&self.wall, self.keeping);
            self.played.crashes += check_cut(&self.disk, chance.next(), place, &self.acknowledged)?;
        }
        let left = self.disk.after_power_cut(chance.next());
        self.disk.become_that(left);
        self.played.crashes += 1;
        Ok(())
    }

    fn disconnect(&mut self, chance: &mut Chance) -> Checked {
        let numbers: Vec<u64> = self.connections.keys().copied().collect();
        let Some(number) = chance.of(&numbers).copied() else { return Ok(()) };
        let now = self.now();
        if let Some(connection) = self.connections.get_mut(&number) {
            connection.set_now(now);
            connection.close();
        }
        self.perform(number)?;
        self.commit()?;
        self.check_idle(number)?;
        self.connections.remove(&number);
        self.books.forget(number);
        Ok(())
    }

    /// Nothing is left of the requests of a connection, unless the disk or the process is gone.
    fn check_idle(&self, number: u64) -> Checked {
        if self.disk.is_gone(self.process) {
            return Ok(());
        }
        let Some(connection) = self.connections.get(&number) else { return Ok(()) };
        if let Some((reply_token, asked)) = self.books.owed().find(|it| it.1.connection == number) {
            return Err(violated(format!("ticket {reply_token} is never answered: {asked:?}")));
        }
        if connection.session.is_idle() {
            return Ok(());
        }
        Err(violated(format!("connection {number} still waits for something")))
    }

    /// The gate ends in good order. Everything that waits is answered before, at its deadline.
    fn end_gate(&mut self) -> Checked {
        // Longer than any deadline, with the pauses of repeats.
        self.wait(Duration::from_secs(70))?;
        self.commit()?;
        self.wait(Duration::from_secs(10))?;
        self.commit()?;
        if self.disk.is_gone(self.process) {
            return Ok(());
        }
        let endless = |it: &crate::books::Asked| it.is_endless;
        if let Some((reply_token, asked)) = self.books.owed().find(|it| !endless(it.1)) {
            return Err(violated(format!("ticket {reply_token} has no answer in time: {asked:?}")));
        }
        let now = self.now();
        for number in self.connections.keys().copied().collect::<Vec<_>>() {
            if let Some(connection) = self.connections.get_mut(&number) {
                connection.set_now(now);
                connection.close();
            }
            self.perform(number)?;
        }
        self.commit()?;
        for number in self.connections.keys() {
            self.check_idle(*number)?;
        }
        self.connections.clear();
        let Some(gate) = self.gate.take() else { return Ok(()) };
        self.acknowledged.add(&gate.chain, gate.recorder.mailbox.acknowledged());
        if self.disk.is_gone(self.process) {
            self.gate = Some(gate);
            return Ok(());
        }
        for number in self.books.owed().map(|it| it.1.connection).collect::<Vec<_>>() {
            self.books.forget(number);
        }
        self.disk.heal();
        let ended = gate.end(self.now().at);
        if self.disk.is_gone(self.process) {
            return Ok(());
        }
        ended?;
        check_now(&self.acknowledged)
    }

    /// What a broken promise was.
    pub(crate) fn tell_of(&self, violation: &Violation) -> Violation {
        let at = self.played.actions;
        Violation(format!("action {at}: {}", violation.0))
    }
}
