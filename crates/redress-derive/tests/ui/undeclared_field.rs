use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    RefNotFound { ref_id: u32, cause: std::io::Error },
}

fn main() {}
