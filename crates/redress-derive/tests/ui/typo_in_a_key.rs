use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    /// A page.
    #[contract(class = "internal", retry = "never", message = "The note is lost.", hnt = "Tell the owner which note it was.")]
    NoteLost,
}

fn main() {}
