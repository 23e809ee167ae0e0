//! The server: each tool with what it says of itself. The work is done on threads that may wait for a disk.

use std::{
    iter,
    panic::resume_unwind,
    sync::{Arc, LazyLock},
};

use redress::{Contract as _, Fault};
use redress_registry::Registry;
use redress_rmcp::{Contract, ToolFault};
use rmcp::{
    ErrorData, ServerHandler,
    handler::server::{
        router::tool::ToolRouter,
        tool::{IntoCallToolResult, schema_for_output},
        wrapper::Parameters,
    },
    model::{
        CallToolResponse, CallToolResult, ContentBlock, Implementation, ServerCapabilities,
        ServerConfig,
    },
    tool, tool_handler, tool_router,
};
use serde::Serialize;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::{
    Workspace,
    error::{Refused, WorkspaceError},
    tools::{
        Brief, apply_patch, explain_error, list_directory, move_path, read_file, read_ledger,
        remove, search_files, stat, write_file,
    },
};

/// The codes of this server: its own, and those of `core`.
pub fn registry() -> &'static Arc<Registry> {
    WorkspaceError::registry()
}

/// The handler of a workspace, with the contract around it.
pub(crate) fn contract(workspace: &Arc<Workspace>) -> Contract<FileTools> {
    Contract::new(FileTools(Arc::clone(workspace)), Arc::clone(registry()))
        .server("workspace")
        .workspace(workspace.root.path())
}

/// The handler: tools for the files of a workspace.
#[derive(Debug, Clone)]
pub(crate) struct FileTools(Arc<Workspace>);

/// What a tool answers with.
type Answer<T> = Result<ToolAnswer<T>, ToolFault>;

impl FileTools {
    /// Works where it may wait.
    async fn at_work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Workspace) -> Result<T, Refused> + Send + 'static,
    ) -> Answer<T> {
        let workspace = Arc::clone(&self.0);
        match spawn_blocking(move || work(&workspace)).await {
            Ok(done) => done.map(ToolAnswer).map_err(|it| ToolFault::from(Fault::from(it))),
            // The contract around us answers a panic, wherever it was.
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => Err(redress::codes::SHUTTING_DOWN.raise([] as [(&str, &str); 0]).into()),
            },
        }
    }
}

#[tool_router]
impl FileTools {
    #[tool(
        description = "Reads lines of a text file, or bytes of any file as base64. Gives the hash that write_file and remove can check.",
        annotations(title = "Read a file", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<read_file::ReadFileAnswer>()
    )]
    async fn read_file(
        &self,
        Parameters(ask): Parameters<read_file::ReadFileArguments>,
    ) -> Answer<read_file::ReadFileAnswer> {
        self.at_work(move |it| read_file::run(it, &ask)).await
    }

    #[tool(
        description = "Creates a file or replaces all of its content, at once or not at all.",
        annotations(title = "Write a file", read_only_hint = false, destructive_hint = true, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<write_file::WriteFileAnswer>()
    )]
    async fn write_file(
        &self,
        Parameters(ask): Parameters<write_file::WriteFileArguments>,
    ) -> Answer<write_file::WriteFileAnswer> {
        self.at_work(move |it| write_file::run(it, &ask)).await
    }

    #[tool(
        description = "Changes several files by a unified diff or by search and replace: all of it, or nothing. Says where it does not fit.",
        annotations(title = "Patch files", read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = false),
        output_schema = schema_for_output::<apply_patch::ApplyPatchAnswer>()
    )]
    async fn apply_patch(
        &self,
        Parameters(ask): Parameters<apply_patch::ApplyPatchArguments>,
    ) -> Answer<apply_patch::ApplyPatchAnswer> {
        self.at_work(move |it| apply_patch::run(it, &ask)).await
    }

    #[tool(
        description = "Lists what is in a directory, by name.",
        annotations(title = "List a directory", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<list_directory::ListDirectoryAnswer>()
    )]
    async fn list_directory(
        &self,
        Parameters(ask): Parameters<list_directory::ListDirectoryArguments>,
    ) -> Answer<list_directory::ListDirectoryAnswer> {
        self.at_work(move |it| list_directory::run(it, &ask)).await
    }

    #[tool(
        description = "Finds lines by text or regular expression, and files by globs. Leaves out what .gitignore names.",
        annotations(title = "Search files", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<search_files::SearchFilesAnswer>()
    )]
    async fn search_files(
        &self,
        Parameters(ask): Parameters<search_files::SearchFilesArguments>,
    ) -> Answer<search_files::SearchFilesAnswer> {
        self.at_work(move |it| search_files::run(it, &ask)).await
    }

    #[tool(
        description = "Says what a path names: its kind, size and time. A link is not followed.",
        annotations(title = "Look at a path", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<stat::StatAnswer>()
    )]
    async fn stat(
        &self,
        Parameters(ask): Parameters<stat::StatArguments>,
    ) -> Answer<stat::StatAnswer> {
        self.at_work(move |it| stat::run(it, &ask)).await
    }

    #[tool(
        name = "move",
        description = "Moves or renames a file, directory or link. Replaces a file only if asked to.",
        annotations(title = "Move a path", read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = false),
        output_schema = schema_for_output::<move_path::MovePathAnswer>()
    )]
    async fn move_path(
        &self,
        Parameters(ask): Parameters<move_path::MovePathArguments>,
    ) -> Answer<move_path::MovePathAnswer> {
        self.at_work(move |it| move_path::run(it, &ask)).await
    }

    #[tool(
        description = "Removes a file, a link or a directory; a directory that has something in it only if asked to.",
        annotations(title = "Remove a path", read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = false),
        output_schema = schema_for_output::<remove::RemoveAnswer>()
    )]
    async fn remove(
        &self,
        Parameters(ask): Parameters<remove::RemoveArguments>,
    ) -> Answer<remove::RemoveAnswer> {
        self.at_work(move |it| remove::run(it, &ask)).await
    }

    #[tool(
        description = "Shows the newest failures that were recorded.",
        annotations(title = "Read the ledger", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<read_ledger::ReadLedgerAnswer>()
    )]
    async fn read_ledger(
        &self,
        Parameters(ask): Parameters<read_ledger::ReadLedgerArguments>,
    ) -> Answer<read_ledger::ReadLedgerAnswer> {
        self.at_work(move |it| read_ledger::run(it, &ask)).await
    }

    #[tool(
        description = "Explains an error code: what it means, when to call again, what to do.",
        annotations(title = "Explain an error", read_only_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<explain_error::ExplainErrorAnswer>()
    )]
    async fn explain_error(
        &self,
        Parameters(ask): Parameters<explain_error::ExplainErrorArguments>,
    ) -> Answer<explain_error::ExplainErrorAnswer> {
        self.at_work(move |it| explain_error::run(it, &ask)).await
    }
}

/// The tools as they are listed. Their schemas name no formats: those of Rust's numbers are of no standard, and clients warn of each one.
static TOOLS: LazyLock<ToolRouter<FileTools>> = LazyLock::new(|| {
    let mut router = FileTools::tool_router();
    let tools = router.map.values_mut().map(|it| &mut it.attr);
    let schemas =
        tools.flat_map(|it| iter::once(&mut it.input_schema).chain(&mut it.output_schema));
    schemas.for_each(|it| Arc::make_mut(it).values_mut().for_each(remove_formats));
    router
});

fn remove_formats(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // A property may have that name, too.
            members.retain(|key, value| key != "format" || !value.is_string());
            members.values_mut().for_each(remove_formats);
        }
        Value::Array(parts) => parts.iter_mut().for_each(remove_formats),
        _ => (),
    }
}

#[tool_handler(router = TOOLS)]
impl ServerHandler for FileTools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("redress-workspace", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!(
                "Files below {}. Paths are relative to it. Every failure names its code, when to call again, and what to do.",
                self.0.root.path().display()
            ))
    }
}

/// What a tool answers with: as JSON for programs, in few words for the model.
pub(crate) struct ToolAnswer<T>(T);

impl<T: Serialize + Brief> IntoCallToolResult for ToolAnswer<T> {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let value = serde_json::to_value(&self.0);
        let value = value.map_err(|it| ErrorData::internal_error(it.to_string(), None))?;
        let mut result = CallToolResult::structured(value);
        let texts = iter::once(self.0.brief()).chain(self.0.note());
        result.content = texts.map(ContentBlock::text).collect();
        Ok(result.into())
    }
}
