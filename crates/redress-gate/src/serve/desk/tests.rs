//! Who hears an answer that is not fetched where it was asked for.

use std::task::{Context, Poll, Waker};

use super::{
    Caller, Desk, Held, Letter, MemoryBudget, Outgoing, Reply, Stream, Ticket, ToClient,
    Undelivered, Wish,
};

const PRIMED: Wish = Wish { events: true, is_primed: true };

fn heard(stream: &Stream) -> String {
    let context = Context::from_waker(Waker::noop());
    let mut heard = String::new();
    while let Poll::Ready(Some(event)) = stream.poll_next(&context) {
        heard.push_str(std::str::from_utf8(&event).unwrap());
    }
    heard
}

fn answer(desk: &Desk, ticket: Ticket, line: &str) -> Undelivered {
    let to = ToClient::Answer(ticket, 200);
    desk.deliver_one(Letter { to, challenge: None, line: format!("{line}\n").into(), memory: None })
}

fn say(desk: &Desk, to: ToClient, line: &str) -> Undelivered {
    let mut mail = Outgoing::default();
    mail.add_parts(to, &[line.as_bytes(), b"\n"]);
    desk.deliver(&mut mail, &Held::default())
}

#[test]
fn whoever_comes_back_to_a_stream_gets_the_answer_there_although_the_old_connection_seems_alive() {
    let desk = Desk::new(MemoryBudget::endless());
    desk.enter(1, Caller::ONLY);
    let standing = desk.listen(1, None).unwrap().0;
    let (ticket, mut reply) = desk.wait((1, Caller::ONLY), PRIMED);
    desk.open(ticket, true);
    let Ok(Reply::Stream(old)) = reply.try_recv() else { panic!("a stream") };
    let again = desk.listen(1, Some(&format!("{}-0", old.number))).unwrap().0;
    answer(&desk, ticket, "{}");
    assert_eq!(heard(&again), "event: message\nid: 2-1\ndata: {}\n\n");
    assert!(!again.is_open(), "the answer is the last thing");
    assert_eq!((heard(&old), heard(&standing)), (String::new(), String::new()));
}

#[test]
fn whoever_left_a_stream_and_does_not_come_back_to_it_gets_the_answer_on_another() {
    let desk = Desk::new(MemoryBudget::endless());
    desk.enter(1, Caller::ONLY);
    let standing = desk.listen(1, None).unwrap().0;
    let (ticket, reply) = desk.wait((1, Caller::ONLY), PRIMED);
    desk.open(ticket, true);
    drop(reply);
    desk.leave(ticket);
    answer(&desk, ticket, "{}");
    assert_eq!(heard(&standing), "event: message\nid: 1-1\ndata: {}\n\n");
    assert!(standing.is_open(), "it is not only for that answer");
}

#[test]
fn a_client_that_can_come_back_gets_a_stream_when_it_has_waited_for_a_while() {
    let desk = Desk::new(MemoryBudget::endless());
    desk.enter(1, Caller::ONLY);
    let (_, mut early) = desk.wait((1, Caller::ONLY), Wish { events: false, is_primed: true });
    let (_, mut old) = desk.wait((1, Caller::ONLY), Wish { events: false, is_primed: false });
    desk.open_late();
    assert!(early.try_recv().is_err(), "it may have come a moment ago");
    desk.open_late();
    assert!(matches!(early.try_recv(), Ok(Reply::Stream(stream)) if stream.number == 1));
    assert!(old.try_recv().is_err(), "older clients do not know how to come back");
}

#[test]
fn what_a_client_that_does_not_read_never_hears_is_known() {
    let desk = Desk::new(MemoryBudget::endless());
    desk.enter(1, Caller::ONLY);
    let (ticket, mut reply) = desk.wait((1, Caller::ONLY), PRIMED);
    let mut lost = 0;
    let large = format!("{{\"method\":\"{}\"}}", "x".repeat(1 << 16));
    for _ in 0..200 {
        lost += usize::try_from(say(&desk, ToClient::During(ticket), &large).count).unwrap();
    }
    answer(&desk, ticket, "{}");
    let Ok(Reply::Stream(stream)) = reply.try_recv() else { panic!("a stream") };
    let told = heard(&stream);
    assert!(told.ends_with("data: {}\n\n"), "the answer is heard all the same");
    let on_it = told.matches("\"method\"").count();
    let kept = heard(&desk.listen(1, None).unwrap().0).matches("\"method\"").count();
    assert!(lost > 0 && on_it > 0 && kept > 0);
    assert_eq!(lost + on_it + kept, 200, "{lost} {on_it} {kept}");
}

#[test]
fn what_is_said_during_a_request_that_nobody_waits_for_is_lost() {
    let desk = Desk::new(MemoryBudget::endless());
    assert_eq!(say(&desk, ToClient::During(Ticket(7)), "{}").count, 1);
    let asked = say(&desk, ToClient::Question(3, Some(Ticket(7))), "{}");
    assert_eq!(
        asked,
        Undelivered { count: 1, questions: vec![3] },
        "a question is known by its number"
    );
}

#[test]
fn a_failure_that_is_not_fetched_is_lost_when_the_next_takes_its_place() {
    let desk = Desk::new(MemoryBudget::endless());
    desk.enter(1, Caller::ONLY);
    say(&desk, ToClient::Question(3, None), "{}");
    let large = "x".repeat(900 << 10);
    let left: Vec<_> = (0..3)
        .map(|_| {
            let (ticket, _) = desk.wait((1, Caller::ONLY), PRIMED);
            answer(&desk, ticket, &large)
        })
        .collect();
    let lost = |count, questions: &[u64]| Undelivered { count, questions: questions.into() };
    assert_eq!(left, [lost(0, &[]), lost(2, &[3]), lost(1, &[])]);
}

#[test]
fn what_was_asked_on_a_stream_that_its_reader_left_is_lost_once_it_is_kept_no_longer() {
    let leave = |desk: &Desk, stream: &Stream| {
        stream.leave();
        desk.unread(1, stream)
    };
    let come_back = |desk: &Desk, stream: &Stream| {
        desk.listen(1, Some(&format!("{}-0", stream.number))).unwrap().1
    };
    for go in [leave, come_back] {
        let desk = Desk::new(MemoryBudget::endless());
        desk.enter(1, Caller::ONLY);
        let (ticket, mut reply) = desk.wait((1, Caller::ONLY), PRIMED);
        say(&desk, ToClient::Question(3, Some(ticket)), "{}");
        for _ in 0..2 {
            let lost = say(&desk, ToClient::During(ticket), &"x".repeat(900 << 10));
            assert_eq!(lost, Undelivered::default(), "it may still be read");
        }
        let Ok(Reply::Stream(stream)) = reply.try_recv() else { panic!("a stream") };
        assert_eq!(go(&desk, &stream), Undelivered { count: 2, questions: vec![3] });
        assert_eq!(leave(&desk, &stream), Undelivered::default(), "and only once");
    }
}
