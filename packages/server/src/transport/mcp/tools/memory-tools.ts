import * as z from "zod";
import { sessionFor } from "@steward/kernel/caller.js";
import { isoTime } from "@steward/kernel/clock.js";
import { LLM_ANSWER_BYTES_MAX } from "../../limits.js";
import { SEARCH_TOP_K_MAX } from "../../../memory/limits.js";
import { entryFilterOf } from "../../operations/memory.js";
import { pageWithin } from "../../paging/page-within.js";
import { defineTool, type McpTool } from "../tool.js";
import { ADDS, READS, sessionId } from "./fields.js";
import { inOwnFields } from "./own-fields.js";

/** Default number of entries that search_memory returns. */
const TOP_K_DEFAULT = 5;

/** Bytes of one entry's content in a list; several long entries still fit. */
const CONTENT_SHOWN_BYTES_MAX = LLM_ANSWER_BYTES_MAX / 8;

/** Session of notes that are added without one: every entry belongs to a session. */
const NOTES_SESSION = "mcp-notes";

/** Tools that search and add memory. */
export const MEMORY_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "search_memory",
    title: "Search memory",
    description:
      "Finds earlier tool calls and notes of your organization that are most similar to a text, best first. Search " +
      "before you write SQL: an entry of a tool call holds its statement and the beginning of its result. An entry " +
      "shows what was true when it was made; run the statement again for what is true now.",
    annotations: READS,
    operations: ["searchMemory"],
    usage: "read_select",
    input: z.strictObject({
      query: z.string().min(1).describe("What to look for, in plain words"),
      top_k: z
        .int()
        .min(1)
        .max(SEARCH_TOP_K_MAX)
        .exactOptional()
        .describe(`Entries to return at most; default ${String(TOP_K_DEFAULT)}`),
      session_id: z.string().exactOptional().describe("Only entries of this session"),
      tool_name: z.string().exactOptional().describe("Only entries of calls of this tool"),
    }),
    output: z.object({
      results: z
        .array(
          z.object({
            entry_id: z.string().describe("Id of the entry"),
            score: z.number().describe("Similarity, -1 to 1; higher is more similar"),
            content: z.string().describe("The entry, usually JSON; long ones are cut"),
            created_at: z.string().describe("When it was made, in UTC"),
          }),
        )
        .readonly()
        .describe("The entries, the most similar first"),
    }),
    run: async (input, { context, services: { memory } }) => {
      const { query, top_k: topK = TOP_K_DEFAULT, ...filter } = input;
      const request = { query, topK, filter: entryFilterOf(filter) };
      const results = await memory.search(context, request, context.signal);
      const messages = results.map(({ entryId, score, content, createdAt }) => ({
        entry_id: entryId,
        score,
        content: pageWithin([content], {
          ...{ offset: 0, itemsMax: 1, bytesMax: CONTENT_SHOWN_BYTES_MAX },
        }).items.join(""),
        created_at: createdAt,
      }));
      const { items } = pageWithin(messages, {
        ...{ offset: 0, itemsMax: topK, bytesMax: LLM_ANSWER_BYTES_MAX },
      });
      return { results: items };
    },
  }),
  defineTool({
    name: "add_memory",
    title: "Add a note to memory",
    description:
      "Stores a note that later searches find: a fact about the data, a rule that a person told you, a statement that " +
      "answers a common question. Write whole sentences that name tables and columns. Tool calls are stored without " +
      "this. Never store passwords, keys or personal data.",
    annotations: ADDS,
    operations: ["addMemoryEntry"],
    usage: "write_insert",
    input: z.strictObject({
      note: z.string().min(1).describe("The note, in whole sentences; at most 64 KiB"),
      session_id: sessionId,
    }),
    output: z.object({
      entry_id: z.string().describe("Id of the entry"),
      created_at: z.string().describe("When it was made, in UTC"),
    }),
    run: async (input, { context, rights, services: { memory } }) => {
      const session = sessionFor(context, input.session_id ?? "") || NOTES_SESSION;
      await rights.changeSession(context, "memory:write", session);
      const content = JSON.stringify({ note: input.note });
      const draft = { sessionId: session, content };
      const { entryId, createdAtMs } = await inOwnFields(
        (field) => (field === "content" ? "note" : field),
        () => memory.addEntry(context.orgId, draft, context.signal, context.operation),
      );
      return { entry_id: entryId, created_at: isoTime(createdAtMs) };
    },
  }),
];
