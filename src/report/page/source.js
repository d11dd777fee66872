/* source.js - source and instructions of a kernel side by side, with what was counted of each. */

function sourceCard() { return null; }
