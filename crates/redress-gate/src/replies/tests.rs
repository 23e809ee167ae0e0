//! Who hears an answer that is not fetched where it was asked for.

use std::task::{Context, Poll, Waker};

use super::{
    Caller, FailureReply, MemoryBudget, MessageQueue, Reply, ReplyPreference, ReplyRouter,
    ReplyToken, SharedReservation, Stream, ToClient, Undelivered,
};

const PRIMED: ReplyPreference = ReplyPreference { events: true, is_primed: true };

fn received(stream: &Stream) -> String {
    let context = Context::from_waker(Waker::noop());
    let mut received = String::new();
    while let Poll::Ready(Some(event)) = stream.poll_next(&context) {
        received.push_str(std::str::from_utf8(&event).unwrap());
    }
    received
}

fn answer(replies: &ReplyRouter, reply_token: ReplyToken, line: &str) -> Undelivered {
    let to = ToClient::Answer(reply_token, 200);
    replies.deliver_one(FailureReply {
        to,
        challenge: None,
        line: format!("{line}\n").into(),
        memory: None,
    })
}

fn send(replies: &ReplyRouter, to: ToClient, line: &str) -> Undelivered {
    let mut mail = MessageQueue::default();
    mail.add_parts(to, &[line.as_bytes(), b"\n"]);
    replies.deliver(&mut mail, &SharedReservation::default())
}

#[test]
fn a_resumed_stream_gets_the_answer_not_the_old_connection() {
    let replies = ReplyRouter::new(MemoryBudget::endless());
    replies.enter(1, Caller::ONLY);
    let standing = replies.listen(1, None).unwrap().0;
    let (reply_token, mut reply) = replies.wait((1, Caller::ONLY), PRIMED);
    replies.open(reply_token, true);
    let Ok(Reply::Stream(old)) = reply.try_recv() else { panic!("a stream") };
    let again = replies.listen(1, Some(&format!("{}-0", old.number))).unwrap().0;
    answer(&replies, reply_token, "{}");
    assert_eq!(received(&again), "event: message\nid: 2-1\ndata: {}\n\n");
    assert!(!again.is_open(), "the answer is the last thing");
    assert_eq!((received(&old), received(&standing)), (String::new(), String::new()));
}

#[test]
fn an_answer_of_a_closed_stream_goes_to_another_one() {
    let replies = ReplyRouter::new(MemoryBudget::endless());
    replies.enter(1, Caller::ONLY);
    let standing = replies.listen(1, None).unwrap().0;
    let (reply_token, reply) = replies.wait((1, Caller::ONLY), PRIMED);
    replies.open(reply_token, true);
    drop(reply);
    replies.leave(reply_token);
    answer(&replies, reply_token, "{}");
    assert_eq!(received(&standing), "event: message\nid: 1-1\ndata: {}\n\n");
    assert!(standing.is_open(), "it is not only for that answer");
}

#[test]
fn a_resumable_request_gets_a_stream_after_a_while() {
    let replies = ReplyRouter::new(MemoryBudget::endless());
    replies.enter(1, Caller::ONLY);
    let (_, mut early) =
        replies.wait((1, Caller::ONLY), ReplyPreference { events: false, is_primed: true });
    let (_, mut old) =
        replies.wait((1, Caller::ONLY), ReplyPreference { events: false, is_primed: false });
    replies.open_late();
    assert!(early.try_recv().is_err(), "it may have come a moment ago");
    replies.open_late();
    assert!(matches!(early.try_recv(), Ok(Reply::Stream(stream)) if stream.number == 1));
    assert!(old.try_recv().is_err(), "older clients do not know how to come back");
}

#[test]
fn messages_that_a_slow_client_never_gets_are_counted() {
    let replies = ReplyRouter::new(MemoryBudget::endless());
    replies.enter(1, Caller::ONLY);
    let (reply_token, mut reply) = replies.wait((1, Caller::ONLY), PRIMED);
    let mut lost = 0;
    let large = format!("{{\"method\":\"{}\"}}", "x".repeat(1 << 16));
    for _ in 0..200 {
        lost +=
            usize::try_from(send(&replies, ToClient::During(reply_token), &large).count).unwrap();
    }
    answer(&replies, reply_token, "{}");
    let Ok(Reply::Stream(stream)) = reply.try_recv() else { panic!("a stream") };
    let told = received(&stream);
    assert!(told.ends_with("data: {}\n\n"), "the answer is received all the same");
    let on_it = told.matches("\"method\"").count();
    let kept = received(&replies.listen(1, None).unwrap().0).matches("\"method\"").count();
    assert!(lost > 0 && on_it > 0 && kept > 0);
    assert_eq!(lost + on_it + kept, 200, "{lost} {on_it} {kept}");
}

#[test]
fn a_message_during_an_abandoned_request_is_lost() {
    let replies = ReplyRouter::new(MemoryBudget::endless());
    assert_eq!(send(&replies, ToClient::During(ReplyToken(7)), "{}").count, 1);
    let asked = send(&replies, ToClient::Question(3, Some(ReplyToken(7))), "{}");
    assert_eq!(
        asked,
        Undelivered { count: 1, questions: vec![3] },
        "a question is known by its number"
    );
}

#[test]
fn an_unfetched_failure_is_lost_when_the_next_replaces_it() {
    let replies = ReplyRouter::new(MemoryBudget::endless());
    replies.enter(1, Caller::ONLY);
    send(&replies, ToClient::Question(3, None), "{}");
    let large = "x".repeat(900 << 10);
    let left: Vec<_> = (0..3)
        .map(|_| {
            let (reply_token, _) = replies.wait((1, Caller::ONLY), PRIMED);
            answer(&replies, reply_token, &large)
        })
        .collect();
    let lost = |count, questions: &[u64]| Undelivered { count, questions: questions.into() };
    assert_eq!(left, [lost(0, &[]), lost(2, &[3]), lost(1, &[])]);
}

#[test]
fn a_question_on_a_closed_stream_is_lost_once_it_is_dropped() {
    let leave = |replies: &ReplyRouter, stream: &Stream| {
        stream.leave();
        replies.unread(1, stream)
    };
    let come_back = |replies: &ReplyRouter, stream: &Stream| {
        replies.listen(1, Some(&format!("{}-0", stream.number))).unwrap().1
    };
    for go in [leave, come_back] {
        let replies = ReplyRouter::new(MemoryBudget::endless());
        replies.enter(1, Caller::ONLY);
        let (reply_token, mut reply) = replies.wait((1, Caller::ONLY), PRIMED);
        send(&replies, ToClient::Question(3, Some(reply_token)), "{}");
        for _ in 0..2 {
            let lost = send(&replies, ToClient::During(reply_token), &"x".repeat(900 << 10));
            assert_eq!(lost, Undelivered::default(), "it may still be read");
        }
        let Ok(Reply::Stream(stream)) = reply.try_recv() else { panic!("a stream") };
        assert_eq!(go(&replies, &stream), Undelivered { count: 2, questions: vec![3] });
        assert_eq!(leave(&replies, &stream), Undelivered::default(), "and only once");
    }
}
