/**
 * Finds Node 24 and runs a script of ours on it. This file and what it imports run on every Node >= 20, before anything
 * is installed, so they are plain JavaScript and import nothing but Node's own modules.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupError } from './terminal.mjs'

/** The folder of the clone. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** Folder of Node's compile cache: modules without their types, compiled once for all processes. */
export const compileCache = join(root, 'node_modules', '.cache', 'easydash-compiled')

/**
 * Fit: 24.18 up to, not including, 26. Older ones lack argon2 or JSPI, newer ones fail with PHP-WASM's prebuilt addon.
 * @param {string} version as `process.versions.node`
 */
export function isFit(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return (major === 24 && minor >= 18) || major === 25
}

/**
 * The path of a fit Node: this process's own, else the one installed from npm.
 * @returns {string}
 * @throws {SetupError} when there is none
 */
export function findNode24() {
  if (isFit(process.versions.node)) return process.execPath
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(packaged)) return packaged
  throw new SetupError(
    `Easydash needs Node 24.18 or newer (below 26) and this is Node ${process.versions.node}.`,
    process.platform === 'darwin' && process.arch === 'arm64'
      ? 'On Apple silicon install it yourself, for example from https://nodejs.org, and run the command again.'
      : 'Run npm ci, which installs it for this project, or install Node 24 yourself, and run the command again.',
  )
}

/**
 * Makes sure that the calling script runs on Node 24. On a fit Node it returns at once; else it runs the same script
 * with the same arguments in a child that has our terminal, and this process only waits and ends as the child ends.
 * @param {string} script the calling script's `import.meta.url`
 * @returns {Promise<void>} never settles when a child runs
 */
export async function continueOnNode24(script) {
  if (isFit(process.versions.node)) {
    endWithParent()
    return
  }
  const child = spawn(findNode24(), [...process.execArgv, fileURLToPath(script), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // Ctrl+C in a terminal reaches the child as well, they are one foreground group; a second one would cut its stop short.
  for (const signal of forwarded) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  /** @type {number} */
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)))
  })
  process.exit(status)
}

/** @type {readonly NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A child of `continueOnNode24` stops when its parent is gone, also when that was killed without a chance to say so. */
function endWithParent() {
  if (!process.connected) return
  process.channel?.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}
