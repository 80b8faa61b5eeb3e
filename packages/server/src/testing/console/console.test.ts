import { describeConsole } from "./every-page.js";

describeConsole("two");
