/** What a stock EasyEngine sends: JSON and its own header, without a cookie. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Jobs } from '#server/contracts/job.ts'
import { easyengineMethods } from '#server/features/servers/easyengine/callbacks.ts'
import type { ServersContext } from '#server/features/servers/servers-context.ts'
import { dashAuthOf, eeBackupMethods } from '#server/features/sites/backups/ee-callbacks.ts'
import { expectedReportTable } from '#server/features/sites/backups/expected-reports.ts'
import type { SitesDeps } from '#server/features/sites/deps.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'
import { createTestMachine } from '#server/providers/simulator/easyengine/easyengine-fixture.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { plainOrganizationSecrets } from '#tests/support/secrets.ts'
import { boot, type Booted } from './booted.ts'

let booted: Booted
const machine = createTestMachine()
const begun: string[] = []

const deps = {
  documents: () => booted.documents,
  secrets: plainOrganizationSecrets,
  rateLimiter: { hit: async () => undefined },
  jobs: () => ({ enqueue: async (_tx, { type }) => `job${begun.push(type)}` }) as Pick<Jobs, 'enqueue'>,
} as unknown as ServersContext['deps'] & SitesDeps

beforeAll(async () => {
  booted = await boot({
    methods: [...easyengineMethods({ deps } as unknown as ServersContext), ...eeBackupMethods(deps)],
  })
  await booted.organization('acme')
  await booted.documents.transaction(booted.system, async (tx) => {
    await expectedReportTable(tx.trx)
    await tx.update(OrganizationDoctype, 'acme', { access_token_sha256_hash: hashToken('edo_right') })
  })
})
afterAll(async () => {
  machine.remove()
  await booted?.close()
  expect(booted?.logged).toEqual([])
})

/** Source: EasyEngine/dash-command, src/Dash_Command.php. */
async function post(
  name: 'server.get_server_list' | 'server.add_server' | 'site.get_site_list' | 'site.add_site',
  sent: object,
  token = 'edo_right:key',
) {
  const [doctype] = name.split('.')
  const response = await fetch(`${booted.url}/api/method/easydash.easydash.doctype.${doctype}.${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Token: token },
    body: JSON.stringify({ organization: 'acme', ...sent }),
  })
  expect(response.headers.getSetCookie().filter((one) => /^sid=(?!Guest)/.test(one))).toEqual([])
  return { status: response.status, ...((await response.json()) as { message?: unknown }) }
}
const site = {
  ...{
    domain: 'shop.example',
    server: 'stock.example',
    site_type: 'wp',
    enabled: true,
    alias_domains: 'www.shop.example',
  },
  ...{ ssl: true, http_basic_auth: false, admin_tools: '0', mailhog: 0, php_version: '8.4', public_directory: '' },
  ...{ enable_database: true, redis_cache: '1', multisite: 'subdir', table_prefix: 'wp_' },
}

test('`ee dash init` announces its server, and its sites when it runs again', async () => {
  const server = { hostname: 'stock.example', public_ipv4: '192.0.2.7', ee_version: '4.10.2' }
  expect(await post('server.get_server_list', {})).toEqual({ status: 200, message: [] })
  expect(await post('server.add_server', server)).toMatchObject({ status: 200, message: { name: expect.any(String) } })
  expect(begun).toEqual(['server.create'])
  expect(await post('server.get_server_list', {})).toMatchObject({ message: [{ public_ipv4: '192.0.2.7' }] })
  expect(await post('site.get_site_list', {})).toEqual({ status: 200, message: [] })
  expect(await post('site.add_site', site)).toMatchObject({ status: 200 })
  // What EasyEngine says of a plain HTML site.
  const plain = { ...site, domain: 'plain.example', site_type: 'html', enabled: false, alias_domains: '', multisite: 0 }
  const unset = { ssl: false, admin_tools: null, mailhog: null, php_version: null, redis_cache: null, table_prefix: '' }
  expect(await post('site.add_site', { ...plain, ...unset, enable_database: false })).toMatchObject({ status: 200 })
  expect(await post('site.get_site_list', {})).toMatchObject({
    message: expect.arrayContaining([
      expect.objectContaining({ domain: 'shop.example' }),
      expect.objectContaining({ domain: 'plain.example' }),
    ]),
  })
  const kept = await booted.documents.transaction(booted.system, async (tx) => ({
    server: await tx.find(ServerDoctype, [['hostname', '=', 'stock.example']]),
    sites: await tx.list(SiteDoctype, [['organization', '=', 'acme']], { order_by: 'domain asc' }),
  }))
  expect(kept).toMatchObject({
    server: { public_ipv4: '192.0.2.7', easyengine: '4.10.2' },
    sites: [
      { domain: 'plain.example', site_type: 'html', status: 'Suspended' },
      { domain: 'shop.example', site_type: 'wp', status: 'Live', php_version: '8.4' },
    ],
  })
})

test('a wrong token is refused by each, whatever it announces', async () => {
  for (const name of ['server.get_server_list', 'server.add_server', 'site.get_site_list', 'site.add_site'] as const)
    for (const token of ['edo_wrong:key', ''])
      expect([
        name,
        (await post(name, { ...site, hostname: 'x.example', public_ipv4: '192.0.2.8' }, token)).status,
      ]).toEqual([name, 401])
})

test('by GET none of them exists', async () => {
  const names = [
    'server.server.get_server_list',
    'server.server.add_server',
    'site.site.get_site_list',
    'site.site.add_site',
  ]
  const reports = ['success', 'failure'].map((end) => `site_backup.site_backup.on_ee_backup_${end}`)
  for (const name of [...names, ...reports]) {
    const address = `${booted.url}/api/method/easydash.easydash.doctype.${name}?organization=acme`
    const response = await fetch(address, { headers: { Token: 'edo_right:key' } })
    expect([name, response.status]).toEqual([name, 403])
    expect(await response.json()).toMatchObject({ exc_type: 'PermissionError' })
  }
})

test('`ee site backup --dash-auth` reports a backup that it made, and one that failed', async () => {
  const found = await booted.documents.transaction(booted.system, (tx) =>
    tx.find(SiteDoctype, [['domain', '=', 'shop.example']]),
  )
  if (!found) throw new Error('The site was not added.')
  const backup = async () => {
    const { dash_auth: auth } = await booted.documents.transaction(booted.system, (tx) => dashAuthOf(deps, tx, found))
    return machine.ee(`site backup shop.example --dash-auth=${auth}`)
  }
  await machine.site('shop.example')
  await machine.ee(`config set ed-api-url ${booted.url}/api/method/`)
  expect((await backup()).err).toContain('rclone is not installed.')
  machine.write('bin/rclone', '')
  machine.write('root/.config/rclone/rclone.conf', '[store]\ntype = s3\nprovider = Other\n')
  await machine.ee('config set rclone-path store:bucket/prefix')
  expect((await backup()).out).toContain('EasyEngine Dashboard callback sent successfully.')
  const backups = await booted.documents.transaction(booted.system, (tx) =>
    tx.list(SiteBackupDoctype, [['site', '=', found.name]], { order_by: 'creation asc' }),
  )
  expect(backups).toMatchObject([
    { status: 'Failed', error_message: expect.stringContaining('configuration_error 2001') },
    {
      status: 'Ready',
      store: 'easyengine',
      remote_path: expect.stringContaining('shop.example'),
      counts: { posts: 1 },
    },
  ])
  // A key of nothing says no more than any other wrong one.
  const wrong = await machine.ee('site backup shop.example --dash-auth=nosuchsite-0123456789:x')
  expect(wrong.err).toContain('EasyEngine Dashboard callback failed with HTTP 401.')
  expect(machine.violations()).toEqual([])
})
