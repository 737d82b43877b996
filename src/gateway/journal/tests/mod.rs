//! The journal on real folders.

#[cfg(unix)]
mod kill;
mod properties;
mod recovery;
mod storage;
mod undoing;
mod world;
