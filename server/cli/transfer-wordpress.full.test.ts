import { thisMachine } from '#server/engines/site-ref.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { makeInstallation, type Installation } from '#tests/support/installation.ts'
import { exportCommand, importCommand } from './transfer.ts'
import { emptyDoc, insertRow } from '#server/documents/store/rows.ts'
import { startFixture, until } from '#server/engines/local/engine-fixture.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'
import { loadKeyring } from '#server/platform/secrets/keyring-source.ts'
import { machineId } from '#server/platform/processes/machine-id.ts'
import { migrate } from '#server/tables.ts'
import { finishInterruptedImport } from '#server/transfer/unfinished-import.ts'

const script = fileURLToPath(new URL('../../scripts/easydash.mjs', import.meta.url))
const post = "require 'wp-load.php'; wp_insert_post(['post_title' => 'Carried over', 'post_status' => 'publish']);"

let source: Installation
let into: Installation
let folder: string
const archive = () => join(folder, 'wordpress.export')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transfer-'))
  source = await makeInstallation()
  into = await makeInstallation()
  await openDataDir(source.dataDir)
  await openDataDir(into.dataDir)
  await migrate(source.database)
  await migrate(into.database)
  await loadKeyring({ dataDir: source.dataDir, secretKeys: null })
  await cp(join(source.dataDir, 'keys'), join(into.dataDir, 'keys'))
  const type = doctypes.find(({ name }) => name === 'Site')
  if (!type) throw new Error('Site')
  const now = '2026-01-02 03:04:05.000000'
  const accessContext = { owner: 'System', modified_by: 'System', creation: now, modified: now, organization: 'acme' }
  const host = { engine: 'local', engine_host: `local:${await machineId(source.dataDir)}`, server: 'server0001' }
  const blog = { name: 'blog000001', domain: 'blog', site_type: 'wp', status: 'Live' }
  await insertRow(source.database.db, type, { ...emptyDoc(type), ...accessContext, ...host, ...blog } as never, {})
})
afterAll(async () => {
  await source?.end()
  await into?.end()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** Runs the command as a separate process, and ends it with a signal once `isReached`. @returns exit code and signal */
async function cutOff(
  signal: NodeJS.Signals,
  isReached: () => boolean,
  installation: Installation,
  ...args: string[]
): Promise<unknown[]> {
  const env = { PATH: process.env['PATH'], ...installation.env }
  const child = spawn(process.execPath, [script, ...args], { env, stdio: 'ignore' })
  const exited = once(child, 'exit')
  const early = exited.then(([code]) => {
    throw new Error(`The command ended with ${code} before it was cut off.`)
  })
  await Promise.race([until(isReached), early])
  early.catch(() => undefined)
  child.kill(signal)
  return exited
}

const leftovers = async (installation: Installation) =>
  (await readdir(installation.dataDir)).filter((name) => /^(?:\.?export|import)/.test(name))

test('a WordPress site is exported while it runs, killed or not, and runs elsewhere', async () => {
  const fixture = await startFixture({ dataDir: source.dataDir })
  try {
    const blog = await fixture.create({ id: 'blog000001', domain: 'blog', siteType: 'wp' })
    await fixture.php(blog, post)

    await cutOff('SIGKILL', () => existsSync(`${archive()}.part`), source, 'export', archive())
    expect(existsSync(archive())).toBe(false)

    // Its process is running, and somebody is visiting it.
    const visit = fixture.fetch(blog, '/')
    await exportCommand([archive()], source.config, source.database, () => undefined)
    expect((await visit).status).toBe(200)
    expect(await leftovers(source)).toEqual([])
  } finally {
    await fixture.end()
  }

  const begun = () => existsSync(join(into.dataDir, 'local/sites/blog000001/www/wp-includes'))
  expect(await cutOff('SIGINT', begun, into, 'import', archive())).toEqual([1, null])
  expect(await leftovers(into)).toEqual([])
  expect(begun()).toBe(false)

  expect(await cutOff('SIGKILL', begun, into, 'import', archive())).toEqual([null, 'SIGKILL'])
  expect(await leftovers(into)).toEqual(['import.json'])
  expect(await finishInterruptedImport(into.dataDir, into.database.db)).toBe(true)
  expect(await readdir(join(into.dataDir, 'local/sites'))).toEqual([])
  const { rows } = await sql`select 1 from tab_site`.execute(into.database.db)
  expect(rows).toEqual([])

  await importCommand([archive()], into.config, into.database, () => undefined)
  expect(await leftovers(into)).toEqual([])
  const elsewhere = await startFixture({ dataDir: into.dataDir })
  try {
    expect((await elsewhere.fetch({ domain: 'blog' }, '/')).body).toContain('Carried over')
    const integrity =
      "echo (new PDO('sqlite:' . __DIR__ . '/wp-content/database/.ht.sqlite'))->query('pragma integrity_check')->fetchColumn();"
    const blog = { id: 'blog000001', domain: 'blog', siteType: 'wp', phpVersion: '8.3', server: thisMachine } as const
    expect(await elsewhere.php(blog, integrity)).toBe('ok')
  } finally {
    await elsewhere.end()
  }
}, 400_000)
