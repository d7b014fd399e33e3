/**
 * JavaScript of an attacker who left PHP-WASM: loaded into a site's process by `--import`, it waits until the process is
 * locked down, tries everything, and writes what it got to `www/attack-result.json`. Without isolation (`control` in the
 * order) each attempt succeeds, which shows that the attempts are real ones.
 */
import { createRequire } from 'node:module'
import type * as ChildProcess from 'node:child_process'
import type * as Dgram from 'node:dgram'
import type * as Fs from 'node:fs'
import type * as Http from 'node:http'
import type * as Inspector from 'node:inspector'
import type * as Net from 'node:net'
import type * as Sqlite from 'node:sqlite'
import type * as Vm from 'node:vm'
import type * as WorkerThreads from 'node:worker_threads'
import { classes, emits, happens, load, member } from './attack-calls.ts'

/** The attacker's input, in `www/attack.json` below the current folder. */
export interface AttackOrder {
  /** Run at once: the process is not isolated. */
  control: boolean
  /** Files that must stay unreadable, and one that must stay unwritten. */
  secrets: string[]
  unwritten: string
  /** A file that gets no link. */
  linked: string
  /** Listeners that must see nobody. */
  tcpPort: number
  unixSocket: string
  /** A program that would leave a file named by its argument. */
  program: string
  leaves: string
  /** Socket of the database server. */
  postgres: string
  /** Processes that must not be reached: any other one, and the dashboard. Without addons there is no ptrace but by files. */
  pids: number[]
  /** An addon that a child may load. */
  addon: string
}

// The loader of PHP has one, too.
const require = createRequire(import.meta.url)

type Attempt = (order: AttackOrder) => unknown

/** One that can be had is one too many. */
const anyOf =
  <T>(targets: (order: AttackOrder) => T[], attempt: (target: T) => unknown): Attempt =>
  (order) => {
    const failures: string[] = []
    for (const target of targets(order)) {
      try {
        return attempt(target)
      } catch (error) {
        failures.push(String(error))
      }
    }
    throw new Error(failures.join(' '))
  }
const secretsOf = ({ secrets }: AttackOrder): string[] => secrets

const attempts: Record<string, Attempt> = {
  readFiles: anyOf(secretsOf, (path) => require('fs').readFileSync(path, 'utf8')),
  openFiles: anyOf(secretsOf, (path) => require('fs').openSync(Buffer.from(path), 'r')),
  readAsync: async ({ secrets }) =>
    Promise.any(secrets.map((path) => require('fs').promises.readFile(path, 'utf8') as Promise<string>)),
  listFolders: anyOf(secretsOf, (path) => require('fs').readdirSync(path.slice(0, path.lastIndexOf('/')))),
  writeFile: ({ unwritten }) => require('fs').writeFileSync(unwritten, 'x') ?? 'written',
  copyOut: ({ unwritten, secrets }) => require('fs').copyFileSync(secrets[0], unwritten) ?? 'copied',
  symlink: ({ linked }) => require('fs').symlinkSync(linked, './www/link') ?? require('fs').readFileSync('./www/link'),
  hardLink: ({ linked }) => require('fs').linkSync(linked, './www/hard') ?? require('fs').readFileSync('./www/hard'),
  environmentOfOthers: anyOf(
    ({ pids }) => pids,
    (pid) => require('fs').readFileSync(`/proc/${pid}/environ`, 'utf8'),
  ),
  memoryOfOthers: anyOf(
    ({ pids }) => pids,
    (pid) => require('fs').openSync(`/proc/${pid}/mem`, 'r'),
  ),
  changeMemoryOfOthers: anyOf(
    ({ pids }) => pids,
    (pid) => require('fs').openSync(`/proc/${pid}/mem`, 'r+'),
  ),
  mapsOfOthers: anyOf(
    ({ pids }) => pids,
    (pid) => require('fs').readFileSync(`/proc/${pid}/maps`, 'utf8'),
  ),
  openFilesOfOthers: anyOf(
    ({ pids }) => pids,
    (pid) => require('fs').readdirSync(`/proc/${pid}/fd`),
  ),
  filesByOthers: anyOf(
    ({ pids, secrets }) => pids.map((pid) => `/proc/${pid}/root${secrets[0]}`),
    (path) => require('fs').readFileSync(path, 'utf8'),
  ),
  memoryOfItself: () => require('fs').openSync('/proc/self/mem', 'r+'),
  database: async ({ secrets }) => {
    const { DatabaseSync } = await load<typeof Sqlite>('sqlite')
    return new DatabaseSync(`${secrets[0]}.db`).isOpen
  },
  connectTcp: async ({ tcpPort }) => happens((await load<typeof Net>('net')).connect(tcpPort, '127.0.0.1'), 'connect'),
  connectUnix: async ({ unixSocket }) => happens((await load<typeof Net>('net')).connect(unixSocket), 'connect'),
  connectPostgres: async ({ postgres }) => happens((await load<typeof Net>('net')).connect(postgres), 'connect'),
  connectByClass: async ({ tcpPort, unixSocket, postgres }) => {
    for (const Class of classes().filter(emits)) {
      for (const target of [{ port: tcpPort, host: '127.0.0.1' }, { path: unixSocket }, { path: postgres }]) {
        try {
          const socket = new Class()
          const result = happens(socket, 'connect')
          member(socket, 'connect')(target)
          return await result
        } catch {
          // The next class.
        }
      }
    }
    throw new Error('none connects')
  },
  nativeHandle: ({ unixSocket }) => {
    for (const Class of classes()) {
      const methods: unknown = Reflect.get(Class, 'prototype')
      if (typeof methods !== 'object' || methods === null || !Reflect.has(methods, 'readStart')) continue
      for (const name of ['connect', 'bind', 'listen', 'open'])
        if (typeof Reflect.get(methods, name) === 'function') return name
    }
    throw new Error(unixSocket)
  },
  requestHttp: async ({ tcpPort }) => {
    const { get } = await load<typeof Http>('http')
    return new Promise((resolve, reject) => {
      get({ port: tcpPort, host: '127.0.0.1' }, () => resolve('answered')).once('error', reject)
    })
  },
  fetch: async ({ tcpPort }) => (await fetch(`http://127.0.0.1:${tcpPort}/`)).status,
  webSocket: ({ tcpPort }) => new WebSocket(`ws://127.0.0.1:${tcpPort}/`).url,
  datagram: async ({ tcpPort }) => {
    const { createSocket } = await load<typeof Dgram>('dgram')
    const socket = createSocket('udp4')
    return new Promise((resolve, reject) => {
      socket.send('x', tcpPort, '127.0.0.1', (error) => (error === null ? resolve('sent') : reject(error)))
    })
  },
  resolveNames: async () => Object.keys(await load<object>('dns')).length,
  listenTcp: async () => {
    const { createServer } = await load<typeof Net>('net')
    const server = createServer()
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve('listening'))
    })
  },
  listenByClass: async () => {
    for (const Class of classes().filter(emits)) {
      for (const [name, values] of [
        ['listen', [0]],
        ['_listen2', [null, 0, 4, 10]],
      ] as const) {
        try {
          const server = new Class()
          member(server, 'getConnections')
          const result = happens(server, 'listening')
          member(server, name)(...values)
          return await result
        } catch {
          // The next class.
        }
      }
    }
    throw new Error('none listens')
  },
  startProgram: async ({ program, leaves }) => {
    const { spawnSync } = await load<typeof ChildProcess>('child_process')
    return spawnSync(program, [leaves]).status
  },
  spawnBinding: () => member(member(process, 'binding')('spawn_sync') as object, 'spawn').name,
  internalBinding: () => member(member(process, 'binding')('tcp_wrap') as object, 'TCP').name,
  linkedBinding: () => member(process, '_linkedBinding').name,
  signalOthers: anyOf(
    ({ pids }) => pids,
    (pid) => process.kill(pid, 0),
  ),
  debugOther: ({ pids: [pid] }) => member(process, '_debugProcess')(pid) ?? 'sent',
  worker: async () => {
    const { Worker } = await load<typeof WorkerThreads>('worker_threads')
    return new Worker('0', { eval: true }).threadId
  },
  inspector: async () => {
    const { open, url } = await load<typeof Inspector>('inspector')
    open(0)
    return url()
  },
  freshContext: async () => {
    const { runInNewContext } = await load<typeof Vm>('vm')
    return runInNewContext('1')
  },
  addon: ({ addon }) => member(process, 'dlopen')({ exports: {} }, addon) ?? 'loaded',
  addonByRequire: ({ addon }) => typeof require(addon),
  evaluate: () => member(globalThis, 'eval')('1 + 1'),
  compile: () => typeof member(globalThis, 'Function')('return 2'),
  report: () => member(Reflect.get(process, 'report') as object, 'getReport')() !== null,
  replaceMethods: async () => {
    const { has } = Set.prototype
    const { test } = RegExp.prototype
    const { startsWith, replace } = String.prototype
    try {
      Set.prototype.has = () => true
      RegExp.prototype.test = () => true
      String.prototype.startsWith = () => true
      String.prototype.replace = () => 'fs'
      return Object.keys(await import('node:net')).length
    } finally {
      Object.assign(Set.prototype, { has })
      Object.assign(RegExp.prototype, { test })
      Object.assign(String.prototype, { startsWith, replace })
    }
  },
  openDescriptors: () => {
    // Files that somebody else opened would be readable whatever the permission model says.
    const { fstatSync } = require('fs') as typeof Fs
    const files: number[] = []
    for (let descriptor = 0; descriptor < 256; descriptor += 1) {
      try {
        const stat = fstatSync(descriptor)
        if (stat.isFile() || stat.isDirectory()) files.push(descriptor)
      } catch {
        // Not open.
      }
    }
    if (files.length === 0) throw new Error('none')
    return files
  },
}

/** Names of all attempts. */
export const attemptNames = Object.keys(attempts)

async function run(order: AttackOrder): Promise<Record<string, string>> {
  // Without isolation every attempt has its answer, however busy the machine is.
  const timeoutMs = order.control ? 60_000 : 3_000
  const results: Record<string, string> = {}
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      const got = await Promise.race([
        (async () => attempt(order))(),
        new Promise((_resolve, reject) => {
          setTimeout(() => reject(new Error('no answer')), timeoutMs).unref()
        }),
      ])
      results[name] = `GOT ${typeof got === 'object' ? JSON.stringify(got) : String(got)}`
    } catch (error) {
      results[name] = error instanceof Error ? error.message : String(error)
    }
  }
  return results
}

// Not when a test imports the names.
if (process.execArgv.some((argument) => argument.includes('attacker'))) {
  const fs = require('fs') as typeof Fs
  const timer = setInterval(() => {
    if (!fs.existsSync('./www/attack.json')) return
    const order = JSON.parse(fs.readFileSync('./www/attack.json', 'utf8')) as AttackOrder
    if (!order.control && Reflect.get(process, 'getBuiltinModule') !== undefined) return
    clearInterval(timer)
    process.on('uncaughtException', () => undefined)
    void run(order).then((results) => {
      fs.writeFileSync('./www/attack-result.json.new', JSON.stringify(results))
      fs.renameSync('./www/attack-result.json.new', './www/attack-result.json')
    })
  }, 20)
}
