import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import { AppError } from "@steward/kernel/errors.js";
import { mcpToolName } from "../../governance/index.js";
import { digestOf, type ToolDefinition } from "./tool-definition.js";

/** Accepted definitions, by the tool's name in plans. */
export type Pins = ReadonlyMap<string, ToolDefinition>;

const json = z.record(z.string(), z.json());
const fileSchema = z.strictObject({
  version: z.literal(1),
  servers: z.record(
    z.string(),
    z.record(
      z.string(),
      z.strictObject({
        digest: z.string(),
        description: z.string(),
        inputSchema: json,
        outputSchema: json.exactOptional(),
      }),
    ),
  ),
});

/**
 * The file with the definitions that an operator has accepted. It stands beside the tools file and
 * is deployed with it, so that all servers of a store agree. It is read again when it has changed.
 */
export class PinFile {
  readonly #path: string | undefined;
  #stamp = "";
  #pins: Pins = new Map();

  /** @param path absent: there is no file, and nothing is pinned. */
  constructor(path: string | undefined) {
    this.#path = path;
  }

  /**
   * The pins in force now; empty when there is no file.
   * @throws AppError `POLICY_DENIED` when the file cannot be read or was edited by hand.
   */
  read(): Pins {
    const path = this.#path;
    const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (path === undefined || stat === undefined) return new Map();
    const stamp = `${String(stat.ino)} ${String(stat.mtimeMs)} ${String(stat.size)}`;
    if (stamp !== this.#stamp) {
      this.#pins = pinsIn(path);
      this.#stamp = stamp;
    }
    return this.#pins;
  }

  /** Replaces the file as a whole, so that a server that reads it sees the old or the new one. */
  write(pinned: readonly { readonly server: string; readonly definition: ToolDefinition }[]): void {
    if (this.#path === undefined) return;
    const servers: Record<string, Record<string, JsonValue>> = {};
    for (const { server, definition } of pinned) {
      const { name, ...rest } = definition;
      servers[server] = { ...servers[server], [name]: { digest: digestOf(definition), ...rest } };
    }
    const sorted: unknown = JSON.parse(canonicalJson({ version: 1, servers }));
    const temporary = `${this.#path}.${String(process.pid)}.new`;
    writeFileSync(temporary, `${JSON.stringify(sorted, undefined, 2)}\n`);
    renameSync(temporary, this.#path);
  }
}

function pinsIn(path: string): Pins {
  const pins = new Map<string, ToolDefinition>();
  for (const [server, tools] of Object.entries(contentOf(path).servers)) {
    for (const [name, { digest, ...rest }] of Object.entries(tools)) {
      const definition = { name, ...rest };
      if (digestOf(definition) !== digest) {
        throw unusable(
          path,
          `the definition of ${mcpToolName(server, name)} does not fit its digest`,
        );
      }
      pins.set(mcpToolName(server, name), definition);
    }
  }
  return pins;
}

function contentOf(path: string): z.infer<typeof fileSchema> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw unusable(path, "it cannot be read as JSON");
  }
  const parsed = fileSchema.safeParse(content);
  if (!parsed.success) throw unusable(path, "it is not a file of pins");
  return parsed.data;
}

function unusable(path: string, reason: string): AppError {
  return new AppError(
    "POLICY_DENIED",
    `The pins of MCP tools in ${path} cannot be used: ${reason}. Delete the file and run \`steward tools pin\``,
  );
}
