//! Which media types a client takes, and which of them it prefers: its `Accept` header.

use hyper::{HeaderMap, header::ACCEPT};

/// A message as it is.
pub(super) const JSON: &str = "application/json";
/// A stream of events.
pub(super) const EVENTS: &str = "text/event-stream";

/// What the official clients say, so that their calls need not be searched for more.
const USUAL: &str = "application/json, text/event-stream";

/// Whether a client takes all these media types. Without an `Accept` header it takes everything.
pub(super) fn accepts(headers: &HeaderMap, kinds: &[&str]) -> bool {
    let Some(first) = headers.get(ACCEPT) else { return true };
    let is_usual = first == USUAL;
    let is_taken = |kind: &str| is_usual && matches!(kind, JSON | EVENTS);
    kinds.iter().all(|it| is_taken(it) || accepted(headers, it).is_some())
}

/// Whether a client would rather have a stream of events than JSON: it gives it more weight, or the same and names it first.
pub(super) fn prefers_events(headers: &HeaderMap) -> bool {
    // The first value counts: no later one can change it.
    if headers.get(ACCEPT).is_some_and(|it| it == USUAL) {
        return false;
    }
    match (accepted(headers, EVENTS), accepted(headers, JSON)) {
        (Some(events), Some(json)) => {
            events.weight > json.weight
                || events.weight >= json.weight && events.position < json.position
        }
        _ => false,
    }
}

/// A media type of an `Accept` header.
struct AcceptedKind {
    weight: f32,
    /// Its position in the header.
    position: usize,
}

/// The entry of a media type that the client takes: by its name, else for its group, else for all types.
fn accepted(headers: &HeaderMap, kind: &str) -> Option<AcceptedKind> {
    let group = kind.split('/').next().unwrap_or_default();
    let is_named = |it: &str| it.eq_ignore_ascii_case(kind);
    let is_group =
        |it: &str| it.strip_suffix("/*").is_some_and(|it| it.eq_ignore_ascii_case(group));
    find(headers, is_named)
        .or_else(|| find(headers, is_group))
        .or_else(|| find(headers, |it| it == "*/*"))
        .filter(|it| it.weight > 0.0)
}

fn find(headers: &HeaderMap, is_meant: impl Fn(&str) -> bool) -> Option<AcceptedKind> {
    let values = headers.get_all(ACCEPT).iter().filter_map(|it| it.to_str().ok());
    let ranges = values.flat_map(|it| it.split(',')).enumerate();
    ranges
        .map(|(position, range)| {
            let (range, parameters) = range.split_once(';').unwrap_or((range, ""));
            (range.trim(), AcceptedKind { weight: weight(parameters), position })
        })
        .find(|it| is_meant(it.0))
        .map(|it| it.1)
}

/// The weight among the parameters of a range.
fn weight(parameters: &str) -> f32 {
    let pairs = parameters.split(';').filter_map(|it| it.split_once('='));
    let mut weights = pairs.filter(|it| it.0.trim().eq_ignore_ascii_case("q"));
    let read = |text: &str| text.trim().parse().ok().filter(|it: &f32| it.is_finite());
    weights.find_map(|it| read(it.1)).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use hyper::{
        HeaderMap,
        header::{ACCEPT, HeaderValue},
    };

    use super::{EVENTS, JSON, accepts, prefers_events};

    fn says(accept: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))])
    }

    #[test]
    fn a_stream_is_preferred_by_weight_or_by_order() {
        for (accept, is_preferred) in [
            ("application/json, text/event-stream", false),
            ("text/event-stream, application/json", true),
            ("Text/Event-Stream,APPLICATION/JSON", true),
            ("application/json;q=0.5, text/event-stream", true),
            ("text/event-stream;q=0.1, application/json", false),
            ("text/*, application/json;q=0.9", true),
            ("*/*", false),
            ("text/event-stream, */*;q=0.1", true),
            ("text/event-stream;q=what, application/json", true),
            ("text/event-stream", false),
            ("", false),
        ] {
            assert_eq!(prefers_events(&says(accept)), is_preferred, "{accept}");
        }
        assert!(!prefers_events(&HeaderMap::new()), "who does not say gets JSON");
    }

    #[test]
    fn every_kind_must_be_taken() {
        for (accept, is_fine) in [
            ("application/json, text/event-stream", true),
            ("application/*, text/*;q=0.5", true),
            ("*/*", true),
            ("application/json", false),
            ("text/html", false),
            ("application/json, text/event-stream;q=0", false),
            ("application/json, text/event-stream; Q=0.0, */*", false),
            ("application/json;q=0.001, text/event-stream;q=nan", true),
        ] {
            assert_eq!(accepts(&says(accept), &[JSON, EVENTS]), is_fine, "{accept}");
        }
        assert!(accepts(&HeaderMap::new(), &[JSON, EVENTS]));
    }
}
