use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.tml")]
enum NoteError {
    Timeout,
}

#[derive(Debug, Contract)]
#[contract(registry = "atlas_gate")]
enum OtherError {
    Timeout,
}

fn main() {}
