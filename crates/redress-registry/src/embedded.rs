//! The files of the registries that ship with the library, as text.

/// A file below `registries/`.
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// The file of that name.
macro_rules! file {
    ($name:literal) => {
        File { name: $name, text: include_str!(concat!("../registries/", $name, ".toml")) }
    };
}

pub(crate) static CORE: File = file!("core");
pub(crate) static ATLAS_GATE: File = file!("atlas-gate");
pub(crate) static WORKRAIL: File = file!("workrail");
pub(crate) static RPC_TAXONOMY: File = file!("rpc-taxonomy");
pub(crate) static STAGEWRIGHT: File = file!("stagewright");
pub(crate) static MAILVAULT: File = file!("mailvault");

/// All files, `core` first.
static FILES: [&File; 6] = [&CORE, &ATLAS_GATE, &WORKRAIL, &RPC_TAXONOMY, &STAGEWRIGHT, &MAILVAULT];

/// The names of all, `core` first.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|it| it.name)
}
