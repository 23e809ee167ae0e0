//! A server that keeps notes in memory. Its errors stand in `errors.toml`, beside this file.
//!
//! `cargo run -p redress-rmcp --example notes [LEDGER]` serves it on stdio, and records its failures in a directory.

use std::{
    env,
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use redress::{Fault, codes};
use redress_ledger::{Ledger, Options};
use redress_registry::{Registry, Source, load};
use redress_rmcp::{Contract, ToolFault, clock, error_stats_from_env};
use rmcp::{
    ServerHandler, ServiceExt as _,
    handler::server::wrapper::Parameters,
    model::{ServerCapabilities, ServerConfig},
    schemars, tool, tool_handler, tool_router,
    transport::stdio,
};
use serde::Deserialize;

const LIMIT: usize = 1_000;

struct Notes {
    contract: Arc<Registry>,
    texts: Mutex<Vec<String>>,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct NewNote {
    #[schemars(length(min = 1))]
    text: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Which {
    id: usize,
}

#[tool_router]
impl Notes {
    #[tool(description = "Keeps a note and answers with its id.")]
    async fn add_note(&self, Parameters(new): Parameters<NewNote>) -> Result<String, ToolFault> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if texts.len() == LIMIT {
            Err(self.fault("NOTEBOOK_FULL", "limit", LIMIT))?;
        }
        texts.push(new.text);
        Ok(texts.len().to_string())
    }

    #[tool(description = "Reads the note with an id.")]
    async fn read_note(
        &self,
        Parameters(Which { id }): Parameters<Which>,
    ) -> Result<String, ToolFault> {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let text = id.checked_sub(1).and_then(|it| texts.get(it));
        Ok(text.cloned().ok_or_else(|| self.fault("NOTE_NOT_FOUND", "id", id))?)
    }

    #[tool(description = "Lists the ids of all notes.")]
    async fn list_notes(&self) -> String {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        (1..=texts.len()).map(|id| id.to_string()).collect::<Vec<_>>().join(", ")
    }

    #[tool(description = "Panics, to show that a panic is answered.")]
    #[expect(clippy::panic, reason = "that is what it is for")]
    async fn panic(&self) -> String {
        panic!("as was asked for")
    }
}

impl Notes {
    fn fault(&self, code: &str, param: &str, value: usize) -> Fault {
        let row = self.contract.get(code).unwrap_or_else(|| codes::INTERNAL_ERROR.entry());
        Fault::raise(row, [(param, value as u64)])
    }
}

#[tool_handler]
impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let source = Source::new("errors.toml", include_str!("errors.toml"));
    let registry = load(&source, &|_, _| None).map_err(|it| format!("{it:?}"))?;
    let notes = Notes { contract: Arc::clone(&registry), texts: Mutex::default() };
    let mut contract =
        Contract::new(notes, registry).server("notes").error_stats(error_stats_from_env()?);
    if let Some(ledger) = env::args_os().nth(1) {
        contract = contract.ledger(Ledger::open(Options::new(ledger, "notes.key", clock()))?);
    }
    contract.start().await?.serve(stdio()).await?.waiting().await?;
    Ok(())
}
