import { generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Method, MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { publicKeyLine } from '#server/platform/ssh/client-key.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'
import { startSimulatedCloud, type SimulatedCloud } from '#server/providers/simulator/simulated-cloud.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import {
  makeOrganization,
  shortPauses,
  startTestProcess,
  until,
  untilEnded,
  type TestProcess,
} from '#tests/support/jobs.ts'
import { createServers } from '../servers.ts'
import { parseInventory } from './found-site.ts'

let database: TestDatabase
let running: TestProcess
let owner: Session
let cloud: SimulatedCloud
let folder: string
let methods: readonly Method[] = []
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

const inventory = [
  {
    site_url: 'shop.example',
    site_type: 'wp',
    site_enabled: '1',
    php_version: '8.3',
    alias_domains: 'shop.example,www.shop.example',
    title: 'Shop',
  },
  { site_url: 'old.example', site_type: 'php', site_enabled: '0', php_version: '7.4', alias_domains: '', title: null },
  { site_url: '../etc', site_type: 'wp', site_enabled: '1', php_version: '8.3', alias_domains: null, title: null },
]

beforeAll(async () => {
  database = await createProductDatabase()
  folder = await mkdtemp(join(tmpdir(), 'easydash-cloud-'))
  cloud = await startSimulatedCloud(folder, 1)
  const config = { ...loadConfig({}, tmpdir()), addressMap: cloud.addressMap }
  running = await startTestProcess(database.database, {
    clock: shortPauses,
    features: ({ documents, jobs }) => {
      const servers = createServers({
        documents,
        engines: {},
        log: silentLog,
        clock: shortPauses,
        config,
        jobs: () => jobs,
        installationKey: async () => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
        rateLimiter: { hit: async () => undefined },
        publicKey: async () => publicKeyLine(publicKey),
        providerOf: async () => {
          throw new Error('There is no provider here.')
        },
      })
      methods = servers.methods ?? []
      return servers
    },
  })
  owner = await makeOrganization(running.documents, 'acme', {})
  await running.documents.transaction(systemSession(), (tx) =>
    tx.update(OrganizationDoctype, 'acme', { access_token_sha256_hash: hashToken('edo_right') }),
  )
})
afterAll(async () => {
  await running?.stop()
  await cloud?.close()
  await database?.drop()
})

const call = (name: string, params: Record<string, unknown>, token: string | null = 'edo_right:key') => {
  const method = methods.find((one) => one.name.endsWith(`.${name}`))
  if (!method) throw new Error(`There is no method ${name}`)
  return method.run({ organization: 'acme', ...params }, { machineToken: token, ip: '192.0.2.1' } as MethodContext)
}
const sites = () =>
  running.documents.transaction(systemSession(), (tx) => tx.list(SiteDoctype, [['organization', '=', 'acme']]))

test('a stock server announces itself and its sites, and is taken over without a change', async () => {
  for (const token of [null, '', ':', 'edo_wrong:key', 'edo_right '])
    await expect(call('get_server_list', {}, token)).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(call('get_server_list', { organization: 'globex' })).rejects.toMatchObject({ code: 'unauthorized' })
  expect(await call('get_server_list', {})).toEqual([])

  const keys = [publicKeyLine(publicKey)]
  const address = cloud.start({ name: 'stock', vcpu: 2, ramBytes: 4e9, diskBytes: 8e10, keys, userData: '' })
  const root = join(folder, String(address))
  const announced = { hostname: 'stock.example', public_ipv4: address, ee_version: '4.9.0' }
  const { name } = (await call('add_server', announced)) as { name: string }
  expect(await call('add_server', announced)).toEqual({ name })
  expect(await call('get_server_list', {})).toMatchObject([{ hostname: 'stock.example', public_ipv4: address }])

  const site = { domain: 'shop.example', server: 'stock.example', site_type: 'wp', enabled: '1', php_version: '8.3' }
  await call('add_site', site)
  await call('add_site', site)
  expect(await call('get_site_list', {})).toMatchObject([{ domain: 'shop.example' }])
  await expect(call('add_site', { ...site, server: 'unknown' })).rejects.toMatchObject({ field: 'server' })
  await expect(call('add_site', { ...site, domain: 'a b' })).rejects.toMatchObject({ field: 'domain' })

  await mkdir(join(root, 'opt/easyengine/db'), { recursive: true })
  await writeFile(join(root, 'opt/easyengine/db/ee.sqlite'), JSON.stringify(inventory))
  for (const program of ['ee', 'sqlite3', 'docker']) await symlink('machine-tools.sh', join(root, 'bin', program))
  const job = await running.documents.transaction(systemSession(), (tx) =>
    tx.find(JobDoctype, [['reference_name', '=', name]]),
  )
  const shown = await until(running.documents, JobDoctype, job?.name ?? '', (now) => shownIn(now?.steps) !== null)
  await running.documents.runAction(owner, 'Server', name, 'confirm_host_key', { fingerprint: shownIn(shown?.steps) })
  expect(await untilEnded(running.documents, job?.name ?? '')).toMatchObject({ status: 'Done' })
  const server = await running.documents.transaction(systemSession(), (tx) => tx.get(ServerDoctype, name))
  expect(server).toMatchObject({
    status: 'Healthy',
    easyengine: '4.10.2',
    is_imported_with_ee: 1,
    randomised_http_auth: null,
  })
  expect((await sites()).map(({ domain, status, php_version: php }) => [domain, status, php]).toSorted()).toEqual([
    ['old.example', 'Suspended', null],
    ['shop.example', 'Live', '8.3'],
  ])
})

const shownIn = (steps: unknown): string | null => /SHA256:[\w+/=]+/.exec(JSON.stringify(steps ?? ''))?.[0] ?? null

test('a list of sites is read or refused, never guessed', () => {
  expect(parseInventory('')).toEqual([])
  expect(parseInventory('[]')).toEqual([])
  expect(parseInventory('[{"site_url":1}]')).toBeNull()
  expect(parseInventory('Error: no such table')).toBeNull()
})
