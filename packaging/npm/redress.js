#!/usr/bin/env node
"use strict";
// Starts the program of the platform's package: same streams, same signals, same exit code.
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { optionalDependencies } = require("../package.json");

const FAILED = 3;

function fail(message, fix) {
  process.stderr.write(`NOT_INSTALLED: ${message}\nFix: ${fix}\n`);
  process.exit(FAILED);
}

function program() {
  if (process.env.REDRESS_BINARY) return process.env.REDRESS_BINARY;
  const file = process.platform === "win32" ? "redress.exe" : "redress";
  for (const name of Object.keys(optionalDependencies || {})) {
    try {
      return require.resolve(`${name}/bin/${file}`);
    } catch {
      // npm leaves out the packages of other platforms.
    }
  }
  return fail(
    `There is no program for ${process.platform}-${process.arch} in this installation.`,
    "Install without --omit=optional, or name a program in REDRESS_BINARY.",
  );
}

const path = program();
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`${path} cannot be started: ${error.message}.`, "Check REDRESS_BINARY, or install the package again."));
for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGINT"]) {
  if (!(signal in constants.signals)) continue;
  process.on(signal, () => {
    // A terminal sends an interrupt to both of us.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // The end by a signal is told as one.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
