/**
 * Runs the product as a person does: `npm start` in a process group of its own, on an empty data folder and a free
 * port, with its terminal output kept. Nothing here calls the API.
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

/** How to start; everything has a default. */
export interface ProductOptions {
  /** An npm script of package.json. */
  script?: 'start' | 'demo'
  /** The clone to run; default: this one. */
  root?: string
  /** Arguments after `--`. */
  args?: readonly string[]
  /** Its event loop is blocked on purpose: else `close` rejects when a task kept everybody waiting for over 200 ms. */
  mayBlock?: boolean
  /** Settings on top of the test's own (port, data folder). */
  env?: Readonly<Record<string, string>>
}

/** A running product. */
export interface Product {
  /** Origin without a trailing slash. */
  readonly url: string
  readonly port: number
  readonly dataDir: string
  /** The one-time link of the last start, null when that start printed none. */
  readonly setupLink: string | null
  /** Everything printed since the first start. */
  output(): string
  /** Resolves when the output after `from` (an index into it) matches; rejects when the product ends before. */
  waitForOutput(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  /** Ctrl+C; resolves with the exit code when all processes of the group are gone. */
  stop(): Promise<number>
  /** SIGKILL to the whole group, as a power cut without the disk; children with a session of their own live on. */
  kill9(): Promise<void>
  /** Starts again on the same data and port, after `stop` or `kill9` or while it runs; `env` counts for this start only. */
  restart(env?: Readonly<Record<string, string>>): Promise<void>
  /** Its processes that run now, also those a stop or a kill left behind (Linux only, elsewhere always empty). */
  processes(): Promise<ProcessInfo[]>
  /** Stops, ends what a `kill9` left behind, and removes the data folder. Rejects when a task blocked the event loop. */
  close(): Promise<void>
}

/**
 * The browser of a test clicks without reading: more calls a minute than a person's limit, by one account. And everybody
 * of all stories signs up from this one machine.
 */
const fasterThanPeople = JSON.stringify({
  api_user: { limit: 10_000, seconds: 60 },
  signup_ip: { limit: 100, seconds: 3600 },
})

const readyLine = /Easydash is ready: (http\S+)\/web\b/
const setupLine = /http\S+\/web\/signup\?setup=\S+/

/** Starts the product and resolves when the ready line is printed. Reject carries the whole output. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const port = Number(process.env['EASYDASH_E2E_PORT'] ?? (await freePort()))
  const dataDir = await mkdtemp(join(tmpdir(), 'easydash-e2e-'))
  // As root the database runs under another account, which has to pass through.
  await chmod(dataDir, 0o755)
  const processes = watchProcesses(dataDir)
  let output = ''
  let changed = Promise.withResolvers<void>()
  let exited: Promise<number> = Promise.resolve(0)
  let group: number | null = null
  let startedAt = 0

  /** Lets those who wait look again. */
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
        EASYDASH_RATE_LIMITS: fasterThanPeople,
        EASYDASH_DATA_DIR: dataDir,
        // A closed port: what is tested must not depend on the release of the day, nor change while it runs.
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
        // What was printed last may still be in the pipe; a child with a session of its own may keep that open.
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

/** Our own environment without what npm and the test runner added, so that the product finds what a person's shell has. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|NODE_ENV$|NODE_OPTIONS$|TEST_|PW_)/.test(name),
  )
  return { ...Object.fromEntries(inherited), ...settings }
}

/** A process is gone for a moment before its parent hears of it. */
function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port.')
  return address.port
}
