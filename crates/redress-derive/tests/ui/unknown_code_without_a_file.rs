use redress::Contract;

#[derive(Debug, Contract)]
enum NoteError {
    TimedOut,
    NoteEaten,
}

fn main() {}
