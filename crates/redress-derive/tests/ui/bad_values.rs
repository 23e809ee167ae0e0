use redress::Contract;

#[derive(Debug, Contract)]
#[contract(name = 5, version, extends = core)]
enum NoteError {
    #[contract(code = "TIMEOUT", code = "TIMEOUT")]
    Slow,
    #[contract(class = "not_fund", retry = "after_chnge", message = "It is.", hint = "Do this and then that.", number = -1)]
    NoteLost,
}

fn main() {}
