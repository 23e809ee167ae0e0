//! Requests that nobody waits for any more: they are withdrawn from the upstream.

use super::{Actions, Door, Session, Undecided, seen::Seen};
use crate::{
    exchange::{Exchange, Method},
    inflight::UpstreamId,
    outgoing::{Ticket, ToClient, ToUpstream},
};

impl Session {
    /// The client is gone: nobody can be told, but what it asked for is withdrawn and recorded.
    pub fn client_gone(&mut self, actions: &mut Actions) {
        self.door = Door::Closing;
        self.withdraw_where(|_| true, actions);
    }

    /// One of several clients is gone: what it asked for is withdrawn and recorded.
    pub fn client_left(&mut self, client: u64, actions: &mut Actions) {
        self.withdraw_where(|it| it.from.client == client, actions);
        self.leave_interests(client, actions);
        self.opening.batching.swap_remove(&client);
    }

    /// Whoever made a request does not wait any more: it is withdrawn and recorded.
    pub fn withdraw(&mut self, ticket: Ticket, actions: &mut Actions) {
        self.withdraw_where(|it| it.from.ticket == ticket, actions);
    }

    fn withdraw_where(&mut self, is_meant: impl Fn(&Exchange) -> bool, actions: &mut Actions) {
        let all = std::mem::take(&mut self.undecided).into_iter();
        let (meant, others) = all.partition(|it: &Undecided| is_meant(&it.exchange));
        self.undecided = others;
        for undecided in meant {
            self.fail(undecided.exchange, &Seen::ClientGone, actions);
        }
        for id in self.in_order() {
            if self.inflight.exchange(id).is_some_and(&is_meant)
                && let Some(mut exchange) = self.inflight.withdraw(id)
            {
                self.linger(id, &mut exchange, actions.now.at);
                self.cancel_upstream(id, &exchange, "the client is gone", actions);
                self.fail(exchange, &Seen::ClientGone, actions);
            }
        }
    }

    /// Withdraws a request from the upstream, which may still be at it.
    pub(super) fn cancel_upstream(
        &mut self,
        id: UpstreamId,
        exchange: &Exchange,
        reason: &str,
        actions: &mut Actions,
    ) {
        if !exchange.is_at_upstream()
            || exchange.request.method == Method::Initialize
            || !self.is_up()
        {
            return;
        }
        let parts: [&[u8]; 5] = [
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#,
            &id.digits(),
            br#","reason":""#,
            reason.as_bytes(),
            b"\"}}\n",
        ];
        actions.to_upstream.add_parts(ToUpstream::Cancel(id), &parts);
        self.notes += 1;
    }

    /// A question of the upstream that no client will hear gets its answer all the same.
    pub(crate) fn unheard(&mut self, question: u64, actions: &mut Actions) {
        let Some(theirs) = self.asked_by_upstream.shift_remove(&question) else { return };
        let parts: [&[u8]; 3] = [
            br#"{"jsonrpc":"2.0","id":"#,
            theirs.as_bytes(),
            b",\"error\":{\"code\":-32603,\"message\":\"The client does not read what it is sent.\"}}\n",
        ];
        actions.to_upstream.add_parts(ToUpstream::Other, &parts);
    }

    /// The process that asked is gone: the client need not answer.
    pub(super) fn withdraw_upstream_requests(&mut self, actions: &mut Actions) {
        for (ours, _) in std::mem::take(&mut self.asked_by_upstream) {
            let ours = ours.to_string();
            let parts: [&[u8]; 3] = [
                br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#,
                ours.as_bytes(),
                b",\"reason\":\"the server process ended\"}}\n",
            ];
            actions.to_client.add_parts(ToClient::Any, &parts);
        }
    }
}
