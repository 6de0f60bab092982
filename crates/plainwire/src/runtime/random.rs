//! Random bytes from the operating system.

/// Returns random bytes. Panics if the system has none: secrets made without them would not be secret.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill(&mut bytes).expect("the operating system has random bytes");
    bytes
}

/// Returns an id that can't be guessed: 128 random bits in hexadecimal.
#[cfg(feature = "http")]
pub(crate) fn id() -> String {
    bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fills `bytes` by the system call `getrandom`, through `rustix`, which is a dependency for descriptors
/// anyway. The call returns up to 256 bytes in one piece, which is more than any caller needs.
#[cfg(target_os = "linux")]
fn fill(bytes: &mut [u8]) -> Result<(), rustix::io::Errno> {
    use rustix::rand::{GetRandomFlags, getrandom};
    rustix::io::retry_on_intr(|| getrandom(&mut *bytes, GetRandomFlags::empty())).map(|_| ())
}

/// Fills `bytes` by the crate `getrandom`, on systems other than Linux.
#[cfg(not(target_os = "linux"))]
fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    getrandom::fill(bytes)
}
