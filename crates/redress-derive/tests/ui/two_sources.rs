use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    CdpTimeout {
        method: String,
        #[source]
        one: std::io::Error,
        #[source]
        two: std::fmt::Error,
    },
}

fn main() {}
