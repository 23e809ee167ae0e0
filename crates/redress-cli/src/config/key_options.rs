//! `KeyOptions`: the options of the command line that `section!` declares with a key of the file. They mean what the key means.

use std::ops::RangeInclusive;

use clap::{
    Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches,
    builder::{RangedU64ValueParser, ValueParser},
};

use super::{
    Config, Emit, Ledger,
    choice::{Choice, parser},
    section::Section,
    sections::{Breaker, Limits, Loop, Retry},
    server::Server,
    value::Value,
};

/// The range of a number.
type Range = Option<RangeInclusive<u64>>;

/// A type of keys that can be options.
pub(crate) trait OptionValue: Value {
    /// The option, with the values that it takes.
    fn arg(arg: Arg, range: Range) -> Arg;

    /// The value, if the command line has the option.
    fn given(matches: &ArgMatches, option: &str) -> Option<Self>;
}

/// The numbers that a key takes.
pub(crate) fn range_of<S: Section>(key: &str) -> Range {
    S::shape().keys.into_iter().find(|it| it.name == key)?.range
}

/// A value that clap has read.
fn read<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, option: &str) -> Option<T> {
    matches.try_get_one::<T>(option).ok().flatten().cloned()
}

impl OptionValue for bool {
    fn arg(arg: Arg, _range: Range) -> Arg {
        arg.action(ArgAction::SetTrue)
    }

    fn given(matches: &ArgMatches, option: &str) -> Option<Self> {
        read(matches, option).filter(|it| *it)
    }
}

impl OptionValue for u64 {
    fn arg(arg: Arg, range: Range) -> Arg {
        let parser = RangedU64ValueParser::<Self>::new();
        arg.value_parser(match range {
            Some(range) => ValueParser::new(parser.range(range)),
            None => ValueParser::new(parser),
        })
    }

    fn given(matches: &ArgMatches, option: &str) -> Option<Self> {
        read(matches, option)
    }
}

impl OptionValue for Option<u64> {
    fn arg(arg: Arg, range: Range) -> Arg {
        u64::arg(arg, range)
    }

    fn given(matches: &ArgMatches, option: &str) -> Option<Self> {
        read(matches, option).map(Some)
    }
}

impl<C: Choice + Value> OptionValue for C {
    fn arg(arg: Arg, _range: Range) -> Arg {
        arg.value_parser(parser::<C>())
    }

    fn given(matches: &ArgMatches, option: &str) -> Option<Self> {
        read(matches, option)
    }
}

/// The options that keys declare, as they were given.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyOptions(ArgMatches);

impl KeyOptions {
    /// Puts what was given in the place of what the file says.
    pub(crate) fn apply(&self, config: &mut Config) {
        config.general.ledger.set(&self.0);
        for server in &mut config.servers {
            server.set(&self.0);
            server.emit.set(&self.0);
            server.retry.set(&self.0);
            server.breaker.set(&self.0);
            server.r#loop.set(&self.0);
            server.limits.set(&self.0);
        }
    }
}

impl FromArgMatches for KeyOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

impl clap::Args for KeyOptions {
    fn augment_args(command: Command) -> Command {
        let of_server = command.args(Server::options()).args(Emit::options());
        let of_file = of_server.args(Ledger::options());
        let of_calls = of_file.args(Retry::options()).args(Breaker::options());
        of_calls.args(Loop::options()).args(Limits::options())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
