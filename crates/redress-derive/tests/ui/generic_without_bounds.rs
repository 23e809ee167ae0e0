use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "core")]
enum NoteError<T> {
    #[contract(code = "TIMEOUT")]
    Slow(#[source] T),
}

fn main() {}
