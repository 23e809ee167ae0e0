use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "core")]
enum NoteError<'a> {
    #[contract(transparent)]
    Other(Other<'a>),
}

#[derive(Debug, Contract)]
#[contract(registry = "core", code = "FILE_NOT_FOUND")]
struct Other<'a> {
    path: &'a str,
}

fn main() {}
