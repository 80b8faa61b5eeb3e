import { HttpWitnessClient } from "../../adapters/audit-witness/index.js";
import { openSink } from "../../adapters/audit-sinks/index.js";
import { AuditExporter } from "../../audit-export/index.js";
import { version } from "../../version.js";
import type { Basics } from "./basics.js";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  AuditSequencer,
  AuditService,
  CheckpointSigner,
  OperationRecorder,
  Refusals,
} from "../../audit/index.js";
import { CheckpointWitnesses } from "../../audit/witnesses/index.js";
import {
  ApprovalRequired,
  OperationApprovalRequired,
  type ExplainedStatementPolicy,
} from "../../governance/index.js";
import type { Config } from "../../config/index.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { Authorizer } from "../../policies/index.js";
import {
  assertPrivate,
  makePrivateDirectory,
  PRIVATE_FILE_MODE,
} from "../../storage/private-files.js";
import type { AuditStore } from "../../storage/store.js";
import type { Authenticate, Services, SignIn, UseApproval } from "../../transport/services.js";

/** Dependencies of the audit log. */
interface AuditParts extends Pick<Basics, "clock" | "ids" | "log" | "telemetry"> {
  readonly config: Pick<Config, "audit" | "dataDir">;
  readonly store: AuditStore | undefined;
  readonly policy: Authorizer;
}

/** The audit log: its reads, and what makes records. */
export interface OpenAudit {
  readonly service: AuditService;
  /** Resolves when what happened before the call has its records. */
  readonly flush: () => Promise<void>;
  /** The policies, of which each refused statement leaves a record. */
  readonly statementPolicy: ExplainedStatementPolicy;
  readonly recordOperation: Services["recordOperation"];
  /** What asks whether a request may pass, so that the audit log has a record of each refusal. */
  guards(authenticate: Authenticate, signIn: SignIn, useApproval: UseApproval): Guards;
}

type Guards = Pick<
  Services,
  "authenticate" | "signIn" | "authorize" | "useApproval" | "mayDo" | "recordOperation"
>;

/**
 * Starts appending to the audit log and its export; closing it appends what is waiting. Without a store there is no
 * log, and every read says so.
 */
export async function openAudit(
  { config, store, policy, ...basics }: AuditParts,
  opened: DisposalStack,
): Promise<OpenAudit> {
  const { clock, log } = basics;
  const refusals = new Refusals(clock);
  const guardsWith =
    (recorder: OperationRecorder): OpenAudit["guards"] =>
    (authenticate, signIn, useApproval) => ({
      authenticate: watchedAuthentication(authenticate, refusals),
      signIn: watchedSignIn(signIn, refusals),
      authorize: async (caller, action, resource) => {
        try {
          await policy.authorize(caller, action, resource);
        } catch (error) {
          // Whether the operation is refused shows when its approval is used or requested.
          const isOpen = error instanceof OperationApprovalRequired;
          if (!isOpen) refusals.count(caller, { action }, error);
          throw error;
        }
      },
      useApproval: (caller, operation, needs) =>
        refusals.watch(caller, { action: needs[0].action }, () =>
          useApproval(caller, operation, needs),
        ),
      mayDo: (...asked) => policy.mayDo(...asked),
      recordOperation: (...asked) => recorder.run(...asked),
    });
  const statementPolicy = watchedStatements(policy, refusals);
  if (store === undefined) {
    const none = new OperationRecorder(undefined);
    const service = new AuditService(undefined);
    return {
      ...{ service, flush: () => Promise.resolve(), statementPolicy, guards: guardsWith(none) },
      recordOperation: (...asked) => none.run(...asked),
    };
  }
  openExport({ config, store, ...basics }, opened);
  const pem = signingKey(config);
  const signer = new CheckpointSigner(config.audit.name, pem);
  const policyVersion = (caller: Caller): Promise<string> => policy.versionFor(caller);
  const recorder = new OperationRecorder({ outbox: store.sequence, clock, policyVersion });
  const collect = async (): Promise<void> => {
    await storeRefusals(refusals, store);
    await recorder.storeWaiting();
  };
  const { replacedKey } = config.audit;
  const replaced = replacedKey === undefined ? {} : { replacedKey };
  const parts = { ...store, signer, clock, log, collect, ...replaced };
  const sequencer = opened.use(new AuditSequencer(parts));
  await sequencer.begin();
  // Closed before the sequencer, so that the numbers still become records.
  opened.use({ [Symbol.asyncDispose]: () => recorder.storeCounts() });
  askWitnesses(config, store, basics, opened);
  const witnesses = config.audit.witnesses.map(({ key }) => key);
  const service = new AuditService({ ...store, sequencer, witnesses });
  return {
    ...{ service, flush: () => sequencer.flush(), statementPolicy, guards: guardsWith(recorder) },
    recordOperation: (...asked) => recorder.run(...asked),
  };
}

/**
 * Policies whose refusals of statements become records. A statement that waits for persons is not
 * refused: the plan's log tells of its approval.
 */
function watchedStatements(policy: Authorizer, refusals: Refusals): ExplainedStatementPolicy {
  return {
    looksAtData: (...asked) => policy.looksAtData(...asked),
    decide: (...asked) => policy.decide(...asked),
    versionFor: (caller) => policy.versionFor(caller),
    async permitOutput(caller, output) {
      try {
        await policy.permitOutput(caller, output);
      } catch (refusal) {
        const { dataSource: data_source } = output;
        const policy_version = await policy.versionFor(caller);
        refusals.count(caller, { action: "read_select", data_source, policy_version }, refusal);
        throw refusal;
      }
    },
    async permit(caller, statement, isApproved) {
      try {
        return await policy.permit(caller, statement, isApproved);
      } catch (refusal) {
        if (refusal instanceof ApprovalRequired) throw refusal;
        const { intent: action, dataSource: data_source } = statement;
        const policy_version = await policy.versionFor(caller);
        refusals.count(caller, { action, data_source, policy_version }, refusal);
        throw refusal;
      }
    },
  };
}

async function storeRefusals(refusals: Refusals, { sequence }: AuditStore): Promise<void> {
  const facts = refusals.take();
  try {
    await sequence.add(facts);
  } catch (error) {
    refusals.putBack(facts);
    throw error;
  }
}

/** Authentication whose failures become records. */
function watchedAuthentication(authenticate: Authenticate, refusals: Refusals): Authenticate {
  return (shown) => {
    const { headers, peerAddress } = shown;
    const requestId = headers["x-request-id"];
    const request = {
      requestId: typeof requestId === "string" ? requestId.slice(0, REQUEST_ID_LENGTH_MAX) : "",
      peerAddress,
    };
    return refusals.watchAuthentication(request, () => authenticate(shown));
  };
}

/** How people sign in with an API key; failures become records. */
function watchedSignIn(signIn: SignIn, refusals: Refusals): SignIn {
  const { apiKey } = signIn;
  if (apiKey === undefined) return signIn;
  return {
    ...signIn,
    apiKey: (text, peerAddress) =>
      refusals.watchAuthentication({ requestId: "", peerAddress }, () => apiKey(text, peerAddress)),
  };
}

/** Longer ids of requests are cut off. */
const REQUEST_ID_LENGTH_MAX = 128;

/** Without witnesses nobody is asked. */
function askWitnesses(
  { audit: { witnesses } }: AuditParts["config"],
  store: AuditStore,
  { log, telemetry }: Pick<Basics, "log" | "telemetry">,
  opened: DisposalStack,
): void {
  if (witnesses.length === 0) return;
  const client = new HttpWitnessClient();
  const asking = opened.use(new CheckpointWitnesses({ ...store, witnesses, client, log }));
  telemetry.measure("steward_audit_unwitnessed_records", async () =>
    asking.uncovered((await store.archive.checkpoint()).size),
  );
}

/** Without targets nothing is exported. */
function openExport(
  {
    config: { audit },
    store,
    clock,
    ids,
    log,
    telemetry,
  }: Omit<AuditParts, "policy"> & { readonly store: AuditStore },
  opened: DisposalStack,
): void {
  const { name: logName, exports, exportHeader: header, exportCaFile: caFile } = audit;
  if (exports.length === 0) return;
  const options = {
    clock,
    ...(header === undefined ? {} : { header }),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") }),
  };
  const exporter = opened.use(
    new AuditExporter({
      ...{ clock, log, telemetry, holder: ids.uuid(), store: store.exported },
      sinks: exports.map((target) => openSink(target, options)),
      source: { logName, version: version() },
    }),
  );
  telemetry.measure("steward_audit_export_waiting_records", async () =>
    exporter.waiting((await store.archive.checkpoint()).size),
  );
}

/** The public key of the configured log in the text form that verifiers take. */
export function auditVerifierKey(config: AuditParts["config"]): string {
  return new CheckpointSigner(config.audit.name, signingKey(config)).keyText;
}

/** The private key in the configured file; without a setting, one that is made at the first start. */
function signingKey({ audit, dataDir }: AuditParts["config"]): string {
  const { keyFile } = audit;
  const path = keyFile ?? join(dataDir, "audit.key");
  if (keyFile === undefined && !existsSync(path)) makeKey(path);
  assertPrivate(path);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError(
      "INVALID_ARGUMENT",
      `The key of the audit log cannot be read from ${path}: correct SERVICE_AUDIT_KEY_FILE or the rights of the file`,
      { cause: error },
    );
  }
}

function makeKey(path: string): void {
  const { privateKey } = generateKeyPairSync("ed25519");
  makePrivateDirectory(dirname(path));
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  // Of two processes that start together, one makes the key and the other one reads it.
  try {
    writeFileSync(path, pem, { mode: PRIVATE_FILE_MODE, flag: "wx" });
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}
