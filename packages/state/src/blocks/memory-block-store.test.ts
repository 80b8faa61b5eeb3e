import { MemoryBlockStore } from "./memory-block-store.js";
import { describeBlockStore } from "../testing/block-store-battery.js";

describeBlockStore("a store of blocks in memory", (clock) => new MemoryBlockStore(clock));
