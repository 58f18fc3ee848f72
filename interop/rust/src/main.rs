//! The Rust SDK as a peer of the matrix. Usage: interop client | task-client | server | task-server <stdio | http-json | http-sse> <legacy | modern>
#![allow(deprecated)]

mod client;
mod server;
mod task_server;
mod tools;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["client"] => client::drive(false).await,
        ["task-client"] => client::drive(true).await,
        ["task-server", transport, _era] => task_server::serve(transport).await,
        ["server", transport, _era] => server::serve(transport).await,
        _ => {
            Err("usage: interop client | task-client | server <transport> <era> | task-server <transport> <era>".into())
        }
    }
}
