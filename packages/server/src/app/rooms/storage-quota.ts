import { inDataDirectory, sqliteFile, type Config } from "../../config/index.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import { stateBytes } from "../../storage/sqlite/state/block-stores.js";
import type { Store } from "../../storage/store.js";
import { noStorageMeter, StorageQuota } from "../../usage/index.js";
import type { Basics } from "./basics.js";

/** Opens the quotas of bytes. */
export function openStorageQuota(
  { orgBytesMax, databaseUrl, dataDir }: Config,
  basics: Basics,
  store: Store | undefined,
  opened: DisposalStack,
): StorageQuota {
  const hasStateFiles = databaseUrl !== undefined && sqliteFile(databaseUrl) !== undefined;
  const directory = inDataDirectory(dataDir, "state");
  const quota = new StorageQuota({
    ...{ ...basics, meter: store?.meter ?? noStorageMeter },
    ...(hasStateFiles ? { stateBytes: (orgId) => stateBytes(directory, orgId) } : {}),
    ...(orgBytesMax === undefined ? {} : { bytesMax: orgBytesMax }),
  });
  basics.telemetry.measure("steward_storage_quota_used_ratio", () => quota.largestShare());
  return opened.use(quota);
}
