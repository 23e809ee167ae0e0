use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    /// A page.
    #[contract(class = "internal", retry = "never", message = "The note is lost.", hint = "It was not our fault, sorry.")]
    NoteLost,
    /// A page.
    #[contract(class = "invalid_argument", retry = "now", message = "The note is bad.", hint = "Write another note, with words in it.")]
    NoteBad,
    #[contract(class = "internal", retry = "never", message = "The note is odd.", hint = "Tell the owner which note it was.")]
    NoteOdd,
}

fn main() {}
