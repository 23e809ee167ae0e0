export function missing(path: string) {
  return { isError: true, error: { code: "FILE_NOT_FUOND", message: `No file at ${path}.` } };
}
export const gone = () => makeError("NOTE_GONE", { message: "The note is gone." });
export const isLocked = (error: Fault) => error.code === "NOTE_LOCKED";
export const missing = () => ({ error: { code: "NOTE_MISSING", message: "No such note." } });
export const lost = () => ({ error: { code: "NOTE_LOST", message: "No such note." } });
export const failed = () => makePluginError("CAMERA_IS_BUSY", { message: "The camera is busy." });
export const failed = (kind: string) => ({ error: { code: `FILE_${kind}`, message: "It failed." } });
export const other = (kind: string) => makeError("FILE_" + kind, { message: "It failed." });
export const CODES = {
  FILE_NOT_FOUND: "FILE_NOT_FOUND",
  FILE_READ_FAILED: "FILE_READ_FAILED",
  FILE_WRITE_FAILED: "FILE_WRITE_FAILED",
} as const;
server.registerTool("read_file", { description: "Reads a file. Fails with FILE_IS_GONE." }, read);
export const FILE_NOT_FOUND = "FILE_NOT_FUOND";
const locked = () => makeError("NOTE_LOCKED", { message: "The note is locked." });
const gone = () => makeError("NOTE_GONE", { message: "The note is gone." });

server.registerTool("read_note", { description: "Reads a note. Fails with NOTE_GONE." }, async ({ id }) => {
  return notes.has(id) ? locked() : gone();
});
server.registerTool("edit_note", { description: "Fails with NOTE_LOCKED." }, async () => {
  return makeError("NOTE_LOCKED", { message: "The note is locked." });
});
server.registerTool("read_note", { description: "Fails with NOTE_GONE." }, async () => {
  return makeError("NOTE_GONE", { message: "The note is gone." });
});
server.registerTool("read_note", { description: "Reads a note." }, read);
export const answer = 42; // redress: allow CK001
export const answer = 42; // redress: allow CK001 until 2026-12-31: the row comes later
