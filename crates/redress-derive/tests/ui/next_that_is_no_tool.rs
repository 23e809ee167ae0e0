use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    /// Notes are removed for good.
    #[contract(
        class = "not_found",
        retry = "after_change",
        message = "There is no such note.",
        hint = "List the notes, then use an id from the list.",
        next = "nope tool"
    )]
    NoteNotFound,
}

fn main() {}
