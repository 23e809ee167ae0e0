//! Three NATS servers that make up one engine.

use std::{
    fmt::Write as _,
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use redress_fleet::{Connection, Credentials, Engine, FleetError, Names, Settings};
use tokio::time;

/// How long anything may take that is waited for: long enough for a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(50);

/// What the servers let clients do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    /// The `authorization` block of the configuration, or nothing.
    pub(crate) authorization: String,
    /// Further lines.
    pub(crate) more: String,
}

/// The servers of an engine, and where they keep what they know.
pub(crate) struct Cluster {
    dir: tempfile::TempDir,
    ports: Vec<u16>,
    servers: Vec<Option<Child>>,
}

impl Cluster {
    pub(crate) fn start(servers: usize, rules: &Rules) -> Self {
        let dir = tempfile::tempdir().unwrap();
        // All are held while they are chosen, so that none is chosen twice.
        let held: Vec<_> =
            (0..2 * servers).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let all: Vec<u16> = held.iter().map(|it| it.local_addr().unwrap().port()).collect();
        drop(held);
        let (ports, routes) = all.split_at(servers);
        for at in 0..servers {
            let mut config = format!(
                "server_name: n{at}\nlisten: 127.0.0.1:{}\njetstream {{ store_dir: \"{}\", sync_interval: always, max_memory_store: 64MB, max_file_store: 2GB }}\n",
                ports[at],
                dir.path().join(format!("store{at}")).display(),
            );
            if servers > 1 {
                let peers: Vec<_> =
                    routes.iter().map(|it| format!("nats-route://127.0.0.1:{it}")).collect();
                writeln!(
                    config,
                    "cluster {{ name: c, listen: 127.0.0.1:{}, routes: {peers:?} }}",
                    routes[at]
                )
                .unwrap();
            }
            config += &rules.authorization;
            config += &rules.more;
            fs::write(dir.path().join(format!("{at}.conf")), config).unwrap();
        }
        let mut cluster = Self { dir, ports: ports.to_vec(), servers: Vec::new() };
        cluster.servers = (0..servers).map(|at| Some(cluster.spawn(at))).collect();
        cluster
    }

    fn spawn(&self, at: usize) -> Child {
        let log = self.dir.path().join(format!("{at}.log"));
        Command::new(program())
            .arg("-c")
            .arg(self.dir.path().join(format!("{at}.conf")))
            .arg("-l")
            .arg(log)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    pub(crate) fn url(&self) -> String {
        let all: Vec<_> = self.ports.iter().map(|it| format!("nats://127.0.0.1:{it}")).collect();
        all.join(",")
    }

    pub(crate) fn engine(&self) -> Engine {
        Engine { url: self.url(), ..Engine::default() }
    }

    pub(crate) fn engine_as(&self, user: &str, password: &str) -> Engine {
        let credentials = Credentials::User(user.to_owned(), password.to_owned());
        Engine { credentials, ..self.engine() }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings { engine: self.engine(), names: names(), accept_weak: false }
    }

    /// Kills a server, as a power cut would as far as it can tell.
    pub(crate) fn kill(&mut self, at: usize) {
        if let Some(mut server) = self.servers[at].take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }

    pub(crate) fn revive(&mut self, at: usize) {
        if self.servers[at].is_none() {
            self.servers[at] = Some(self.spawn(at));
        }
    }

    pub(crate) fn all(&self) -> std::ops::Range<usize> {
        0..self.servers.len()
    }

    /// Which server leads the stream.
    pub(crate) async fn leader(&self, connection: &Connection) -> usize {
        let started = Instant::now();
        loop {
            if let Ok((stream, _)) = connection.stream().await
                && let Some(leader) =
                    stream.cached_info().cluster.as_ref().and_then(|it| it.leader.clone())
            {
                return leader.strip_prefix('n').unwrap().parse().unwrap();
            }
            assert!(started.elapsed() < PATIENCE, "no leader");
            time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// A connection, once the engine is ready, and a fleet on it.
    pub(crate) async fn with_fleet(&self, replicas: usize) -> Connection {
        self.with_fleet_as(&self.engine(), replicas).await
    }

    pub(crate) async fn with_fleet_as(&self, engine: &Engine, replicas: usize) -> Connection {
        let connection = self.connect(engine).await;
        let started = Instant::now();
        loop {
            match redress_fleet::init(&connection, replicas).await {
                Ok(_) => return connection,
                Err(error) => {
                    assert!(started.elapsed() < PATIENCE, "{error}\n{}", self.log());
                    time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    pub(crate) async fn connect(&self, engine: &Engine) -> Connection {
        let started = Instant::now();
        loop {
            match engine.connect("test", &names()).await {
                Ok(connection) => return connection,
                Err(error @ FleetError::Unreachable { .. }) => {
                    assert!(started.elapsed() < PATIENCE, "{error}\n{}", self.log());
                    time::sleep(Duration::from_millis(50)).await;
                }
                Err(other) => panic!("{other}"),
            }
        }
    }

    /// The end of the log of the first server.
    fn log(&self) -> String {
        let text = fs::read_to_string(self.dir.path().join("0.log")).unwrap_or_default();
        text.lines().rev().take(20).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for server in self.servers.iter_mut().flatten() {
            drop(server.kill());
            drop(server.wait());
        }
    }
}

pub(crate) fn names() -> Names {
    Names::new("redress").unwrap()
}

/// The server's program, which the official peers come with.
fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let target = own.ancestors().nth(3).unwrap();
    let program = target.join("peers/python/bin/nats-server");
    assert!(program.exists(), "{} is missing: cargo xtask peers", program.display());
    Path::to_owned(&program)
}
