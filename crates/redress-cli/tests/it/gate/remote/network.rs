//! A bad network between the gate and a server behind a URL: late bytes, cut connections, a partition that heals.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    super::{
        client::{Client, Via, both_ways, fault},
        middleman::Middleman,
    },
    assert_fine, assert_nothing_leaks,
    server::Server,
};

both_ways! {
    bytes_that_come_late_and_in_pieces_change_nothing,
    cut_connections_give_each_call_one_true_answer,
    a_partition_costs_a_deadline_and_is_over_when_it_is_over,
}

fn start(via: Via, options: &[&str]) -> (Client, Middleman, Server) {
    let server = Server::new();
    let url = server.url();
    let port = url.split([':', '/']).find_map(|it| it.parse::<u16>().ok()).unwrap();
    let middleman = Middleman::before(&format!("127.0.0.1:{port}"));
    let url = url.replace(&port.to_string(), &middleman.port.to_string());
    let mut client = Client::far_unopened(via, &url, options, &[]);
    client.initialize();
    (client, middleman, server)
}

/// How often the server was asked for a numbered call.
fn times(server: &Server, number: u64) -> usize {
    let is_it = |it: &&super::server::Asked| it.message["params"]["arguments"]["n"] == number;
    server.asked_for("tools/call").iter().filter(is_it).count()
}

fn numbered(client: &mut Client, number: u64) -> Value {
    let answer = client.call("call", &json!({"n": number}));
    assert_nothing_leaks(&answer);
    answer
}

fn bytes_that_come_late_and_in_pieces_change_nothing(via: Via) {
    let (mut client, middleman, server) = start(via, &[]);
    middleman.split();
    for number in 0..20 {
        let answer = numbered(&mut client, number);
        assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
        assert_eq!(times(&server, number), 1);
    }
    middleman.clear();
    assert_eq!(client.end().1, [] as [Value; 0]);
}

fn cut_connections_give_each_call_one_true_answer(via: Via) {
    let (mut client, middleman, server) = start(via, &[]);
    middleman.cut();
    let mut failed = 0;
    for number in 0..80 {
        let answer = numbered(&mut client, number);
        let asked = times(&server, number);
        if answer["result"]["content"][0]["text"] == "fine" {
            assert_eq!(asked, 1, "{number}: {answer}");
            continue;
        }
        failed += 1;
        let told = fault(&answer);
        assert!(asked <= 1, "nothing is sent twice that may have arrived: {number}");
        assert_eq!(told["retryable"], true, "{number}: {answer}");
        assert!(told["effect"] == "unknown" || asked == 0, "{number}: {answer}");
    }
    assert!((5..80).contains(&failed), "{failed} of 80 failed");
    middleman.clear();
    // What is left of the bad times is a connection that is cut already.
    client.call("call", &json!({}));
    assert_fine(&mut client);
    let (_, recorded) = client.end();
    assert!(recorded.len() >= failed, "each is on record");
}

fn a_partition_costs_a_deadline_and_is_over_when_it_is_over(via: Via) {
    let (mut client, middleman, _server) = start(via, &[]);
    let unreachable = |client: &mut Client, number: u64| {
        let answer = client.call("unreachable", &json!({"n": number}));
        assert_nothing_leaks(&answer);
        answer
    };
    assert_fine(&mut client);
    middleman.silence();
    for number in 0..3 {
        let asked = Instant::now();
        let answer = unreachable(&mut client, number);
        assert_eq!(fault(&answer)["code"], "TIMEOUT", "{answer}");
        assert!(asked.elapsed() >= Duration::from_millis(690), "{:?}", asked.elapsed());
    }
    middleman.clear();
    let healed = client.stopwatch();
    let is_fine = (10..30)
        .any(|number| unreachable(&mut client, number)["result"]["content"][0]["text"] == "fine");
    assert!(is_fine && healed.elapsed() < Duration::from_secs(10), "{:?}", healed.elapsed());
    client.end();
}
