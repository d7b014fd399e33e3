import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startFixture, until } from '#server/engines/local/engine-fixture.ts'
import {
  chooseSandbox,
  findSandboxPrograms,
  type Sandbox,
  type SandboxKind,
} from '#server/engines/local/sandbox/sandbox.ts'
import { loadKeyring } from '#server/platform/secrets/keyring-source.ts'
import type { AttackOrder } from './attacker.ts'

/** What an attacker's JavaScript got. */
export interface AttackOutcome {
  /** Name of the attempt → `GOT …`, or why it failed. */
  results: Record<string, string>
  /** Connections that listeners of the machine saw. */
  connections: number
  /** Files that appeared outside of the site. */
  written: string[]
}

const attacker = fileURLToPath(new URL('./attacker.ts', import.meta.url))

/** An addon that Node of this machine can load: PHP-WASM's own package carries it for every system. */
async function findAddon(): Promise<string> {
  const folder = fileURLToPath(new URL('../../node_modules/fs-ext-extra-prebuilt/binaries', import.meta.url))
  const names = await readdir(folder)
  const own = `${process.platform}-${process.arch}-node-${process.versions.node.split('.')[0]}`
  return join(folder, names.find((name) => name.includes(own)) ?? 'none')
}

/** The things of the machine that an attacker is after. */
interface AttackTargets {
  order: AttackOrder
  folder: string
  connections(): number
  end(): Promise<void>
}

async function surroundings(secrets: string[], postgres: string): Promise<AttackTargets> {
  const folder = await mkdtemp(join(tmpdir(), 'attack-'))
  // What keeps the attacker out must be the isolation boundaries, not the mode of this folder.
  await chmod(folder, 0o777)
  const secret = join(folder, 'keys')
  await writeFile(secret, 'v1:secret', { mode: 0o666 })
  const linked = join(folder, 'linked')
  await writeFile(linked, 'linked', { mode: 0o666 })
  let connections = 0
  const listen = async (target: number | string): Promise<Server> => {
    const server = createServer((socket) => {
      connections += 1
      socket.on('error', () => undefined)
      socket.end('HTTP/1.0 200 OK\r\n\r\n')
    })
    if (typeof target === 'number') server.listen(target, '127.0.0.1')
    else server.listen({ path: target, writableAll: true, readableAll: true })
    await once(server, 'listening')
    return server
  }
  const unixSocket = join(folder, 'service.sock')
  const tcp = await listen(0)
  const servers = [tcp, await listen(unixSocket)]
  const victim: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  return {
    order: {
      control: false,
      secrets: [secret, ...secrets],
      unwritten: join(folder, 'written'),
      linked,
      tcpPort: (tcp.address() as AddressInfo).port,
      unixSocket,
      program: '/usr/bin/touch',
      leaves: join(folder, 'touched'),
      postgres,
      pids: [victim.pid ?? 0, process.pid],
      addon: await findAddon(),
    },
    folder,
    connections: () => connections,
    end: async () => {
      victim.kill('SIGKILL')
      for (const server of servers) server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The sandbox of a kind; null where the machine has none. */
export async function sandboxOf(kind: SandboxKind): Promise<Sandbox | null> {
  const all = findSandboxPrograms()
  const sandbox = await chooseSandbox({
    bwrap: kind === 'bubblewrap' ? all.bwrap : null,
    unshare: kind === 'namespaces' ? all.unshare : null,
    setpriv: all.setpriv,
    prlimit: all.prlimit,
  })
  return sandbox.kind === kind ? sandbox : null
}

/**
 * Runs the attacker in a site's process behind the isolation boundaries of this kind; null where the machine has no such sandbox.
 * @param postgres socket of a database server
 */
export async function attackSite(kind: SandboxKind, postgres: string): Promise<AttackOutcome | null> {
  const sandbox = await sandboxOf(kind)
  if (sandbox === null) return null
  const dataDir = await mkdtemp(join(tmpdir(), 'attacked-'))
  const first = await startFixture({ dataDir, sandbox })
  const neighbor = await first.create({ siteType: 'html' })
  const site = await first.create()
  await first.end()
  // The key ring as the product makes it, where the product keeps it.
  await loadKeyring({ dataDir, secretKeys: null })
  // Among the site's own files, which its process may read in every sandbox.
  const sites = join(dataDir, 'local', 'sites')
  const copy = join(sites, site.id, 'www', 'attacker.ts')
  for (const [from, to] of [
    [attacker, copy],
    [join(dirname(attacker), 'attack-calls.ts'), join(dirname(copy), 'attack-calls.ts')],
  ] as const) {
    await copyFile(from, to)
    await chmod(to, 0o644)
  }
  const fixture = await startFixture({ dataDir, sandbox, nodeArguments: [`--import=${copy}`] })
  const ring = join(dataDir, 'keys')
  const around = await surroundings(
    [ring, join(sites, neighbor.id, 'www', 'index.html'), join(sites, site.id, 'site.json'), '/etc/passwd'],
    postgres,
  )
  try {
    const www = join(sites, site.id, 'www')
    await fixture.fetch(site, '/')
    await fixture.writeFile(site, 'attack.json', JSON.stringify(around.order))
    await until(() => existsSync(join(www, 'attack-result.json')))
    const results = JSON.parse(await readFile(join(www, 'attack-result.json'), 'utf8')) as Record<string, string>
    return { results, connections: around.connections(), written: await writtenIn(around.folder) }
  } finally {
    await around.end()
    await fixture.end()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Runs the attacker in a process without any isolation: what it then gets shows that its attempts are real. */
export async function attackUnsandboxed(postgres: string): Promise<AttackOutcome> {
  const around = await surroundings(['/etc/passwd'], postgres)
  const www = join(around.folder, 'www')
  await mkdir(www)
  await writeFile(join(www, 'attack.json'), JSON.stringify({ ...around.order, control: true }))
  const child = fork(fileURLToPath(new URL('./idle-process.ts', import.meta.url)), [], {
    execArgv: [`--import=${attacker}`, '--disable-warning=ExperimentalWarning', '--disable-warning=DEP0111'],
    cwd: around.folder,
    stdio: 'ignore',
    serialization: 'json',
  })
  try {
    await until(() => existsSync(join(www, 'attack-result.json')))
    const results = JSON.parse(await readFile(join(www, 'attack-result.json'), 'utf8')) as Record<string, string>
    return { results, connections: around.connections(), written: await writtenIn(around.folder) }
  } finally {
    child.kill('SIGKILL')
    await around.end()
  }
}

async function writtenIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name === 'written' || name === 'touched' || name === 'keys.db')
}
