import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";

/**
 * What an LLM is shown of a tool, and what is pinned of it. Everything else that a server says of a
 * tool, such as its annotations, is ignored.
 */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Absent: the tool declares none. */
  readonly outputSchema?: JsonObject;
}

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** SHA-256 of the definition in a canonical form, so that the order of keys makes no difference. */
export function digestOf(definition: ToolDefinition): string {
  const { name, description, inputSchema, outputSchema = null } = definition;
  const text = canonicalJson({ name, description, inputSchema, outputSchema });
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** The members in which two definitions differ. */
export function differencesOf(a: ToolDefinition, b: ToolDefinition): readonly string[] {
  const members = ["description", "inputSchema", "outputSchema"] as const;
  return members.filter(
    (name) => canonicalJson(a[name] ?? null) !== canonicalJson(b[name] ?? null),
  );
}
