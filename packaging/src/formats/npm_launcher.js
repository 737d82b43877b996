#!/usr/bin/env node
// Starts the program of the package for this system, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

const own = require(path.join(__dirname, "..", "package.json"));
const suffix = process.platform === "win32" ? ".exe" : "";
const platform = `${own.name}-${process.platform}-${process.arch}`;

let program;
try {
  program = require.resolve(`${platform}/bin/${own.name}${suffix}`);
} catch {
  const known = Object.keys(own.optionalDependencies).join(", ");
  console.error(`${own.name}: the package ${platform} is not installed. There are: ${known}. ` +
    "If it is one of them, install again without --omit=optional.");
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`${own.name}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (status, signal) => {
  if (signal === null) {
    process.exit(status);
  }
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.removeAllListeners(name);
  }
  process.kill(process.pid, signal);
});
