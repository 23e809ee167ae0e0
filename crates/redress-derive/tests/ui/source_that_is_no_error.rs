use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    CdpTimeout {
        method: String,
        #[source]
        cause: String,
    },
    StoreClosed(#[from] Vec<u8>),
}

fn main() {}
