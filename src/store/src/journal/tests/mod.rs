//! Tests of the journal in real folders.

#[cfg(unix)]
mod damage;
#[cfg(unix)]
mod earlier;
#[cfg(unix)]
mod kill;
#[cfg(unix)]
mod moved;
mod properties;
mod recovery;
mod storage;
mod undoing;
mod world;
