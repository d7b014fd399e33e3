import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { makeInstallation, type Installation } from '#tests/support/installation.ts'
import { exportCommand, importCheckCommand, importCommand } from './transfer.ts'
import { emptyDoc, insertRow } from '#server/documents/store/rows.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'
import { loadKeyring } from '#server/platform/secrets/keyring-source.ts'
import { machineId } from '#server/platform/processes/machine-id.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { migrate } from '#server/tables.ts'

/** One unreadable site must not prevent the export of everything else, and must not be omitted silently. */
const sites = { plain: 'plain00001', wild: 'wild000001' }
let source: Installation
let folder: string
let host: string
const opened: Installation[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'without-'))
  source = await installation()
  host = `local:${await machineId(source.dataDir)}`
  await loadKeyring({ dataDir: source.dataDir, secretKeys: null })
  const type = doctypes.find(({ name }) => name === 'Site')
  if (!type) throw new Error('Site')
  const now = '2026-01-02 03:04:05.000000'
  const accessContext = { owner: 'System', modified_by: 'System', creation: now, modified: now, organization: 'acme' }
  for (const [domain, name] of Object.entries(sites)) {
    const values = {
      ...accessContext,
      name,
      domain,
      engine: 'local',
      engine_host: host,
      site_type: 'html',
      status: 'Live',
    }
    await insertRow(source.database.db, type, { ...emptyDoc(type), ...values } as never, {})
    await mkdir(join(at(name), 'www'), { recursive: true })
    await writeFile(join(at(name), 'www', 'index.html'), domain)
    const record = { id: name, domain, siteType: 'html', phpVersion: '8.4', state: 'ready' }
    await writeFile(join(at(name), 'site.json'), JSON.stringify(record))
  }
  await cp(at(sites.wild), join(folder, 'whole'), { recursive: true })
})
afterEach(async () => {
  await rm(at(sites.wild), { recursive: true, force: true })
  await cp(join(folder, 'whole'), at(sites.wild), { recursive: true })
})
afterAll(async () => {
  for (const one of opened) await one.end()
  await rm(folder, { recursive: true, force: true })
})

const at = (name: string, { dataDir } = source) => join(dataDir, 'local', 'sites', name)

async function installation(): Promise<Installation> {
  const made = await makeInstallation()
  opened.push(made)
  await openDataDir(made.dataDir)
  await migrate(made.database)
  return made
}

async function exported(...more: string[]): Promise<{ file: string; output: string[]; isWhole: boolean }> {
  const file = join(folder, `${randomBytes(4).toString('hex')}.export`)
  const output: string[] = []
  const isWhole = await exportCommand([file, ...more], source.config, source.database, (line) => output.push(line))
  return { file, output, isWhole }
}

test.each<[string, () => Promise<unknown>, RegExp]>([
  ['its record is damaged', () => writeFile(join(at(sites.wild), 'site.json'), '{"id'), /record is damaged/],
  [
    'its record cannot be read',
    async () => {
      await rm(join(at(sites.wild), 'site.json'))
      await mkdir(join(at(sites.wild), 'site.json'))
    },
    /\(EISDIR\)/,
  ],
  [
    'its folder was swapped for a link',
    async () => {
      await rename(at(sites.wild), join(folder, 'moved'))
      await symlink(join(folder, 'moved'), at(sites.wild))
    },
    /wild000001 is missing, or not what/,
  ],
  ['its files are gone', () => rm(join(at(sites.wild), 'www'), { recursive: true }), /wild000001\/www is missing/],
  [
    'a file of it has a name that is no text',
    () => writeFile(Buffer.concat([Buffer.from(join(at(sites.wild), 'www') + '/'), Buffer.from([0xff])]), ''),
    /a name that is no text/,
  ],
])('a failed export names the site and the next action: %s', async (_what, damage, reason) => {
  await damage()
  const error = await exported().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StartupError)
  const { message, nextAction } = error as StartupError
  expect(message).toMatch(/^The site wild cannot be exported\. /)
  expect(message).toMatch(reason)
  expect(nextAction).toContain('--without wild')
  expect((await exported('--without', 'wild')).output).toContain('Site plain')
})

test('omitted sites are reported by export, check and import, and are not Live', async () => {
  await rm(join(at(sites.wild), 'www'), { recursive: true })
  await sql`update tab_site set status = 'Archiving' where name = ${sites.wild}`.execute(source.database.db)
  const { file, output, isWhole } = await exported('--without=wild', '--without', sites.wild)
  await sql`update tab_site set status = 'Live' where name = ${sites.wild}`.execute(source.database.db)
  const summary = 'NOT included, as requested: the files of 1 site: wild (wild000001).'
  expect(output.at(-1)).toBe(summary)
  expect(isWhole).toBe(false)
  const { rows: log } = await sql<{ after: unknown }>`select after from tab_activity
    where action = 'Installation.export' order by sequence desc limit 1`.execute(source.database.db)
  expect(log).toEqual([{ after: { without: ['wild', sites.wild] } }])

  const into = await installation()
  await cp(join(source.dataDir, 'keys'), join(into.dataDir, 'keys'))
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  expect(await importCheckCommand([file, '--check'], into.config, print)).toBe(false)
  expect(lines[0]).toMatch(/^The archive is undamaged, without/)
  expect(lines.at(-1)).toBe(summary)
  expect(await importCommand([file], into.config, into.database, print)).toBe(false)
  expect(lines.at(-1)).toBe(summary)
  const { rows } = await sql`select domain, status, health, locked_by_job,
    failure_reason like 'The files of this site were left out%' as summary from tab_site order by name`.execute(
    into.database.db,
  )
  expect(rows).toEqual([
    { domain: 'plain', status: 'Live', health: 'Not Checked', locked_by_job: null, summary: null },
    { domain: 'wild', status: 'Failed', health: 'Down', locked_by_job: null, summary: true },
  ])
  expect(existsSync(join(at(sites.plain, into), 'www', 'index.html'))).toBe(true)
  expect(existsSync(at(sites.wild, into))).toBe(false)
})

test('a whole export is whole, and what cannot be left out is refused', async () => {
  const { file, output, isWhole } = await exported()
  expect(isWhole).toBe(true)
  expect(output.join('\n')).not.toContain('NOT in it')
  await expect(exported('--without', 'nobody')).rejects.toThrow('--without names nobody')
  await sql`update tab_site set domain = ${sites.wild} where name = ${sites.plain}`.execute(source.database.db)
  await expect(exported('--without', sites.wild)).rejects.toThrow('one of several sites: plain00001, wild000001')
  await sql`update tab_site set domain = 'plain' where name = ${sites.plain}`.execute(source.database.db)
  await expect(exported('--with-all')).rejects.toThrow("Unknown option '--with-all'")
  await expect(exported('another-file')).rejects.toThrow('One file must be named')
  expect(existsSync(file)).toBe(true)
})

test('the command that leaves something out ends with a code of its own', async () => {
  const file = join(folder, 'coded.export')
  const command = join(import.meta.dirname, '../../scripts/easydash.mjs')
  const env = { PATH: process.env['PATH'], ...source.env }
  const child = spawn(process.execPath, [command, 'export', file, '--without', 'wild'], { env, stdio: 'ignore' })
  expect(await once(child, 'exit')).toEqual([2, null])
  expect(existsSync(file)).toBe(true)
})
