use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    #[contract(code = "CDP_TIMOUT")]
    Slow { method: String },
}

fn main() {}
