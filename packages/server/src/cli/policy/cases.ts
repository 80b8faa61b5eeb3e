import type { PolicyCase } from "@steward/client";
import { parse } from "yaml";
import * as z from "zod";
import { usageError } from "../cli-error.js";

const names = z.array(z.string());

const caseSchema = z.strictObject({
  name: z.string(),
  expect: z.enum(["permit", "deny", "approval"]),
  action: z.string(),
  roles: names.exactOptional(),
  permissions: names.exactOptional(),
  user_id: z.string().exactOptional(),
  agent_id: z.string().exactOptional(),
  data_source: z.string().exactOptional(),
  tables: names.exactOptional(),
  columns: names.exactOptional(),
});

/**
 * Parses test cases from YAML or JSON.
 * @throws CliError naming the mistake.
 */
export function readCases(text: string, file: string): readonly PolicyCase[] {
  const read = z.array(caseSchema).safeParse(parsed(text, file));
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.map(String).join(".") ?? "";
    throw usageError(`${file}: ${place}: ${issue?.message ?? "is no list"}`, SHAPE);
  }
  return read.data;
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw usageError(`${file}: ${error instanceof Error ? error.message : String(error)}`, SHAPE);
  }
}

const SHAPE =
  "give a list of cases, each with name, expect (permit, deny or approval), action and who asks";
