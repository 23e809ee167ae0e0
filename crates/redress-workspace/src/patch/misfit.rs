//! `Misfit`: in which way a part of a patch does not fit a text, and what to do about it.

/// In which way something does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// The text to search for is empty.
    NoSearch,
    /// It is not in the file.
    NotThere,
    /// It is in the file more than once.
    NotAlone,
    /// A hunk does not say where it belongs.
    NoAnchor,
    /// The lines of a hunk are not in the file.
    LinesNotThere,
    /// They are there more than once.
    LinesNotAlone,
    /// A file is to be removed that has more in it.
    LeftOver,
}

impl Misfit {
    /// What is wrong, as the end of a sentence.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NoSearch => "the text to search for is empty",
            Self::NotThere => "the text to search for is not in the file",
            Self::NotAlone => "the text to search for is in the file more than once",
            Self::NoAnchor => "it has no line of the file in it",
            Self::LinesNotThere => "its lines are not in the file as the patch has them",
            Self::LinesNotAlone => {
                "its lines are in the file more than once, none at the line that it names"
            }
            Self::LeftOver => "it removes the file, but the file has other lines, too",
        }
    }

    /// What to do about it.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::NoSearch => {
                "Search for a piece of the file's text, or write it all with write_file."
            }
            Self::NotThere => "Copy the text from the file exactly, blanks included.",
            Self::NotAlone => {
                "Add lines around it until it is there only once, or set `all` to replace every one."
            }
            Self::NoAnchor => "Add a line of the file before or after the change.",
            Self::LinesNotThere => "Make the patch from the file's exact text.",
            Self::LinesNotAlone => {
                "Add lines around the change, or correct the line number in `@@`."
            }
            Self::LeftOver => "Have all lines of the file in the patch, or use the tool remove.",
        }
    }
}
