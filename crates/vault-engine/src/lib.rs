//! A headless Obsidian vault: the meaning of a plain folder of notes, without the app.
//!
//! Synchronous. It knows nothing of gateways, processes, environment variables or clocks: what it
//! needs of the world is handed in as [`Surroundings`].

pub mod moment;
mod path;

pub use path::{PathError, VaultPath, forbidden_in_identifier};
