//! A server whose tools panic and fail with a chain of errors, to see what callers get of causes and stacks.
//!
//! `DEBUG_STACK=true cargo run -p redress-rmcp --example failing atlas-gate` serves it on stdio, in a dialect.

use std::{env, error::Error, fmt, fs, io, sync::Arc};

use redress::{
    Dialect,
    fault::{Ctx, Thrown, from_unknown},
};
use redress_registry::{Operation, shipped};
use redress_rmcp::{Contract, ToolFault};
use rmcp::{
    ServerHandler,
    model::{ServerCapabilities, ServerConfig},
    tool, tool_handler, tool_router,
    transport::stdio,
};

/// The settings of the server cannot be read.
#[derive(Debug)]
struct NoSettings(io::Error);

impl fmt::Display for NoSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot read the settings")
    }
}

impl Error for NoSettings {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[derive(Default)]
struct Failing;

#[tool_router]
impl Failing {
    #[tool(description = "Panics.")]
    #[expect(clippy::panic, reason = "that is what it is for")]
    async fn panic(&self) -> String {
        panic!("the index is broken, token=0123456789abcdef")
    }

    #[tool(description = "Fails with an error that has a source.")]
    async fn chain(&self) -> Result<String, ToolFault> {
        let read = fs::read_to_string("/nonexistent/settings").map_err(NoSettings);
        let fault =
            |it: NoSettings| from_unknown(Thrown::error(&it), Ctx::default(), shipped::core());
        Ok(read.map_err(fault)?)
    }
}

#[tool_handler]
impl ServerHandler for Failing {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = env::args().nth(1).unwrap_or_default();
    let dialect = Dialect::parse(&name).unwrap_or(Dialect::Native);
    let contract = Contract::new(Failing, Arc::clone(shipped::core()))
        .server("failing")
        .dialect(dialect)
        .operation("panic", Operation::Query)
        .operation("chain", Operation::Query);
    Ok(contract.start().await?.run(stdio()).await?)
}
