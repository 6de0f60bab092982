//! Fuzz target for sealed state: it opens only for the request that it was sealed for and only before its
//! expiry, and can be used once. A changed state never opens.

use std::time::Duration;

use plainwire::proto::seal::{Binding, Opened, Refusal, SealingKeys, UsedStates};

use super::bytes::Bytes;

/// Seals a text as state, opens it, tries other requests, other keys and changed states, and uses it twice.
pub fn seal(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (first, second): ([u8; 32], [u8; 32]) = (bytes.array(), bytes.array());
    let nonce = bytes.array();
    let texts: [String; 6] = std::array::from_fn(|_| bytes.text());
    let known = bytes.byte() % 2 == 1;
    let binding = binding(&texts, known);
    let expires = Duration::new(u64::from_le_bytes(bytes.array()), u32::from(bytes.byte()));
    let body = bytes.text();
    let keys = SealingKeys::new(&[first]).expect("one key");

    let Ok(state) = keys.seal(nonce, &binding, expires, &body) else {
        panic!("eight texts of 255 bytes are short enough");
    };
    assert!(state.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{state}");
    let before = expires.saturating_sub(Duration::from_nanos(1));
    if expires.is_zero() {
        return assert_eq!(keys.open(&state, &binding, before), Err(Refusal::Expired));
    }
    let opened = keys.open(&state, &binding, before).expect("it opens");
    assert_eq!((&opened.body, opened.expires, opened.id), (&body, expires, nonce));
    assert_eq!(keys.open(&state, &binding, expires), Err(Refusal::Expired));

    rotated(first, second, &state, &binding, before);
    bound(&keys, &state, &texts, known, before);
    changed(&keys, &state, &binding, before, &mut bytes);
    used_once(&opened, before);
}

fn binding(texts: &[String; 6], known: bool) -> Binding<'_> {
    let [principal, method, name, arguments, server, version] = texts;
    Binding { principal: known.then_some(principal), method, name, arguments, server, version }
}

/// Checks that a state still opens when its key is the second of two keys, and that the other key alone does
/// not open it.
fn rotated(first: [u8; 32], second: [u8; 32], state: &str, binding: &Binding<'_>, now: Duration) {
    let both = SealingKeys::new(&[second, first]).expect("two keys");
    assert!(both.open(state, binding, now).is_ok(), "rotated");
    if first != second {
        let other = SealingKeys::new(&[second]).expect("one key");
        assert_eq!(other.open(state, binding, now), Err(Refusal::Tampered));
    }
}

/// Checks that a state does not open for a binding that differs in one part, and that the refusal names this
/// part.
fn bound(keys: &SealingKeys, state: &str, texts: &[String; 6], known: bool, now: Duration) {
    let parts = ["principal", "method", "name", "arguments", "server", "server"];
    for (n, part) in parts.into_iter().enumerate() {
        let mut other = texts.clone();
        other[n].push('x');
        if n > 0 || known {
            let found = keys.open(state, &binding(&other, known), now);
            assert_eq!(found, Err(Refusal::Foreign(part)), "{other:?}");
        }
    }
    let found = keys.open(state, &binding(texts, !known), now);
    assert_eq!(found, Err(Refusal::Foreign("principal")), "nobody is not somebody without a name");
}

/// Checks that a changed, cut or made-up state does not open.
fn changed(keys: &SealingKeys, state: &str, binding: &Binding<'_>, now: Duration, bytes: &mut Bytes<'_>) {
    let refused = |other: &str| {
        if other != state {
            let found = keys.open(other, binding, now);
            assert!(
                matches!(found, Err(Refusal::Malformed | Refusal::Tampered | Refusal::TooLong)),
                "{found:?}"
            );
        }
    };
    let mut other = state.as_bytes().to_vec();
    let at = usize::from(u16::from_le_bytes(bytes.array())) % other.len();
    refused(&state[..at]);
    refused(&state[at..]);
    refused(&format!("{state}{}", &state[at..]));
    refused(&String::from_utf8_lossy(bytes.rest()));
    other[at] = bytes.byte();
    refused(&String::from_utf8_lossy(&other));
}

fn used_once(opened: &Opened, before: Duration) {
    let mut used = UsedStates::new(1);
    assert_eq!(used.take(opened, opened.expires), Err(Refusal::Expired));
    assert_eq!(used.take(opened, before), Ok(()));
    assert_eq!(used.take(opened, before), Err(Refusal::Replayed));
    let mut another = opened.clone();
    another.id[0] ^= 1;
    assert_eq!(used.take(&another, before), Err(Refusal::Full));
    // A clock that is set back does not make a used state valid again.
    assert_eq!(used.take(opened, opened.expires), Err(Refusal::Expired));
    assert_eq!(used.take(opened, before), Err(Refusal::Expired));
}
