import { createWriteStream } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { MultisiteKind } from '#shared/rules/multisite.ts'
import { membersOf } from '../archive-members.ts'
import type { EngineStep, SiteSpec } from '../engine.ts'

let t: EeServer

beforeAll(async () => {
  t = await startEeServer()
}, 120_000)
afterAll(() => t?.end())

const create = async (id: string, multisite?: MultisiteKind): Promise<SiteSpec> => {
  const more = multisite === undefined ? {} : { multisite }
  const site = eeSpec(t.server, { id, domain: `${id}.example.com`, title: 'Kept', ...more })
  await runSteps(t.engine.createSteps(site))
  return site
}
const packed = async (site: SiteSpec) => {
  await runSteps(t.engine.backups.packSteps(site))
  const { file, manifest } = await t.engine.backups.packed(site)
  const archive = join(t.root, `${site.id}.tar.zst`)
  await pipeline(file.open(), createWriteStream(archive))
  await t.engine.backups.removePacked(site)
  return { archive, manifest }
}
const memberOf = async (archive: string, name: string) => {
  for await (const { header, content } of membersOf(archive)) {
    const text = Buffer.concat(await Array.fromAsync(Readable.from(content) as AsyncIterable<Buffer>)).toString()
    if (header.name === name) return text
  }
  return ''
}
interface State {
  options: Record<string, string>
  tables?: Record<string, string>
}
/** Changes the simulated database of a site. */
const change = async (site: SiteSpec, how: (state: State) => void) => {
  const folder = join(t.root, 'var/lib/simulated/databases')
  const path = join(folder, (await readdir(folder)).find((name) => name.includes(site.id)) ?? '')
  const state = JSON.parse(await readFile(path, 'utf8')) as State
  how(state)
  await writeFile(path, JSON.stringify(state))
  return state
}
const run = (steps: readonly EngineStep[], operation: string) =>
  runSteps(steps, AbortSignal.timeout(300_000), operation)

test('a network is backed up with all of its sites, and they come back in its place', async () => {
  const site = await create('network001', 'subdir')
  expect(await t.engine.wordpress.inspect(site)).toMatchObject({ multisite: true, sites: { subdomains: false } })
  const shop = 'CREATE TABLE `wp_2_posts` (`ID` int);\nINSERT INTO `wp_2_posts` VALUES (1),(2);'
  await change(site, (state) => void (state.tables = { wp_2_posts: shop }))
  const { archive, manifest } = await packed(site)
  expect(manifest).toMatchObject({ network: 'subdir', tables: { wp_2_posts: 2, wp_blogs: 1, wp_sitemeta: 4 } })
  const config = await memberOf(archive, 'files/wp-config.php')
  for (const line of ["'MULTISITE', true", "'SUBDOMAIN_INSTALL', false", `'DOMAIN_CURRENT_SITE', '${site.domain}'`])
    expect(config).toContain(line)
  await change(site, (state) => {
    state.options['blogname'] = 'Changed'
    delete state.tables
  })
  const { restores } = t.engine
  await run(restores.restoreSteps(site, { rehearsal: site, archive }, 'all'), 'restore')
  await restores.finishRestore(site)
  expect(await change(site, () => undefined)).toMatchObject({
    options: { blogname: 'Kept' },
    tables: { wp_2_posts: shop },
  })
  await run(restores.bringBackSteps(site), 'back')
  await restores.finishRestore(site)
  expect((await change(site, () => undefined)).options['blogname']).toBe('Changed')

  const single = await create('single0001')
  await change(single, (state) => void (state.tables = { wp_sitemeta: 'CREATE TABLE `wp_sitemeta` (`a` int);' }))
  const other = await packed(single)
  expect(other.manifest).toMatchObject({ network: null, tables: { wp_sitemeta: 0 } })
  for (const [to, from] of [
    [site, other.archive],
    [single, archive],
  ] as const)
    await expect(
      run(restores.restoreSteps(to, { rehearsal: to, archive: from }, 'all'), 'differ'),
    ).rejects.toMatchObject({
      ...{ code: 'conflict', message: 'The site and its backup differ: one of them is a network of sites.' },
    })
  expect(await t.violations()).toEqual([])
}, 300_000)

test('what a network on a server can’t do has a reason before anything is there', async () => {
  const site = await create('network002', 'subdom')
  const { archive, manifest } = await packed(site)
  expect(manifest).toMatchObject({ network: 'subdom' })
  expect(await memberOf(archive, 'files/wp-config.php')).toContain("'SUBDOMAIN_INSTALL', true")
  expect(await memberOf(archive, 'README.txt')).toContain('with subdomains')
  const target = { ...t.newSpec({ siteType: 'wp' }), title: null, adminUser: 'ann' }
  const source = { isNetwork: true, hasOwnDatabase: false, isStaging: false }
  const refused = { code: 'unsupported', message: t.engine.copies.refusal(source)?.reason.text }
  await expect(run(t.engine.copies.cloneSteps(site, target), 'clone')).rejects.toMatchObject(refused)
  expect(await t.engine.observe(target)).toMatchObject({ state: 'absent' })
  await expect(t.engine.imports.take('b'.repeat(32), archive)).rejects.toMatchObject(refused)
}, 300_000)
