use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "core")]
enum NoteError {
    #[contract(transparent)]
    Io(std::io::Error),
}

fn main() {}
