//! The contract test of a server: whether it really answers with each code that it declares.

use redress::{Provoked, provoke};
use rmcp::{
    RoleClient, RoleServer, ServerHandler, ServiceError,
    model::CallToolRequestParams,
    service::{RunningService, serve_directly},
};
use tokio::{io::duplex, runtime::Handle, task::spawn_blocking};

use crate::contract::Contract;

/// The pipe between the client of the test and the server.
const PIPE_BYTES: usize = 64 << 10;

impl<H: ServerHandler> Contract<H> {
    /// Makes the calls of a file of calls and says which codes did not come; [`redress::provoke`] explains the file.
    ///
    /// The server is asked in this process, as a client would ask it.
    pub async fn provoke(&self, calls: &str) -> Provoked {
        let (ours, theirs) = duplex(PIPE_BYTES);
        let server = serve_directly::<RoleServer, _, _, _, _>(self.clone(), theirs, None);
        let client = serve_directly::<RoleClient, _, _, _, _>((), ours, None);
        let (registry, calls) = (self.state.codes.registry(), calls.to_owned());
        let runtime = Handle::current();
        let made = spawn_blocking(move || {
            provoke(&registry, &calls, |tool, arguments| {
                runtime.block_on(answer(&client, tool, arguments))
            })
        });
        let provoked = made.await.unwrap_or_else(|it| Provoked {
            problems: vec![format!("The test itself failed: {it}.")],
            ..Provoked::default()
        });
        drop(server);
        provoked
    }
}

/// The answer to one call, as JSON; a call without an answer gives none.
async fn answer(client: &RunningService<RoleClient, ()>, tool: &str, arguments: &str) -> Vec<u8> {
    let mut call = CallToolRequestParams::new(tool.to_owned());
    call.arguments = serde_json::from_str(arguments).ok();
    let written = match client.call_tool(call).await {
        Ok(result) => serde_json::to_vec(&result),
        Err(ServiceError::McpError(error)) => serde_json::to_vec(&error),
        Err(_) => Ok(Vec::new()),
    };
    written.unwrap_or_default()
}
