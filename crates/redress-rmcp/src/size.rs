//! How large a result is, without writing it where a look at its parts is enough.

use std::io;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResourceContents};
use serde_json::Value;

/// A byte of a text takes at most so many in JSON.
const WORST: usize = 6;

/// The bytes around the texts of one block, annotations included.
const FRAME: usize = 512;

/// What a number or a word of JSON takes at most.
const SCALAR: usize = 32;

/// For parts that are not looked into: so much that the whole is written and counted.
const NO_IDEA: usize = 1 << 40;

/// The size of a result in bytes, if it is more than `most`.
pub(crate) fn over(result: &CallToolResult, most: usize) -> Option<usize> {
    if bound(result) <= most {
        return None;
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, result).ok()?;
    (count.0 > most).then_some(count.0)
}

/// What a result takes at most.
fn bound(result: &CallToolResult) -> usize {
    let content: usize = result.content.iter().map(block).sum();
    let structured = result.structured_content.as_ref().map_or(0, value);
    content + structured + meta(result.meta.as_ref()) + FRAME
}

fn block(block: &ContentBlock) -> usize {
    let (texts, about) = match block {
        ContentBlock::Text(it) => (it.text.len(), meta(it.meta.as_ref())),
        ContentBlock::Image(it) => (it.data.len() + it.mime_type.len(), meta(it.meta.as_ref())),
        ContentBlock::Audio(it) => (it.data.len() + it.mime_type.len(), meta(it.meta.as_ref())),
        ContentBlock::Resource(it) => (resource(&it.resource), meta(it.meta.as_ref())),
        // Links and kinds of blocks that are not known yet: nothing is known of their size.
        _ => return NO_IDEA,
    };
    (texts * WORST).saturating_add(about).saturating_add(FRAME)
}

fn resource(contents: &ResourceContents) -> usize {
    match contents {
        ResourceContents::TextResourceContents { uri, text, meta: about, .. } => {
            uri.len() + text.len() + meta(about.as_ref())
        }
        ResourceContents::BlobResourceContents { uri, blob, meta: about, .. } => {
            uri.len() + blob.len() + meta(about.as_ref())
        }
        _ => NO_IDEA,
    }
}

fn meta(meta: Option<&MetaObject>) -> usize {
    meta.map_or(0, |it| it.0.iter().map(member).sum())
}

fn member((key, it): (&String, &Value)) -> usize {
    key.len() * WORST + SCALAR + value(it)
}

/// Values that a program holds nest as deep as it made them; those of a handler were built by hand or by serde.
fn value(it: &Value) -> usize {
    match it {
        Value::Null | Value::Bool(_) | Value::Number(_) => SCALAR,
        Value::String(text) => text.len() * WORST + SCALAR,
        Value::Array(items) => items.iter().map(value).sum::<usize>() + SCALAR,
        Value::Object(members) => members.iter().map(member).sum::<usize>() + SCALAR,
    }
}

struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
