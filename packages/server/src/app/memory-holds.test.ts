import { createClient } from "@steward/client";
import { expect, it } from "vitest";
import { openWireServer } from "../testing/wire-servers.js";

it("memory that a legal hold covers is not deleted by hand before the hold is lifted", async () => {
  await using server = await openWireServer({ tls: false, split: false });
  const { memory, retention } = createClient({ baseUrl: server.url, role: "admin" });
  const { entry_id: held } = await memory.add({ content: '"x"', session_id: "held" });
  const { entry_id: free } = await memory.add({ content: '"y"', session_id: "free" });
  const { hold_id } = await retention.placeHold({ session_id: "held", reason: "case 7" });
  const refused = { code: "LEGAL_HOLD", message: expect.stringContaining(hold_id) as string };
  await expect(memory.delete(held)).rejects.toMatchObject(refused);
  await expect(memory.deleteSession("held")).rejects.toMatchObject(refused);
  expect(await memory.delete(free)).toEqual({ deleted: 1 });
  expect(await memory.get(held)).toMatchObject({ content: '"x"' });
  await retention.liftHold(hold_id);
  expect(await memory.deleteSession("held")).toEqual({ deleted: 1 });
});
