use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    /// A page.
    #[contract(class = "internal", retry = "never", message = "The disk is full.", hint = "Tell the owner which disk it was.")]
    Io,
}

fn main() {}
