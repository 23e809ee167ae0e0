//! What a class rules out, as tables.

use std::collections::BTreeMap;

use crate::{
    Class, Effect,
    RetryKind::{self, AfterChange, AfterDelay, AfterState, Never, Now},
    draft::DraftCode,
    finding::part,
    lint::scope::{Hits, Scope, is_set},
};

/// Which kinds of retry a class rules out, and why. A class that is not here rules out none.
const RULED_OUT: &[(Class, &[RetryKind], &str)] = &[
    (Class::InvalidArgument, &[Now, AfterDelay], "the same arguments can never work"),
    (Class::NotFound, &[Now], "it is not there yet a moment later"),
    (Class::AlreadyExists, &[Now, AfterDelay], "it will still be there"),
    (Class::PermissionDenied, &[Now, AfterDelay], "nobody grants by waiting"),
    (Class::ResourceExhausted, &[Now], "a moment later it is still used up"),
    (Class::FailedPrecondition, &[Now], "the state must change first"),
    (Class::OutOfRange, &[Now, AfterDelay], "the same arguments can never work"),
    (Class::Unimplemented, &[Now, AfterDelay, AfterState], "the server does not do this at all"),
    (Class::Unavailable, &[AfterChange, Never], "the service may come back for the same call"),
    (Class::DataLoss, &[Now, AfterDelay], "what is lost stays lost"),
    (Class::Unauthenticated, &[Now, AfterDelay], "nobody logs in by waiting"),
];

/// Which statuses fit a class, the one that it gives by itself first.
const STATUSES: &[(Class, &[i64])] = &[
    (Class::Cancelled, &[499, 400, 408, 409]),
    (Class::Unknown, &[500, 502, 520]),
    (Class::InvalidArgument, &[400, 406, 411, 413, 414, 415, 417, 422, 431]),
    (Class::DeadlineExceeded, &[504, 408, 524]),
    (Class::NotFound, &[404, 410]),
    (Class::AlreadyExists, &[409, 422]),
    (Class::PermissionDenied, &[403, 404, 451]),
    (Class::ResourceExhausted, &[429, 402, 403, 413, 502, 503, 507]),
    (Class::FailedPrecondition, &[409, 400, 412, 422, 423, 424, 425, 426, 428]),
    (Class::Aborted, &[409, 412, 423]),
    (Class::OutOfRange, &[400, 413, 416, 422]),
    (Class::Unimplemented, &[501, 404, 405, 406, 415, 422, 505]),
    (Class::Internal, &[500, 502]),
    (Class::Unavailable, &[503, 502, 504, 521, 522, 523]),
    (Class::DataLoss, &[500, 410]),
    (Class::Unauthenticated, &[401, 403, 407, 511]),
];

/// CK304. Only rows of the file: what is taken in cannot be changed here.
pub(super) fn unsafe_retry(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let risky: BTreeMap<&str, (&DraftCode, Effect)> = scope
        .named_codes()
        .filter(|(_, it)| it.retry.as_ref().is_some_and(|it| it.value.retryable()))
        .map(|(name, it)| (name, (it, effect(scope, it))))
        .filter(|(_, (_, effect))| *effect != Effect::None)
        .collect();
    for tool in scope.draft.tools.iter().map(|it| &it.value) {
        let reads = tool.operation.as_ref().is_some_and(|it| it.value.reads());
        if reads || is_set(tool.read_only.as_ref()) || is_set(tool.idempotent.as_ref()) {
            continue;
        }
        for written in &tool.may {
            if let Some((code, effect)) = risky.get(scope.meant(&written.value).as_str()) {
                let context =
                    [part("tool", tool.name.value.as_str()), part("effect", effect.name())];
                let message = "{tool} is not idempotent and may be repeated with effect {effect}.";
                hits.on(code, &written.span, message, context);
            }
        }
    }
}

fn effect(scope: &Scope<'_>, code: &DraftCode) -> Effect {
    let written = code.effect.as_ref().or(scope.draft.defaults.effect.as_ref());
    written.map_or(Effect::None, |it| it.value)
}

/// CK305.
pub(super) fn retry_against_class(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let (Some(class), Some(retry)) = (&code.class, &code.retry) else { continue };
        let kind = retry.value.kind;
        let row = RULED_OUT.iter().find(|it| it.0 == class.value && it.1.contains(&kind));
        if let Some((_, _, why)) = row {
            let context =
                [part("retry", kind.name()), part("class", class.value.name()), part("why", *why)];
            hits.on(code, &retry.span, "{retry} contradicts {class}: {why}.", context);
        }
    }
}

/// CK306.
pub(super) fn http_against_class(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let Some(http) = &code.http else { continue };
        let fits =
            |class: Class| STATUSES.iter().any(|it| it.0 == class && it.1.contains(&http.value));
        if !(400..=599).contains(&http.value) {
            let context = [part("http", http.value)];
            hits.on(code, &http.span, "{http} is not within 400 to 599.", context);
        } else if let Some(class) = code.class.as_ref().filter(|it| !fits(it.value)) {
            let context = [
                part("http", http.value),
                part("class", class.value.name()),
                part("usual", class.value.http()),
            ];
            let message = "{http} contradicts {class}, which gives {usual} by itself.";
            hits.on(code, &http.span, message, context);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::STATUSES;
    use crate::Class;

    #[test]
    fn every_class_accepts_its_own_status_first() {
        for class in Class::ALL {
            let row = STATUSES.iter().find(|it| it.0 == class).unwrap();
            assert_eq!(row.1.first(), Some(&i64::from(class.http())), "{class:?}");
        }
    }
}
