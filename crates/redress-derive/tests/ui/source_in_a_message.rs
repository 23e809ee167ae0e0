use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    CdpTimeout {
        #[source]
        method: std::io::Error,
    },
}

fn main() {}
