//! What cannot be used is refused with a reason, and nothing is lost by it.

use std::{io::Write as _, net::TcpListener, thread};

use async_nats::jetstream::stream::Config;
use redress_fleet::{Engine, FleetError, Settings, init, permissions};

use super::{assert_same, with_runtime};
use crate::{
    cluster::{Cluster, Rules, names},
    node::{Node, clock},
};

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn an_engine_that_is_none_is_named_and_the_ledger_goes_on() {
    // Something that speaks HTTP, and nothing at all.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            if client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").is_err() {
                return;
            }
        }
    });
    let dir = tempfile::tempdir().unwrap();
    with_runtime(async {
        let connect = |url: String| async move {
            let engine = Engine { url, ..Engine::default() };
            engine.connect("test", &names()).await.unwrap_err()
        };
        let http = connect(format!("nats://{address}")).await;
        assert!(matches!(http, FleetError::NotAnEngine { .. }), "{http:?}");
        let nothing = connect("nats://127.0.0.1:1".to_owned()).await;
        assert!(matches!(nothing, FleetError::Unreachable { .. }), "{nothing:?}");
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent = connect(format!("nats://{}", silent.local_addr().unwrap())).await;
        assert!(matches!(silent, FleetError::Unreachable { .. }), "{silent:?}");
        let web = connect("https://127.0.0.1:1".to_owned()).await;
        assert!(matches!(web, FleetError::Input { .. }), "{web:?}");
    });
    let settings = Settings {
        engine: Engine { url: format!("nats://{address}"), ..Engine::default() },
        names: names(),
        accept_weak: false,
    };
    let node = Node::start(dir.path(), "a", settings);
    node.fail(0, 50);
    node.wait_for("no NATS server");
    node.abandon();
    drop(server);
}

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn a_stream_that_loses_records_or_is_not_ours_gets_none() {
    let dir = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(3, &Rules::default());
    with_runtime(async {
        let connection = cluster.connect(&cluster.engine()).await;
        let absent = connection.stream().await;
        // JetStream of three servers needs a moment to choose its leader; until then nothing is known.
        assert!(absent.is_err());
        let client = async_nats::connect(cluster.engine().servers().unwrap()).await.unwrap();
        let context = async_nats::jetstream::new(client);
        let strange = Config {
            name: "redress".to_owned(),
            subjects: vec!["orders.>".to_owned()],
            ..Config::default()
        };
        while context.create_stream(strange.clone()).await.is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        let error = connection.stream().await.unwrap_err();
        assert!(error.to_string().contains("orders.>"), "{error}");
        assert!(matches!(init(&connection, 3).await, Err(FleetError::Foreign { .. })));
        let node = Node::start(dir.path(), "a", cluster.settings());
        node.fail(0, 50);
        node.wait_for("is not ours");
        context.delete_stream("redress").await.unwrap();
        node.wait_for("no stream `redress`");
        // One replica: refused with what to set, and taken where that is accepted.
        assert!(init(&connection, 1).await.unwrap().is_new);
        let said = node.wait_for("`num_replicas` is 1, not 3 or more");
        assert!(said.contains("can lose"), "{said}");
        let weak = connection.sound_stream(false).await.unwrap_err();
        assert!(weak.fix().contains("accept_weak = true"), "{}", weak.fix());
        assert!(connection.sound_stream(true).await.is_ok());
        context
            .update_stream(Config { num_replicas: 3, ..stream_of(&context).await })
            .await
            .unwrap();
        node.wait();
        assert!(node.stop());
        assert_same(&connection, dir.path(), &["a"]).await;
    });
}

async fn stream_of(context: &async_nats::jetstream::Context) -> Config {
    context.get_stream("redress").await.unwrap().cached_info().config.clone()
}

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn a_node_reads_and_writes_nothing_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let authorization = format!(
        "authorization {{ users = [\n {{ user: admin, password: admin-pw }}\n {{ user: a, password: a-pw, permissions: {{ {} }} }}\n {{ user: reader, password: reader-pw, permissions: {{ {} }} }}\n ] }}\n",
        permissions(&names(), Some("a")),
        permissions(&names(), None),
    );
    let cluster = Cluster::start(3, &Rules { authorization, more: String::new() });
    with_runtime(async {
        let admin = cluster.with_fleet_as(&cluster.engine_as("admin", "admin-pw"), 3).await;
        let wrong = cluster.engine_as("a", "wrong").connect("test", &names()).await.unwrap_err();
        assert!(matches!(wrong, FleetError::Unauthorized { .. }), "{wrong:?}");
        let as_a = cluster.engine_as("a", "a-pw");
        let settings = Settings { engine: as_a.clone(), ..cluster.settings() };
        let node = Node::start(dir.path(), "a", settings.clone());
        node.fail(0, 300);
        node.wait();
        assert!(node.stop());
        // Under another name it may ship nothing, and says why.
        let other = Node::start(dir.path(), "b", settings);
        other.fail(0, 10);
        let said = other.wait_for("does not allow");
        assert!(said.to_lowercase().contains("permissions violation"), "{said}");
        other.abandon();
        // Nor can its credentials read, write or remove what is another's.
        let stranger =
            async_nats::ConnectOptions::with_user_and_password("a".into(), "a-pw".into())
                .request_timeout(Some(std::time::Duration::from_secs(2)))
                .connect(as_a.servers().unwrap())
                .await
                .unwrap();
        for (subject, body) in [
            ("redress.ledger.b.20260119T153210123Z-1-9f2c41d07a3e", "x"),
            ("$JS.API.STREAM.MSG.GET.redress", r#"{"seq":1}"#),
            ("$JS.API.DIRECT.GET.redress", r#"{"seq":1}"#),
            ("$JS.API.DIRECT.GET.redress.redress.ledger.b.x", ""),
            ("$JS.API.CONSUMER.CREATE.redress", "{}"),
            ("$JS.API.STREAM.DELETE.redress", ""),
            ("$JS.API.STREAM.PURGE.redress", ""),
            ("$JS.API.STREAM.UPDATE.redress", "{}"),
        ] {
            let answer = stranger.request(subject, body.into()).await;
            assert!(answer.is_err(), "{subject}: {answer:?}");
        }
        // Somebody who may only read all nodes reads them.
        let reader = cluster.connect(&cluster.engine_as("reader", "reader-pw")).await;
        assert_same(&reader, dir.path(), &["a"]).await;
        assert_same(&admin, dir.path(), &["a"]).await;
        assert!((clock())().millis() > 0);
    });
}
