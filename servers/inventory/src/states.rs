//! The states of orders, and the transitions between them.
//!
//! In: a state and the name of a transition. Out: the next state, or an [`Illegal`] that names the states that would be needed.
//! Each transition is a function of its type, so no other code can write a state that does not follow from the one before. The
//! pictures in docs/inventory.md are made from [`Machine`].

use std::fmt;

use plainwire::prelude::*;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// The states of a type of order, as data.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The type of order, such as `purchase order`.
    pub of: &'static str,
    /// The state of a new order.
    pub initial: &'static str,
    /// Each transition: its name, the states in which it is legal, and the state that it leads to.
    pub transitions: &'static [(&'static str, &'static [&'static str], &'static str)],
}

/// A transition that the state of an order does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    transition: &'static str,
    is: &'static str,
    needed: &'static [&'static str],
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transition, is, needed } = self;
        write!(f, "the status is {is}, and `{transition}` needs {}", needed.join(" or "))
    }
}

impl std::error::Error for Illegal {}

macro_rules! machine {
    (
        $(#[$meta:meta])* $type:ident of $of:literal, from $first:ident;
        $($state:ident = $name:literal,)*;
        $($(#[$docs:meta])* $transition:ident: $($from:ident)|+ => $to:ident;)*
    ) => {
        $(#[$meta])*
        #[data]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names of the states are those of docs/inventory.md")]
        pub enum $type {
            $(#[serde(rename = $name)] $state,)*
        }

        impl $type {
            /// All states.
            pub const ALL: &'static [Self] = &[$(Self::$state,)*];

            /// The states and the transitions, as data.
            pub const MACHINE: Machine = Machine {
                of: $of,
                initial: Self::$first.name(),
                transitions: &[
                    $((stringify!($transition), &[$(Self::$from.name(),)+], Self::$to.name()),)*
                ],
            };

            /// Returns the name, as in results.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$state => $name,)* }
            }

            $(
                $(#[$docs])*
                ///
                /// # Errors
                /// A state in which this is not legal.
                pub fn $transition(self) -> Result<Self, Illegal> {
                    const NEEDED: &[&str] = &[$($type::$from.name(),)+];
                    match self {
                        $(Self::$from)|+ => Ok(Self::$to),
                        #[allow(unreachable_patterns, reason = "a transition may be legal in all states")]
                        _ => Err(Illegal {
                            transition: stringify!($transition),
                            is: self.name(),
                            needed: NEEDED,
                        }),
                    }
                }
            )*
        }

        impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from(self.name()))
            }
        }

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let text = value.as_str()?;
                Self::ALL.iter().copied().find(|it| it.name() == text).ok_or(FromSqlError::InvalidType)
            }
        }
    };
}

machine! {
    /// The states of a purchase order.
    Purchase of "purchase order", from Draft;
    Draft = "DRAFT",
    NotReceived = "NOT_RECEIVED",
    PartiallyReceived = "PARTIALLY_RECEIVED",
    Received = "RECEIVED",;
    /// Sends the order to its supplier: from now on its rows are expected.
    place: Draft => NotReceived;
    /// Receives a part of the order.
    receive_part: NotReceived | PartiallyReceived => PartiallyReceived;
    /// Receives what is left of the order.
    receive_rest: NotReceived | PartiallyReceived => Received;
    /// A correction leaves something that is still to be received.
    reopen: PartiallyReceived | Received => PartiallyReceived;
    /// A correction leaves nothing to be received.
    close_again: PartiallyReceived | Received => Received;
    /// A correction takes back all that was received.
    take_back: PartiallyReceived | Received => NotReceived;
}

machine! {
    /// The states of a sales order.
    Sales of "sales order", from NotShipped;
    NotShipped = "NOT_SHIPPED",
    Packed = "PACKED",
    PartiallyDelivered = "PARTIALLY_DELIVERED",
    Delivered = "DELIVERED",;
    /// Packs the order. Its stock leaves when it is delivered.
    pack: NotShipped => Packed;
    /// Takes a packed order apart.
    unpack: Packed => NotShipped;
    /// Delivers a part of the order.
    deliver_part: NotShipped | Packed | PartiallyDelivered => PartiallyDelivered;
    /// Delivers what is left of the order.
    deliver_rest: NotShipped | Packed | PartiallyDelivered => Delivered;
    /// A correction leaves something that is still to be delivered.
    reopen: PartiallyDelivered | Delivered => PartiallyDelivered;
    /// A correction leaves nothing to be delivered.
    close_again: PartiallyDelivered | Delivered => Delivered;
    /// A correction takes back all that was delivered.
    take_back: PartiallyDelivered | Delivered => NotShipped;
}

machine! {
    /// The states of a manufacturing order.
    Manufacturing of "manufacturing order", from NotStarted;
    NotStarted = "NOT_STARTED",
    Blocked = "BLOCKED",
    InProgress = "IN_PROGRESS",
    PartiallyCompleted = "PARTIALLY_COMPLETED",
    Done = "DONE",;
    /// Begins the work.
    start: NotStarted => InProgress;
    /// Stops the work until something is solved.
    block: NotStarted | InProgress => Blocked;
    /// Goes on after a block.
    unblock: Blocked => InProgress;
    /// Produces a part of the planned quantity.
    produce_part: NotStarted | InProgress | PartiallyCompleted => PartiallyCompleted;
    /// Produces what is left of the planned quantity.
    produce_rest: NotStarted | InProgress | PartiallyCompleted => Done;
    /// Ends the order with what was produced.
    finish: PartiallyCompleted => Done;
    /// A correction leaves something that is still to be produced.
    reopen: PartiallyCompleted | Done => PartiallyCompleted;
    /// A correction leaves nothing to be produced.
    close_again: PartiallyCompleted | Done => Done;
    /// A correction takes back all that was produced.
    take_back: PartiallyCompleted | Done => InProgress;
}

machine! {
    /// The states of a stock transfer.
    Transfer of "stock transfer", from Draft;
    Draft = "draft",
    InTransit = "inTransit",
    Received = "received",;
    /// Sends the goods: they leave the source and are in transit.
    send: Draft => InTransit;
    /// Receives the goods at the target.
    receive: InTransit => Received;
}

machine! {
    /// The states of a stock adjustment: it is applied when it is made.
    Adjustment of "stock adjustment", from Applied;
    Applied = "applied",;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transition_that_is_not_legal_names_the_state_and_those_that_would_be() {
        assert_eq!(Purchase::Draft.place(), Ok(Purchase::NotReceived));
        let error = Purchase::Draft.receive_rest().map_err(|it| it.to_string());
        let text = "the status is DRAFT, and `receive_rest` needs NOT_RECEIVED or PARTIALLY_RECEIVED";
        assert_eq!(error, Err(text.to_owned()));
        assert!(
            Manufacturing::Done.produce_part().is_err() && Manufacturing::Blocked.produce_part().is_err()
        );
        assert!(Transfer::Draft.receive().is_err() && Transfer::InTransit.send().is_err());
    }

    #[test]
    fn each_state_is_reached_from_the_first_one() {
        for machine in [
            Purchase::MACHINE,
            Sales::MACHINE,
            Manufacturing::MACHINE,
            Transfer::MACHINE,
            Adjustment::MACHINE,
        ] {
            let mut reached = vec![machine.initial];
            for _ in 0..machine.transitions.len() {
                for (_, from, to) in machine.transitions {
                    if from.iter().any(|it| reached.contains(it)) && !reached.contains(to) {
                        reached.push(to);
                    }
                }
            }
            let states: Vec<_> = machine
                .transitions
                .iter()
                .flat_map(|it| [it.2].into_iter().chain(it.1.iter().copied()))
                .collect();
            assert!(states.iter().all(|it| reached.contains(it)), "{machine:?}");
        }
    }
}
