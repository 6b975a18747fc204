import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import jakarta.servlet.http.HttpServlet;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.startup.Tomcat;

/**
 * A small MCP server and a client under orders on the Java SDK: {@code Peer server stdio|http|http-stateless} and
 * {@code Peer client}. The contracts are those of ../python.
 */
public final class Peer {
  private static final McpJsonMapper json = McpJsonDefaults.getMapper();
  // Libraries may write to standard output; what the driver reads goes to the real one.
  private static final PrintStream out = System.out;

  public static void main(String[] args) throws Exception {
    if (args[0].equals("server")) {
      serve(args[1]);
    } else {
      System.setOut(System.err);
      obey();
    }
  }

  private static void serve(String carriage) throws Exception {
    Map<String, Object> schema =
        Map.of("type", "object", "properties", Map.of("message", Map.of("type", "string")), "required", List.of("message"));
    var tool = McpSchema.Tool.builder("echo", schema).description("Says back what it is given.").build();
    var capabilities = McpSchema.ServerCapabilities.builder().tools(false).build();
    switch (carriage) {
      case "stdio" -> McpServer.sync(new StdioServerTransportProvider(json))
          .serverInfo("interop-java", "0.0.0")
          .capabilities(capabilities)
          .toolCall(tool, (exchange, request) -> echoed(request))
          .build();
      case "http" -> {
        var transport = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint("/mcp").build();
        McpServer.sync(transport)
            .serverInfo("interop-java", "0.0.0")
            .capabilities(capabilities)
            .toolCall(tool, (exchange, request) -> echoed(request))
            .build();
        listen(transport);
      }
      default -> {
        var transport = HttpServletStatelessServerTransport.builder().messageEndpoint("/mcp").build();
        McpServer.sync(transport)
            .serverInfo("interop-java", "0.0.0")
            .capabilities(capabilities)
            .toolCall(tool, (context, request) -> echoed(request))
            .build();
        listen(transport);
      }
    }
  }

  private static McpSchema.CallToolResult echoed(McpSchema.CallToolRequest request) {
    return McpSchema.CallToolResult.builder().addTextContent(String.valueOf(request.arguments().get("message"))).build();
  }

  /** Serves on a free loopback port, announces it, and ends with standard input. */
  private static void listen(HttpServlet servlet) throws Exception {
    java.util.logging.LogManager.getLogManager().reset();
    var tomcat = new Tomcat();
    tomcat.setBaseDir(java.nio.file.Files.createTempDirectory("parley-java").toString());
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    var context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "mcp", servlet).setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "mcp");
    tomcat.start();
    out.println("{\"url\":\"http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/mcp\"}");
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }

  private static void obey() throws Exception {
    var room = Executors.newFixedThreadPool(4);
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      Map<?, ?> job = json.readValue(line, Map.class);
      room.submit(
          () -> {
            var end = new LinkedHashMap<String, Object>();
            end.put("id", job.get("id"));
            try {
              connect(job, end);
              end.put("outcome", "established");
            } catch (Throwable error) {
              end.put("outcome", "failed");
              end.put("error", nameOf(error));
            }
            synchronized (out) {
              out.println(json.writeValueAsString(end));
            }
            return null;
          });
    }
    room.shutdown();
    room.awaitTermination(10, TimeUnit.MINUTES);
    System.exit(0);
  }

  private static void connect(Map<?, ?> job, Map<String, Object> end) {
    var timeout = Duration.ofMillis(Math.round(((Number) job.get("timeout")).doubleValue() * 1000));
    McpClientTransport transport;
    if (job.get("url") instanceof String url) {
      var path = java.net.URI.create(url).getPath();
      transport =
          HttpClientStreamableHttpTransport.builder(url.substring(0, url.length() - path.length())).endpoint(path).build();
    } else {
      var command = ((List<?>) job.get("command")).stream().map(String::valueOf).toList();
      var parameters = ServerParameters.builder(command.get(0)).args(command.subList(1, command.size())).build();
      var stdio = new StdioClientTransport(parameters, json);
      stdio.setStdErrorHandler(text -> {});
      transport = stdio;
    }
    var client = McpClient.sync(transport).requestTimeout(timeout).initializationTimeout(timeout).build();
    try {
      end.put("version", client.initialize().protocolVersion());
      if (Boolean.TRUE.equals(job.get("calls"))) {
        end.put("tools", client.listTools().tools().stream().map(McpSchema.Tool::name).toList());
        var answer = client.callTool(new McpSchema.CallToolRequest("echo", Map.of("message", "hello")));
        end.put("echo", answer.content().get(0) instanceof McpSchema.TextContent text ? text.text() : "");
      }
    } finally {
      client.closeGracefully();
    }
  }

  /** The kind of the innermost error. */
  private static String nameOf(Throwable error) {
    while (error.getCause() != null && error.getCause() != error) {
      error = error.getCause();
    }
    return error.getClass().getSimpleName();
  }
}
