use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "core")]
enum NoteError {
    #[contract(transparent)]
    Io(std::io::Error),
    #[contract(transparent)]
    Two(std::fmt::Error, u8),
    #[contract(transparent, code = "TIMEOUT")]
    Coded(Other),
}

#[derive(Debug, Contract)]
#[contract(registry = "core", code = "TIMEOUT")]
struct Other;

fn main() {}
