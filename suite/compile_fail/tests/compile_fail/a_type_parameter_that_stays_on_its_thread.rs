//! The type `S` is known only where the library is passed to `with`, so the error is reported there.
use plainwire::prelude::*;

struct Library<S>(S);

#[server]
impl<S: Fn() -> u32> Library<S> {
    #[tool]
    async fn count(&self) -> u32 {
        (self.0)()
    }
}

fn main() {
    let one = std::rc::Rc::new(1);
    drop(Server::new("wrong").with(Library(move || *one)));
}
