//! Facts: yes-or-no things about a request and its answer that a rule can ask for by name.

/// Declares the facts with their names in the rules.
macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// One fact.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fact { $($(#[$doc])* $name,)+ }

        impl Fact {
            /// The fact of that name.
            pub(crate) fn parse(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

facts! {
    /// The bytes sent are not JSON.
    NotJson = "not-json",
    /// Several messages were sent at once.
    Batch = "batch",
    /// The request has no `params`.
    NoParams = "no-params",
    /// `params` is not an object.
    BadParams = "bad-params",
    /// A tool call without the name of a tool.
    NoToolName = "no-tool-name",
    /// A tool call with something else than a text for the name of a tool.
    BadToolName = "bad-tool-name",
    /// A tool call whose `arguments` are not an object.
    BadArguments = "bad-arguments",
    /// The method is none of MCP.
    UnknownMethod = "unknown-method",
    /// A tool is called.
    Call = "call",
    /// A session is begun.
    Initialize = "initialize",
    /// A resource is read.
    ReadResource = "read-resource",
    /// The HTTP request named a session.
    Session = "session",
    /// The HTTP request was no POST.
    NotPost = "not-post",
    /// The tool is not in the server's list.
    Unlisted = "unlisted",
    /// The tool is in the server's list.
    Listed = "listed",
    /// An argument has `..` as a part of a path.
    DotDot = "dotdot",
    /// An argument is an absolute path.
    Absolute = "absolute",
    /// An argument is a path.
    Paths = "paths",
    /// An argument is a path or an address.
    Places = "places",
    /// The tool shows a file that can hold JSON.
    JsonFile = "json-file",
    /// An argument is named as a directory.
    Directory = "directory",
    /// An argument is a list of several paths.
    Several = "several",
    /// An argument is a list of several things that are worked on one by one.
    Many = "many",
    /// The text names some things of a list among the arguments, and not all of them.
    OneOf = "one-of",
    /// The text counts to one that failed, and no argument does.
    Nth = "nth",
    /// An argument says what is asked of a database.
    Query = "query",
    /// An argument is an empty text or list.
    Empty = "empty",
    /// No arguments were given.
    NoArguments = "no-arguments",
    /// An argument is a program to run.
    Command = "command",
    /// The tool runs programs or code.
    Runner = "runner",
    /// The call hands over commands or code to be run.
    Runs = "runs",
    /// The call hands over code to be run, and not the name of a program.
    Code = "code",
    /// The text is what a program said that was run.
    Ran = "ran",
    /// An argument looks like JSON and is none.
    BadJson = "bad-json",
    /// The server that was not found is one that an address among the arguments names.
    OwnHost = "own-host",
    /// The body of an HTTP answer is no JSON-RPC message.
    NoMessage = "no-message",
    /// The body of an HTTP answer is empty, or a page.
    NoWords = "no-words",
    /// What a validator calls wrong is nothing of the call.
    Elsewhere = "elsewhere",
    /// The text repeats an argument.
    Echo = "echo",
    /// The text repeats an argument that is the path of a file.
    EchoFile = "echo-file",
    /// The text repeats an argument that is the path of a directory.
    EchoDir = "echo-dir",
    /// The text repeats an argument that is an address.
    EchoUrl = "echo-url",
    /// The text names something below a directory among the arguments.
    Below = "below",
    /// The text names a path that no argument does.
    Stranger = "stranger",
    /// The text names a file that the caller did not.
    NamesFile = "names-file",
    /// The text names the tool.
    NamesTool = "names-tool",
    /// The text starts with words of the tool's name: `Failed to convert` of `convert_to_pdf`.
    SameVerb = "same-verb",
    /// The whole text was in the arguments: the tool says what it was given.
    Repeated = "repeated",
    /// The text says nothing but what was in the arguments.
    Bare = "bare",
    /// The tool gives content that can say anything.
    Reads = "reads",
    /// The tool gives back a thing as it stands.
    Shows = "shows",
    /// The tool gives back what somebody said or stored, in whatever words.
    Speaks = "speaks",
    /// The tool gives back what programs wrote.
    Logs = "logs",
    /// The text may be what the caller asked to see: a file's content that does not name the file, a program's output.
    Content = "content",
    /// The text may be what stands at a place among the arguments: the tool does not change it, and the text does not name it.
    Stored = "stored",
    /// The tool looks for something that may not be there.
    Searches = "searches",
    /// The tool's answer is a judgement: whether something exists, is valid, works.
    Judges = "judges",
    /// The tool changes something: what it answers is about that, and not what stood there.
    Acts = "acts",
    /// The tool works on many things at once.
    Bulk = "bulk",
    /// The tool works on directories with all that is in them.
    Trees = "trees",
    /// The tool makes a file that need not be there.
    Writes = "writes",
    /// The text stands on stderr too: the server logged it.
    Logged = "logged",
    /// The payload is an object that says it failed.
    Fails = "fails",
    /// The payload is an object that says it failed in more than one way.
    FailsSurely = "fails-surely",
    /// A member of the payload is an error where content was asked for.
    ErrorInside = "error-inside",
    /// The payload is a page where data was asked for.
    Page = "page",
    /// The text starts with the stack of an exception.
    Traceback = "traceback",
    /// The text has the stack of an exception in it.
    Stack = "stack",
    /// What the text calls unsupported is an argument, or the kind of one.
    Unfit = "unfit",
    /// The text starts with the name of a parameter.
    Parameter = "parameter",
    /// The text is JSON.
    Json = "json",
    /// The text is one line.
    OneLine = "one-line",
    /// The text has no blank line.
    OneParagraph = "one-paragraph",
    /// The text is one word with `_` in it.
    Token = "token",
    /// The text starts with a capital letter or a sign.
    Capital = "capital",
}

/// A set of facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Facts(u128);

impl Facts {
    pub(crate) const fn with(self, fact: Fact) -> Self {
        Self(self.0 | 1 << fact as u128)
    }

    pub(crate) const fn set(&mut self, fact: Fact, holds: bool) {
        if holds {
            *self = self.with(fact);
        }
    }

    /// The facts of both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn has(self, fact: Fact) -> bool {
        self.0 >> fact as u128 & 1 == 1
    }

    /// Whether all of `wanted` and none of `unwanted` hold.
    pub(crate) const fn fit(self, wanted: Self, unwanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0 && self.0 & unwanted.0 == 0
    }
}
