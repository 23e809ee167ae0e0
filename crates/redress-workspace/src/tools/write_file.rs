//! `write_file`: a file gets new content, all at once or not at all.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::{Brief, not_placed, read_file::Encoding};
use crate::{
    Workspace,
    change::{Change, change},
    content::{MOST_BYTES, expect, hash, whole},
    error::{Refused, WorkspaceError},
    hold::Hold,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFileArguments {
    /// The file, relative to the root.
    path: String,
    /// All that it has afterwards.
    content: String,
    /// How the content is written: text, or base64 for any bytes.
    #[serde(default)]
    encoding: Encoding,
    /// The hash that `read_file` gave: if the file has changed since, nothing is written.
    #[schemars(length(equal = 64), regex(pattern = "^[0-9a-fA-F]{64}$"))]
    previous_hash: Option<String>,
    /// Refuse if there is such a file already.
    #[serde(default)]
    create_only: bool,
    /// Make directories that are missing.
    #[serde(default)]
    create_parents: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WriteFileAnswer {
    path: String,
    /// Whether there was no such file before.
    created: bool,
    size_bytes: u64,
    /// The SHA-256 of the content, for the next `previous_hash`.
    hash: String,
}

impl Brief for WriteFileAnswer {
    fn brief(&self) -> String {
        let what = if self.created { "Created" } else { "Replaced" };
        format!("{what} {}: {} bytes, hash {}", self.path, self.size_bytes, self.hash)
    }
}

pub(crate) fn run(
    workspace: &Workspace,
    ask: &WriteFileArguments,
) -> Result<WriteFileAnswer, Refused> {
    let bytes = bytes(ask)?;
    write(workspace, ask, bytes).map_err(|error| match error {
        it @ WorkspaceError::HashMismatch { .. } => it.at("/previous_hash"),
        it => not_placed(it, "/path"),
    })
}

fn write(
    workspace: &Workspace,
    ask: &WriteFileArguments,
    bytes: Vec<u8>,
) -> Result<WriteFileAnswer, WorkspaceError> {
    let root = &workspace.root;
    let path = root.below(&ask.path)?;
    let place =
        if ask.create_parents { root.place_with_parents(&path)? } else { root.place(&path)? };
    let places = [place];
    let [place] = &places;
    let held = Hold::on(root, &places)?;
    let old = place.current()?;
    let old_mode = old.as_ref().map(|it| it.1.st_mode);
    if ask.create_only && old.is_some() {
        return Err(WorkspaceError::FileAlreadyExists { path: path.as_str().to_owned() });
    }
    if let Some(expected) = &ask.previous_hash {
        let old = old.map(|it| whole(&path, it)).transpose()?;
        expect(&path, expected, old.as_deref())?;
    } else if old.is_none() {
        path.can_be_made()?;
    }
    let (size_bytes, hash) = (bytes.len() as u64, hash(&bytes));
    change(root, &[Change { place, bytes: Some(bytes), old_mode }])?;
    drop(held);
    Ok(WriteFileAnswer {
        path: path.as_str().to_owned(),
        created: old_mode.is_none(),
        size_bytes,
        hash,
    })
}

fn bytes(ask: &WriteFileArguments) -> Result<Vec<u8>, Refused> {
    let bytes = match ask.encoding {
        Encoding::Text => ask.content.as_bytes().to_vec(),
        Encoding::Base64 => BASE64_STANDARD.decode(&ask.content).map_err(|problem| {
            let (field, expected) = ("/content".to_owned(), "Base64");
            let problem = problem.to_string();
            let problem = problem.trim_end_matches('.');
            WorkspaceError::InvalidInputFormat { field, expected }
                .at("/content")
                .saying(format!("The argument content is not Base64: {problem}."))
                .advising(
                    "Encode the bytes as Base64 with padding, or send text with encoding \"text\".",
                )
        })?,
    };
    let (size_bytes, limit_bytes) = (bytes.len() as u64, MOST_BYTES);
    if size_bytes > limit_bytes {
        let field = "/content";
        return Err(WorkspaceError::InputTooLarge { field, size_bytes, limit_bytes }.at(field));
    }
    Ok(bytes)
}
