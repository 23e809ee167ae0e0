//! The rules of the diff: what each finds, which readers it breaks, how to avoid it.

use crate::rule::{
    Grade,
    Impact::{self, Additive, Breaking, Forbidden, Risky, Text},
    Rule,
    Who::{self, Branch, Source, Text as Readers, Wire},
};

const fn rule(
    id: &'static str,
    name: &'static str,
    (impact, who): (Impact, Who),
    [summary, why, how_to_fix]: [&'static str; 3],
) -> Rule {
    let grade = Grade::Change { impact, who, drafts_too: false };
    Rule { id, name, grade, summary, why, how_to_fix }
}

/// A rule about identity, which drafts have too.
const fn identity(
    id: &'static str,
    name: &'static str,
    (impact, who): (Impact, Who),
    texts: [&'static str; 3],
) -> Rule {
    let grade = Grade::Change { impact, who, drafts_too: true };
    Rule { grade, ..rule(id, name, (impact, who), texts) }
}

/// Declares the rules, and the list of them in the same order.
macro_rules! rules {
    ($($id:ident = $kind:ident($name:literal, $grade:expr, $texts:expr);)+) => {
        $(pub(super) static $id: Rule = $kind(stringify!($id), $name, $grade, $texts);)+
        /// Every rule, in the order of their ids.
        pub(super) static ALL: &[&Rule] = &[$(&$id),+];
    };
}

rules! {
    DF001 = identity("registry-renamed", (Forbidden, Wire), [
        "The registry's name, namespace or docs_base changed.",
        "They are part of every code's identity and of every link to its page.",
        "Keep them; a registry under another name is another registry.",
    ]);
    DF002 = identity("code-vanished", (Forbidden, Branch), [
        "A code is gone and has no tombstone.",
        "The name could come back with another meaning, and nothing tells old clients why it went.",
        "Add [retired.X] with its number, since and why, or bring the code back.",
    ]);
    DF003 = identity("dead-name-reused", (Forbidden, Branch), [
        "A tombstone was removed or its name is a code again, or the spelling of one code now \
         means another.",
        "Old clients still act on the old meaning.",
        "Keep the tombstone, and give the new code a name and spellings that were never used.",
    ]);
    DF004 = identity("number-changed", (Forbidden, Wire), [
        "The number of a code changed or went to another code.",
        "A JSON-RPC client knows a failure by its number alone.",
        "Give the number back, and take one that was never used for what is new.",
    ]);
    DF005 = rule("since-rewritten", (Forbidden, Readers), [
        "The since of a stable code changed.",
        "History does not change; clients decide by it what a server can answer.",
        "Restore since.",
    ]);
    DF006 = identity("code-renamed", (Breaking, Branch), [
        "A code was renamed and its old name is not kept as deprecated.",
        "Programs that branch on the old name no longer see it.",
        "Keep the old code with deprecated = { to = \"NEW\" } and retire it later.",
    ]);
    DF007 = rule("retired-early", (Breaking, Branch), [
        "A code was retired before its until, or without having been deprecated.",
        "Programs that branch on it had no time to change.",
        "Deprecate it first, with an until, and retire it when that version comes.",
    ]);
    DF008 = rule("retired-in-time", (Additive, Branch), [
        "A deprecated code was retired in the version that its until named, or later.",
        "Programs that branch on it were told.",
        "Nothing: this is how a code goes.",
    ]);
    DF010 = rule("class-changed", (Breaking, Branch), [
        "The class of a code changed.",
        "A client that does not know the code acts by its class.",
        "Keep the class, or add a new code for the new meaning.",
    ]);
    DF011 = rule("http-changed", (Breaking, Wire), [
        "The HTTP status of a code changed.",
        "Proxies and clients act on the status alone.",
        "Keep the status with http = N.",
    ]);
    DF012 = rule("retry-withdrawn", (Breaking, Branch), [
        "A code that could be repeated no longer can.",
        "Clients that repeated it now fail, or keep repeating what cannot work.",
        "Keep the kind of retry, or add a new code.",
    ]);
    DF013 = rule("retry-granted", (Risky, Branch), [
        "A code can now be repeated, and it has no effect.",
        "Clients begin to repeat by themselves; the server sees more calls.",
        "Make sure that the server bears it.",
    ]);
    DF014 = rule("unsafe-retry-granted", (Breaking, Branch), [
        "A code can now be repeated although the failed call may have had an effect.",
        "Clients begin to do things twice.",
        "Grant the retry only where effect is none, or say after_state.",
    ]);
    DF015 = rule("retry-kind-changed", (Risky, Branch), [
        "The kind of retry changed, but not whether a program may repeat by itself.",
        "Clients that branch on the kind do something else.",
        "Make sure that the new kind is what callers should do.",
    ]);
    DF016 = rule("delay-changed", (Text, Branch), [
        "The delay or the number of repeats changed.",
        "Both are advice.",
        "Nothing, unless clients rely on the numbers.",
    ]);
    DF017 = rule("effect-appeared", (Breaking, Branch), [
        "A failure that changed nothing may now have changed something, or its effect is another.",
        "Clients repeat what they were told is safe.",
        "Keep the effect, or add a new code for the case with an effect.",
    ]);
    DF018 = rule("effect-vanished", (Additive, Branch), [
        "A failure that may have changed something is now known to change nothing.",
        "Clients may do more than before.",
        "Nothing, if it is true.",
    ]);
    DF020 = rule("param-removed", (Breaking, Wire), [
        "A parameter was removed or renamed.",
        "Programs that read it from details find nothing.",
        "Keep the parameter, or add a new one beside it.",
    ]);
    DF021 = rule("param-narrowed", (Breaking, Wire), [
        "The type of a parameter changed, or its enum lost values.",
        "Programs that read it get another type, or wait for a value that no longer comes.",
        "Add a new parameter with the new type.",
    ]);
    DF022 = rule("param-optional", (Breaking, Wire), [
        "A parameter that was always there may now be missing.",
        "Programs that read it without asking fail.",
        "Keep it required.",
    ]);
    DF023 = rule("param-required", (Additive, Wire), [
        "A parameter that could be missing is now always there.",
        "Readers get more than before.",
        "Nothing, if every server fills it.",
    ]);
    DF024 = rule("param-added", (Risky, Wire), [
        "A parameter was added (additive), or its enum got values (risky).",
        "Strict readers meet something that they do not know.",
        "Make sure that readers accept values that they do not know.",
    ]);
    DF025 = rule("param-hidden", (Breaking, Wire), [
        "A parameter became secret.",
        "It no longer leaves the process, so readers find nothing.",
        "Add a parameter that may be shown, and say so in the changelog.",
    ]);
    DF026 = rule("param-shown", (Risky, Wire), [
        "A parameter is no longer secret or no longer untrusted.",
        "What was held back or quoted now goes out as it is.",
        "Make sure that nobody else can write or guess the value.",
    ]);
    DF030 = rule("message-changed", (Text, Readers), [
        "The message changed.",
        "Texts are for readers; programs act on code and details.",
        "Nothing, unless somebody parses the text.",
    ]);
    DF031 = rule("advice-changed", (Text, Readers), [
        "The hint or next changed.",
        "Advice may get better at any time.",
        "Nothing.",
    ]);
    DF032 = rule("next-tool-gone", (Breaking, Branch), [
        "next names a tool that the new registry no longer has.",
        "Callers follow the advice into a second failure.",
        "Name a tool that exists.",
    ]);
    DF033 = rule("title-changed", (Risky, Readers), [
        "The title changed.",
        "Titles are the entries of indexes, dashboards and tickets.",
        "Keep the title if people search for it.",
    ]);
    DF034 = rule("page-changed", (Text, Readers), [
        "A page, an example, a description or another text changed.",
        "Texts are for readers.",
        "Nothing.",
    ]);
    DF040 = identity("code-added", (Additive, Source), [
        "A code was added.",
        "Clients act by its class until they know it.",
        "Nothing: this is how a registry grows.",
    ]);
    DF041 = rule("tool-code-added", (Additive, Branch), [
        "A tool may answer with one more code, of a class that it could answer with before.",
        "Clients have a rule for that class.",
        "Nothing.",
    ]);
    DF042 = rule("tool-class-added", (Breaking, Branch), [
        "A tool may answer with a code of a class that it never answered with.",
        "Clients of that tool have no rule for the class.",
        "Use a code of a class that the tool has, or announce the change.",
    ]);
    DF043 = rule("tool-code-removed", (Additive, Branch), [
        "A tool no longer answers with a code.",
        "Clients handle a case that does not come.",
        "Nothing.",
    ]);
    DF044 = rule("tool-removed", (Breaking, Branch), [
        "A tool was removed.",
        "Calls of it fail.",
        "Keep the tool, or announce its end.",
    ]);
    DF045 = rule("tool-promise-changed", (Breaking, Branch), [
        "A tool is no longer read-only or idempotent (breaking), is so now (additive), or its \
         operation or paths changed (text).",
        "Clients repeat by themselves only what is read-only or idempotent.",
        "Keep the promise, or make another tool for what breaks it.",
    ]);
    DF046 = rule("tool-added", (Additive, Source), [
        "A tool was added.",
        "Nobody calls it yet.",
        "Nothing.",
    ]);
    DF050 = rule("domain-changed", (Breaking, Wire), [
        "The domain of a code changed.",
        "The rpc dialect writes the domain, and metrics are labelled with it.",
        "Keep the domain.",
    ]);
    DF051 = rule("alias-changed", (Breaking, Wire), [
        "A spelling of a code in a dialect changed or was removed (breaking), or a dialect got one \
         (risky).",
        "Readers of that dialect know the code by its spelling alone.",
        "Keep the old spelling first, and add new ones behind it.",
    ]);
    DF052 = rule("severity-changed", (Risky, Branch), [
        "The severity changed.",
        "Alerts and filters of operators act on it.",
        "Tell those who run it.",
    ]);
    DF060 = rule("code-deprecated", (Additive, Source), [
        "A code is now deprecated.",
        "Whoever uses it is told in time.",
        "Nothing: this is how a code begins to go.",
    ]);
    DF061 = rule("until-earlier", (Breaking, Source), [
        "A deprecated code will go earlier than was said.",
        "Whoever planned by the old until is late.",
        "Keep until, or move it to a later version.",
    ]);
    DF062 = rule("deprecation-withdrawn", (Risky, Source), [
        "A code is no longer deprecated.",
        "Whoever moved away moved for nothing.",
        "Make sure that it stays this time.",
    ]);
    DF063 = rule("stability-changed", (Breaking, Source), [
        "A stable code became a draft (breaking), or a draft became stable (additive).",
        "A draft may change at any time, and stable was a promise.",
        "Keep it stable.",
    ]);
    DF072 = rule("limit-lowered", (Breaking, Wire), [
        "A parameter is cut after fewer characters.",
        "Readers lose the end of values that came whole.",
        "Keep max_chars.",
    ]);
}
