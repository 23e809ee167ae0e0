//! What a module imports, and under which names.

use ruff_python_ast::{
    Alias, Expr, ExprCall, Identifier, StmtFunctionDef, StmtImport, StmtImportFrom,
};
use ruff_text_size::Ranged;

use super::{
    classes::DATA,
    values::{NAMES_MEMBERS, Reader, WRAPS},
};
use crate::eval::payload::{Value, plain};

impl<'c> Reader<'_, 'c> {
    pub(super) fn import(&mut self, import: &'c StmtImport) {
        for alias in &import.names {
            let path = alias.name.as_str();
            self.payload.has_imports = true;
            self.payload.push(Value::Import { module: Some(plain(path)), members: Vec::new() });
            let is_whole = alias.asname.is_some();
            let path = if is_whole { path } else { path.split('.').next().unwrap_or(path) };
            self.imported(alias, plain(path).into_owned());
            if path == "dataclasses" && !is_whole {
                self.data.insert("dataclasses");
            }
        }
    }

    pub(super) fn import_from(&mut self, import: &'c StmtImportFrom) {
        let module = import.module.as_ref().filter(|_| import.level == 0).map(Identifier::as_str);
        let members = import.names.iter().map(|it| plain(it.name.as_str())).collect();
        self.payload.has_imports = true;
        self.payload.push(Value::Import { module: module.map(plain), members });
        for alias in &import.names {
            let name = alias.name.as_str();
            let path = format!("{}.{}", plain(module.unwrap_or_default()), plain(name));
            self.imported(alias, path);
            if module == Some("dataclasses") && name == DATA && alias.asname.is_none() {
                self.data.insert(DATA);
                continue;
            }
            if name == "*" {
                self.payload.push(Value::Forbidden("import *"));
            }
            if plain(name) == WRAPS && alias.asname.is_some() {
                self.payload.push(NAMES_MEMBERS);
            }
            let key = self.payload.key(name);
            self.payload.push(Value::Taken { key });
        }
    }

    fn imported(&mut self, alias: &'c Alias, path: String) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
        let name = name.split('.').next().unwrap_or(name);
        self.above.import(name);
        self.payload.import(name, path);
    }

    /// `wraps` as the decorator next to a function, which gets no more by it than members that only tell something.
    pub(super) fn wrapped(&mut self, function: &'c StmtFunctionDef) {
        let last = function.decorator_list.last().map(|it| &it.expression);
        self.wrapping = last.filter(|it| is_only_wraps(it)).map(Ranged::range);
    }

    pub(super) fn is_wrapping(&self, call: &ExprCall) -> bool {
        self.wrapping == Some(call.range())
    }
}

/// Whether it is `wraps(f)` and no more than that.
fn is_only_wraps(decorator: &Expr) -> bool {
    let Expr::Call(call) = decorator else { return false };
    let name = match &*call.func {
        Expr::Name(it) => it.id.as_str(),
        Expr::Attribute(it) => it.attr.as_str(),
        _ => return false,
    };
    let is_one = matches!(&*call.arguments.args, [only] if !only.is_starred_expr());
    plain(name) == WRAPS && is_one && call.arguments.keywords.is_empty()
}
