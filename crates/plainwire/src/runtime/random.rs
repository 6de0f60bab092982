//! Random bytes of the operating system.

/// Random bytes. A system without any can't keep a secret, and must not pretend to.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill(&mut bytes).expect("the operating system has random bytes");
    bytes
}

/// An id that nobody can guess: 128 bits in hexadecimal.
#[cfg(feature = "http")]
pub(crate) fn id() -> String {
    bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Linux: the system call, by the crate that is there for descriptors anyway. At most 256 bytes come whole.
#[cfg(target_os = "linux")]
fn fill(bytes: &mut [u8]) -> Result<(), rustix::io::Errno> {
    use rustix::rand::{GetRandomFlags, getrandom};
    rustix::io::retry_on_intr(|| getrandom(&mut *bytes, GetRandomFlags::empty())).map(|_| ())
}

/// Elsewhere each system has a way of its own.
#[cfg(not(target_os = "linux"))]
fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    getrandom::fill(bytes)
}
