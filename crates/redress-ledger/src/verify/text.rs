//! A report in words.

use std::fmt;

use super::report::{ChainReport, Found, Report};

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chain in &self.chains {
            write_chain(chain, self.witnessed, f)?;
        }
        for name in &self.missing {
            writeln!(f, "chain {name}: WRONG: it was witnessed and is gone")?;
        }
        for it in &self.receipts {
            let (seq, hash) = (it.receipt.seq, &it.receipt.hash);
            match &it.found {
                Found::In(chain) => writeln!(f, "receipt {seq}:{hash}: in chain {chain}")?,
                Found::PerhapsPruned => {
                    writeln!(
                        f,
                        "receipt {seq}:{hash}: not found; its segment may have been pruned"
                    )?;
                }
                Found::Nowhere => {
                    writeln!(f, "receipt {seq}:{hash}: WRONG: its record was cut off or changed")?;
                }
            }
        }
        if !self.keys_given {
            writeln!(
                f,
                "Signatures fit the keys that the records name; give a key to know whose they are."
            )?;
        }
        if !self.witnessed {
            writeln!(
                f,
                "No witnesses were looked for: whole chains may be gone, and ends may have been cut off."
            )?;
        }
        Ok(())
    }
}

fn write_chain(chain: &ChainReport, witnessed: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "chain {}: {}, {} sound records", chain.name, chain.state.name(), chain.records)?;
    if let Some((first, last)) = chain.times {
        write!(f, ", {first} to {last}")?;
    }
    writeln!(f)?;
    if let Some(problem) = &chain.problem {
        writeln!(f, "  WRONG: {problem}")?;
    }
    if chain.unfinished_bytes > 0 {
        writeln!(f, "  its last {} bytes are not a whole record yet", chain.unfinished_bytes)?;
    }
    let (rewritable, cuttable) = (chain.rewritable(), chain.cuttable());
    if rewritable > 0 {
        writeln!(f, "  exposed: its last {rewritable} records are signed by nothing after them")?;
    }
    if cuttable > 0 {
        let why = if witnessed { "the newest witness" } else { "any receipt" };
        writeln!(
            f,
            "  exposed: its last {cuttable} records, behind {why}, could be cut off unnoticed"
        )?;
    }
    Ok(())
}
