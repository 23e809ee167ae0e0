use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "core")]
#[next]
enum NoteError {
    #[similar]
    Conflict,
    #[retry_after]
    InternalError,
}

fn main() {}
