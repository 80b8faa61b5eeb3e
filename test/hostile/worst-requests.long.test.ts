import { worstBattery } from "./worst-battery.js";

worstBattery(1);
