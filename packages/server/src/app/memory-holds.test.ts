import { createClient } from "@steward/client";
import { expect, it } from "vitest";
import { openWireServer } from "../testing/wire-servers.js";

it("memory that a legal hold covers is not deleted by hand before the hold is lifted", async () => {
  await using server = await openWireServer({ tls: false, split: false });
  const { memory, retention } = createClient({ baseUrl: server.url, role: "admin" });
  const { entry_id: held } = await memory.addMemoryEntry({ content: '"x"', session_id: "held" });
  const { entry_id: free } = await memory.addMemoryEntry({ content: '"y"', session_id: "free" });
  const { hold_id } = await retention.placeHold({ session_id: "held", reason: "case 7" });
  const refused = { code: "LEGAL_HOLD", message: expect.stringContaining(hold_id) as string };
  await expect(memory.deleteMemoryEntry({ entry_id: held })).rejects.toMatchObject(refused);
  await expect(memory.deleteMemorySession({ session_id: "held" })).rejects.toMatchObject(refused);
  expect(await memory.deleteMemoryEntry({ entry_id: free })).toEqual({ deleted: 1 });
  expect(await memory.getMemoryEntry({ entry_id: held })).toMatchObject({ content: '"x"' });
  await retention.liftHold({ hold_id });
  expect(await memory.deleteMemorySession({ session_id: "held" })).toEqual({ deleted: 1 });
});
