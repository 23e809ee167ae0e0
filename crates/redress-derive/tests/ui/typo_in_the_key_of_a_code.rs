use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    #[contract(cod = "CDP_TIMEOUT")]
    Slow { method: String },
}

fn main() {}
