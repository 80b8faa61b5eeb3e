import { sessionFor } from "@steward/kernel/caller.js";
import { MemoryService as MemoryServiceDescription } from "@steward/protocol/grpc";
import type { MemoryService } from "../../memory/index.js";
import {
  entryFilterOf,
  entryMessage,
  entryPageMessage,
  entryPageOf,
  retentionField,
  searchMessage,
  searchRequestOf,
  statsMessage,
} from "./memory-messages.js";
import type { RetentionService } from "../../retention/index.js";
import type { ResourceRights } from "../resource-rights.js";
import type { MethodRegistry } from "./method-registry.js";

/** Memory over gRPC, with the operations of `/api/memory`. */
export function addMemoryService(
  methods: MethodRegistry,
  memory: MemoryService,
  retention: RetentionService,
  rights: ResourceRights,
): void {
  const { method } = MemoryServiceDescription;

  methods.unary(method.searchMemory, async (request, ctx) =>
    searchMessage(await memory.search(ctx, searchRequestOf(request), ctx.signal), request.explain),
  );

  methods.unary(method.addMemoryEntry, async (request, ctx) => {
    const sessionId = sessionFor(ctx, request.sessionId);
    await rights.changeSession(ctx, "memory:write", sessionId);
    const draft = { sessionId, content: request.content };
    const entry = await memory.addEntry(ctx.orgId, draft, ctx.signal);
    return {
      $typeName: "controlplane.v1.AddMemoryEntryResponse" as const,
      entry: entryMessage(entry),
    };
  });

  methods.unary(method.getMemoryEntry, async ({ entryId }, { orgId }) => {
    const entry = entryMessage(await memory.getEntry(orgId, entryId));
    return { $typeName: "controlplane.v1.GetMemoryEntryResponse" as const, entry };
  });

  methods.unary(method.listMemoryEntries, async (request, { orgId }) => {
    const filter = entryFilterOf(request, "");
    return entryPageMessage(await memory.listEntries(orgId, filter, entryPageOf(request)));
  });

  methods.unary(method.deleteMemoryEntry, async ({ entryId }, ctx) => {
    const { orgId } = ctx;
    const { sessionId } = await memory.getEntry(orgId, entryId);
    await rights.changeSession(ctx, "memory:purge", sessionId);
    await memory.deleteEntry(orgId, entryId);
    return { $typeName: "controlplane.v1.DeleteMemoryEntryResponse" as const, deleted: 1n };
  });

  methods.unary(method.deleteMemorySession, async ({ sessionId }, ctx) => {
    await rights.changeSession(ctx, "memory:purge", sessionId);
    const deleted = BigInt(await memory.deleteSession(ctx.orgId, sessionId));
    return { $typeName: "controlplane.v1.DeleteMemorySessionResponse" as const, deleted };
  });

  methods.unary(method.getMemoryStats, async (_request, { orgId }) =>
    statsMessage(await memory.state(orgId)),
  );

  methods.unary(method.getMemoryRetention, async (_request, { orgId }) => {
    const days = await retention.days(orgId, "memory");
    return {
      $typeName: "controlplane.v1.GetMemoryRetentionResponse" as const,
      ...retentionField(days),
    };
  });

  methods.unary(method.setMemoryRetention, async ({ optionalDays }, ctx) => {
    await retention.change(ctx, new Map([["memory", optionalDays.value]]), () => "days");
    const days = await retention.days(ctx.orgId, "memory");
    return {
      $typeName: "controlplane.v1.SetMemoryRetentionResponse" as const,
      ...retentionField(days),
    };
  });
}
