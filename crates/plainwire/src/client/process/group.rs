//! The process group of a child: the child itself, and the processes that it starts and does not move to
//! another group.
//!
//! Invariant: a group gets signals only while its leader is not reaped, or if it had a process a moment
//! before. Later, its number may belong to another group.

use std::process::{Child, Command};

#[cfg(not(unix))]
pub(super) use elsewhere::Group;
#[cfg(unix)]
pub(super) use unix::Group;

#[cfg(unix)]
mod unix {
    use std::os::unix::process::CommandExt as _;

    use rustix::io::Errno;
    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
    };

    use super::{Child, Command};

    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Group(pub(crate) Pid);

    impl Group {
        /// Makes `command` start the leader of a new group.
        pub(crate) fn prepare(command: &mut Command) {
            command.process_group(0);
        }

        pub(crate) fn of(leader: &Child) -> Self {
            Self(Pid::from_child(leader))
        }

        /// Sends SIGTERM to all processes of the group.
        pub(crate) fn ask(self) {
            let _ = kill_process_group(self.0, Signal::TERM);
        }

        pub(crate) fn kill(self, _leader: &mut Child) {
            self.kill_rest();
        }

        pub(crate) fn kill_rest(self) {
            let _ = kill_process_group(self.0, Signal::KILL);
        }

        /// Returns whether the group has a process that this program may signal.
        pub(crate) fn lives(self) -> bool {
            test_kill_process_group(self.0).is_ok()
        }

        /// Waits until the leader has ended, without reaping it, so that its number stays taken.
        pub(crate) fn wait_for_leader(self, _poll: impl FnMut() -> bool) {
            let only_look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(Errno::INTR) = waitid(WaitId::Pid(self.0), only_look) {}
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::thread;
    use std::time::Duration;

    use super::{Child, Command};

    /// The pause between two checks whether the child has ended.
    const STEP: Duration = Duration::from_millis(20);

    /// A group outside of Unix. Only its leader can be ended: job objects need `unsafe`.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Group;

    impl Group {
        #[cfg(windows)]
        pub(crate) fn prepare(command: &mut Command) {
            use std::os::windows::process::CommandExt as _;
            const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
            command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        }

        #[cfg(not(windows))]
        pub(crate) fn prepare(_command: &mut Command) {}

        pub(crate) fn of(_leader: &Child) -> Self {
            Self
        }

        pub(crate) fn ask(self) {}

        pub(crate) fn kill(self, leader: &mut Child) {
            let _ = leader.kill();
        }

        /// Does nothing: only the leader can be ended here.
        pub(crate) fn kill_rest(self) {}

        pub(crate) fn lives(self) -> bool {
            false
        }

        pub(crate) fn wait_for_leader(self, mut has_left: impl FnMut() -> bool) {
            while !has_left() {
                thread::sleep(STEP);
            }
        }
    }
}
