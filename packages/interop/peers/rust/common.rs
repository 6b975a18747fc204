// What both rmcp programs share: the contract with the driver, which is that of ../python, and the HTTP listener.
use std::future::Future;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

/// What a client is asked to do once. Times are in seconds.
#[derive(Deserialize)]
pub struct Job {
    pub id: u64,
    #[allow(dead_code)]
    pub mode: String,
    pub url: Option<String>,
    pub command: Option<Vec<String>>,
    pub timeout: f64,
    pub calls: bool,
}

pub struct Found {
    pub version: String,
    pub tools: Vec<String>,
    pub echo: String,
}

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Serves below /mcp on a free loopback port, announces it, and ends with standard input.
pub async fn listen(service: axum::Router) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{{\"url\":\"http://{}/mcp\"}}", listener.local_addr().expect("an address"));
    tokio::spawn(async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
        std::process::exit(0);
    });
    axum::serve(listener, service).await.expect("a server");
}

/// Takes jobs from standard input and reports their ends, several at a time.
pub async fn obey<F>(connect: fn(Job) -> F)
where
    F: Future<Output = Result<Found, Failure>> + Send + 'static,
{
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut all = tokio::task::JoinSet::new();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(job) = serde_json::from_str::<Job>(&line) else { continue };
        all.spawn(async move {
            let (id, calls) = (job.id, job.calls);
            let limit = std::time::Duration::from_secs_f64(job.timeout);
            let end: Value = match tokio::time::timeout(limit, connect(job)).await {
                Err(_) => json!({ "id": id, "outcome": "failed", "error": "Elapsed" }),
                Ok(Err(error)) => json!({ "id": id, "outcome": "failed", "error": name_of(&*error) }),
                Ok(Ok(found)) if calls => json!({
                    "id": id, "outcome": "established", "version": found.version, "tools": found.tools, "echo": found.echo
                }),
                Ok(Ok(found)) => json!({ "id": id, "outcome": "established", "version": found.version }),
            };
            println!("{end}");
        });
    }
    while all.join_next().await.is_some() {}
}

/// The variant of an error, without what it holds.
fn name_of(error: &(dyn std::error::Error + Send + Sync)) -> String {
    format!("{error:?}").chars().take_while(|letter| letter.is_alphanumeric()).collect()
}
