//! Tests of sealed request state: states that can be opened, states that are refused, the record of used
//! states, and digests. Keys, nonces and the time are fixed.

use proptest::prelude::*;

use super::*;

const A: [u8; 32] = [1; 32];
const B: [u8; 32] = [2; 32];
const NONCE: [u8; 24] = [7; 24];
const NOW: Duration = Duration::from_secs(1_000);
const EXPIRES: Duration = Duration::from_secs(1_600);
const SECOND: Duration = Duration::from_secs(1);

const BINDING: Binding<'_> = Binding {
    principal: Some("ann"),
    method: "tools/call",
    name: "delete",
    arguments: r#"{"a":1,"b":[2]}"#,
    server: "demo",
    version: "1.0",
};

fn keys(keys: &[[u8; 32]]) -> SealingKeys {
    SealingKeys::new(keys).expect("the right number of keys")
}

fn sealed(binding: &Binding<'_>) -> String {
    keys(&[A]).seal(NONCE, binding, EXPIRES, "body").expect("short")
}

fn open(state: &str, binding: &Binding<'_>) -> Result<Opened, Refusal> {
    keys(&[A]).open(state, binding, NOW)
}

/// Checks that a request state that was sealed for the call `made` is refused in the call `used`, because the
/// two calls differ in `part`.
fn foreign(made: Binding<'_>, used: Binding<'_>, part: &'static str) {
    assert_eq!(open(&sealed(&made), &used), Err(Refusal::Foreign(part)), "{made:?} {used:?}");
}

#[test]
fn opens_what_it_sealed() {
    for body in ["", "body", "é\0\"", &"x".repeat(40_000)] {
        let expires = Duration::new(1_600, 999_999_999);
        let state = keys(&[A]).seal(NONCE, &BINDING, expires, body).expect("short enough");
        let opened = Opened { body: body.to_owned(), expires, id: NONCE };
        assert_eq!(open(&state, &BINDING), Ok(opened));
    }
}

#[test]
fn opens_with_every_accepted_key_but_not_with_a_removed_one() {
    let (old, new) = (keys(&[A]), keys(&[B, A]));
    let by_old = old.seal(NONCE, &BINDING, EXPIRES, "old").expect("short");
    let by_new = new.seal(NONCE, &BINDING, EXPIRES, "new").expect("short");
    assert_eq!(new.open(&by_old, &BINDING, NOW).expect("accepted").body, "old");
    assert_eq!(new.open(&by_new, &BINDING, NOW).expect("accepted").body, "new");
    assert_eq!(old.open(&by_new, &BINDING, NOW), Err(Refusal::Tampered));
    assert_eq!(keys(&[B]).open(&by_old, &BINDING, NOW), Err(Refusal::Tampered));
}

#[test]
fn takes_one_to_sixteen_keys() {
    for (count, accepted) in [(0, false), (1, true), (MAX_KEYS, true), (MAX_KEYS + 1, false)] {
        assert_eq!(SealingKeys::new(&vec![A; count]).is_some(), accepted, "{count}");
    }
}

#[test]
fn refuses_every_flipped_bit() {
    let bytes = base64::decode_url(&sealed(&BINDING)).expect("base64");
    for bit in 0..bytes.len() * 8 {
        let mut other = bytes.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        let expected = if bit < 8 { Refusal::Malformed } else { Refusal::Tampered };
        assert_eq!(open(&base64::encode_url(&other), &BINDING), Err(expected), "bit {bit}");
    }
}

#[test]
fn refuses_every_changed_character_and_every_length() {
    let state = sealed(&BINDING);
    for at in 0..state.len() {
        let mut other = state.clone().into_bytes();
        other[at] = if other[at] == b'A' { b'B' } else { b'A' };
        let other = String::from_utf8(other).expect("ASCII");
        assert!(matches!(open(&other, &BINDING), Err(Refusal::Tampered | Refusal::Malformed)), "{other}");
        assert!(matches!(open(&state[..at], &BINDING), Err(Refusal::Tampered | Refusal::Malformed)), "{at}");
    }
    assert_eq!(open(&(state + "AAAA"), &BINDING), Err(Refusal::Tampered));
}

#[test]
fn refuses_a_state_of_another_format_under_the_same_key() {
    let key = SealingKey::derive(&A);
    for (version, aad, refusal) in [
        (2, [2].as_slice(), Refusal::Malformed),
        (VERSION, [2].as_slice(), Refusal::Tampered),
        (VERSION, [].as_slice(), Refusal::Tampered),
        (VERSION, [VERSION].as_slice(), Refusal::Malformed),
    ] {
        let sealed = key.state.encrypt(&XNonce::from(NONCE), Payload { msg: b"other", aad }).expect("short");
        let state = base64::encode_url(&[&[version], NONCE.as_slice(), &sealed].concat());
        assert_eq!(open(&state, &BINDING), Err(refusal), "{version} {aad:?}");
    }
}

#[test]
fn refuses_bytes_behind_the_body() {
    let key = SealingKey::derive(&A);
    let sealed = base64::decode_url(&sealed(&BINDING)).expect("base64");
    let keys = keys(&[A]);
    let (_, mut plain) = keys.decrypt(&NONCE, &sealed[HEAD..]).expect("ours");
    plain.push(0);
    let sealed =
        key.state.encrypt(&XNonce::from(NONCE), Payload { msg: &plain, aad: &[VERSION] }).expect("short");
    let state = base64::encode_url(&[&[VERSION], NONCE.as_slice(), &sealed].concat());
    assert_eq!(open(&state, &BINDING), Err(Refusal::Malformed));
}

#[test]
fn refuses_a_state_of_another_request_and_says_what_differs() {
    foreign(BINDING, Binding { principal: Some("bob"), ..BINDING }, "principal");
    foreign(BINDING, Binding { method: "prompts/get", ..BINDING }, "method");
    foreign(BINDING, Binding { name: "delete2", ..BINDING }, "name");
    foreign(BINDING, Binding { arguments: r#"{"a":1,"b":[3]}"#, ..BINDING }, "arguments");
    foreign(BINDING, Binding { server: "other", ..BINDING }, "server");
    foreign(BINDING, Binding { version: "1.1", ..BINDING }, "server");
}

#[test]
fn nobody_is_not_somebody_without_a_name() {
    let nobody = Binding { principal: None, ..BINDING };
    let nameless = Binding { principal: Some(""), ..BINDING };
    foreign(nobody, nameless, "principal");
    foreign(nameless, nobody, "principal");
    assert!(open(&sealed(&nobody), &nobody).is_ok());
    assert!(open(&sealed(&nameless), &nameless).is_ok());
}

#[test]
fn neighbouring_texts_do_not_run_into_each_other() {
    foreign(
        Binding { method: "a", name: "bc", ..BINDING },
        Binding { method: "ab", name: "c", ..BINDING },
        "method",
    );
    foreign(
        Binding { server: "a", version: "bc", ..BINDING },
        Binding { server: "ab", version: "c", ..BINDING },
        "server",
    );
}

#[test]
fn order_and_layout_of_arguments_do_not_matter() {
    let state = sealed(&BINDING);
    for arguments in [r#"{"b":[2],"a":1}"#, " {\n\"b\" : [ 2 ], \"\\u0061\":1 }"] {
        assert!(open(&state, &Binding { arguments, ..BINDING }).is_ok(), "{arguments}");
    }
    for arguments in ["", "{}", r#"{"a":1,"b":[2],"c":3}"#, r#"{"a":1.0,"b":[2]}"#, r#"{"a":1,"b":[2]"#] {
        foreign(BINDING, Binding { arguments, ..BINDING }, "arguments");
    }
}

#[test]
fn arguments_that_a_float_would_round_to_the_same_differ() {
    let made = Binding { arguments: r#"{"id":12345678901234567890123}"#, ..BINDING };
    foreign(made, Binding { arguments: r#"{"id":12345678901234567890124}"#, ..BINDING }, "arguments");
}

#[test]
fn arguments_that_are_no_json_are_compared_as_text() {
    let made = Binding { arguments: "{not json", ..BINDING };
    assert!(open(&sealed(&made), &made).is_ok());
    foreign(made, Binding { arguments: "{not  json", ..BINDING }, "arguments");
}

#[test]
fn the_length_of_arguments_does_not_change_that_of_the_state() {
    let long = format!("[{}1]", "1,".repeat(100_000));
    assert_eq!(sealed(&Binding { arguments: &long, ..BINDING }).len(), sealed(&BINDING).len());
}

#[test]
fn two_states_have_nothing_in_common_but_the_version() {
    let digest = |nonce| SealingKey::derive(&A).arguments(&nonce, "{}");
    assert_ne!(digest(NONCE), digest([8; 24]));
    assert_ne!(SealingKey::derive(&B).arguments(&NONCE, "{}"), digest(NONCE));
}

#[test]
fn expires_at_the_exact_time() {
    let (keys, state) = (keys(&[A]), sealed(&BINDING));
    let nano = Duration::from_nanos(1);
    assert!(keys.open(&state, &BINDING, EXPIRES - nano).is_ok());
    assert_eq!(keys.open(&state, &BINDING, EXPIRES), Err(Refusal::Expired));
    assert_eq!(keys.open(&state, &BINDING, EXPIRES + SECOND), Err(Refusal::Expired));
    assert_eq!(keys.open(&state, &BINDING, Duration::MAX), Err(Refusal::Expired));
}

#[test]
fn looks_at_expiry_before_the_binding() {
    let other = Binding { name: "other", ..BINDING };
    assert_eq!(keys(&[A]).open(&sealed(&BINDING), &other, EXPIRES), Err(Refusal::Expired));
}

#[test]
fn refuses_garbage_and_empty_text() {
    let short = base64::encode_url(&[&[1], NONCE.as_slice()].concat());
    for (state, refusal) in [
        ("", Refusal::Malformed),
        ("é", Refusal::Malformed),
        ("{}", Refusal::Malformed),
        ("AQ", Refusal::Malformed),
        (&short[..short.len() - 4], Refusal::Malformed),
        (&short, Refusal::Tampered),
        (&(sealed(&BINDING) + "="), Refusal::Malformed),
    ] {
        assert_eq!(open(state, &BINDING), Err(refusal), "{state:?}");
    }
}

#[test]
fn refuses_an_over_long_state_before_decoding_it() {
    assert_eq!(open(&"!".repeat(MAX_BYTES), &BINDING), Err(Refusal::Malformed));
    assert_eq!(open(&"!".repeat(MAX_BYTES + 1), &BINDING), Err(Refusal::TooLong));
}

#[test]
fn seals_what_fits_and_not_a_byte_more() {
    let seal = |length| keys(&[A]).seal(NONCE, &BINDING, EXPIRES, &"x".repeat(length));
    let fits = (48_900..49_152).rev().find(|&length| seal(length).is_ok()).expect("a length that fits");
    let state = seal(fits).expect("it fits");
    assert_eq!(state.len(), MAX_BYTES);
    assert!(open(&state, &BINDING).is_ok());
    assert_eq!(seal(fits + 1), Err(Refusal::TooLong));
}

#[test]
fn a_state_is_taken_once() {
    let mut used = UsedStates::new(2);
    let opened = open(&sealed(&BINDING), &BINDING).expect("good");
    assert_eq!(used.take(&opened, NOW), Ok(()));
    assert_eq!(used.take(&opened, NOW), Err(Refusal::Replayed));
    assert_eq!(used.take(&opened, EXPIRES - SECOND), Err(Refusal::Replayed));
}

/// Returns an opened request state whose id is 24 times the byte `id`, and which expires at [`NOW`] plus
/// `after`.
fn state(id: u8, after: Duration) -> Opened {
    Opened { body: String::new(), expires: NOW + after, id: [id; 24] }
}

#[test]
fn forgets_states_once_they_have_expired() {
    let mut used = UsedStates::new(1);
    assert_eq!(used.take(&state(1, SECOND), NOW), Ok(()));
    assert_eq!(used.take(&state(2, 5 * SECOND), NOW), Err(Refusal::Full));
    assert_eq!(used.take(&state(2, 5 * SECOND), NOW + SECOND), Ok(()));
    assert_eq!(used.take(&state(1, SECOND), NOW + SECOND), Err(Refusal::Expired));
}

#[test]
fn a_full_record_refuses_new_states_and_still_knows_the_old() {
    let mut used = UsedStates::new(2);
    for id in [1, 2] {
        assert_eq!(used.take(&state(id, SECOND), NOW), Ok(()));
    }
    assert_eq!(used.take(&state(3, SECOND), NOW), Err(Refusal::Full));
    assert_eq!(used.take(&state(1, SECOND), NOW), Err(Refusal::Replayed));
    assert_eq!(UsedStates::new(0).take(&state(1, SECOND), NOW), Err(Refusal::Full));
}

#[test]
fn a_clock_that_is_set_back_does_not_bring_a_state_back() {
    let mut used = UsedStates::new(9);
    assert_eq!(used.take(&state(1, SECOND), NOW), Ok(()));
    assert_eq!(used.take(&state(2, 9 * SECOND), NOW + 5 * SECOND), Ok(()));
    assert_eq!(used.take(&state(1, SECOND), NOW), Err(Refusal::Expired));
    assert_eq!(used.take(&state(3, 2 * SECOND), NOW), Ok(()));
}

#[test]
fn a_digest_differs_by_salt_and_by_text() {
    assert_eq!(digest(&A, "text"), digest(&A, "text"));
    for (salt, text) in [(B, "text"), (A, "texT"), (A, ""), (A, "text\0")] {
        assert_ne!(digest(&salt, text), digest(&A, "text"), "{text:?}");
    }
}

#[test]
fn nothing_secret_is_shown() {
    let key: [u8; 32] = std::array::from_fn(|n| n as u8 + 100);
    let keys = keys(&[key]);
    assert_eq!(format!("{keys:?} {keys:#?}"), "SealingKeys SealingKeys");
    let opened = Opened { body: "secret".to_owned(), expires: NOW, id: NONCE };
    assert_eq!(format!("{opened:?}"), "Opened { expires: 1000s, .. }");
    assert_eq!(
        Refusal::Foreign("name").to_string(),
        "expected request state of this request, but found a difference in its name"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn opening_any_text_is_refused_and_never_panics(
        text in any::<String>(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut versioned = bytes.clone();
        versioned.insert(0, VERSION);
        for state in [text, base64::encode_url(&bytes), base64::encode_url(&versioned)] {
            prop_assert!(open(&state, &BINDING).is_err());
        }
        // Parsing any bytes as a decrypted state must not panic either.
        Plain::of(&bytes);
    }
}
