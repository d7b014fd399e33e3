import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '#tests/support/database.ts'
import { urlOf } from '#tests/support/product-database.ts'
import { diskFinding, doctor } from './doctor.ts'
import { diskSpace } from '#server/platform/files/disk-space.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { removePostgres, startPostgres } from '#server/platform/postgres/postgres.ts'
import { silentStep } from '#server/platform/steps.ts'
import { serveVendor } from '#server/providers/simulator/simulated-vendor.ts'
import { simulatedStripe } from '#server/providers/simulator/stripe/simulated-stripe.ts'
import { mysqlCapability } from '#server/engines/local/mysql/local-mysql.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'

let dataDir: string
/** Random, because what one test registers as a secret stays registered in the others. */
let canary: string
beforeEach(async () => {
  canary = `canary-${randomBytes(8).toString('hex')}`
  dataDir = await mkdtemp(join(tmpdir(), 'easydash-doctor-'))
  vi.stubEnv('EASYDASH_DATA_DIR', dataDir)
  vi.stubEnv('SMTP_URL', undefined)
  vi.stubEnv('EASYDASH_LOCAL_MYSQL_URL', undefined)
  // A closed port.
  vi.stubEnv('WORDPRESS_ORG_URL', 'http://127.0.0.1:9')
  vi.stubEnv('EASYDASH_CACHE_DIR', join(dataDir, 'cache'))
  vi.stubEnv('DATABASE_URL', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  process.exitCode = undefined
  await rm(dataDir, { recursive: true })
})

const report = async (...args: string[]) => {
  const lines: string[] = []
  await doctor((line) => lines.push(line), args)
  return lines
}

test('begins with its checks, then lists the settings, as with the option of earlier versions', async () => {
  const lines = await report()
  const end = lines.indexOf('')
  expect(lines.slice(0, end).filter((line) => !/^[✓!✗] /u.test(line))).toEqual([])
  expect(lines.slice(end + 1).filter((line) => !/^[A-Z_\d]+ .*\(.+\)$/.test(line))).toEqual([])
  expect(lines.slice(end)).toEqual((await report('--settings')).slice(-lines.slice(end).length))
})

test('reports the space that is left for data, and fails below 1 GB', async () => {
  const { free } = await diskSpace(dataDir)
  const space = new RegExp(`^[✓✗] Data folder ${RegExp.escape(dataDir)}: (\\d+\\.\\d) GB free`)
  const [line] = (await report()).filter((one) => one.includes('Data folder'))
  // Other programs use the disk, too.
  expect(Math.abs(Number(space.exec(line ?? '')?.[1]) - free / 1024 ** 3)).toBeLessThan(5)
  expect(line?.startsWith(free > 1024 ** 3 ? '✓' : '✗')).toBe(true)
  expect(diskFinding('/data', 1.25 * 1024 ** 3)).toEqual({ ok: true, text: 'Data folder /data: 1.3 GB free' })
  expect(diskFinding('/data', 0.5 * 1024 ** 3)).toEqual({
    ok: false,
    text: 'Data folder /data: 0.5 GB free, at least 1 GB is needed',
  })
})

test('reports whether mail leaves, where WordPress comes from, and a wrong clock', async () => {
  expect(await report()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^! Mail: no server is set \(SMTP_URL\)/),
      expect.stringMatching(
        /^! WordPress: 127\.0\.0\.1:9 does not respond, so new sites start with the release of the package/,
      ),
    ]),
  )
  vi.stubEnv('SMTP_URL', `smtp://ann:${canary}@127.0.0.1:9`)
  const lines = await report()
  expect(lines).toContainEqual(expect.stringMatching(/^✗ Mail: 127\.0\.0\.1 cannot be used \(ECONNREFUSED|ESOCKET/))
  expect(lines.join('\n')).not.toContain(canary)
  expect(process.exitCode).toBe(1)
  let date = new Date()
  const server = createServer((_request, response) => {
    response.setHeader('date', date.toUTCString())
    response.end(JSON.stringify({ offers: [{ version: '6.9.1' }] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    vi.stubEnv('WORDPRESS_ORG_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(await report()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^✓ WordPress: .* offers 6\.9\.1/), '✓ Clock: right']),
    )
    date = new Date(Date.now() + 90_000)
    expect(await report()).toContainEqual(expect.stringMatching(/^✗ Clock: (?:89|90|91) seconds behind/))
  } finally {
    server.close()
  }
})

test('reports which rights the key of the payment provider lacks', async () => {
  const keys = { secretKey: 'rk_test_a', publishableKey: 'pk_test_a', webhookSecret: 'whsec_a' }
  const simulated = simulatedStripe({ ...keys, now: Date.now })
  const denied: string[] = []
  const body = { error: { type: 'invalid_request_error', message: 'The provided key lacks a permission.' } }
  const vendor = await serveVendor((request) =>
    denied.some((list) => request.path.startsWith(`/v1/${list}?`))
      ? { status: 403, body }
      : simulated.respond(request, null),
  )
  try {
    vi.stubEnv('STRIPE_PUBLISHABLE_KEY', keys.publishableKey)
    vi.stubEnv('STRIPE_API_BASE', vendor.url)
    const rights = async () => {
      // Secrets are removed from the environment when they are read.
      vi.stubEnv('STRIPE_SECRET_KEY', keys.secretKey)
      vi.stubEnv('STRIPE_WEBHOOK_SECRET', keys.webhookSecret)
      return (await report()).filter((line) => line.includes('no right'))
    }
    expect(await rights()).toEqual([])
    denied.push('charges')
    expect(await rights()).toEqual([expect.stringMatching(/^! Payments: .* no right to read charges, so/)])
    denied.push('disputes')
    expect(await rights()).toEqual([expect.stringMatching(/^! Payments: .* to read charges and disputes, so/)])
    expect(process.exitCode).toBeUndefined()
  } finally {
    await vendor.close()
  }
})

test('reports whether local sites can be on MySQL', async () => {
  const programs = await findMysql()
  const expected = mysqlCapability(programs, null).supported
    ? /^✓ MySQL: \S+ \S+ is installed/
    : /^✓ MySQL: local sites use SQLite only\. \S/
  expect(await report()).toContainEqual(expect.stringMatching(expected))
  vi.stubEnv('EASYDASH_LOCAL_MYSQL_URL', `mysql://root:${canary}@127.0.0.1:9`)
  const lines = await report()
  const unreachable =
    programs === null ? /^! MySQL: local sites use SQLite only/ : /^✗ MySQL: 127\.0\.0\.1:9 cannot be used \(ERROR/
  expect(lines).toContainEqual(expect.stringMatching(unreachable))
  expect(lines.join('\n')).not.toContain(canary)
})

test('lists settings with their source, no secret among them, and follows a database that moved out', async () => {
  const elsewhere = '/var/lib/easydash/0123456789ab'
  await writeFile(join(dataDir, 'postgres.json'), JSON.stringify({ version: 1, instance: elsewhere, created: false }))
  vi.stubEnv('SMTP_URL', `smtp://ann:${canary}@127.0.0.1:9`)
  const lines = await report()
  expect(lines[0]).toMatch(/^✓ Easydash \d+\.\d+\.\d+.*, Node \d+/)
  expect(lines).toContainEqual(expect.stringMatching(/^EASYDASH_DATA_DIR .*\(environment\)$/))
  expect(lines).toContainEqual(expect.stringMatching(/^SMTP_URL +\*+ +\(environment\)$/))
  expect(lines.join('\n')).not.toContain(canary)
  expect(lines).toContain(`✓ Database with parts outside the data folder: ${elsewhere}`)
})

test('reports what its role can do in the operator’s own database', async () => {
  const server = await createTestDatabase()
  try {
    vi.stubEnv('DATABASE_URL', server.connectionString)
    const { rows } = await server.database.pool.query<{ server_version: string }>('show server_version')
    const lines = await report()
    expect(lines).toContain(`✓ PostgreSQL ${rows[0]?.server_version}`)
    expect(lines).toContainEqual(
      `✓ The role ${server.connection.user} owns its database and can do nothing else on that server`,
    )
    vi.stubEnv('DATABASE_URL', urlOf(server.superuser))
    expect(await report()).toContainEqual(
      expect.stringMatching(/^! The role easydash can do more .*superuser.*DATABASE_URL/),
    )
    expect(process.exitCode).toBeUndefined()
    expect((await report()).join('\n')).not.toContain(server.superuser.password)
  } finally {
    await server.drop()
  }
})

test('reports what its role can do in the built-in database, and the account it runs as', async () => {
  await chmod(dataDir, 0o711)
  const postgres = await startPostgres({ dataDir, log: silentLog, step: silentStep })
  await postgres.stop()
  await writeFile(join(dataDir, 'keys'), `v1:${randomBytes(32).toString('base64')}`, { mode: 0o600 })
  try {
    const lines = await report()
    expect(lines).toContainEqual(expect.stringMatching(/^✓ The role easydash_app owns its database/))
    expect(lines.join('\n')).not.toContain(postgres.connection.password)
    expect(lines.join('\n')).not.toContain('nobody')
  } finally {
    await removePostgres(dataDir)
  }
})

test('warns about secrets that other users can read', async () => {
  vi.stubEnv('EASYDASH_SECRET_KEYS', `v1:${randomBytes(32).toString('base64')}`)
  expect(await report()).toContainEqual(expect.stringMatching(/^! The secret keys come from the environment/))
  const folder = process.cwd()
  process.chdir(dataDir)
  try {
    vi.stubEnv('EASYDASH_SECRET_KEYS', undefined)
    await writeFile('.env', 'EASYDASH_METRICS_TOKEN=canary', { mode: 0o644 })
    expect(await report()).toContainEqual(expect.stringMatching(/^! The file \.env contains secrets .*chmod 600/))
    await chmod('.env', 0o600)
    expect((await report()).join('\n')).not.toContain('.env contains')
  } finally {
    process.chdir(folder)
  }
})

test('names settings that do not exist, and not those of tests', async () => {
  vi.stubEnv('EASYDASH_SIGN_UP', 'open')
  vi.stubEnv('EASYDASH_TEST_LONG', '1')
  const lines = await report()
  expect(lines.filter((line) => line.includes('is not a setting'))).toEqual([
    expect.stringMatching(/^! EASYDASH_SIGN_UP is not a setting and is ignored\./),
  ])
  expect(process.exitCode).toBeUndefined()
})

test('reports a damaged record of the database location', async () => {
  await writeFile(join(dataDir, 'postgres.json'), '{')
  expect(await report()).toContainEqual(expect.stringMatching(/^✗ The file .*postgres\.json/))
  expect(process.exitCode).toBe(1)
})

test('a sites domain below the dashboard’s own is refused: cookies would be shared', async () => {
  vi.stubEnv('EASYDASH_URL', 'https://dash.example.com')
  vi.stubEnv('EASYDASH_LOCAL_SITES_DOMAIN', 'sites.example.com')
  expect(await report()).toContainEqual(expect.stringMatching(/^✗ Local sites \(sites\.example\.com\) share a domain/))
  expect(process.exitCode).toBe(1)
  vi.stubEnv('EASYDASH_LOCAL_SITES_DOMAIN', 'sites.example.net')
  expect(await report()).toContainEqual('✓ Local sites answer below sites.example.net')
})

test('a browser for screenshots that is missing is worth a look, and no failure', async () => {
  vi.stubEnv('EASYDASH_BROWSER', join(dataDir, 'no-chromium'))
  expect(await report()).toContainEqual(expect.stringMatching(/^! Screenshots: .*EASYDASH_BROWSER$/))
  expect(process.exitCode).toBeUndefined()
  vi.stubEnv('EASYDASH_BROWSER', process.execPath)
  expect(await report()).toContainEqual('✓ Screenshots: a browser is available')
  const failed = { kind: 'sandbox', at: Date.UTC(2026, 0, 2, 3, 4, 5) }
  await mkdir(join(dataDir, 'local'))
  await writeFile(join(dataDir, 'local', 'browser-trouble.json'), JSON.stringify(failed))
  expect(await report()).toContainEqual(
    expect.stringMatching(/^! Screenshots: the last start .* \(2026-01-02T03:04:05Z\)\. .*sandbox/),
  )
  expect(process.exitCode).toBeUndefined()
  vi.stubEnv('EASYDASH_THUMBNAILS', 'off')
  expect(await report()).toContainEqual('✓ Screenshots are turned off')
})

test('a site whose record cannot be used is named', async () => {
  const site = join(dataDir, 'local', 'sites', 'abcdefghij')
  await mkdir(site, { recursive: true })
  await writeFile(join(site, 'site.json'), '{"id')
  expect(await report()).toContainEqual(
    `✗ The site in ${site} is left out: its site.json is damaged. Put its site.json back from a backup, then start again`,
  )
  expect(process.exitCode).toBe(1)
})

test('a data folder that is none is one finding among the others', async () => {
  const file = join(dataDir, 'file')
  await writeFile(file, '')
  vi.stubEnv('EASYDASH_DATA_DIR', file)
  vi.stubEnv('EASYDASH_BROWSER', process.execPath)
  const lines = await report()
  expect(lines).toContainEqual(expect.stringMatching(/^✗ The data folder .* cannot be used/))
  expect(lines).toContainEqual(expect.stringMatching(/^✗ The local sites in .* cannot be read \(ENOTDIR\)$/))
  expect(lines).toContainEqual(expect.stringMatching(/^✓ Local sites answer/))
  expect(process.exitCode).toBe(1)
})

test('says how local sites are kept from the machine', async () => {
  expect(await report()).toContainEqual(expect.stringMatching(/^[✓!] Local sites run (?:in bubblewrap|with|without)/))
})
