use redress::Contract;

#[derive(Contract)]
union NoteError {
    slow: u8,
}

fn main() {}
