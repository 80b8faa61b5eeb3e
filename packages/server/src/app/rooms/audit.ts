import { HttpWitnessClient } from "../../adapters/http-witness-client.js";
import { openSink } from "../../adapters/audit-sinks/index.js";
import { AuditExporter } from "../../audit-export/index.js";
import { version } from "../../version.js";
import type { Basics } from "./basics.js";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  AuditSequencer,
  AuditService,
  type AuditServiceParts,
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
import { inDataDirectory, type Config } from "../../config/index.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { Authorizer } from "../../policies/index.js";
import {
  assertPrivate,
  makePrivateDirectory,
  PRIVATE_FILE_MODE,
} from "../../storage/private-files.js";
import { SeenCheckpointFiles } from "./seen-checkpoint-files.js";
import type { AuditStore } from "../../storage/store.js";
import type { Authenticate, Services, SignIn, UseApproval } from "../../transport/services.js";

/** Dependencies of the audit log. */
interface AuditParts extends Pick<Basics, "clock" | "ids" | "log" | "telemetry"> {
  readonly config: Pick<Config, "audit" | "dataDir">;
  readonly store: AuditStore | undefined;
  readonly policy: Authorizer;
  readonly visibleErrors: AuditServiceParts["visibleErrors"];
}

/** The audit log: its reads, and what makes records. */
export interface OpenAudit {
  readonly service: AuditService;
  /** Resolves when what happened before the call has its records. */
  readonly flush: () => Promise<void>;
  /** The policies, of which each refused statement leaves a record. */
  readonly statementPolicy: ExplainedStatementPolicy;
  readonly recordOperation: Services["recordOperation"];
  /** What asks whether a call may pass, so that the audit log has a record of each refusal. */
  guards(useApproval: UseApproval): Guards;
  /** How callers are authenticated, so that the audit log has a record of each failure. */
  entrance(asked: Entrance): Entrance;
}

type Guards = Pick<
  Services,
  "authorize" | "useApproval" | "mayDo" | "countRefusal" | "recordOperation"
>;
type Entrance = Pick<Services, "authenticate" | "signIn" | "clientAddress">;

/**
 * Starts appending to the audit log and its export; closing it appends what is waiting. Without a store there is no
 * log, and every read says so.
 */
export async function openAudit(
  { config, store, policy, visibleErrors, ...basics }: AuditParts,
  opened: DisposalStack,
): Promise<OpenAudit> {
  const { clock, log } = basics;
  const refusals = new Refusals(clock);
  // Whether an operation is refused that needs an approval shows when the approval is used or requested.
  const countRefused = (caller: Caller, action: string, error: unknown): void => {
    if (!(error instanceof OperationApprovalRequired)) refusals.count(caller, { action }, error);
  };
  const guardsWith =
    (recorder: OperationRecorder): OpenAudit["guards"] =>
    (useApproval) => ({
      authorize: (caller, action, resource) =>
        policy.authorize(caller, action, resource)?.catch((error: unknown) => {
          countRefused(caller, action, error);
          throw error;
        }),
      useApproval: (caller, operation, needs) =>
        refusals.watch(caller, { action: needs[0].action }, () =>
          useApproval(caller, operation, needs),
        ),
      mayDo: (...asked) => policy.mayDo(...asked),
      countRefusal: (caller, action, error) => refusals.countAtEnd(caller, { action }, error),
      recordOperation: async (caller, asked, work) => {
        try {
          return await recorder.run(caller, asked, work);
        } catch (error) {
          // Of an effect elsewhere, the record of its end tells the refusal.
          if (asked.time !== "around") countRefused(caller, asked.operation, error);
          throw error;
        }
      },
    });
  const entrance: OpenAudit["entrance"] = ({ authenticate, signIn, clientAddress }) => ({
    clientAddress,
    authenticate: watchedAuthentication({ authenticate, clientAddress }, refusals),
    signIn: watchedSignIn(signIn, refusals),
  });
  const statementPolicy = watchedStatements(policy, refusals);
  if (store === undefined) {
    const none = new OperationRecorder(undefined);
    const service = new AuditService(undefined);
    return {
      ...{ service, flush: () => Promise.resolve(), statementPolicy },
      ...{ guards: guardsWith(none), entrance },
      recordOperation: (...asked) => none.run(...asked),
    };
  }
  openExport({ config, store, ...basics }, opened);
  const pem = signingKey(config);
  const signer = new CheckpointSigner(config.audit.name, pem);
  const policyVersion = async (caller: Caller): Promise<string> => policy.versionFor(caller);
  const recorder = new OperationRecorder({ outbox: store.sequence, clock, policyVersion });
  const collect = async (): Promise<void> => {
    await storeRefusals(refusals, store);
    await recorder.storeWaiting();
  };
  const { replacedKey } = config.audit;
  const replaced = replacedKey === undefined ? {} : { replacedKey };
  const seen = new SeenCheckpointFiles(inDataDirectory(config.dataDir, "auditSeen"));
  const parts = { ...store, signer, clock, log, collect, seen, ...replaced };
  const sequencer = opened.use(new AuditSequencer(parts));
  await sequencer.begin();
  // Closed before the sequencer, so that the numbers still become records.
  opened.use({ [Symbol.asyncDispose]: () => recorder.storeCounts() });
  askWitnesses(config, store, basics, opened);
  const witnesses = config.audit.witnesses.map(({ key }) => key);
  const service = new AuditService({ ...store, sequencer, witnesses, visibleErrors });
  return {
    ...{ service, flush: () => sequencer.flush(), statementPolicy },
    ...{ guards: guardsWith(recorder), entrance },
    recordOperation: (...asked) => recorder.run(...asked),
  };
}

/**
 * Policies whose refusals of statements become records. A statement that waits for persons is not
 * refused: the plan's log tells of its approval.
 */
function watchedStatements(policy: Authorizer, refusals: Refusals): ExplainedStatementPolicy {
  const refused = async (
    caller: Caller,
    asked: { readonly action: string; readonly data_source: string },
    refusal: unknown,
  ): Promise<never> => {
    const policy_version = await policy.versionFor(caller);
    refusals.count(caller, { ...asked, policy_version }, refusal);
    throw refusal;
  };
  return {
    looksAtData: (...asked) => policy.looksAtData(...asked),
    decide: (...asked) => policy.decide(...asked),
    versionFor: (caller) => policy.versionFor(caller),
    permits: (...asked) => policy.permits(...asked),
    permitOutput(caller, output) {
      return policy
        .permitOutput(caller, output)
        ?.catch((refusal: unknown) =>
          refused(caller, { action: "read_select", data_source: output.dataSource }, refusal),
        );
    },
    permit(caller, statement, isApproved) {
      const grant = policy.permit(caller, statement, isApproved);
      if (!(grant instanceof Promise)) return grant;
      return grant.catch((refusal: unknown) => {
        if (refusal instanceof ApprovalRequired) throw refusal;
        const { intent: action, dataSource: data_source } = statement;
        return refused(caller, { action, data_source }, refusal);
      });
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
function watchedAuthentication(
  { authenticate, clientAddress }: Pick<Services, "authenticate" | "clientAddress">,
  refusals: Refusals,
): Authenticate {
  return (shown) => {
    const requestId = shown.headers["x-request-id"];
    const request = {
      requestId: typeof requestId === "string" ? requestId.slice(0, REQUEST_ID_LENGTH_MAX) : "",
      peerAddress: clientAddress(shown),
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
    apiKey: (text, clientAddress) => {
      const request = { requestId: "", peerAddress: clientAddress };
      return refusals.watchAuthentication(request, () => apiKey(text, clientAddress));
    },
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
  }: Omit<AuditParts, "policy" | "visibleErrors"> & { readonly store: AuditStore },
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
function signingKey(config: AuditParts["config"]): string {
  const { keyFile } = config.audit;
  const path = inDataDirectory(config.dataDir, "auditKey");
  if (keyFile === undefined && !existsSync(path)) makeKey(path);
  return readKey(keyFile ?? path);
}

/** The private key that signs the log; `undefined` when the first start will make it. */
export function auditKeyOf({ audit, dataDir }: AuditParts["config"]): string | undefined {
  const path = audit.keyFile ?? inDataDirectory(dataDir, "auditKey");
  return audit.keyFile === undefined && !existsSync(path) ? undefined : readKey(path);
}

function readKey(path: string): string {
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
