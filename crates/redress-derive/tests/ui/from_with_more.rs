use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    CdpTimeout {
        method: String,
        #[from]
        cause: std::io::Error,
    },
    RefNotFound {
        ref_id: u32,
        #[similar]
        #[next]
        near: Vec<String>,
    },
}

fn main() {}
