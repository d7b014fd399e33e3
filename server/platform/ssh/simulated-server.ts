import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import ssh2, { type AuthContext, type Connection, type ServerChannel, type Session } from 'ssh2'
import { portOf } from '../network/port-of.ts'
import { offerShell } from './simulated-shell.ts'

/** Before the command gets its standard input, once it has got it, or when it has ended but did not say so. */
export type BreakMoment = 'before' | 'during' | 'after'

/** Options of `startSimulatedServer`. */
export interface SimulatedServerOptions {
  /** Public keys that may log in as any user now, each `ssh-ed25519 AAAA…`. */
  readonly authorizedKeys: () => readonly string[]
  /** Its private host key at a connection, in the format of OpenSSH; null: it is off. Default: one of its own. */
  readonly hostKey?: () => string | null
  /** Another value after each start of the machine; the connection of the command that restarts it ends. Default: none does. */
  readonly bootId?: () => string
  /** When the connection of a command that begins breaks; what it runs goes on. Default: never. */
  readonly breaks?: () => BreakMoment | null
  /** Environment of commands. `EASYDASH_STATE` is the folder that our scripts use instead of the one of a real server. */
  readonly env: Readonly<Record<string, string>>
  /** Whether a client can open a shell, which is one of this machine. Default: no. */
  readonly shells?: boolean
  /** Default: any free port. */
  readonly port?: number
}

/** A server that exists only on this machine. */
export interface SimulatedServer {
  readonly port: number
  /** Its own public host key, `ssh-ed25519 AAAA…`. */
  readonly hostKey: () => string
  /** Connections that were accepted so far. */
  readonly connections: () => number
  /** Has another host key from the next connection on. */
  changeHostKey(): void
  /**
   * Breaks all connections. What runs on them goes on, as OpenSSH leaves commands that have no terminal; with `hangUp` it gets SIGHUP, as those
   * with one do.
   */
  dropConnections(options?: { readonly hangUp?: boolean }): void
  close(): Promise<void>
}

/**
 * Starts an SSH server on loopback that runs each command with this machine's shell, as this process' user, in a process group of its
 * own: like OpenSSH, it ends a command with its output and not with the connection.
 */
export async function startSimulatedServer(options: SimulatedServerOptions): Promise<SimulatedServer> {
  const sockets = new Set<Socket>()
  const groups = new Set<number>()
  let accepted = 0
  let identity = createIdentity({ ...options, groups })
  const current = (): typeof identity | null => {
    const { hostKey } = options
    if (hostKey === undefined) return identity
    const secret = hostKey()
    return secret === null ? null : createIdentity({ ...options, groups }, secret)
  }
  const listener = createServer((socket) => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const now = current()
    if (now === null) socket.destroy()
    else now.server.injectSocket(socket)
  })
  listener.listen(options.port ?? 0, '127.0.0.1')
  await once(listener, 'listening')
  const dropConnections: SimulatedServer['dropConnections'] = ({ hangUp = false } = {}) => {
    for (const socket of sockets) socket.destroy()
    if (hangUp) for (const group of groups) signalGroup(group, 'SIGHUP')
  }
  return {
    port: portOf(listener),
    hostKey: () => identity.hostKey,
    connections: () => accepted,
    changeHostKey: () => {
      identity = createIdentity({ ...options, groups })
    },
    dropConnections,
    close: async () => {
      dropConnections()
      listener.close()
      await once(listener, 'close')
    },
  }
}

interface ServeOptions extends SimulatedServerOptions {
  /** Process groups of the commands of channels, which can have left something in the background there. */
  readonly groups: Set<number>
}

function createIdentity(options: ServeOptions, secret: string = newHostKeys().private) {
  const key = ssh2.utils.parseKey(secret)
  if (key instanceof Error) throw key
  const server = new ssh2.Server({ hostKeys: [secret] }, (connection) => serve(connection, options))
  return { server, hostKey: `${key.type} ${key.getPublicSSH().toString('base64')}` }
}

function serve(connection: Connection, options: ServeOptions): void {
  const { authorizedKeys } = options
  connection.on('authentication', (context) => {
    if (authorizedKeys().some((line) => isAuthorized(context, line))) context.accept()
    else context.reject(['publickey'])
  })
  connection.on('session', (accept) => {
    const session = accept()
    if (options.shells) offerShell(session, options.env)
    session.once('exec', (acceptExec, _reject, { command }) => {
      run(session, acceptExec(), command, { ...options, connection })
    })
  })
  // Clients may break off at any moment.
  connection.on('error', () => undefined)
}

function isAuthorized(context: AuthContext, line: string): boolean {
  if (context.method !== 'publickey') return false
  const key = ssh2.utils.parseKey(line)
  if (key instanceof Error) throw key
  if (!key.getPublicSSH().equals(context.key.data)) return false
  // Clients ask first whether a key would do.
  return context.signature === undefined || key.verify(context.blob ?? Buffer.alloc(0), context.signature) === true
}

function run(
  session: Session,
  channel: ServerChannel,
  command: string,
  { env, bootId, breaks, connection, groups }: ServeOptions & { readonly connection: Connection },
): void {
  const boot = bootId?.()
  const breaksAt = breaks?.() ?? null
  if (breaksAt === 'before') return void connection.end()
  const child = spawn('/bin/sh', ['-c', command], { detached: true, cwd: '/', env, stdio: 'pipe' })
  const { pid } = child
  if (pid !== undefined) {
    groups.add(pid)
    // Of an empty one, the number can be that of another.
    child.once('exit', () => signalGroup(pid, 0) || groups.delete(pid))
  }
  for (const stream of [channel, child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined)
  channel.pipe(child.stdin)
  if (breaksAt === 'during') child.stdin.once('finish', () => connection.end())
  child.stdout.pipe(channel, { end: false })
  child.stderr.pipe(channel.stderr, { end: false })
  session.on('signal', (_accept, _reject, { name }) => {
    if (pid !== undefined && child.exitCode === null && child.signalCode === null) signalGroup(pid, `SIG${name}`)
  })
  child.once('close', (code, signal) => {
    if (bootId?.() !== boot || breaksAt === 'after') return void connection.end()
    if (code === null) channel.exit(signal?.slice('SIG'.length) ?? 'KILL')
    else channel.exit(code)
    channel.end()
  })
  channel.once('close', () => {
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  })
}

/** Sends a signal to what is in a process group. Returns whether anything is. */
function signalGroup(group: number, signal: string | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** A pair of keys in the format of OpenSSH. Some that ssh2 makes cannot be read again, not even by itself. */
export function newHostKeys(): { readonly private: string; readonly public: string } {
  for (;;) {
    const made = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(made.private) instanceof Error)) return made
  }
}
