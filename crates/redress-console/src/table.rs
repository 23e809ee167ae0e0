//! `Table`: what a page lists. The page, the CSV and the JSON are written from the same one.

use redress::text;
use redress_ledger::Time;
use redress_wire::json::{Members, write_int, write_list, write_str};

/// A column: its name in CSV and JSON, and its title on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    pub name: &'static str,
    pub title: &'static str,
    /// What it is sorted by unless something else is asked for: `true` if large values come first.
    pub descends: bool,
}

/// A value in a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// Nothing is known.
    None,
    Text(String),
    Count(u64),
    /// From 0 to 1.
    Share(f64),
    /// In milliseconds since 1970.
    Time(u64),
    /// In milliseconds.
    Millis(u64),
    /// More than so many milliseconds.
    Longer(u64),
    /// So often a second.
    Rate(f64),
    /// Counts over time, for a small chart.
    Series(Vec<u64>),
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::None } else { Self::Text(text) }
    }

    /// A number for the order; `None` for texts.
    #[expect(clippy::cast_precision_loss, reason = "the order of numbers of that size is enough")]
    fn rank(&self) -> Option<f64> {
        match self {
            Self::Count(it) | Self::Time(it) | Self::Millis(it) => Some(*it as f64),
            Self::Longer(it) => Some(*it as f64 + 1.0),
            Self::Share(it) | Self::Rate(it) => Some(*it),
            Self::Series(it) => Some(it.iter().sum::<u64>() as f64),
            Self::None | Self::Text(_) => None,
        }
    }

    /// The count; 0 for everything else.
    const fn count(&self) -> u64 {
        if let Self::Count(it) = self { *it } else { 0 }
    }

    fn order(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::None, Self::None) => std::cmp::Ordering::Equal,
            (Self::None, _) => std::cmp::Ordering::Less,
            (_, Self::None) => std::cmp::Ordering::Greater,
            (a, b) => a.rank().unwrap_or_default().total_cmp(&b.rank().unwrap_or_default()),
        }
    }

    fn write_json(&self, out: &mut String) {
        match self {
            Self::None | Self::Longer(_) => out.push_str("null"),
            Self::Text(it) => write_str(out, it),
            Self::Count(it) | Self::Millis(it) => write_int(out, (*it).into()),
            Self::Share(it) | Self::Rate(it) => out.push_str(&share(*it)),
            Self::Time(it) => write_str(out, &Time::from_millis(*it).to_string()),
            Self::Series(it) => write_list(out, it, |it, out| write_int(out, (*it).into())),
        }
    }

    fn csv(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Text(it) => it.clone(),
            Self::Count(it) | Self::Millis(it) => it.to_string(),
            Self::Longer(it) => format!("over {it}"),
            Self::Share(it) | Self::Rate(it) => share(*it),
            Self::Time(it) => Time::from_millis(*it).to_string(),
            Self::Series(it) => {
                let counts: Vec<String> = it.iter().map(u64::to_string).collect();
                counts.join(" ")
            }
        }
    }
}

fn share(share: f64) -> String {
    format!("{share:.6}")
}

/// A row, and where its page is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub cells: Vec<Cell>,
    pub link: Option<String>,
}

/// What a page lists.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// The rows before these, and all rows: a page shows a part.
    pub before: usize,
    pub all: usize,
    /// The sum of each column of counts over the rows that a page leaves out.
    left_out: Vec<u64>,
    /// The column that it is sorted by, and whether large values come first.
    pub sorted: Option<(usize, bool)>,
}

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        let columns = columns.to_vec();
        Self { columns, rows: Vec::new(), before: 0, all: 0, left_out: Vec::new(), sorted: None }
    }

    pub(crate) fn push(&mut self, link: Option<String>, cells: Vec<Cell>) {
        self.rows.push(Row { cells, link });
        self.all = self.rows.len();
    }

    /// Sorts by the column of a name, `-name` turned round. Rows that are equal there keep their order.
    pub(crate) fn sort(&mut self, by: &str) {
        let (name, is_turned) = by.strip_prefix('-').map_or((by, false), |it| (it, true));
        let Some(at) = self.columns.iter().position(|it| it.name == name) else { return };
        let descends = self.columns.get(at).is_some_and(|it| it.descends) != is_turned;
        self.rows.sort_by(|a, b| {
            let order = match (a.cells.get(at), b.cells.get(at)) {
                (Some(a), Some(b)) => a.order(b),
                _ => std::cmp::Ordering::Equal,
            };
            if descends { order.reverse() } else { order }
        });
        self.sorted = Some((at, descends));
    }

    /// Keeps one page, the first being 1.
    pub(crate) fn page(&mut self, number: usize, size: usize) {
        self.all = self.rows.len();
        let last = self.all.div_ceil(size.max(1)).max(1);
        self.before = (number.clamp(1, last) - 1) * size;
        let shown = self.before..self.before.saturating_add(size);
        let mut left_out = vec![0; self.columns.len()];
        let mut kept = Vec::new();
        for (at, row) in self.rows.drain(..).enumerate() {
            if shown.contains(&at) {
                kept.push(row);
            } else {
                left_out.iter_mut().zip(&row.cells).for_each(|(sum, it)| *sum += it.count());
            }
        }
        (self.rows, self.left_out) = (kept, left_out);
    }

    /// The text of a row in a column; empty if there is none.
    pub(crate) fn text<'r>(&self, row: &'r Row, name: &str) -> &'r str {
        let at = self.columns.iter().position(|it| it.name == name);
        match at.and_then(|it| row.cells.get(it)) {
            Some(Cell::Text(it)) => it,
            _ => "",
        }
    }

    /// The sum of a column of counts over all rows, whichever of them the page shows.
    pub(crate) fn sum(&self, name: &str) -> u64 {
        let Some(at) = self.columns.iter().position(|it| it.name == name) else { return 0 };
        let shown = self.rows.iter().filter_map(|it| it.cells.get(at)).map(Cell::count);
        shown.sum::<u64>() + self.left_out.get(at).copied().unwrap_or_default()
    }

    /// As JSON: the number of all rows, and those of the page, each an object.
    pub(crate) fn json(&self, total: Option<u64>) -> String {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        if let Some(total) = total {
            members.int("total", total);
        }
        members.int("rows_in_all", self.all as u64).int("rows_before", self.before as u64);
        write_list(members.key("rows"), &self.rows, |row, out| {
            let mut object = Members::open(out);
            for (column, cell) in self.columns.iter().zip(&row.cells) {
                cell.write_json(object.key(column.name));
            }
            object.close();
        });
        members.close();
        format!("{}\n", text::visible_json(&out))
    }

    /// As CSV (RFC 4180), whose texts may have several lines. A text that a spreadsheet would take for a formula begins with an apostrophe.
    pub(crate) fn csv(&self) -> String {
        let mut out = String::new();
        let names: Vec<&str> = self.columns.iter().map(|it| it.name).collect();
        out.push_str(&names.join(","));
        out.push_str("\r\n");
        for row in &self.rows {
            for (at, cell) in row.cells.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let cell = cell.csv();
                let lines: Vec<_> = cell.split('\n').map(text::visible).collect();
                write_csv(&lines.join("\n"), &mut out);
            }
            out.push_str("\r\n");
        }
        out
    }
}

fn write_csv(value: &str, out: &mut String) {
    let is_formula = value.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let value = if is_formula { format!("'{value}") } else { value.to_owned() };
    if value.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&value.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(&value);
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Column, Table};

    fn table() -> Table {
        let column = |name, descends| Column { name, title: name, descends };
        let mut table = Table::new(&[column("tool", false), column("count", true)]);
        for (tool, count) in [("a", 1), ("=cmd()", 3), ("x,\"y\"\nz", 2), ("", 3)] {
            table.push(None, vec![Cell::text(tool), Cell::Count(count)]);
        }
        table
    }

    #[test]
    fn a_table_is_written_as_csv_and_json() {
        let csv = "tool,count\r\na,1\r\n'=cmd(),3\r\n\"x,\"\"y\"\"\nz\",2\r\n,3\r\n";
        assert_eq!(table().csv(), csv);
        let json: serde_json::Value = serde_json::from_str(&table().json(Some(9))).unwrap();
        assert_eq!(json["total"], 9);
        assert_eq!(json["rows"][2]["tool"], "x,\"y\"\nz");
        assert_eq!(json["rows"][3]["tool"], serde_json::Value::Null);
    }

    #[test]
    fn a_table_is_sorted_and_cut_into_pages() {
        let counts = |table: &Table| {
            let of = |it: &super::Row| it.cells[1].clone();
            table.rows.iter().map(of).collect::<Vec<_>>()
        };
        let mut sorted = table();
        sorted.sort("count");
        assert_eq!(counts(&sorted), [3, 3, 2, 1].map(Cell::Count));
        assert_eq!(sorted.sum("count"), 9);
        sorted.sort("-count");
        assert_eq!(counts(&sorted), [1, 2, 3, 3].map(Cell::Count));
        sorted.page(2, 3);
        assert_eq!((counts(&sorted), sorted.before, sorted.all), (vec![Cell::Count(3)], 3, 4));
        assert_eq!((sorted.sum("count"), sorted.sum("tool"), sorted.sum("none")), (9, 0, 0));
        let mut far = table();
        far.page(99, 3);
        assert_eq!(far.before, 3, "a page behind the last is the last");
        far.sort("nothing");
        assert_eq!(far.sorted, None);
    }
}
