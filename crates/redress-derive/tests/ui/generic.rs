use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "core")]
enum NoteError<T: std::fmt::Debug> {
    #[contract(code = "TIMEOUT")]
    Slow(#[source] T),
}

fn main() {}
