//! What the callers say, and what they want to hear.

use std::{io::Write as _, path::Path};

use memchr::memmem;

use super::{Tool, Work};
use crate::place::IN_WORKSPACE;

/// The revision of the protocol that the callers speak.
pub(crate) const REVISION: &str = "2025-11-25";

/// What follows the answer to `initialize`.
pub(crate) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

pub(crate) fn write_initialize(id: u64, out: &mut Vec<u8>) {
    write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{REVISION}","capabilities":{{}},"clientInfo":{{"name":"redress-bench","version":"1"}}}}}}"#).unwrap_or_default();
}

pub(crate) fn write_list(id: u64, out: &mut Vec<u8>) {
    write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{}}}}"#)
        .unwrap_or_default();
}

/// Writes the call that begins the session of a governed gate.
pub(crate) fn write_begin(id: u64, workspace: &Path, out: &mut Vec<u8>) {
    let root = workspace.display();
    write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"begin_session","arguments":{{"workspace_root":"{root}"}}}}}}"#).unwrap_or_default();
}

/// Writes one call. Some gateways put a prefix before the names of tools.
pub(crate) fn write_call(work: Work, prefix: &str, id: u64, out: &mut Vec<u8>) {
    let name = work.tool.name();
    write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{prefix}{name}","arguments":{{"#).unwrap_or_default();
    let size = work.size;
    match work.tool {
        Tool::Echo | Tool::Path => {
            const PAD: &[u8] = b"abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789";
            if work.tool == Tool::Path {
                write!(out, r#""path":"{IN_WORKSPACE}","#).unwrap_or_default();
            }
            write!(out, r#""text":"{id:016}"#).unwrap_or_default();
            out.extend(PAD.iter().cycle().take(size.saturating_sub(16)));
            out.push(b'"');
        }
        Tool::Big | Tool::Dense => write!(out, r#""kib":{size}"#).unwrap_or_default(),
        Tool::Sleep => write!(out, r#""ms":{size}"#).unwrap_or_default(),
        Tool::Fail | Tool::RpcFail => (),
    }
    out.extend_from_slice(b"}}}");
}

/// Whether an answer is what the tool answers. Large ones are only measured: a look at each byte would be most of
/// what is measured.
pub(crate) fn is_answered(work: Work, id: u64, answer: &[u8]) -> bool {
    let has = |part: &[u8]| memmem::find(answer, part).is_some();
    match work.tool {
        Tool::Echo | Tool::Path => has(format!("{id:016}").as_bytes()) && !has(b"\"isError\":true"),
        Tool::Big | Tool::Dense => answer.len() >= work.size << 10,
        Tool::Sleep => has(b"slept"),
        Tool::Fail | Tool::RpcFail => {
            has(b"\"isError\":true") || has(b"\"isError\": true") || has(b"\"error\":")
        }
    }
}
