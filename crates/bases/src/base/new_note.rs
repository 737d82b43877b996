//! The properties and place that make a new note a row of a view.

use serde_json::Value as Json;

use super::{Base, Filter, View};
use crate::number;
use crate::syntax::{Access, Node, Operator};

/// The requirements for a new note to be a row of a view, as far as the filters state them
/// directly: `and`s of `file.inFolder("…")`, `file.hasTag("…")`, `status == "open"` and
/// `topics.contains("…")`. Other conditions are left to the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewNote {
    /// The folder in which it must be.
    pub folder: Option<String>,
    /// The properties that it must have, with `tags`.
    pub properties: Vec<(String, Json)>,
    /// The conditions from which nothing follows for a new note, as written.
    pub unmet: Vec<String>,
}

impl Base {
    /// The requirements for a new note to be a row of a view.
    pub fn new_note(&self, view: &View) -> NewNote {
        let mut note = NewNote::default();
        for filter in self.filters(view) {
            note.read(filter);
        }
        note
    }
}

impl NewNote {
    fn read(&mut self, filter: &Filter) {
        match filter {
            Filter::None(_) => self.pass_over(filter),
            Filter::Any(filters) if filters.len() != 1 => self.pass_over(filter),
            Filter::All(filters) | Filter::Any(filters) => {
                for filter in filters {
                    self.read(filter);
                }
            }
            Filter::Statement(statement) => {
                let expression = statement.expression.as_ref().ok();
                if expression.and_then(|it| self.meet(&it.root)).is_none() {
                    self.pass_over(filter);
                }
            }
        }
    }

    fn pass_over(&mut self, filter: &Filter) {
        filter.each_statement(&mut |statement| self.unmet.push(statement.text.clone()));
    }

    /// Adds the requirement of a condition; `None` if nothing follows from it.
    fn meet(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Chain(first, links) => match links.as_slice() {
                [(Operator::Equal, value)] => {
                    let property = NewProperty::from_node(first)?;
                    self.set(&property, literal(value)?)
                }
                _ if links.iter().all(|(operator, _)| *operator == Operator::And) => {
                    let mut parts =
                        std::iter::once(&**first).chain(links.iter().map(|(_, node)| node));
                    parts.try_for_each(|part| self.meet(part))
                }
                _ => None,
            },
            Node::Access(base, steps) => {
                let (call, before) = steps.split_last()?;
                let Access::Method(name, arguments) = call else {
                    return None;
                };
                let [argument, ..] = arguments.as_slice() else {
                    return None;
                };
                let value = literal(argument)?;
                match (&**name, &**base, before) {
                    ("inFolder", Node::Name(file), []) if &**file == "file" => {
                        self.set(&NewProperty::Folder, value)
                    }
                    ("hasTag", Node::Name(file), []) if &**file == "file" => {
                        self.add("tags", value.as_str()?.trim_start_matches('#').into())
                    }
                    ("contains", _, _) => {
                        let accessed = Node::Access(base.clone(), before.to_vec());
                        let holder = if before.is_empty() { base } else { &accessed };
                        match NewProperty::from_node(holder)? {
                            NewProperty::Note(name) => self.add(&name, value),
                            NewProperty::Tags => self.add("tags", value),
                            NewProperty::Folder => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn set(&mut self, property: &NewProperty, value: Json) -> Option<()> {
        match property {
            NewProperty::Folder => {
                let folder = value.as_str()?.trim_matches('/');
                self.folder = Some(folder.to_owned());
            }
            NewProperty::Tags => return None,
            NewProperty::Note(name) => {
                self.properties.retain(|(known, _)| known != name);
                self.properties.push((name.clone(), value));
            }
        }
        Some(())
    }

    /// Adds an item to a list.
    fn add(&mut self, name: &str, value: Json) -> Option<()> {
        let known = self.properties.iter_mut().find(|(known, _)| known == name);
        match known {
            None => {
                self.properties.push((name.to_owned(), vec![value].into()));
            }
            Some((_, Json::Array(items))) => {
                if !items.contains(&value) {
                    items.push(value);
                }
            }
            Some(_) => return None,
        }
        Some(())
    }
}

enum NewProperty {
    Folder,
    Tags,
    Note(String),
}

impl NewProperty {
    /// The property that an expression refers to.
    fn from_node(node: &Node) -> Option<Self> {
        match node {
            Node::Name(name) if matches!(&**name, "file" | "this" | "formula" | "note") => None,
            Node::Name(name) => Some(Self::Note(name.to_string())),
            Node::Access(base, steps) => {
                let (Node::Name(space), [step]) = (&**base, steps.as_slice()) else {
                    return None;
                };
                let name = match step {
                    Access::Field(name) | Access::Place(Node::Text(name)) => name,
                    Access::Place(_) | Access::Method(..) => return None,
                };
                match (&**space, &**name) {
                    ("note", name) => Some(Self::Note(name.to_owned())),
                    ("file", "folder") => Some(Self::Folder),
                    ("file", "tags") => Some(Self::Tags),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The value of a literal: a text, number, boolean, or a link as its wikilink.
fn literal(node: &Node) -> Option<Json> {
    match node {
        Node::Text(text) => Some(text.to_string().into()),
        Node::Boolean(truth) => Some((*truth).into()),
        Node::Number(number) => number.is_finite().then(|| number::json(*number)),
        Node::Call(name, arguments) if &**name == "link" => match arguments.as_slice() {
            [Node::Text(target)] if !target.contains(['[', ']']) => {
                Some(format!("[[{target}]]").into())
            }
            [Node::Text(target), Node::Text(shown)] => Some(format!("[[{target}|{shown}]]").into()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_conditions_are_met_and_others_reported() {
        let text = r##"
filters:
  and:
    - file.inFolder("Books/")
    - file.hasTag("#book", "novel") && status == "open"
    - price > 5
views:
  - type: table
    filters:
      and:
        - note["read on"] == 2026
        - author == link("Jane Austen")
        - topics.contains("love")
        - file.tags.contains("x/y")
        - done == false
        - or: [a == 1, b == 2]
        - not: [file.hasTag("old")]
        - file.name == "x"
"##;
        let base = Base::parse(text).unwrap();
        let note = base.new_note(&base.views()[0]);
        assert_eq!(note.folder.as_deref(), Some("Books"));
        assert_eq!(
            note.properties,
            [
                ("tags".to_owned(), json!(["book", "x/y"])),
                ("status".to_owned(), json!("open")),
                ("read on".to_owned(), json!(2026)),
                ("author".to_owned(), json!("[[Jane Austen]]")),
                ("topics".to_owned(), json!(["love"])),
                ("done".to_owned(), json!(false)),
            ]
        );
        assert_eq!(
            note.unmet,
            [
                "price > 5",
                "a == 1",
                "b == 2",
                "file.hasTag(\"old\")",
                "file.name == \"x\""
            ]
        );
    }
}
