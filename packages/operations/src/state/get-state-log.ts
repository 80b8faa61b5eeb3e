import * as z from "zod";
import { operation, type Infer } from "../operation.js";
import { pageLimit } from "../page.js";
import { commitName } from "./state-fields.js";

/** Maximum number of commits on one page of the log. */
const LOG_PAGE_MAX = 200;

const commit = z
  .object({
    commit: z.string().describe("Content id of the commit (CIDv1)"),
    parents: z.array(z.string()).readonly().describe("Content ids of the commits before it"),
    author: z.string().describe("Author of the commit"),
    message: z.string().describe("Purpose of the change"),
    time: z.string().describe("When the commit was made, in UTC"),
    root: z.string().describe("Root hash of the dataset; equal datasets have equal roots"),
    size: z.int().describe("Number of quads"),
  })
  .meta({
    id: "StateCommit",
    description: "A commit of a dataset",
    examples: [
      {
        commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
        parents: ["bafyreifepiu23okq5zuyvyhsoiazv2icw2van3s7ko6d3ixl5jx2yj2yhu"],
        author: "ada",
        message: "The first order",
        time: "2026-03-01T09:30:00.000Z",
        root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        size: 1,
      },
    ],
  });

export type StateCommit = Infer<typeof commit>;

export const getStateLog = operation({
  name: "getStateLog",
  action: "state:read",
  resolves: { from: { names: "commit", idIn: "from", default: "main" } },
  summary: "List commits, the newest first",
  description: "The history from a branch, a tag or a commit backwards.",
  tag: "State",
  input: z.strictObject({
    from: commitName
      .exactOptional()
      .describe("Branch, tag or content id to begin at; default: main"),
    limit: pageLimit(LOG_PAGE_MAX).describe("Commits on a page, 1 to 200; default 50"),
  }),
  output: z.array(commit).readonly(),
  errors: [404],
  rest: { method: "GET", path: "/api/state/log", answered: "The commits" },
});
