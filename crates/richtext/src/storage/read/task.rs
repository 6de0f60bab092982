//! Reads task lists: `ac:task-list` with its tasks and nested lists.

use super::super::xml::Sort;
use super::{Reader, Scope, inline};
use crate::tree::{Attr, Kind, Node, Span};

impl<'a> Reader<'_, 'a> {
    /// Reads the task list at `index`; returns `None` if it contains an element that a task list must not
    /// contain, is too deep, or does not fit within the node limit.
    pub(super) fn task_list(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        if self.is_too_deep(index, scope.depth) {
            return None;
        }
        let mut list = self.element(index, Kind::TaskList, &["ac:task-list-id"]);
        list.attrs.extend(self.xml.attribute(index, "ac:task-list-id").map(|it| Attr::string("localId", it)));
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            self.room_for(child)?;
            match self.xml.name(child) {
                "ac:task" => {
                    let task = self.task(child, scope.deeper())?;
                    list.children.push(task);
                }
                "ac:task-list" => {
                    let nested = self.task_list(child, scope.deeper())?;
                    list.children.push(nested);
                }
                _ if self.xml.item(child).sort == Sort::Aside => {
                    list.attrs.push(Attr::string("storage:comment", self.xml.raw(child)));
                }
                _ => return None,
            }
        }
        Some(self.finish(index, list))
    }

    fn task(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let mut task = self.element(index, Kind::TaskItem, &["ac:local-id"]);
        // The identifier of a task in ADF is its `ac:task-uuid`.
        task.attrs.extend(self.xml.attribute(index, "ac:local-id").map(|it| Attr::string("ac:local-id", it)));
        let mut body = None;
        let mut state = "TODO";
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            let name = self.xml.name(child);
            match name {
                "ac:task-body" => {
                    if body.replace(child).is_some() {
                        return None;
                    }
                }
                "ac:task-uuid" => task.attrs.push(Attr::string("localId", self.plain(child)?)),
                "ac:task-status" => match &*self.plain(child)? {
                    "complete" => state = "DONE",
                    "incomplete" => {}
                    other => task.attrs.push(Attr::string(name, other.to_owned())),
                },
                "ac:task-id" => task.attrs.push(Attr::string(name, self.plain(child)?)),
                _ => return None,
            }
        }
        task.attrs.push(Attr::string("state", state));
        match body {
            Some(body) => self.task_body(body, scope, &mut task),
            None => task.inner = Span::at(task.inner.end as usize),
        }
        Some(self.finish(index, task))
    }

    fn task_body(&mut self, body: usize, scope: Scope, task: &mut Node<'a>) {
        task.inner = self.xml.item(body).inner();
        if self.xml.item(body).has_blocks {
            task.kind = Kind::BlockTaskItem;
            task.children = self.blocks(self.xml.children(body), scope.deeper());
            return;
        }
        let mut holder = body;
        if let Some(wrapper) = self.wrapper(body) {
            task.inner = self.xml.item(wrapper).inner();
            task.attrs.push(Attr::string("storage:form", "placeholder-inline-tasks"));
            holder = wrapper;
        }
        let run = inline::Run::within(task.inner, scope.depth + 1);
        self.inlines(self.xml.children(holder), &run, &mut task.children);
    }

    /// Returns the index of the element `span` that Confluence's editor puts around the text of a task;
    /// `None` if there is none.
    fn wrapper(&self, body: usize) -> Option<usize> {
        let mut held = self.xml.children(body).filter(|it| !self.xml.is_blank(*it));
        let span =
            held.next().filter(|it| self.xml.name(*it) == "span" && !self.xml.item(*it).self_closing)?;
        let mut said = self.xml.attributes(span);
        let first = said.next()?;
        let alone = held.next().is_none() && said.next().is_none();
        (alone && first.name == "class" && first.value() == "placeholder-inline-tasks").then_some(span)
    }
}
