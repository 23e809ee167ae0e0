//! Where values get to that are chosen when the code runs: none of them is ever called, whatever way it takes.
//!
//! All places of a payload are one graph: values, names, members by their names. What is known of a place are a few bits, and every way from
//! one place to another says which bits follow from which. It is walked once, so that the work grows with the payload and no faster.

mod called;
mod find;
mod way;

use std::{cell::Cell, collections::BTreeMap};

use self::{
    find::STEPS,
    way::{CHOSEN, Way},
};
use super::{
    judge::Judge,
    payload::{Id, Param, Use, Value},
    words::has,
};

/// A place of the graph, by its number.
type Place = usize;

/// All places of a payload, and the ways between them.
struct Graph<'j, 'p, 'c> {
    judge: &'j Judge<'p, 'c>,
    names: BTreeMap<&'p str, Place>,
    members: BTreeMap<&'p str, Place>,
    /// Where values are thrown to, sent to, and got lost.
    thrown: Place,
    sent: Place,
    lost: Place,
    this: Place,
    params: BTreeMap<Id, Vec<&'p Param>>,
    returned: BTreeMap<Id, Vec<Id>>,
    /// Classes with what they extend.
    above: BTreeMap<Id, Id>,
    steps: Cell<u32>,
    /// Whether not every function was found.
    is_lost: Cell<bool>,
    /// How many places there are.
    places: usize,
    found: Vec<(Place, Place, Way)>,
}

/// Members of a function that call it.
pub(super) const BINDS: &[&str] = &["call", "apply", "bind"];

impl<'j, 'p, 'c> Graph<'j, 'p, 'c> {
    fn of(judge: &'j Judge<'p, 'c>) -> Self {
        let first = judge.payload.nodes.len();
        let mut graph = Self {
            judge,
            names: BTreeMap::new(),
            members: BTreeMap::new(),
            thrown: first,
            sent: first + 1,
            lost: first + 2,
            this: first + 3,
            params: BTreeMap::new(),
            returned: BTreeMap::new(),
            above: judge.payload.ways.above.iter().copied().collect(),
            steps: Cell::new(STEPS),
            is_lost: Cell::new(false),
            places: first + 4,
            found: Vec::with_capacity(first * 2),
        };
        for param in &judge.payload.ways.params {
            graph.params.entry(param.function).or_default().push(param);
        }
        for (function, given) in &judge.payload.ways.returned {
            graph.returned.entry(*function).or_default().push(*given);
        }
        graph.assignments();
        for (id, node) in judge.payload.nodes.iter().enumerate() {
            graph.value(id, &node.value, node.used);
        }
        graph.functions();
        graph
    }

    /// One more place.
    fn place(&mut self) -> Place {
        self.places += 1;
        self.places - 1
    }

    fn way(&mut self, from: Place, to: Place, way: Way) {
        self.found.push((from, to, way));
    }

    fn ways(&mut self, from: &[Place], to: Place, way: Way) {
        self.found.extend(from.iter().map(|from| (*from, to, way)));
    }

    /// Both are the same thing, so that what is put into one is in the other.
    fn same(&mut self, from: Place, to: Place) {
        self.way(from, to, Way::Same);
        self.way(to, from, Way::Back);
    }

    /// What names and members were given.
    fn assignments(&mut self) {
        let [names, members] = self.judge.payload.given_all();
        for (name, given) in names {
            let place = self.place();
            self.names.insert(name, place);
            for it in given {
                self.same(*it, place);
            }
        }
        for (name, given) in members {
            let place = self.place();
            self.members.insert(name, place);
            for it in given {
                self.same(*it, place);
            }
        }
    }

    fn value(&mut self, id: Id, value: &'p Value<'c>, used: Use) {
        match value {
            Value::Name(name) => {
                let place = self.named(name);
                self.same(place, id);
            }
            Value::Either(all) => all.iter().for_each(|it| self.same(*it, id)),
            Value::List(all) | Value::Object(all) => {
                self.ways(all, id, Way::Put);
                self.escape(all);
            }
            Value::Spread(all) => self.way(*all, id, Way::Taken),
            Value::Member { object, key } => match self.judge.spelled(*key) {
                Some(key) => {
                    if has(BINDS, key) {
                        self.way(*object, id, Way::Same);
                    }
                    match self.members.get(key).copied() {
                        // What nobody gave that name may be there under a computed one.
                        Some(place) => self.same(place, id),
                        None if used != Use::Callee => self.way(*object, id, Way::Taken),
                        None => (),
                    }
                }
                None => {
                    self.way(*object, id, Way::Taken);
                    for key in self.judge.keys.get(key).into_iter().flatten() {
                        if let Some(place) = self.members.get(key.as_ref()).copied() {
                            self.same(place, id);
                        }
                    }
                }
            },
            Value::Call { callee, arguments } => self.call(id, *callee, arguments),
            _ => (),
        }
    }

    fn call(&mut self, id: Id, callee: Id, arguments: &[Id]) {
        let payload = self.judge.payload;
        self.way(callee, id, Way::Called);
        let mut known = Vec::new();
        self.find(callee, &mut known);
        let object = match payload.value(callee) {
            Value::Member { object, .. } => Some(*object),
            _ => None,
        };
        let name = self.judge.called(callee).unwrap_or_default();
        let this = self.this;
        if !payload.ways.this.is_empty() {
            arguments.iter().chain(&object).for_each(|it| self.way(*it, this, Way::Same));
        }
        if payload.ways.has_arguments {
            let own = self.named("arguments");
            self.ways(arguments, own, Way::Put);
        }
        let handed = if name == "Promise" { Vec::new() } else { self.escape(arguments) };
        if known.is_empty() {
            self.call_of_others(id, (callee, object, name), arguments);
            // What it gets first, it may put the others into.
            let all = self.all(arguments);
            for it in arguments {
                self.way(all, *it, Way::Back);
            }
            for param in handed {
                self.way(all, param.id, Way::Handed);
                self.ways(object.as_slice(), param.id, Way::Handed);
            }
            return;
        }
        if has(BINDS, name) && self.judge.are_binds_about() {
            self.ways(arguments, self.lost, Way::Put);
        }
        let is_spread = |it: &Id| matches!(payload.value(*it), Value::Spread(_));
        let is_any = object.is_some() && has(BINDS, name) || arguments.iter().any(is_spread);
        let all = self.all(arguments);
        for param in self.params_of(&known) {
            match arguments.get(param.at) {
                _ if is_any || param.is_rest => {
                    self.way(all, param.id, if is_any { Way::Handed } else { Way::Same });
                }
                Some(it) => self.same(*it, param.id),
                None => (),
            }
        }
    }

    fn named(&mut self, name: &'p str) -> Place {
        if let Some(place) = self.names.get(name) {
            return *place;
        }
        let place = self.place();
        self.names.insert(name, place);
        place
    }

    /// A place that has all of some values in it.
    fn all(&mut self, values: &[Id]) -> Place {
        let place = self.place();
        self.ways(values, place, Way::Put);
        place
    }

    /// A call of what is not the payload's own: it may give back what it gets, keep it, or call functions with it.
    fn call_of_others(
        &mut self,
        id: Id,
        (callee, object, name): (Id, Option<Id>, &str),
        arguments: &[Id],
    ) {
        let rules = self.judge.rules;
        if object.is_none() && has(rules.makes_plain, name) {
            return;
        }
        let is_known = match object {
            Some(_) => has(rules.calls_back, name) || has(rules.gives_back, name),
            None => has(rules.built_in, name),
        };
        for it in arguments {
            self.way(*it, id, Way::Through { is_known });
            if let Some(object) = object {
                self.way(*it, object, Way::Put);
            }
            match name {
                "next" => self.way(*it, self.sent, Way::Same),
                "throw" => self.way(*it, self.thrown, Way::Same),
                _ => (),
            }
        }
        self.ways(object.as_slice(), id, Way::Method { is_known });
        let payload = self.judge.payload;
        let is_free =
            matches!(payload.value(callee), Value::Name(it) if payload.given(it).is_empty());
        if !is_free {
            self.ways(arguments, self.lost, Way::Put);
        }
    }

    /// Functions among some values are called by somebody, with what got lost. Gives what they get.
    fn escape(&mut self, values: &[Id]) -> Vec<&'p Param> {
        let mut found = Vec::new();
        for it in values {
            self.find(*it, &mut found);
        }
        let params = self.params_of(&found);
        for it in &params {
            self.way(self.lost, it.id, Way::Handed);
        }
        params
    }

    /// What functions get and give otherwise.
    fn functions(&mut self) {
        let (ways, lost) = (&self.judge.payload.ways, self.lost);
        for (of, given) in &ways.returned {
            self.way(*given, *of, Way::Given);
            self.escape(&[*given]);
        }
        for it in &ways.thrown {
            self.way(*it, self.thrown, Way::Same);
            self.way(*it, lost, Way::Put);
            self.escape(&[*it]);
        }
        for it in &ways.caught {
            self.way(self.thrown, *it, Way::Same);
            self.way(lost, *it, Way::Handed);
        }
        ways.sent.iter().for_each(|it| self.way(self.sent, *it, Way::Handed));
        ways.this.iter().for_each(|it| self.same(self.this, *it));
        ways.awaited.iter().for_each(|it| self.way(lost, *it, Way::Handed));
        for (given, object) in &ways.put {
            self.way(*given, *object, Way::Put);
            self.escape(&[*given]);
        }
        for (class, above) in &ways.above {
            self.way(*above, *class, Way::Same);
            self.way(*above, self.this, Way::Called);
        }
        ways.born.iter().for_each(|it| self.way(*it, self.this, Way::Same));
        self.setters();
    }

    /// Functions that get what members are given get all of it: which member is which, nobody knows.
    fn setters(&mut self) {
        let mut found = Vec::new();
        for it in self.judge.setters() {
            self.find(it, &mut found);
        }
        if found.is_empty() {
            return;
        }
        let put: Vec<_> = self.judge.payload.ways.put.iter().map(|(given, _)| *given).collect();
        let members: Vec<_> = self.members.values().copied().collect();
        let all = self.place();
        self.ways(&put, all, Way::Put);
        self.ways(&members, all, Way::Put);
        for param in self.params_of(&found) {
            self.way(all, param.id, Way::Handed);
        }
    }

    /// What is known of each place in the end.
    fn walk(&self, chosen: &[Id]) -> Vec<u8> {
        let mut bits = vec![0; self.places];
        let mut firsts = vec![0_usize; self.places + 1];
        for (from, ..) in &self.found {
            firsts.iter_mut().skip(from + 1).take(1).for_each(|it| *it += 1);
        }
        let mut sum = 0;
        for first in &mut firsts {
            sum += *first;
            *first = sum;
        }
        // Each way behind the others from its place.
        let (mut next, mut sorted) = (firsts.clone(), vec![(0, Way::Same); self.found.len()]);
        for (from, to, way) in &self.found {
            if let Some(next) = next.get_mut(*from) {
                sorted.iter_mut().skip(*next).take(1).for_each(|it| *it = (*to, *way));
                *next += 1;
            }
        }
        let mut open: Vec<(Place, u8)> = chosen.iter().map(|it| (*it, CHOSEN)).collect();
        while let Some((place, more)) = open.pop() {
            let Some(known) = bits.get_mut(place).filter(|it| **it | more != **it) else {
                continue;
            };
            *known |= more;
            let known = *known;
            let range = firsts.get(place).zip(firsts.get(place + 1)).map(|(from, to)| *from..*to);
            for (to, way) in range.and_then(|it| sorted.get(it)).unwrap_or_default() {
                open.push((*to, way.follow(known)));
            }
        }
        bits
    }
}
