//! A pass-through proxy as one would write it with rmcp: a server whose every call is a client's call.
//!
//! `rmcp-proxy (stdio | http ADDRESS) (--url URL | -- COMMAND…)`

use std::{env, error::Error, sync::Arc};

use axum::{Router, serve::ListenerExt as _};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig,
    },
    service::{Peer, RequestContext, RoleClient, ServiceError},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use tokio::{net::TcpListener, process::Command};

type Fallible<T> = Result<T, Box<dyn Error>>;

#[derive(Clone)]
struct Proxy {
    upstream: Peer<RoleClient>,
}

impl ServerHandler for Proxy {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.upstream.list_tools(request).await.map_err(told)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.upstream.call_tool_once(request).await.map_err(told)
    }
}

fn told(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        error => ErrorData::internal_error(error.to_string(), None),
    }
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["stdio", target @ ..] => on_stdio(target).await,
        ["http", address, target @ ..] => at(address, target).await,
        _ => Err("usage: rmcp-proxy (stdio | http ADDRESS) (--url URL | -- COMMAND…)".into()),
    }
}

async fn on_stdio(target: &[&str]) -> Fallible<()> {
    let upstream = connect(target).await?;
    let proxy = Proxy { upstream: upstream.peer().clone() };
    proxy.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

async fn at(address: &str, target: &[&str]) -> Fallible<()> {
    let upstream = connect(target).await?;
    let proxy = Proxy { upstream: upstream.peer().clone() };
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(move || Ok(proxy.clone()), sessions, config);
    // Without it every answer waits for the client's delayed acknowledgement.
    let listener = TcpListener::bind(address).await?.tap_io(|it| drop(it.set_nodelay(true)));
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

async fn connect(target: &[&str]) -> Fallible<rmcp::service::RunningService<RoleClient, ()>> {
    match target {
        ["--url", url] => {
            Ok(().serve(StreamableHttpClientTransport::from_uri((*url).to_owned())).await?)
        }
        ["--", program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments);
            Ok(().serve(TokioChildProcess::new(command)?).await?)
        }
        _ => Err("no target: --url URL, or -- COMMAND…".into()),
    }
}
