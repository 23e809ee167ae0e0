use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    RefNotFuond { ref_id: u32 },
}

fn used(error: PageError) -> String {
    // What uses the type makes no second message.
    format!("{error} {} {:?}", error.to_fault().code(), PageError::CODES)
}

fn main() {}
