//! Checks of expressions that need no evaluation.

use std::collections::{BTreeSet, HashMap};

use super::{Base, BaseError, Place, View};
use crate::evaluate::{Formulas, is_global, is_method, like_method};
use crate::summary::is_summary;
use crate::syntax::{Access, Expression, Node};

/// Reports functions that do not exist here.
pub(crate) fn expression(expression: &Expression, place: Place, found: &mut Vec<BaseError>) {
    each_part(&expression.root, &mut |part| {
        let name = match part {
            Part::Function(name) if !is_global(name) => name,
            Part::Method(name) if !is_method(name) => name,
            _ => return,
        };
        let next = match like_method(name) {
            Some(like) if like == name => {
                format!("write it behind a value, as in \"value.{name}()\"")
            }
            Some(like) => format!("did you mean \"{like}\"?"),
            None => "if a plugin adds it, only the app can evaluate it".to_owned(),
        };
        found.push(BaseError::new(
            place,
            format!("Cannot find function \"{name}\"; {next}"),
        ));
    });
}

/// Reports formulas that refer to themselves or to missing formulas.
pub(crate) fn formulas(base: &Base, found: &mut Vec<BaseError>, places: &HashMap<String, Place>) {
    let mut names: Vec<&String> = base.formulas.keys().collect();
    names.sort_unstable();
    let references: HashMap<&str, Vec<String>> = names
        .iter()
        .filter_map(|name| {
            let expression = base.formulas.get(*name)?.as_ref().ok()?;
            Some((name.as_str(), formulas_of(expression)))
        })
        .collect();
    let place = |name: &str| {
        let start = Place { line: 1, column: 1 };
        places.get(name).copied().unwrap_or(start)
    };
    for name in names {
        for missing in references.get(name.as_str()).into_iter().flatten() {
            if !base.formulas.contains_key(missing) {
                let message = format!("There is no formula \"{missing}\"");
                found.push(BaseError::new(place(name), message));
            }
        }
        if leads_back(name, &references) {
            let message = format!("The formula \"{name}\" refers to itself");
            found.push(BaseError::new(place(name), message));
        }
    }
}

/// Reports summaries of a view that do not exist.
pub(crate) fn summaries(view: &mut View, known: &Formulas) {
    for (_, summary) in &view.summaries {
        if !known.contains_key(summary) && !is_summary(summary) {
            let name = &view.name;
            let message =
                format!("There is no summary \"{summary}\", for which view \"{name}\" asks");
            view.diagnostics
                .push(BaseError::new(Place { line: 1, column: 1 }, message));
        }
    }
}

fn leads_back(start: &str, references: &HashMap<&str, Vec<String>>) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut open = vec![start];
    while let Some(name) = open.pop() {
        for next in references.get(name).into_iter().flatten() {
            if next == start {
                return true;
            }
            if !seen.contains(&next.as_str()) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    false
}

fn formulas_of(expression: &Expression) -> Vec<String> {
    let mut names = Vec::new();
    each_part(&expression.root, &mut |part| {
        if let Part::Formula(name) = part {
            names.push(name.to_owned());
        }
    });
    names
}

/// Names whose values differ between files and that are not a single property.
const OF_THE_FILE: [&str; 4] = ["file", "note", "formula", "this"];
/// Functions with the same value for every file, if their arguments have.
const SAME_EVERYWHERE: [&str; 10] = [
    "date",
    "duration",
    "escapeHTML",
    "if",
    "list",
    "max",
    "min",
    "now",
    "number",
    "today",
];

/// Collects the properties that an expression names as `status`, `note.status` or `note["status"]`,
/// also within functions of lists. Returns whether its value depends on nothing else of the file.
pub(crate) fn depends_on_properties_alone<'base>(
    expression: &'base Expression,
    found: &mut BTreeSet<&'base str>,
) -> bool {
    let mut alone = true;
    each_part(&expression.root, &mut |part| match part {
        Part::Property(name) if OF_THE_FILE.contains(&name) => alone = false,
        Part::Property(name) => {
            found.insert(name);
        }
        Part::Formula(_) => alone = false,
        Part::Function(name) => alone &= SAME_EVERYWHERE.contains(&name),
        Part::Method(_) => {}
    });
    alone
}

enum Part<'node> {
    Function(&'node str),
    Method(&'node str),
    Formula(&'node str),
    /// A property, or a name that a function of lists defines.
    Property(&'node str),
}

/// Visits the names in an expression. Recursion is bounded, because the depth of expressions is.
fn each_part<'node>(node: &'node Node, visit: &mut dyn FnMut(Part<'node>)) {
    match node {
        Node::Null | Node::Boolean(_) | Node::Number(_) | Node::Text(_) | Node::Regexp(_) => {}
        Node::Name(name) => visit(Part::Property(name)),
        Node::List(items) => each_part_of(items, visit),
        Node::Not(inner) | Node::Negative(inner) => each_part(inner, visit),
        Node::Chain(first, links) => {
            each_part(first, visit);
            each_part_of(links.iter().map(|(_, node)| node), visit);
        }
        Node::Call(name, arguments) => {
            visit(Part::Function(name));
            each_part_of(arguments, visit);
        }
        Node::Access(base, steps) => {
            let space = match &**base {
                Node::Name(name) => &**name,
                _ => "",
            };
            match (space, steps.first()) {
                ("formula", Some(Access::Field(name) | Access::Place(Node::Text(name)))) => {
                    visit(Part::Formula(name));
                }
                ("note", Some(Access::Field(name) | Access::Place(Node::Text(name)))) => {
                    visit(Part::Property(name));
                }
                _ => each_part(base, visit),
            }
            for step in steps {
                match step {
                    Access::Field(_) => {}
                    Access::Place(place) => each_part(place, visit),
                    Access::Method(name, arguments) => {
                        visit(Part::Method(name));
                        each_part_of(arguments, visit);
                    }
                }
            }
        }
    }
}

fn each_part_of<'node>(
    nodes: impl IntoIterator<Item = &'node Node>,
    visit: &mut dyn FnMut(Part<'node>),
) {
    for node in nodes {
        each_part(node, visit);
    }
}
