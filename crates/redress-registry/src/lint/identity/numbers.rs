//! Numbers have one owner, and a range that says who.

use std::{collections::BTreeMap, ops::RangeInclusive};

use crate::{
    draft::DraftCode,
    finding::part,
    lint::scope::{Hits, Scope, text},
};

/// JSON-RPC and MCP own these.
const RESERVED: RangeInclusive<i64> = -32768..=-32000;

/// All that a number can be.
const NUMBERS: RangeInclusive<i64> = 1..=999_999;

/// CK103.
pub(super) fn duplicate(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    const MESSAGE: &str = "The number {number} is also that of {other}.";
    let mut owners: BTreeMap<i64, &str> = BTreeMap::new();
    let dead = scope.taken_retired().filter_map(|(name, it)| Some((it.number?, name)));
    let taken = scope.taken_codes().filter_map(|it| Some((it.number?, &*it.code)));
    for (number, name) in dead.chain(taken) {
        owners.entry(number.into()).or_insert(name);
    }
    for dead in scope.retired() {
        let Some(number) = &dead.number else { continue };
        let name = dead.name.value.as_str();
        let owner = *owners.entry(number.value).or_insert(name);
        if owner != name {
            let context = [part("number", number.value), part("other", owner)];
            hits.at(&number.span, MESSAGE, context).about(name);
        }
    }
    for (name, code) in scope.named_codes() {
        let Some(number) = &code.number else { continue };
        let owner = *owners.entry(number.value).or_insert(name);
        if owner != name {
            let context = [part("number", number.value), part("other", owner)];
            hits.on(code, &number.span, MESSAGE, context);
        }
    }
}

/// CK104.
pub(super) fn reserved(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        if let Some(number) = code.number.as_ref().filter(|it| RESERVED.contains(&it.value)) {
            let context = [part("number", number.value)];
            hits.on(code, &number.span, "The number {number} is one of the protocol's.", context);
        }
    }
    for domain in scope.domains() {
        let Some(range) = domain.range.as_ref().filter(|it| touches(it.value, RESERVED)) else {
            continue;
        };
        let message = "The range of the domain {domain} holds numbers of the protocol.";
        hits.at(&range.span, message, [part("domain", domain.name.value.as_str())]);
    }
}

/// CK105.
pub(super) fn out_of_range(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let ranges = ranges(scope);
    for code in scope.codes() {
        let Some(number) = &code.number else { continue };
        let domain = text(code.domain.as_ref());
        let at = &number.span;
        let (number, owner) = (number.value, ranges.get(domain));
        if RESERVED.contains(&number) {
            continue;
        }
        if !NUMBERS.contains(&number) {
            let message = "The number {number} is not within 1 to 999999.";
            hits.on(code, at, message, [part("number", number)]);
        } else if let Some(Some((first, last))) = owner.copied()
            && !(first..=last).contains(&number)
        {
            let message =
                "The number {number} is outside {first} to {last}, the range of {domain}.";
            let context = [
                part("number", number),
                part("first", first),
                part("last", last),
                part("domain", domain),
            ];
            hits.on(code, at, message, context);
        } else if owner == Some(&None) {
            let message = "The number {number} has no owner: the domain {domain} has no range.";
            hits.on(code, at, message, [part("number", number), part("domain", domain)])
                .fix(format!("Give [domain.{domain}] a range with {number}, or drop the number."));
        }
    }
    bad_ranges(scope, hits);
}

/// CK111.
pub(super) fn gap(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    /// A few numbers may be kept free for what belongs together.
    const MOST_FREE: i64 = 9;
    let dead = scope.retired().filter_map(|it| it.number.as_ref()).map(|it| it.value);
    let dead: Vec<i64> = dead.collect();
    let mut domains: BTreeMap<&str, BTreeMap<i64, &DraftCode>> = BTreeMap::new();
    for code in scope.codes() {
        if let Some(number) = &code.number {
            domains.entry(text(code.domain.as_ref())).or_default().insert(number.value, code);
        }
    }
    for numbers in domains.values() {
        for ((before, _), (number, code)) in numbers.iter().zip(numbers.iter().skip(1)) {
            let between = before + 1..*number;
            let last = dead.iter().copied().filter(|it| between.contains(it)).max();
            let last = last.unwrap_or(*before);
            let free = number - last - 1;
            if free <= MOST_FREE {
                continue;
            }
            let at =
                code.number.as_ref().map_or_else(|| code.name.span.clone(), |it| it.span.clone());
            let context = [part("number", *number), part("last", last), part("free", free)];
            hits.on(
                code,
                &at,
                "The number {number} comes after {last}; the {free} between them are free.",
                context,
            )
            .fix(format!(
                "Take {}, or keep the gap if it is reserved for related codes.",
                last + 1
            ));
        }
    }
}

/// The domains that are known, each with its range if it has one.
fn ranges<'a>(scope: &'a Scope<'_>) -> BTreeMap<&'a str, Option<(i64, i64)>> {
    let taken = scope.taken_domains().map(|(name, it)| (name, it.range.map(wide)));
    let own =
        scope.domains().map(|it| (it.name.value.as_str(), it.range.as_ref().map(|it| it.value)));
    taken.chain(own).collect()
}

fn bad_ranges(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let mut owned: BTreeMap<i64, (i64, &str)> = scope
        .taken_domains()
        .filter_map(|(name, it)| Some((wide(it.range?), name)))
        .map(|((first, last), name)| (first, (last, name)))
        .collect();
    for domain in scope.domains() {
        let Some(range) = &domain.range else { continue };
        let ((first, last), name) = (range.value, domain.name.value.as_str());
        if touches(range.value, RESERVED) {
            continue;
        }
        let context = [part("domain", name), part("first", first), part("last", last)];
        if first > last || !NUMBERS.contains(&first) || !NUMBERS.contains(&last) {
            let message = "The range {first} to {last} of {domain} does not ascend in 1 to 999999.";
            hits.at(&range.span, message, context);
            continue;
        }
        // Ranges that are in the map touch no other, so the last one that begins in time is enough.
        match owned.range(..=last).next_back() {
            Some((_, (end, other))) if *end >= first && *other != name => {
                let [domain, first, last] = context;
                let message = "The range {first} to {last} of {domain} overlaps that of {other}.";
                hits.at(&range.span, message, [domain, first, last, part("other", *other)]);
            }
            _ => _ = owned.insert(first, (last, name)),
        }
    }
}

fn touches((first, last): (i64, i64), range: RangeInclusive<i64>) -> bool {
    first <= *range.end() && last >= *range.start()
}

fn wide((first, last): (u32, u32)) -> (i64, i64) {
    (first.into(), last.into())
}
