import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../log/log.ts'
import { portOf } from '../network/port-of.ts'
import { publicKeyLine } from './client-key.ts'
import type { Timers } from './deadline.ts'
import { newHostKeys, startSimulatedServer, type SimulatedServer } from './simulated-server.ts'
import { createSsh, type Ssh } from './ssh.ts'
import type { SshTarget } from './ssh-target.ts'

/** Of a range that is never public, so only the map leads to it (RFC 5737). */
export const address = '198.51.100.7'

const pair = generateKeyPairSync('ed25519')
export const privateKey = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const authorizedKey = publicKeyLine(pair.publicKey)

/** Timers that fire when the test says so. */
export function manualTimers(): Timers & { fire(ms: number): void } {
  const waiting = new Map<object, { fn: () => void; ms: number }>()
  return {
    setTimeout: (fn, ms) => {
      const handle = {}
      waiting.set(handle, { fn, ms })
      return handle
    },
    clearTimeout: (handle) => void waiting.delete(handle as object),
    fire: (ms) => {
      for (const [handle, timer] of waiting) {
        if (timer.ms !== ms) continue
        waiting.delete(handle)
        timer.fn()
      }
    },
  }
}

/** A client for servers that the address map leads to a port of this machine. */
export function createTestSsh(port: number, options: { timers?: Timers; key?: string | null } = {}): Ssh {
  const { timers = manualTimers(), key = privateKey } = options
  return createSsh({
    config: { addressMap: { [`${address}:22`]: `127.0.0.1:${port}` }, allowPrivateCidrs: [] },
    readKey: () => Promise.resolve(key),
    timers,
    log: silentLog,
  })
}

/** A server, a client for it, and the folder that stands for `/var/lib/easydash` there. */
export interface TestServer {
  readonly ssh: Ssh
  readonly target: SshTarget
  readonly state: string
  close(): Promise<void>
}

function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'easydash-ssh-'))
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  // Who runs the tests need not be able to use the real one.
  writeFileSync(join(programs, 'sudo'), '#!/bin/sh\n[ "$1" = -n ] || exit 9\nshift\nexec "$@"\n')
  chmodSync(join(programs, 'sudo'), 0o755)
  const state = join(folder, 'state')
  const env = { EASYDASH_STATE: state, PATH: `${programs}:/usr/bin:/bin`, HOME: folder }
  return { folder, state, env, remove: () => rm(folder, { recursive: true, force: true }) }
}

const targetOf = (hostKey: string, user = 'root'): SshTarget => ({ id: 'server0001', address, port: 22, user, hostKey })

/** Starts a simulated server. */
export async function startTestServer(timers?: Timers): Promise<TestServer & { readonly server: SimulatedServer }> {
  const { state, env, remove } = createFolder()
  const server = await startSimulatedServer({ authorizedKeys: () => [authorizedKey], env, shells: true })
  const ssh = createTestSsh(server.port, timers && { timers })
  const close = async () => {
    ssh.close()
    await server.close()
    await remove()
  }
  return { ssh, server, state, target: targetOf(server.hostKey()), close }
}

/** Why no server can be tested here; null if one can. */
export const noServer = process.platform === 'linux' ? null : 'The scripts for servers need Linux.'

const sshd = '/usr/sbin/sshd'

/** Why OpenSSH can't be tested here; null if it can. */
export const noOpenSsh = noServer ?? (existsSync(sshd) ? null : `${sshd} is not installed.`)

/** What OpenSSH is started with. */
interface OpenSshOptions {
  /** Of its settings. */
  readonly folder: string
  /** Environment of all commands. */
  readonly env: Readonly<Record<string, string>>
  readonly hostKeyFile: string
  readonly authorizedKeysFile: string
}

/** Starts OpenSSH on a free port of loopback, for the user who runs the tests. */
export async function spawnOpenSsh({ folder, env, hostKeyFile, authorizedKeysFile }: OpenSshOptions) {
  // OpenSSH started as root refuses to run without this folder, which its service creates.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  chmodSync(hostKeyFile, 0o600)
  const port = await freePort()
  const settings = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${hostKeyFile}`,
    `AuthorizedKeysFile ${authorizedKeysFile}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    `SetEnv ${Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  ]
  writeFileSync(join(folder, 'sshd_config'), `${settings.join('\n')}\n`)
  const child = spawn(sshd, ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const listens = new Promise<void>((resolve, reject) => {
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('Server listening on')) resolve()
    })
    child.once('close', () => reject(new Error(`OpenSSH did not start: ${output}`)))
  })
  await listens
  const close = async () => {
    child.kill()
    await once(child, 'close')
  }
  return { port, close }
}

/** Starts OpenSSH with a host key of its own. */
export async function startOpenSsh(): Promise<TestServer> {
  const { folder, state, env, remove } = createFolder()
  const [hostKeyFile, authorizedKeysFile] = [join(folder, 'host_key'), join(folder, 'authorized_keys')]
  writeFileSync(hostKeyFile, newHostKeys().private)
  writeFileSync(authorizedKeysFile, `${authorizedKey}\n`, { mode: 0o600 })
  const server = await spawnOpenSsh({ folder, env, hostKeyFile, authorizedKeysFile })
  const ssh = createTestSsh(server.port)
  const { line } = await ssh.firstContact({ address, port: 22 })
  const close = async () => {
    ssh.close()
    await server.close()
    await remove()
  }
  return { ssh, state, target: targetOf(line, userInfo().username), close }
}

/** sshd can't choose a port itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}
