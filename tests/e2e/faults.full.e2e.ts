/**
 * Startup failures print one clear message with a remedy. The exit code isn't 0, no process stays, and no partial data is
 * written.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { removePostgres } from '#server/platform/postgres/postgres.ts'

const root = join(import.meta.dirname, '..', '..')

interface Attempt {
  code: number | null
  output: string
}

let folder = ''
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'easydash-faults-'))
  await chmod(folder, 0o755)
})
test.afterEach(async () => {
  if (await isFolder(join(folder, 'data'))) await removePostgres(join(folder, 'data'))
  await rm(folder, { recursive: true, force: true })
})

/** Runs `npm start` until it exits. */
async function attempt(settings: Record<string, string>): Promise<Attempt> {
  const child = spawn('npm', ['start'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, EASYDASH_DATA_DIR: join(folder, 'data'), PORT: String(await freePort()), ...settings },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** Expects the message without a stack trace, and a nonzero exit code. */
function expectClear({ code, output }: Attempt, localized: RegExp): void {
  expect(output).toMatch(localized)
  expect(output).not.toMatch(/^\s+at .+:\d+:\d+/m)
  expect(output).toContain('→')
  expect(code).not.toBe(0)
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() ?? false
}

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port.')
  return { server, port: address.port }
}

async function freePort(): Promise<number> {
  const { server, port } = await listening()
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('the port is in use', async () => {
  const { server, port } = await listening()
  const result = await attempt({ PORT: String(port) })
  server.close()
  expectClear(result, new RegExp(`Port ${port}`))
})

test('all invalid settings are named', async () => {
  const result = await attempt({ PORT: 'eighty', EASYDASH_SIGNUP: 'maybe', EASYDASH_URL: 'not a url' })
  expectClear(result, /PORT/)
  expect(result.output).toMatch(/EASYDASH_SIGNUP/)
  expect(result.output).toMatch(/EASYDASH_URL/)
  await expect(readdir(join(folder, 'data'))).rejects.toThrow('ENOENT')
})

test('the data folder is a file', async () => {
  await writeFile(join(folder, 'data'), 'mine')
  expectClear(await attempt({}), /data folder/i)
})

test('the database is of another version', async () => {
  const cluster = join(folder, 'data', 'postgres', 'cluster')
  await mkdir(cluster, { recursive: true })
  await writeFile(join(cluster, 'PG_VERSION'), '13\n')
  expectClear(await attempt({}), /13/)
})

test('the key file is damaged', async () => {
  await mkdir(join(folder, 'data'), { recursive: true })
  await writeFile(join(folder, 'data', 'keys'), 'v1:not-base-64')
  expectClear(await attempt({}), /key/i)
})
