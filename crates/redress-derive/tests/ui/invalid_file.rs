use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/ui/invalid.toml")]
enum NoteError {
    NoteLost,
}

fn main() {}
