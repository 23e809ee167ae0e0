//! A server that keeps notes in memory. Its errors stand in `errors.toml`, beside this file.
//!
//! `cargo run -p redress-rmcp --example notes [LEDGER]` serves it on stdio, and records its failures in a directory.

use std::{
    env,
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use redress::Contract as _;
use redress_ledger::{Ledger, Options};
use redress_rmcp::{Contract, ToolFault, clock, error_stats_from_env};
use rmcp::{
    ServerHandler,
    handler::server::wrapper::Parameters,
    model::{ServerCapabilities, ServerConfig},
    schemars::{self, JsonSchema},
    tool, tool_handler, tool_router,
    transport::stdio,
};
use serde::Deserialize;

const LIMIT: usize = 1_000;

#[derive(Debug, redress::Contract)]
#[contract(registry = "examples/errors.toml")]
enum NoteError {
    NoteNotFound { id: usize },
    NotebookFull { limit: usize },
}

#[derive(Deserialize, JsonSchema)]
struct NewNote {
    #[schemars(length(min = 1))]
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Which {
    id: usize,
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

#[tool_router]
impl Notes {
    #[tool(description = "Keeps a note and answers with its id.")]
    async fn add_note(&self, Parameters(new): Parameters<NewNote>) -> Result<String, ToolFault> {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() == LIMIT {
            Err(NoteError::NotebookFull { limit: LIMIT })?;
        }
        notes.push(new.text);
        Ok(notes.len().to_string())
    }

    #[tool(description = "Reads the note with an id.")]
    async fn read_note(
        &self,
        Parameters(Which { id }): Parameters<Which>,
    ) -> Result<String, ToolFault> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let note = id.checked_sub(1).and_then(|it| notes.get(it));
        Ok(note.cloned().ok_or(NoteError::NoteNotFound { id })?)
    }

    #[tool(description = "Lists the ids of all notes.")]
    async fn list_notes(&self) -> String {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (1..=notes.len()).map(|id| id.to_string()).collect::<Vec<_>>().join(", ")
    }

    #[tool(description = "Panics, to show that a panic is answered.")]
    #[expect(clippy::panic, reason = "that is what it is for")]
    async fn panic(&self) -> String {
        panic!("as was asked for")
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
    let mut contract = Contract::new(Notes::default(), Arc::clone(NoteError::registry()))
        .server("notes")
        .error_stats(error_stats_from_env()?);
    if let Some(dir) = env::args_os().nth(1) {
        contract = contract.ledger(Ledger::open(Options::new(dir, "notes.key", clock()))?);
    }
    Ok(contract.start().await?.run(stdio()).await?)
}
