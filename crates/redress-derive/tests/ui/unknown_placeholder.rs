use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    /// A page.
    #[contract(class = "not_found", retry = "after_change", message = "There is no note {note}.", hint = "List the notes, then use an id from the list.")]
    NoteLost { notes: u32 },
    /// A page.
    #[contract(class = "not_found", retry = "after_change", message = "There is no tag {", hint = "List the tags, then use an id from the list.")]
    TagLost { tag: u32 },
}

fn main() {}
