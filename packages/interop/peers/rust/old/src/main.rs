// A small MCP server and a client under orders on rmcp 0.8, whose server ends on any request before `initialize`:
// `peer server stdio|http|http-stateless`, `peer client`.
use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    model::{CallToolRequestParam, ServerCapabilities, ServerInfo},
    schemars,
    service::{RoleClient, RunningService},
    tool, tool_handler, tool_router,
    transport::{
        StreamableHttpClientTransport, StreamableHttpServerConfig, StreamableHttpService, TokioChildProcess,
        streamable_http_server::session::local::LocalSessionManager,
    },
};

#[path = "../../common.rs"]
mod common;
use common::{Failure, Found, Job};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    /// What to say.
    message: String,
}

#[derive(Clone)]
struct Host {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Host {
    fn new() -> Self {
        Self { tool_router: Self::tool_router() }
    }

    #[tool(description = "Says back what it is given.")]
    async fn echo(&self, given: Parameters<Echo>) -> String {
        given.0.message
    }
}

#[tool_handler]
impl ServerHandler for Host {
    fn get_info(&self) -> ServerInfo {
        ServerInfo { capabilities: ServerCapabilities::builder().enable_tools().build(), ..Default::default() }
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().collect();
    match (args.get(1).map(String::as_str), args.get(2).map(String::as_str)) {
        (Some("server"), Some("stdio")) => {
            Host::new().serve(rmcp::transport::stdio()).await?.waiting().await?;
        }
        (Some("server"), carriage) => {
            let config = StreamableHttpServerConfig { stateful_mode: carriage == Some("http"), ..Default::default() };
            let service: StreamableHttpService<Host, LocalSessionManager> =
                StreamableHttpService::new(|| Ok(Host::new()), Default::default(), config);
            common::listen(axum::Router::new().nest_service("/mcp", service)).await;
        }
        _ => common::obey(connect).await,
    }
    Ok(())
}

async fn connect(job: Job) -> Result<Found, Failure> {
    if let Some(url) = job.url.clone() {
        let client = ().serve(StreamableHttpClientTransport::from_uri(url)).await?;
        return talk(client, job.calls).await;
    }
    let command = job.command.clone().unwrap_or_default();
    let mut process = tokio::process::Command::new(&command[0]);
    process.args(&command[1..]);
    let client = ().serve(TokioChildProcess::new(process)?).await?;
    talk(client, job.calls).await
}

async fn talk(client: RunningService<RoleClient, ()>, calls: bool) -> Result<Found, Failure> {
    let version = client.peer_info().map(|info| info.protocol_version.to_string()).unwrap_or_default();
    let mut found = Found { version, tools: vec![], echo: String::new() };
    if calls {
        found.tools = client.list_tools(None).await?.tools.into_iter().map(|tool| tool.name.to_string()).collect();
        let given = serde_json::json!({ "message": "hello" }).as_object().cloned();
        let answer = client.call_tool(CallToolRequestParam { name: "echo".into(), arguments: given }).await?;
        if let Some(text) = answer.content.first().and_then(|content| content.as_text()) {
            found.echo = text.text.clone();
        }
    }
    let _ = client.cancel().await;
    Ok(found)
}
