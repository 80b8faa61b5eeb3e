import { exactIndexBattery } from "./contract.js";
import { JsKernel } from "./js-kernel.js";

exactIndexBattery("JavaScript", (dimension) => new JsKernel(dimension));
