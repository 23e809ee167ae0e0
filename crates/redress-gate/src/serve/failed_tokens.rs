//! Refuses requests without a valid token: counts them, answers them slowly, and records them once a minute.

use std::{net::IpAddr, time::Instant};

use hyper::Response;
use redress::{codes, emit::emit, fault::Origin};
use redress_ledger::Record;
use redress_wire::json::{Members, RawJson};
use tokio::{sync::oneshot, time::sleep};

use super::{
    access::TokenError,
    body::Body,
    refusal::RefusedRequest,
    throttle::{Failures, Pace, Throttle},
};
use crate::connection::ServerRuntime;

/// Refuses a request without a valid token, later the more of them its peer makes.
pub(super) async fn refuse(
    why: TokenError,
    from: IpAddr,
    throttle: &Throttle,
    runtime: &ServerRuntime,
) -> Response<Body> {
    runtime.server.metrics.happened(why.event());
    let (pace, due) = throttle.failed(from, Instant::now());
    if let Some(failures) = due {
        record(&failures, runtime).await;
    }
    let refusal = match pace {
        Pace::After(wait) => {
            if !wait.is_zero() {
                sleep(wait).await;
            }
            RefusedRequest::unknown_caller(why)
        }
        Pace::TooMany(wait) => RefusedRequest::too_many_failed_tokens(wait),
    };
    refusal.unrecorded()
}

/// Records how many there were, and waits until that is durable.
pub(super) async fn record(failures: &Failures, runtime: &ServerRuntime) {
    let (sender, kept) = oneshot::channel();
    runtime.recorder.append(record_of(failures, runtime), move |_| {
        // The request may be gone.
        sender.send(()).unwrap_or_default();
    });
    // What a ledger cannot record it counts itself, and the request is refused in any case.
    kept.await.unwrap_or_default();
}

fn record_of(Failures { all, peers }: &Failures, runtime: &ServerRuntime) -> Record {
    let settings = &runtime.server.settings;
    let mut fault = codes::AUTH_REQUIRED.raise([] as [(&str, &str); 0]);
    fault.origin = Origin::Gate;
    fault.nothing_changed();
    fault.message = if *all == 1 {
        "A request brought no valid token.".to_owned()
    } else {
        format!("{all} requests brought no valid token.")
    };
    let mut details = String::new();
    let mut members = Members::open(&mut details);
    members.int("requests", *all);
    let mut by_peer = Members::open(members.key("peers"));
    for (peer, count) in peers {
        by_peer.int(&peer.to_string(), *count);
    }
    by_peer.close();
    members.close();
    fault.details = RawJson::parse(details.as_bytes()).ok();
    fault.context.server = Some(settings.server.clone());
    fault.timestamp = Some((runtime.clock)().to_string());
    let fault = emit(fault, &settings.emission()).into_fault();
    Record::fault(&fault, &settings.redactor)
}
