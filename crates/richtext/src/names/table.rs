//! Implements [`Resolver`] for [`Names`]: searches its lists for the entry that matches.

use super::{Attachment, Names, Page, Resolver, User};

impl Resolver for Names {
    fn user(&self, asked: &User) -> Option<User> {
        only(&self.users, |it| {
            let ids = [
                agree(&asked.account_id, &it.account_id),
                agree(&asked.user_key, &it.user_key),
                agree(&asked.username, &it.username),
            ];
            // The display name of a user with a known identifier may have changed, so it is not compared.
            let has_id = asked.account_id.is_some() || asked.user_key.is_some() || asked.username.is_some();
            if has_id { fits(&ids) } else { fits(&[agree(&asked.name, &it.name)]) }
        })
    }

    fn page(&self, asked: &Page) -> Option<Page> {
        only(&self.pages, |it| page_fits(asked, it))
    }

    fn attachment(&self, asked: &Attachment) -> Option<Attachment> {
        only(&self.attachments, |it| {
            let same_page = match (&asked.page, &it.page) {
                (Some(asked), Some(it)) => page_fits(asked, it),
                (None, None) => true,
                _ => asked.media_id.is_some(),
            };
            same_page && fits(&[agree(&asked.name, &it.name), agree(&asked.media_id, &it.media_id)])
        })
    }
}

/// Returns whether the entry `it` can be the page `asked`: they agree in title or address and differ in
/// neither, and their spaces do not differ. If `asked` has neither title nor address, an entry without a
/// title and with an equal space fits.
fn page_fits(asked: &Page, it: &Page) -> bool {
    let named = [agree(&asked.title, &it.title), agree(&asked.url, &it.url)];
    agree(&asked.space, &it.space) != Some(false)
        && (fits(&named)
            || (asked.title.is_none()
                && asked.url.is_none()
                && it.title.is_none()
                && asked.space == it.space))
}

/// Returns whether two fields are equal; `None` if one of them is unknown.
fn agree(asked: &Option<String>, it: &Option<String>) -> Option<bool> {
    Some(asked.as_ref()? == it.as_ref()?)
}

/// Returns whether at least one pair of fields is equal and no pair differs. Each element of `fields` is the
/// result of [`agree`] for one pair.
fn fits(fields: &[Option<bool>]) -> bool {
    fields.contains(&Some(true)) && !fields.contains(&Some(false))
}

/// Returns the entry of `all` for which `fits` is true; `None` if there is none, or if several different ones
/// fit.
fn only<T: Clone + PartialEq>(all: &[T], fits: impl Fn(&T) -> bool) -> Option<T> {
    let mut found = all.iter().filter(|it| fits(it));
    let first = found.next()?;
    found.all(|it| it == first).then(|| first.clone())
}
