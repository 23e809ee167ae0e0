//! The files of the registries that ship with the library, as text.

/// A file below `registries/`.
pub(crate) struct EmbeddedFile {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// The file of that name.
macro_rules! file {
    ($name:literal) => {
        EmbeddedFile { name: $name, text: include_str!(concat!("../registries/", $name, ".toml")) }
    };
}

pub(crate) static CORE: EmbeddedFile = file!("core");
pub(crate) static ATLAS_GATE: EmbeddedFile = file!("atlas-gate");
pub(crate) static WORKRAIL: EmbeddedFile = file!("workrail");
pub(crate) static RPC_TAXONOMY: EmbeddedFile = file!("rpc-taxonomy");
pub(crate) static STAGEWRIGHT: EmbeddedFile = file!("stagewright");
pub(crate) static MAILVAULT: EmbeddedFile = file!("mailvault");

/// All files, `core` first.
static FILES: [&EmbeddedFile; 6] =
    [&CORE, &ATLAS_GATE, &WORKRAIL, &RPC_TAXONOMY, &STAGEWRIGHT, &MAILVAULT];

/// The names of all, `core` first.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|it| it.name)
}
