import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { describeBlockStore } from "../testing/block-store-battery.js";
import { WorkingCopy } from "./working-copy.js";

describeBlockStore(
  "a working copy",
  (clock) => new WorkingCopy(new MemoryBlockStore(clock), [], clock),
);
