use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    RefNotFound { ref_id: String },
    CdpTimeout { method: Method },
}

#[derive(Debug)]
struct Method;

fn main() {}
