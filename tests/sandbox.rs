//! What the official command line and the servers are kept from (`faults.md` group L).

mod official;
mod server;
