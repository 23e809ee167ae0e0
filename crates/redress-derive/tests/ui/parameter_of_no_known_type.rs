use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    /// A page.
    #[contract(class = "internal", retry = "never", message = "The note {id} is lost.", hint = "Tell the owner which note it was.")]
    NoteLost { id: NoteId },
}

#[derive(Debug)]
struct NoteId;

fn main() {}
