//! `Subject`: what a rule looks at, so that a rule with nothing to look at is not called held.

use crate::project::Project;

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Files.
    Files,
    /// Places that name a code.
    Codes,
    /// Codes that a contract of these sources declares itself.
    OwnCodes,
    /// Tables and constants of texts that are shaped as codes.
    Tables,
    /// Words that are shaped as codes, in documents and descriptions.
    Words,
    /// Tools.
    Tools,
    /// Tools that say what their results look like.
    OutputSchemas,
    /// Tools for which the contract has a row.
    ListedTools,
    /// Descriptions of tools.
    Descriptions,
    /// Types of errors.
    ErrorTypes,
    /// Decisions by code.
    Mappings,
    /// Comments that allow a rule to be broken.
    Allowances,
}

impl Subject {
    /// What one of them is called.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Files => "file",
            Self::Codes => "place that names a code",
            Self::OwnCodes => "code of the contract",
            Self::Tables => "table or constant",
            Self::Words => "code-shaped word",
            Self::Tools => "tool",
            Self::OutputSchemas => "tool with an output schema",
            Self::ListedTools => "tool with a row in the contract",
            Self::Descriptions => "description of a tool",
            Self::ErrorTypes => "type of errors",
            Self::Mappings => "decision by code",
            Self::Allowances => "allowance",
        }
    }

    /// How many of them these sources have.
    pub(crate) fn count(self, project: &Project<'_>) -> usize {
        let judged = || project.judged().map(|it| it.facts);
        let error_flows = || project.error_flows().map(|it| it.1);
        match self {
            Self::Files => project.sources.files.len() + project.sources.unreadable.len(),
            Self::Codes => project.judged().map(|it| project.named(it.file).len()).sum(),
            Self::OwnCodes => project.contracts.iter().map(|it| it.registry.own().count()).sum(),
            Self::Tables => judged().map(|it| it.tables.len() + it.constants.len()).sum(),
            Self::Words => judged().map(|it| it.words.len()).sum(),
            Self::Tools => error_flows().map(|it| it.boundaries.len()).sum(),
            Self::OutputSchemas => error_flows()
                .flat_map(|it| &it.boundaries)
                .filter(|it| it.has_output_schema)
                .count(),
            Self::ListedTools => project
                .judged()
                .flat_map(|it| it.facts.tools.iter().map(move |tool| (it.contract, tool)))
                .filter(|(contract, tool)| contract.registry.tools.contains_key(&*tool.name))
                .count(),
            Self::Descriptions => {
                judged().flat_map(|it| &it.tools).filter(|it| it.description.is_some()).count()
            }
            Self::ErrorTypes => error_flows().map(|it| it.types.len()).sum(),
            Self::Mappings => error_flows().map(|it| it.mappings.len()).sum(),
            Self::Allowances => project.files().map(|it| it.1.facts.allowances.len()).sum(),
        }
    }
}
