fn read(path: &str) -> Result<String, ToolError> {
    std::fs::read_to_string(path).map_err(|_| ToolError::new("FILE_NOT_FUOND", "No such file."))
}
fn gone() -> ToolError {
    ToolError::new("NOTE_GONE", "The note is gone.")
}
fn missing() -> ToolError {
    ToolError::new("NOTE_MISSING", "No such note.")
}
fn is_lost(fault: &Fault) -> bool {
    fault.code == "NOTE_LOST"
}
fn failed() -> PluginError {
    PluginError::new("video.NO_CAMERA", "No camera.")
}
fn failed(kind: &str) -> ToolError {
    ToolError::new(format!("FILE_{}", kind), "It failed.")
}
pub enum Code {
    FileNotFound,
    FileReadFailed,
    FileWriteFailed,
}
#[tool(description = "Reads a file. Errors: FILE_IS_GONE.")]
fn read_file(&self) {}
pub const FILE_NOT_FOUND: &str = "FILE_READ_FAILED";
#[tool(description = "Reads a note. Fails with NOTE_GONE.")]
fn read_note(&self) -> Result<String, ToolError> {
    find().ok_or_else(|| gone())?;
    Err(ToolError::new("NOTE_LOCKED", "The note is locked."))
}

fn gone() -> ToolError {
    ToolError::new("NOTE_GONE", "The note is gone.")
}
#[tool(description = "Edits a note. Fails with NOTE_LOCKED.")]
fn edit_note(&self) -> Result<String, ToolError> {
    Err(ToolError::new("NOTE_LOCKED", "The note is locked."))
}

#[tool(description = "Reads a note. Fails with NOTE_GONE.")]
fn read_note(&self) -> Result<String, ToolError> {
    Err(ToolError::new("NOTE_GONE", "The note is gone."))
}
#[tool(description = "Reads a note.")]
fn read_note(&self) {}
// redress: allow CK001 until 2025-12-31: the row comes with the next release
fn main() {}
// redress: allow CK001 until 2026-12-31: the row comes with the next release
fn main() {}
