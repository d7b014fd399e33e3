/**
 * Runs the product as a user does: `npm start` in its own process group, with an empty data folder, a free port and captured
 * output. Nothing here calls the API.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { removePostgres } from '#server/platform/postgres/postgres.ts'
import { blockedTasks } from './blocked-tasks.ts'
import { watchProcesses, type ProcessInfo } from './processes.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Start options; all have defaults. */
export interface ProductOptions {
  /** An npm script of package.json. */
  script?: 'start' | 'demo'
  /** The clone to run; defaults to this one. */
  root?: string
  /** Arguments after `--`. */
  args?: readonly string[]
  /** Set if a test blocks the event loop on purpose. Otherwise `close` rejects if a task blocked it for seconds. */
  mayBlock?: boolean
  /** Settings in addition to the test's own (port, data folder). */
  env?: Readonly<Record<string, string>>
}

/** A running product. */
export interface Product {
  /** Origin, without a trailing slash. */
  readonly url: string
  readonly port: number
  readonly dataDir: string
  /** The one-time link of the last start; null if it printed none. */
  readonly setupLink: string | null
  /** Everything printed since the first start. */
  output(): string
  /** Resolves when the output after `from` (an index into it) matches; rejects if the product exits before. */
  waitForOutput(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  /** Ctrl+C; resolves with the exit code when all processes of the group are gone. */
  stop(): Promise<number>
  /** SIGKILL to the whole group, like a power failure with the disk intact; children with their own session survive. */
  kill9(): Promise<void>
  /** Restarts on the same data and port, after `stop` or `kill9` or while running; `env` applies to this start only. */
  restart(env?: Readonly<Record<string, string>>): Promise<void>
  /** Its running processes, including those left by a stop or kill (Linux only; empty elsewhere). */
  processes(): Promise<ProcessInfo[]>
  /** Stops, ends processes left by a `kill9`, and removes the data folder. Rejects if a task blocked the event loop. */
  close(): Promise<void>
}

/**
 * Tests click faster than users and exceed the API limit per minute of one account. And all stories sign up from the same IP
 * address.
 */
const testRateLimits = JSON.stringify({
  api_user: { limit: 10_000, seconds: 60 },
  signup_ip: { limit: 100, seconds: 3600 },
})

const readyLine = /Easydash is ready: (http\S+)\/web\b/
const setupLine = /http\S+\/web\/signup\?setup=\S+/

/** Starts the product and resolves when the ready line is printed. The rejection includes the whole output. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const port = Number(process.env['EASYDASH_E2E_PORT'] ?? (await freePort()))
  const dataDir = await mkdtemp(join(tmpdir(), 'easydash-e2e-'))
  // The database runs under another account if started as root, and needs access to the folder.
  await chmod(dataDir, 0o755)
  const processes = watchProcesses(dataDir)
  let output = ''
  let changed = Promise.withResolvers<void>()
  let exited: Promise<number> = Promise.resolve(0)
  let group: number | null = null
  let startedAt = 0

  /** Wakes those waiting for output. */
  const wake = (): void => {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  const grow = (chunk: string): void => {
    output += chunk
    wake()
  }

  const boot = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    startedAt = output.length
    const args = ['run', options.script ?? 'start', ...(options.args ? ['--', ...options.args] : [])]
    const child = spawn('npm', args, {
      cwd: options.root ?? root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment({
        PORT: String(port),
        EASYDASH_RATE_LIMITS: testRateLimits,
        // The same on every machine.
        EASYDASH_WEB_PROCESSES: '1',
        // Stories create their accounts themselves.
        EASYDASH_SIGNUP: 'open',
        EASYDASH_DATA_DIR: dataDir,
        // A closed port: tests must not depend on the latest WordPress release.
        WORDPRESS_ORG_URL: process.env['WORDPRESS_ORG_URL'] ?? 'http://127.0.0.1:9',
        ...options.env,
        ...env,
      }),
    })
    group = child.pid ?? null
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', grow)
    exited = new Promise((resolve) => {
      child.once('error', (error) => grow(`${error.message}\n`))
      child.once('exit', (code) => {
        // The last output may still be in the pipe, which a child with its own session may keep open.
        void Promise.race([once(child, 'close'), delay(500)]).then(() => {
          group = null
          resolve(code ?? 1)
          wake()
        })
      })
    })
    await product.waitForOutput(readyLine, startedAt)
  }

  const signal = (name: NodeJS.Signals): void => {
    if (group !== null) killIfThere(-group, name)
  }

  const product: Product = {
    url: `http://localhost:${port}`,
    port,
    dataDir,
    get setupLink() {
      return setupLine.exec(output.slice(startedAt))?.[0] ?? null
    },
    output: () => output,
    async waitForOutput(pattern, from = 0) {
      for (;;) {
        const { promise } = changed
        const match = pattern.exec(output.slice(from))
        if (match) return match
        if (group === null) throw new Error(`The product ended without printing ${String(pattern)}:\n${output}`)
        await promise
      }
    },
    async stop() {
      signal('SIGINT')
      return await exited
    },
    async kill9() {
      signal('SIGKILL')
      await exited
    },
    async restart(env) {
      await product.stop()
      await boot(env)
    },
    processes: () => processes.running(group),
    async close() {
      await product.processes()
      await product.stop()
      if (['postgres', 'postgres.json'].some((name) => existsSync(join(dataDir, name)))) await removePostgres(dataDir)
      for (const { pid } of await product.processes()) killIfThere(pid, 'SIGKILL')
      const blocked = options.mayBlock === true ? [] : await blockedTasks(dataDir)
      await rm(dataDir, { recursive: true, force: true })
      if (blocked.length > 0) throw new Error(`Tasks blocked the event loop:\n${blocked.join('\n')}`)
    },
  }

  try {
    await boot()
  } catch (error) {
    await product.close()
    throw error
  }
  return product
}

/** Our environment without the variables of npm and the test runner, as in a user's shell. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|NODE_(?:ENV|OPTIONS|COMPILE_CACHE)$|TEST_|PW_)/.test(name),
  )
  return { ...Object.fromEntries(inherited), ...settings }
}

/** A process may already be gone before its parent is notified. */
function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port.')
  return address.port
}
