//! An enum becomes an argument by `#[data]`.
use plainwire::prelude::*;

enum Course {
    Main,
}

#[tool]
async fn order(table: u32, course: Course) -> String {
    match course {
        Course::Main => table.to_string(),
    }
}

fn main() {
    drop(plainwire::server!("wrong").tool(order));
}
