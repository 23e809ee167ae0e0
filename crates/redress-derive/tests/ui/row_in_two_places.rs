use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    #[contract(message = "No.", hint = "Take a new snapshot, then use its refs.")]
    RefNotFound { ref_id: u32 },
    CdpTimeout {
        #[contract(untrusted)]
        method: String,
    },
}

fn main() {}
