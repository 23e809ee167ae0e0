//! `section!`: one declaration of a table of the file gives its type, its defaults, its reader, its schema and its page, the options of the
//! command line that mean the same, and how a changed file is compared.

use clap::{Arg, ArgMatches};

use super::{compare::Rules, kind::TableShape, table::ConfigTable};

/// A table of the file whose keys are known.
pub(crate) trait Section: Clone + Default {
    /// Every key.
    const NAMES: &'static [&'static str];

    /// What it is for, and all about its keys.
    fn shape() -> TableShape;

    /// Takes the keys that are there; the others are as in `base`.
    fn take(table: &mut ConfigTable<'_, '_>, base: &Self) -> Self;

    /// Reports what the keys cannot mean together.
    fn check(&self, table: &mut ConfigTable<'_, '_>);

    /// The options of the command line that keys declare.
    fn options() -> Vec<Arg>;

    /// Takes the values of those options.
    fn set(&mut self, given: &ArgMatches);

    /// Compares the keys that say how with those of a changed file.
    fn compare(&self, changed: &mut Self, at: &str, rules: &mut Rules);
}

/// Declares a section:
///
/// ```text
/// section! {
///     /// What the table is for.
///     pub struct Name (fields that are not keys) {
///         /// What the key means.
///         key: Type = default, in 1..=10, option "name" "VALUE", compared neutral(), example "5";
///     }
///     check function
/// }
/// ```
///
/// The keys of a row are those in the file, in its schema and on its page; the type implements [`Value`]. With `option`, the command line has
/// `--name VALUE`, too. `compared` names the rule of [`Rules`] by which a change is judged: all keys of a section have one, or none has and
/// the table of the section in `compare` lists them.
///
/// [`Value`]: super::value::Value
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        pub struct $Name:ident $(($($plain:ident: $Plain:ty),+))? {
            $(
                $(#[doc = $meaning:literal])+
                $key:ident: $Type:ty = $default:expr
                    $(, in $range:expr)?
                    $(, option $option:literal $($value:literal)?)?
                    $(, compared $rule:ident($($measure:expr)?))?,
                    example $example:literal;
            )+
        }
        $(check $check:path)?
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Name {
            $($(
                #[doc = "It is no key of the table."]
                pub $plain: $Plain,
            )+)?
            $(
                $(#[doc = $meaning])+
                pub $key: $Type,
            )+
        }

        impl Default for $Name {
            fn default() -> Self {
                Self { $($($plain: Default::default(),)+)? $($key: $default,)+ }
            }
        }

        impl $crate::config::section::Section for $Name {
            const NAMES: &'static [&'static str] =
                &[$($crate::config::section::key_name(stringify!($key))),+];

            fn shape() -> $crate::config::kind::TableShape {
                use $crate::config::{kind::{Key, TableShape}, value::Value};
                let usual = Self::default();
                let keys = vec![$(Key {
                    name: $crate::config::section::key_name(stringify!($key)),
                    meaning: concat!($($meaning),+).trim_ascii(),
                    kind: <$Type as Value>::kind(),
                    range: $crate::config::section::range!($($range)?),
                    default: usual.$key.shown().into_toml(),
                    example: $example,
                }),+];
                TableShape { about: concat!($($about),+).trim_ascii(), keys }
            }

            fn take(table: &mut $crate::config::table::ConfigTable<'_, '_>, base: &Self) -> Self {
                Self {
                    $($($plain: base.$plain.clone(),)+)?
                    $($key: table.take(
                        $crate::config::section::key_name(stringify!($key)),
                        $crate::config::section::range!($($range)?),
                        &base.$key,
                    ),)+
                }
            }

            fn check(&self, _table: &mut $crate::config::table::ConfigTable<'_, '_>) {
                $($check(self, _table);)?
            }

            fn options() -> Vec<clap::Arg> {
                vec![$($({
                    let arg = clap::Arg::new($option).long($option)$(.value_name($value))?;
                    let help = $crate::config::options::meaning::<Self>(stringify!($key));
                    let range = $crate::config::key_options::range_of::<Self>(stringify!($key));
                    <$Type as $crate::config::key_options::OptionValue>::arg(arg.help(help), range)
                },)?)+]
            }

            fn set(&mut self, _given: &clap::ArgMatches) {
                $($($crate::config::options::set(
                    &mut self.$key,
                    <$Type as $crate::config::key_options::OptionValue>::given(_given, $option),
                );)?)+
            }

            fn compare(
                &self,
                _changed: &mut Self,
                _at: &str,
                _rules: &mut $crate::config::compare::Rules,
            ) {
                $($(_rules.$rule(
                    &format!("{_at}.{}", stringify!($key)),
                    &self.$key,
                    &mut _changed.$key
                    $(, $measure)?
                );)?)+
            }
        }

        const _: () = {
            let keys = [$(stringify!($key)),+].len();
            let compared: &[&str] = &[$($(stringify!($rule),)?)+];
            assert!(
                compared.is_empty() || compared.len() == keys,
                "each key of a section says how it is compared, or none does"
            );
        };

        impl $crate::config::value::Value for $Name {
            fn read(
                given: &$crate::config::table::Given<'_>,
                reading: &mut $crate::config::table::Reading<'_>,
            ) -> Option<Self> {
                given.section(&Self::default(), reading)
            }

            fn over(
                given: &$crate::config::table::Given<'_>,
                base: &Self,
                reading: &mut $crate::config::table::Reading<'_>,
            ) -> Option<Self> {
                given.section(base, reading)
            }

            fn kind() -> $crate::config::kind::ValueKind {
                $crate::config::kind::ValueKind::Table(<Self as $crate::config::section::Section>::shape())
            }

            fn shown(&self) -> $crate::config::value::Shown {
                use $crate::config::value::{Shown, Value};
                Shown::Table(vec![$((
                    $crate::config::section::key_name(stringify!($key)).to_owned(),
                    Value::shown(&self.$key),
                )),+])
            }
        }
    };
}

/// The name of a key: one that is a word of Rust is declared as `r#match`.
pub(crate) const fn key_name(written: &'static str) -> &'static str {
    match written.as_bytes() {
        [b'r', b'#', ..] => written.split_at(2).1,
        _ => written,
    }
}

/// The range of a key that has one.
macro_rules! range {
    () => {
        None
    };
    ($range:expr) => {
        Some($range)
    };
}

pub(crate) use range;
pub(crate) use section;
