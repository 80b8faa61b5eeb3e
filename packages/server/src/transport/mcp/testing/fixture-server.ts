import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** A transparent PNG of one pixel, and a WAV without samples. */
const IMAGE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

const state = createRequestStateCodec<{ readonly round: number }>({ key: "k".repeat(32) });

const image = { type: "image", data: IMAGE, mimeType: "image/png" } as const;
const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });
const said = (value: string): CallToolResult => ({ content: [text(value)] });

/** What asks the client's user for one field. */
const asked = (message: string, field: string, type: "string" | "boolean" = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [field]: type === "string" ? { type } : { type: "boolean" } },
      required: [field],
    },
  });
const sampling = () =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: text("What is the capital of France?") }],
    maxTokens: 100,
  });

/**
 * A server with what the official conformance suite asks for: names, texts and inputs are the suite's. It stands behind
 * Steward's own HTTP route, so that the suite judges that route and the package behind it.
 */
export function fixtureServer(): McpServer {
  const server = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: (value, context) => state.verify(value, context) },
    },
  );
  addContentTools(server);
  addStreamingTools(server);
  addAskingTools(server);
  addRounds(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addContentTools(server: McpServer): void {
  const tool = (name: string, content: CallToolResult["content"]): void => {
    server.registerTool(name, { description: `Returns ${name}` }, () => ({ content }));
  };
  const embedded = (uri: string, mimeType: string, value: string) =>
    ({ type: "resource", resource: { uri, mimeType, text: value } }) as const;
  tool("test_simple_text", [text("This is a simple text response for testing.")]);
  tool("test_image_content", [image]);
  tool("test_audio_content", [{ type: "audio", data: AUDIO, mimeType: "audio/wav" }]);
  tool("test_embedded_resource", [
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ]);
  tool("test_multiple_content_types", [
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ]);
  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addStreamingTools(server: McpServer): void {
  const inputSchema = z.object({});
  server.registerTool(
    "test_tool_with_progress",
    { description: "Reports progress", inputSchema },
    async (_input, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 0;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      return said(String(progressToken));
    },
  );
  server.registerTool(
    "test_tool_with_logging",
    { description: "Logs", inputSchema },
    async (_input, { mcpReq }) => {
      for (const data of [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
      ]) {
        await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
      }
      return said("Tool with logging executed successfully");
    },
  );
  server.registerTool("test_logging_tool", { description: "Logs at a level", inputSchema }, () =>
    said("logged"),
  );
}

/** Tools that need one answer of the client. */
function addAskingTools(server: McpServer): void {
  const add = (
    name: string,
    run: (context: ServerContext) => CallToolResult | ReturnType<typeof inputRequired>,
  ): void => {
    server.registerTool(
      name,
      { description: "Asks the client", inputSchema: z.object({}) },
      (_input, context) => run(context),
    );
  };
  add("test_input_required_result_elicitation", ({ mcpReq }) => {
    const given = acceptedContent(
      mcpReq.inputResponses,
      "user_name",
      z.object({ name: z.string() }),
    );
    if (given !== undefined) return said(`Hello, ${given.name}!`);
    return inputRequired({ inputRequests: { user_name: asked("What is your name?", "name") } });
  });
  add("test_input_required_result_sampling", ({ mcpReq }) => {
    const { kind } = inputResponse(mcpReq.inputResponses, "capital_question");
    if (kind === "sampling") return said("The capital of France is Paris.");
    return inputRequired({ inputRequests: { capital_question: sampling() } });
  });
  add("test_input_required_result_list_roots", ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, "client_roots");
    if (given.kind === "roots") return said(given.roots.map(({ uri }) => uri).join(", "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  add("test_missing_capability", () =>
    inputRequired({ inputRequests: { capital_question: sampling() } }),
  );
  add("test_streaming_elicitation", () =>
    inputRequired({ inputRequests: { user_name: asked("What is your name?", "name") } }),
  );
  add("test_input_required_result_capabilities", ({ mcpReq }) => {
    // The package leaves out of its types what a request's envelope holds.
    const declared = Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY) as object;
    if (mcpReq.inputResponses !== undefined) return said("done");
    return inputRequired({
      inputRequests: {
        ...("elicitation" in declared ? { name: asked("What is your name?", "name") } : {}),
        ...("sampling" in declared ? { capital: sampling() } : {}),
      },
    });
  });
}

/** Tools whose state travels with the client. */
function addRounds(server: McpServer): void {
  const config = { description: "Asks in rounds", inputSchema: z.object({}) };
  for (const [name, key] of [
    ["test_input_required_result_request_state", "confirm"],
    ["test_input_required_result_tampered_state", "confirm"],
  ] as const) {
    server.registerTool(name, config, async (_input, { mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, key);
      if (given !== undefined && mcpReq.requestState() !== undefined) return said("state-ok");
      return inputRequired({
        inputRequests: { [key]: asked("Please confirm", "ok", "boolean") },
        requestState: await state.mint({ round: 1 }),
      });
    });
  }
  server.registerTool(
    "test_input_required_result_multi_round",
    config,
    async (_input, { mcpReq }) => {
      const round = mcpReq.requestState<{ readonly round: number }>()?.round ?? 0;
      if (round === 2) return said("done");
      const [key, message, field] =
        round === 0
          ? (["step1", "Step 1: What is your name?", "name"] as const)
          : (["step2", "Step 2: What is your favorite color?", "color"] as const);
      return inputRequired({
        inputRequests: { [key]: asked(message, field) },
        requestState: await state.mint({ round: round + 1 }),
      });
    },
  );
  server.registerTool(
    "test_input_required_result_multiple_inputs",
    config,
    async (_input, { mcpReq }) => {
      if (mcpReq.requestState() !== undefined) return said("done");
      return inputRequired({
        inputRequests: {
          user_name: asked("What is your name?", "name"),
          greeting: sampling(),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await state.mint({ round: 1 }),
      });
    },
  );
}

function addResources(server: McpServer): void {
  const texts = { description: "A text", mimeType: "text/plain" };
  server.registerResource("static-text", "test://static-text", texts, ({ href: uri }) => ({
    contents: [
      { uri, mimeType: "text/plain", text: "This is the content of the static text resource." },
    ],
  }));
  const images = { description: "A picture", mimeType: "image/png" };
  server.registerResource("static-binary", "test://static-binary", images, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: IMAGE }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  const json = { description: "Data by id", mimeType: "application/json" };
  server.registerResource("template", template, json, ({ href: uri }, { id }) => ({
    contents: [
      { uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) },
    ],
  }));
}

function addPrompts(server: McpServer): void {
  const user = (content: typeof image | { type: "text"; text: string }) =>
    ({ role: "user", content }) as const;
  server.registerPrompt("test_simple_prompt", { description: "A prompt" }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with arguments",
      argsSchema: z.object({
        arg1: completable(z.string(), (value) =>
          ["paris", "park"].filter((each) => each.startsWith(value)),
        ),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource",
      argsSchema: z.object({ resourceUri: z.string() }),
    },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: {
              uri,
              mimeType: "text/plain",
              text: "Embedded resource content for testing.",
            },
          },
        },
        user(text("Please process the embedded resource above.")),
      ],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_image",
    { description: "A prompt with a picture" },
    () => ({
      messages: [user(image), user(text("Please analyze the image above."))],
    }),
  );
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "A prompt that asks the client", argsSchema: z.object({}) },
    (_input, { mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, "user_context");
      if (given !== undefined) return { messages: [user(text(JSON.stringify(given)))] };
      return inputRequired({
        inputRequests: { user_context: asked("What context should the prompt use?", "context") },
      });
    },
  );
}
