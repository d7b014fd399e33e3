/** Installs the packages of `package-lock.json` when they are missing or of another lock. Runs on every Node >= 20. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { environmentForTools } from './environment.mjs'
import { root } from './node24.mjs'
import { SetupError, step } from './terminal.mjs'

const lockFile = join(root, 'package-lock.json')
const installedFile = join(root, 'node_modules', '.package-lock.json')
const stampFile = join(root, 'node_modules', '.cache', 'easydash-install.json')

/**
 * Runs `npm ci` if needed and prints `✓ Packages installed 19.3 s`; prints nothing when all is there (about 1 ms).
 * @throws {SetupError} when npm fails; its own words are printed before
 */
export async function ensureInstalled() {
  const lock = readFileSync(lockFile)
  const hash = createHash('sha256').update(lock).digest('hex')
  if (stampedWith(hash)) return
  if (!agreesWithInstalled(JSON.parse(lock.toString()))) {
    await step({ running: 'Installing packages', done: 'Packages installed' }, npmCi)
  }
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, `${JSON.stringify({ lock: hash })}\n`)
}

/** @param {string} hash */
function stampedWith(hash) {
  if (!existsSync(installedFile) || !existsSync(stampFile)) return false
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8')).lock === hash
  } catch {
    // A damaged stamp says nothing; the long comparison decides.
    return false
  }
}

/**
 * Whether npm's own record of node_modules has every package of the lock in its version. Packages of other systems are
 * optional and may be missing.
 * @param {{ packages: Record<string, { version?: string, optional?: boolean, link?: boolean }> }} lock
 */
function agreesWithInstalled(lock) {
  if (!existsSync(installedFile)) return false
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true
    const present = installed[path]
    return present ? present.version === wanted.version : wanted.optional === true
  })
}

/** The development packages are part of it (the web build is made here), whatever NODE_ENV says. */
async function npmCi() {
  const folder = join(root, 'node_modules')
  // npm empties the folder first, and through a link that would be another clone's.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new SetupError(
      'node_modules is a link, and the packages in it are not those of package-lock.json.',
      'Remove the link; the packages are then installed here.',
    )
  }
  const args = ['ci', '--loglevel=error', '--include=dev', '--include=optional']
  const npm = process.env.npm_execpath
  /** @type {import('node:child_process').SpawnOptionsWithStdioTuple<'ignore', 'pipe', 'inherit'>} */
  const options = { cwd: root, env: environmentForTools(), stdio: ['ignore', 'pipe', 'inherit'] }
  const child = npm?.endsWith('.js') ? spawn(process.execPath, [npm, ...args], options) : spawn('npm', args, options)
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', resolve)
  })
  if (code === 0) return
  process.stderr.write(output)
  throw new SetupError(
    code === 127 ? 'npm was not found.' : `The packages could not be installed: npm ci ended with code ${code}.`,
    'Check that npm works and reaches its package registry (npm ping), then run the command again.',
  )
}
