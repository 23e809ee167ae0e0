//! Rules about codes in sources: each one is registered, and none is gone.

use redress_registry::{mirror::UNREGISTERED, name::is_full_code, nearest::nearest};

use crate::{
    facts::Value,
    link::{World, is_code_place},
    rule::{Check, Hits, page},
};

pub(super) const CHECKS: &[Check] =
    &[Check { rule: &UNREGISTERED, page: page!("CK001"), run: unregistered }];

fn unregistered(world: &World<'_>, hits: &mut Hits<'_>) {
    for it in world.judged() {
        for mention in &it.facts.mentions {
            let Value::Text(text) = &mention.value else { continue };
            if !is_code_place(&mention.position)
                || !is_full_code(text)
                || !text.contains('_')
                || it.contract.meaning(text).is_some()
            {
                continue;
            }
            let near = nearest(text, it.contract.registry.codes.keys().map(|it| &**it));
            let hit = hits.at(
                (it.file, &mention.span),
                "{code} is not in {contract}.",
                [("code", (&**text).into()), ("contract", (&*it.contract.name).into())],
            );
            if let Some(near) = near {
                hit.fix(format!("Write {near}, or add the code with redress registry add."));
                hit.edit(&mention.span, near);
            }
        }
    }
}
