import { exactIndexBattery } from "./testing/exact-index-battery.js";
import { JsKernel } from "./js-kernel.js";

exactIndexBattery("JavaScript", (dimension) => new JsKernel(dimension));
