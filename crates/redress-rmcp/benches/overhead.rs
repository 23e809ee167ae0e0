//! What the contract costs a call that goes well: the same server with and without it, in turns, in one process.
//!
//! `cargo bench -p redress-rmcp` prints calls per second of both and fails if the contract takes more than its share.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark is a program that fails by panicking"
)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redress_registry::{Operation, shipped};
use redress_rmcp::Contract;
use rmcp::{
    RoleClient, ServerHandler, ServiceExt as _,
    handler::server::wrapper::Parameters,
    model::{CallToolRequestParams, ServerCapabilities, ServerConfig},
    schemars::{self, JsonSchema},
    serve_server,
    service::RunningService,
    tool, tool_handler, tool_router,
};
use serde::Deserialize;
use serde_json::json;
use tokio::net::UnixStream;

/// How much of a call's time the contract may take.
const SHARE: f64 = 0.05;
/// Calls in a turn, and turns of each side.
const CALLS: u32 = 500;
const TURNS: usize = 60;

struct Files;

#[derive(Deserialize, JsonSchema)]
struct Which {
    path: String,
    #[schemars(range(min = 1))]
    lines: Option<u32>,
}

#[tool_router]
impl Files {
    #[tool(description = "Reads a file.")]
    async fn read(&self, Parameters(it): Parameters<Which>) -> String {
        format!("{}\n{}", it.path, "a line of a file\n".repeat(it.lines.unwrap_or(1) as usize))
    }
}

#[tool_handler]
impl ServerHandler for Files {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

async fn client<S: Future + Send + 'static>(
    serve: impl FnOnce(UnixStream) -> S,
) -> RunningService<RoleClient, ()> {
    // A socket, since no client of a server shares its memory.
    let (ours, theirs) = UnixStream::pair().unwrap();
    let served = serve(theirs);
    tokio::spawn(Box::pin(async move { drop(served.await) }));
    ().serve(ours).await.unwrap()
}

async fn turn(client: &RunningService<RoleClient, ()>) -> Duration {
    let arguments = json!({"path": "src/main.rs", "lines": 20});
    let start = Instant::now();
    for _ in 0..CALLS {
        let mut call = CallToolRequestParams::new("read");
        call.arguments = arguments.as_object().cloned();
        let result = client.call_tool(call).await.unwrap();
        assert_eq!(result.is_error, Some(false));
    }
    start.elapsed()
}

/// The middle of what was measured, in seconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let contract =
        Contract::new(Files, Arc::clone(shipped::core())).operation("read", Operation::Query);
    let contract = contract.start().await.unwrap();
    let wrapper = contract.clone();
    // All that a contract costs, and what it costs in rmcp's own transport.
    let sides = [
        client(|it| async { Files.serve(it).await.unwrap().waiting().await }).await,
        client(|it| async { contract.serve(it).await.unwrap().waiting().await }).await,
        client(|it| async { serve_server(wrapper, it).await.unwrap().waiting().await }).await,
    ];
    let mut times: [Vec<Duration>; 3] = Default::default();
    for at in 0..TURNS {
        // A later run finds the machine as the others have left it.
        for side in (0..sides.len()).map(|it| (it + at) % sides.len()) {
            times[side].push(turn(&sides[side]).await);
        }
    }
    let [bare, kept, wrapped] = times;
    let ratio = |with: &[Duration]| {
        let mut ratios: Vec<f64> =
            bare.iter().zip(with).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[TURNS / 2]
    };
    let (whole, alone) = (ratio(&kept), ratio(&wrapped));
    let rate = |times: &[Duration]| f64::from(CALLS) / median(times.to_vec());
    println!("rmcp alone                   {:>8.0} calls/s", rate(&bare));
    println!("contract, its `serve`        {:>8.0} calls/s", rate(&kept));
    println!("contract, rmcp's transport   {:>8.0} calls/s", rate(&wrapped));
    println!("ratio                        {whole:>8.3} (at least {:.2})", 1.0 - SHARE);
    println!("ratio in rmcp's transport    {alone:>8.3}");
    assert!(whole >= 1.0 - SHARE, "the contract costs too much");
}
