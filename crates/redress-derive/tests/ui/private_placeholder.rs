use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    /// A page.
    #[contract(class = "internal", retry = "never", message = "The note is lost: {cause}.", hint = "Tell the owner which note it was.")]
    NoteLost {
        #[source]
        cause: std::io::Error,
    },
    /// A page.
    #[contract(class = "internal", retry = "never", message = "The tag {token} is lost.", hint = "Tell the owner which tag it was.")]
    TagLost {
        #[contract(secret)]
        token: String,
    },
}

fn main() {}
