import {
  type AuthenticatedBy,
  type CallerKind,
  anonymousCaller,
  recordedCaller,
  type RecordedCaller,
} from "@steward/kernel/caller.js";
import type { OutputSource, RecordedData, RecordedTable } from "../../kernel/tool-call.js";

/** The stored form of a caller: user, agent and key, without trailing `null` values. */
type CallerTuple = readonly [
  kind: CallerKind,
  authenticatedBy: AuthenticatedBy,
  roles: readonly string[],
  permissions: readonly string[],
  ...names: readonly (string | null)[],
];

/** `null` for a caller without identity; an empty list for an unknown caller. */
export type KeptCaller = CallerTuple | readonly [] | null;

/** The caller of a tool call or an event, as both engines store it. */
export function keptCaller({
  caller,
}: {
  readonly caller: RecordedCaller | undefined;
}): KeptCaller {
  if (caller === undefined) return [];
  const { kind, authenticatedBy, roles, permissions, userId, agentId, keyId } = caller;
  if (kind === "anonymous" && authenticatedBy === "headers") return null;
  const names = [userId, agentId, keyId].map((name) => name ?? null);
  const last = names.findLastIndex((name) => name !== null);
  return [kind, authenticatedBy, roles, permissions, ...names.slice(0, last + 1)];
}

/** Converts the stored form back to a caller. */
export function callerOf(kept: KeptCaller | undefined): RecordedCaller | undefined {
  if (kept === null || kept === undefined) return ANONYMOUS;
  if (!isKnown(kept)) return undefined;
  const [kind, authenticatedBy, roles, permissions, userId, agentId, keyId] = kept;
  return {
    ...{ kind, authenticatedBy, roles, permissions },
    userId: userId ?? undefined,
    agentId: agentId ?? undefined,
    keyId: keyId ?? undefined,
  };
}

function isKnown(kept: CallerTuple | readonly []): kept is CallerTuple {
  return kept.length > 0;
}

const ANONYMOUS = recordedCaller(anonymousCaller());

/**
 * The column `touched`: `{"orders":["id"]}` for columns that are only read, else
 * `{"orders":{"read":["id"],"update":["total"]}}`. The functions are under the empty name, and an empty object if nothing was reported.
 */
export type KeptData = Readonly<Record<string, readonly string[] | RecordedTable["accesses"]>>;

/** The statement that an output comes from: data source, intent, what it touched, and what it does. */
export type KeptSource = readonly [
  dataSource: string,
  intent: string,
  touched?: KeptData | null,
  kinds?: readonly string[],
];

/** The data that a tool call touched, as both engines store it. */
export function keptData(touched: RecordedData | undefined): KeptData | undefined {
  if (touched === undefined) return undefined;
  const { tables, functions, unreported } = touched;
  return Object.fromEntries([
    ...tables.map(({ name, accesses }) => [name, onlyRead(accesses) ?? accesses] as const),
    ...(functions.length === 0 ? [] : [["", functions] as const]),
    ...(unreported ? [["", {}] as const] : []),
  ]);
}

/** Converts the stored form back to the touched data. */
export function dataOf(kept: KeptData | undefined): RecordedData | undefined {
  if (kept === undefined) return undefined;
  const { "": functions = [] } = kept;
  const tables = Object.entries(kept).filter(([name]) => name !== "");
  return {
    tables: tables.map(([name, used]) => ({
      name,
      accesses: isList(used) ? { read: used } : used,
    })),
    ...(isList(functions) ? { functions } : { functions: [], unreported: true }),
  };
}

/** The sources of an output, as both engines store them. */
export function keptSources(sources: readonly OutputSource[]): readonly KeptSource[] {
  return sources.map(({ dataSource, intent, kinds, touched }) => {
    const kept = keptData(touched);
    if (kinds !== undefined) return [dataSource, intent, kept ?? null, kinds];
    return kept === undefined ? [dataSource, intent] : [dataSource, intent, kept];
  });
}

/** Converts the stored form back to the sources. */
export function sourcesOf(kept: readonly KeptSource[]): readonly OutputSource[] {
  return kept.map(([dataSource, intent, touched, kinds]) => ({
    dataSource,
    intent,
    ...(kinds && { kinds }),
    touched: dataOf(touched ?? undefined),
  }));
}

/**
 * The sources of a memory entry, as both engines store them. Equal ones are stored once, because
 * policies decide about each source alone, and a step often binds the output of a statement like its own. The
 * source of the entry's own statement stays the first.
 */
export function sourcesJson(sources: readonly OutputSource[] | undefined): string | null {
  if (sources === undefined) return null;
  const distinct = new Set(keptSources(sources).map((source) => JSON.stringify(source)));
  return `[${[...distinct].join(",")}]`;
}

/** Converts the stored form of {@link sourcesJson} back. */
export function sourcesIn(json: string | undefined): readonly OutputSource[] | undefined {
  return json === undefined ? undefined : sourcesOf(JSON.parse(json) as readonly KeptSource[]);
}

function onlyRead(accesses: RecordedTable["accesses"]): readonly string[] | undefined {
  const kinds = Object.keys(accesses);
  return kinds.length === 1 ? accesses.read : undefined;
}

function isList(used: KeptData[string]): used is readonly string[] {
  return Array.isArray(used);
}
