import { describe, expect, it } from "vitest";
import { linesOf } from "./client-lines.js";
import { CLIENTS } from "./connect-search.js";

const OPEN = { origin: "http://127.0.0.1:8080", needsKey: false };
const CLOSED = { origin: "https://steward.example.com", needsKey: true };

describe("the lines that connect a client", () => {
  it("name the server, and a key only where the server asks for one", () => {
    for (const client of CLIENTS) {
      expect(linesOf(client, OPEN)).toContain(OPEN.origin);
      expect(linesOf(client, OPEN)).not.toContain("STEWARD_API_KEY");
    }
    for (const client of CLIENTS.filter((each) => each !== "chatgpt")) {
      expect(linesOf(client, CLOSED)).toContain("STEWARD_API_KEY");
    }
  });

  it("are those of docs/mcp.md", () => {
    expect(linesOf("claude-code", CLOSED)).toBe(
      `claude mcp add --transport http steward https://steward.example.com/mcp --header "Authorization: Bearer $STEWARD_API_KEY"`,
    );
    expect(linesOf("vscode", OPEN)).toBe(
      `code --add-mcp '{"name":"steward","type":"http","url":"http://127.0.0.1:8080/mcp"}'`,
    );
  });
});
