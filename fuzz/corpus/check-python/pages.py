def read(path: str) -> str:
    if not os.path.exists(path):
        raise ToolError("FILE_NOT_FUOND", f"No file at {path}.")
def gone():
    raise NoteError(code="NOTE_GONE", message="The note is gone.")
def missing():
    raise NoteError("NOTE_MISSING", "No such note.")
def lost():
    raise NoteError("NOTE_LOST", "No such note.")
def failed():
    raise PluginError("video.NO_CAMERA", "No camera.")
def failed(kind: str):
    raise ToolError(f"FILE_{kind}", "It failed.")
Code = Literal["FILE_NOT_FOUND", "FILE_READ_FAILED", "FILE_WRITE_FAILED"]
@mcp.tool()
def read_file(path: str) -> str:
    """Reads a file. Raises FILE_IS_GONE."""
FILE_NOT_FOUND = "FILE_READ_FAILED"
def gone():
    raise NoteError("NOTE_GONE", "The note is gone.")

@mcp.tool()
def read_note(id: str) -> str:
    """Reads a note. Fails with NOTE_GONE."""
    if id not in notes:
        gone()
    raise NoteError("NOTE_LOCKED", "The note is locked.")
@mcp.tool()
def edit_note(id: str) -> str:
    """Edits a note. Fails with NOTE_LOCKED."""
    raise NoteError("NOTE_LOCKED", "The note is locked.")

@mcp.tool()
def read_note(id: str) -> str:
    """Reads a note. Fails with NOTE_GONE."""
    raise NoteError("NOTE_GONE", "The note is gone.")
@mcp.tool()
def read_note(id: str) -> str:
    """Reads a note."""
answer = 42  # redress: allow CK001 until 2026-12-31:
answer = 42  # redress: allow CK001 until 2026-12-31: the row comes later
