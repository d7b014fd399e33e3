/** A server with EasyEngine that is not simulated: what the environment says of it, see docs/verification.md. */
import { targetOf } from '#server/engines/ee/ee-context.ts'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEeEngine, type EeEngine } from '#server/engines/ee/ee-engine.ts'
import { createWordPressCatalogue } from '#server/engines/local/core/catalogue.ts'
import type { Screenshots } from '#server/engines/screenshots.ts'
import { installationKey, type ServerRef } from '#server/engines/site-ref.ts'
import { addressMap } from '#server/platform/config/setting-schemas.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { createSsh } from '#server/platform/ssh/ssh.ts'

const timers = {
  setTimeout: (fn: () => void, ms: number) => setTimeout(fn, ms),
  clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
}

/** A real server, and the engine that works on it. */
export interface EeHost {
  readonly engine: EeEngine
  readonly server: ServerRef
  /** Sites are below this domain. */
  readonly domain: string
  /** Runs a script of a shell there and returns what it prints. */
  shell(script: string, args: readonly string[], stdin?: string): Promise<string>
  /** Deletes the sites that this suite made there, by what EasyEngine says of their owner. */
  deleteOwn(): Promise<void>
  end(): Promise<void>
}

const setting = (name: string): string => {
  const value = process.env[`EASYDASH_TEST_EE_${name}`] ?? ''
  if (value === '') throw new Error(`EASYDASH_TEST_EE_${name} is missing.`)
  return value
}

/** Connects to the server that `EASYDASH_TEST_EE_HOST` names. Its host key is pinned on first contact, unless it is given. */
export async function connectEeHost(screenshots: Screenshots, cacheDir: string): Promise<EeHost> {
  const [, user, address, port] = /^([a-z_][\w-]*)@([\w.-]+?)(?::(\d{1,5}))?$/.exec(setting('HOST')) ?? []
  if (user === undefined || address === undefined)
    throw new Error('EASYDASH_TEST_EE_HOST is not user@host or user@host:port.')
  const domain = setting('DOMAIN')
  const key = await readFile(setting('KEY'), 'utf8')
  const map = process.env['EASYDASH_ADDRESS_MAP']
  // The machine may be one in a private network: it was named.
  const allowed = /^[\d.]+$/.test(address) ? [`${address}/32`] : []
  const config = { addressMap: map === undefined ? {} : addressMap.parse(map), allowPrivateCidrs: allowed }
  const ssh = createSsh({ config, readKey: async () => key, timers, log: silentLog })
  const place = { address, port: Number(port ?? 22) }
  let hostKey = process.env['EASYDASH_TEST_EE_HOST_KEY'] ?? ''
  if (hostKey === '') {
    const seen = await ssh.firstContact(place)
    hostKey = seen.line
    console.log(`Host key of ${address}, pinned on first contact: ${seen.line} (${seen.fingerprint})`)
  }
  const server: ServerRef = { id: 'contrhost1', ...place, user, hostKey, credentials: installationKey, facts: {} }
  const folder = await mkdtemp(join(tmpdir(), 'ee-host-'))
  const options = {
    ...{ config, screenshots, sitesUrlPattern: null, readCredentials: async () => key, log: silentLog },
    packedFolder: join(folder, 'packed'),
    importsFolder: join(folder, 'imports'),
    catalogue: createWordPressCatalogue({ cacheDir, wordpressOrgUrl: null }),
  }
  const engine = createEeEngine(options)
  const target = targetOf(server)
  const deleteOwn = async () => {
    for (const { id, domain: name } of await engine.host.sites(server))
      if (id !== null && /^contr\d{5}$/.test(id) && name.endsWith(`.${domain}`))
        await engine.destroy({ id, domain: name, siteType: 'wp', phpVersion: '8.3', server })
  }
  return {
    ...{ engine, server, domain, deleteOwn },
    async shell(script, args, stdin = '') {
      // Line breaks can't be part of a command.
      const inline = [
        '-c',
        'script=$(printf %s "$0" | base64 -d) && eval "$script"',
        Buffer.from(script).toString('base64'),
      ]
      const argv = ['sh', ...inline, ...args]
      const { code, stdout, stderr } = await ssh.run(target, argv, { deadlineMs: 60_000, stdin })
      if (code !== 0) throw new Error(stderr)
      return stdout
    },
    async end() {
      try {
        await deleteOwn()
      } finally {
        ssh.close()
        await engine.stop()
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
