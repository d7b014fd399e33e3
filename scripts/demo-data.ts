/** Settings of the demo and its temporary data folder. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startDemoVendors } from '#server/demo-vendors.ts'
import { removePostgres } from '#server/platform/postgres/postgres.ts'
import { defaultRateLimits, maxHits, type RateLimit } from '#server/platform/rate-limits.ts'
import { root } from './node24.mjs'
import { SetupError } from './terminal.mjs'

/** Limits that nobody reaches while trying things out: the demo's accounts and password are public anyway. */
export const generous: Readonly<Record<string, RateLimit>> = Object.fromEntries(
  Object.entries(defaultRateLimits).map(([name, { limit, seconds }]) => [
    name,
    { limit: Math.min(limit * 100, maxHits), seconds },
  ]),
)

/** Frappe's default port; standard clients connect to it. A demo that finds it taken goes on without it. */
const frappePort = 9000

/**
 * Empties the demo's data folder (one per port, so that several demos don't conflict) and sets its environment. The user's
 * settings take precedence, except for the data folder: a user's own folder is never wiped.
 * @returns the arguments for the server
 * @throws SetupError if the port is in use: the demo running there still uses the folder
 */
export async function prepareDemo(args: string[]): Promise<string[]> {
  const { values, tokens } = parseArgs({ args, options: { port: { type: 'string' } }, strict: false, tokens: true })
  const port = Number(values.port ?? process.env['PORT'] ?? 8081)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SetupError(`--port ${String(values.port)} is not a port.`, 'Give a number from 1 to 65535.')
  }
  if (!(await isFree(port))) {
    throw new SetupError(
      `Port ${port} is in use.`,
      'Stop the demo that runs there, or choose another with -- --port N.',
    )
  }
  const dataDir = join(root, 'demo-data', String(port))
  await wipe(dataDir)
  Object.assign(process.env, {
    EASYDASH_DEMO: '1',
    EASYDASH_DATA_DIR: dataDir,
    PORT: String(port),
    EASYDASH_RATE_LIMITS: process.env['EASYDASH_RATE_LIMITS'] ?? JSON.stringify(generous),
    EASYDASH_SIGNUP: process.env['EASYDASH_SIGNUP'] ?? 'open',
    SOCKETIO_PORT: process.env['SOCKETIO_PORT'] ?? String(frappePort),
  })
  await startDemoVendors(dataDir, { host: process.env['HOST'] ?? '127.0.0.1', port })
  const own = new Set(
    tokens.flatMap((token) => (token.kind === 'option' && token.name === 'port' ? spanOf(token) : [])),
  )
  return args.filter((_, index) => !own.has(index))
}

/** `--port 1` takes up two arguments, `--port=1` one. */
function spanOf(token: { index: number; inlineValue?: boolean | undefined }): number[] {
  return token.inlineValue === false ? [token.index, token.index + 1] : [token.index]
}

/** A killed demo leaves its PostgreSQL running, possibly with files outside the folder: both are removed first. */
async function wipe(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) return
  await removePostgres(dataDir)
  await rm(dataDir, { recursive: true, force: true })
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (free) await new Promise((resolve) => server.close(resolve))
  return free
}
