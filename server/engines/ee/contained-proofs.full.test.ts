import { createWriteStream } from 'node:fs'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { SiteSpec } from '../engine.ts'
import type { ContainedProof, ContainedProofs } from '../site-backups.ts'

let t: EeServer
let number = 0

beforeAll(async () => {
  t = await startEeServer()
}, 120_000)
afterAll(() => t?.end())

function proofs(): ContainedProofs {
  const { contained } = t.engine.backups
  if (contained === undefined) throw new Error('There are no proofs in containers.')
  return contained
}

/** A backup of a site. */
async function backupOf(site: SiteSpec): Promise<ContainedProof> {
  number += 1
  const archive = join(t.root, `${number}.tar.zst`)
  await runSteps(t.engine.backups.packSteps(site))
  const { file } = await t.engine.backups.packed(site)
  await pipeline(Readable.from(file.open()), createWriteStream(archive))
  return { id: `backup${String(number).padStart(4, '0')}`, archive }
}

/** What is seen of a backup in containers, which stay. */
const seenOf = (site: SiteSpec, proof: ContainedProof) =>
  proofs().prove(site, proof, {
    ...{ operationId: proof.id, log: () => undefined, progress: () => undefined },
    signal: AbortSignal.timeout(120_000),
  })

/** The same, and they are removed again. */
async function verdictOn(site: SiteSpec, proof: ContainedProof) {
  const verdict = await seenOf(site, proof)
  await proofs().remove(site, proof.id)
  return verdict
}

const left = async () => ({
  folders: await readdir(join(t.root, 'var/lib/easydash/proofs')),
  containers: await readdir(join(t.root, 'var/lib/simulated/containers')),
})
const nothing = { folders: [], containers: [] }

test('a backup of a WordPress is proven on its server, in containers that have no network and end', async () => {
  const site = await t.create({ siteType: 'wp', title: 'Kept' })
  const { defects, seen, inconclusive } = await verdictOn(site, await backupOf(site))
  expect([defects, inconclusive]).toEqual([[], null])
  expect(seen.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['tables', 'rows', 'users', 'prefix', 'address', 'keys', 'login', 'visited']),
  )
  expect(seen.filter(({ expected, found }) => expected !== found)).toEqual([])
  expect(seen.find(({ what }) => what === 'tables')).toMatchObject({ expected: 12 })
  expect(await left()).toEqual(nothing)
  expect(await t.violations()).toEqual([])
}, 120_000)

test('nothing of it reaches the site', async () => {
  const site = await t.create({ siteType: 'wp' })
  const proof = await backupOf(site)
  const root = join(t.root, 'opt/easyengine/sites', site.domain, 'app')
  const databases = join(t.root, 'var/lib/simulated/databases')
  const [name = ''] = (await readdir(databases)).filter((one) => one.includes(site.id))
  const now = async () => [
    await readFile(join(root, 'wp-config.php'), 'utf8'),
    await readFile(join(databases, name), 'utf8'),
    (await readdir(root)).toSorted(),
  ]
  const before = await now()
  await seenOf(site, proof)
  expect(await now()).toEqual(before)
  const made = await readFile(join(t.root, 'var/lib/easydash/proofs', proof.id, 'app/wp-config.php'), 'utf8')
  const secret = /'DB_PASSWORD', '(\w+)'/.exec(made)?.[1] ?? ''
  expect(secret).toHaveLength(48)
  expect(before[0]).not.toContain(secret)
  await proofs().remove(site, proof.id)
}, 120_000)

test('rows that are missing after loading, and a database that can’t be loaded, are defects', async () => {
  const site = await t.create({ siteType: 'wp' })
  const proof = await backupOf(site)
  await t.setTraps('loses_rows=posts')
  const { defects } = await verdictOn(site, proof)
  expect(defects).toMatchObject([
    {
      defect: 'A table has another number of rows than when it was backed up',
      evidence: expect.stringContaining('posts: 0'),
    },
  ])
  // What the machine ended is none of its faults.
  await t.setTraps('loses_rows=posts', `container_killed=easydash-proof-${proof.id}-db`)
  await expect(seenOf(site, proof)).rejects.toMatchObject({ code: 'unavailable' })
  await t.setTraps('load_fails')
  expect((await verdictOn(site, proof)).defects).toEqual([
    {
      defect: 'The database can’t be loaded',
      evidence: 'ERROR 1064 (42000) at line 1: You have an error in your SQL syntax',
    },
  ])
  await t.setTraps()
  expect(await left()).toEqual(nothing)
}, 120_000)

test('code that fails there is a defect, and a site that does not run an error', async () => {
  const site = await t.create({ siteType: 'wp' })
  const proof = await backupOf(site)
  await t.setTraps('php_fatal')
  const { defects } = await verdictOn(site, proof)
  await t.setTraps()
  expect(defects.map(({ defect }) => defect)).toContain('A page answers with another status than when it was backed up')
  await t.ee('site', 'disable', site.domain)
  await expect(seenOf(site, proof)).rejects.toMatchObject({ code: 'conflict' })
}, 120_000)

test('one that is begun again begins anew, and what nobody ended is removed with the next', async () => {
  const site = await t.create({ siteType: 'wp' })
  const [first, second] = [await backupOf(site), await backupOf(site)]
  expect((await seenOf(site, first)).defects).toEqual([])
  expect((await seenOf(site, first)).defects).toEqual([])
  const old = new Date(Date.now() - 2 * 86_400_000)
  await utimes(join(t.root, 'var/lib/easydash/proofs', first.id), old, old)
  await seenOf(site, second)
  expect((await left()).folders).toEqual([second.id])
  await proofs().remove(site, second.id)
  expect(await left()).toEqual(nothing)
}, 120_000)

test('a PHP site finds its database by the login that is in its code', async () => {
  const site = await t.create({ siteType: 'php', withDatabase: true })
  const folder = join(t.root, 'var/lib/simulated/databases')
  const [name = ''] = (await readdir(folder)).filter((one) => one.includes(site.id))
  const orders = 'CREATE TABLE `orders` (\n  `id` int\n);\nINSERT INTO `orders` VALUES (1),(2);'
  await writeFile(join(folder, name), JSON.stringify({ tables: { orders }, routines: [] }))
  const { defects, seen, inconclusive } = await verdictOn(site, await backupOf(site))
  expect([defects, inconclusive]).toEqual([[], null])
  expect(seen).toMatchObject([{ what: 'tables', found: 1 }, { what: 'rows', found: 2 }, { what: 'visited' }])
  expect(await t.violations()).toEqual([])
}, 120_000)
