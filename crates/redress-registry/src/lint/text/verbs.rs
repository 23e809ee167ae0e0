//! The verbs that a hint can begin with.

/// Words that may stand before the verb: an order stays an order with them. A condition ("If the
/// file moved, …") may not: it pushes the verb to where a cut text ends.
pub(super) const BEFORE_VERB: &[&str] =
    &["always", "either", "explicitly", "first", "instead", "never", "now", "only", "then"];

/// Whether a word, in small letters, is an imperative: a verb, or `re-` and a verb.
pub(super) fn is_verb(word: &str) -> bool {
    let verb = word.strip_prefix("re-").unwrap_or(word);
    VERBS.split_ascii_whitespace().any(|it| it == verb)
}

const VERBS: &str = "
    abandon abort accept acknowledge acquire activate add address adjust agree align allow
    append apply approve archive arrange ask assign attach attempt audit authenticate authorise
    authorize avoid await back backup begin bind block book bound break bring browse build
    bypass calculate call cancel catch change check choose clean clear click clone close
    collect combine commit compare compile complete compress compute configure confirm connect
    consider consult contact continue convert copy correct count create cut debug decide
    declare decode decrease define delay delete deploy describe deselect detach detect
    determine diagnose disable discard disconnect dismiss divide do don't double download drop
    duplicate edit elevate email embed enable encode end enlarge ensure enter escalate escape
    establish examine exclude execute exit expand expect export extend extract fall feed fetch
    file fill filter find finish fix flag flush focus follow force forget format forward free
    fund generate get give go grant group guard halt handle have hold identify ignore implement
    import include increase inform initialise initialize inline insert inspect install instruct
    introduce invoke issue join keep kill launch leave let limit link list listen load locate
    lock log login look lower make manage map mark match measure merge migrate mint modify
    monitor mount move name narrow navigate notify obtain omit open operate order override
    paginate parse pass paste pause perform permit pick pin ping place plan point poll populate
    prefer prepare press prevent probe proceed produce provide prune publish pull purge push
    put query quit quote raise reach read reapply
    reauthenticate rebase reboot rebuild recall recheck recompute reconcile reconfigure
    reconnect record recover recreate redeploy redirect reduce reexamine refer refill refine
    reformat refresh refuse regenerate register reinitialise reinitialize reinstall reissue
    relaunch release reload relocate rely remount remove rename renew reopen reorder repair
    repeat rephrase replace reply repopulate report request require reread rerun reselect
    resend reserve reset reshape resize resolve respect respond restart restore restrict
    resubmit resume retain retrieve retry return reuse revert review revise revoke rewrite roll
    rotate run satisfy save scale scan schedule scope scroll search see select send separate
    serialise serialize serve set share shorten show shrink shut sign simplify skip slow
    snapshot solve sort specify spell split start state stay stop store strip submit subscribe
    supply suspend swap switch sync synchronise synchronize take target tell terminate test
    throttle tighten track translate treat trigger trim truncate trust try tune turn type
    unblock uncheck undo unfocus uninstall unlock unmount unregister unset unsubscribe update
    upgrade upload use validate verify view visit wait warn watch widen withdraw wrap write
";
