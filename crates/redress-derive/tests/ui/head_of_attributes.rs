use redress::Contract;

#[derive(Debug, Contract)]
#[contract(name = "My Notes", version = "1", extends = "cor")]
enum NoteError {
    /// A page.
    #[contract(class = "internal", retry = "never", message = "The note is lost.", hint = "Tell the owner which note it was.")]
    NoteLost,
}

#[derive(Debug, Contract)]
enum Taken {
    /// A page.
    #[contract(code = "TIMEOUT", class = "internal", retry = "never", message = "The note is lost.", hint = "Tell the owner which note it was.")]
    NoteLost,
}

fn main() {}
