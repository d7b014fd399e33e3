import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EngineError, type SiteSpec } from '../../engine.ts'
import type { SiteManifest } from '../../site-manifest.ts'
import type { BackupDefect } from '#shared/rules/backups.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

let fixture: EngineFixture
let folder: string
let number = 0

beforeAll(async () => {
  fixture = await startFixture()
  folder = await mkdtemp(join(tmpdir(), 'sabotage-'))
})
afterAll(async () => {
  await fixture.end()
  await rm(folder, { recursive: true })
})

async function packed(site: SiteSpec): Promise<{ archive: Buffer; manifest: SiteManifest }> {
  await runAll(fixture.engine.backups.packSteps(site))
  const { file, manifest, files } = await fixture.engine.backups.packed(site)
  return { archive: await buffer(file.open()), manifest: { ...manifest, files: await Array.fromAsync(files()) } }
}

/** What is found out about an archive: that it can't be read or judged, or its defects. */
async function verdictOn(
  site: SiteSpec,
  archive: Buffer,
): Promise<'unreadable' | 'inconclusive' | readonly BackupDefect[]> {
  number += 1
  const path = join(folder, `${number}.tar.zst`)
  await writeFile(path, archive)
  const rehearsal = { ...site, id: `sabotage${String(number).padStart(2, '0')}`, domain: `rehearsal-${number}` }
  try {
    await runAll(fixture.engine.rehearsals.rehearseSteps(rehearsal, path))
    const { defects, inconclusive } = await fixture.engine.rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
    return inconclusive === null ? defects : 'inconclusive'
  } catch (error) {
    if (error instanceof EngineError && error.code === 'invalid') return 'unreadable'
    throw error
  } finally {
    await fixture.engine.destroy(rehearsal)
    await rm(path)
  }
}

/** The archive with a text in place of another one of the same length. */
function swapped(archive: Buffer, pairs: readonly (readonly [from: string, to: string])[]): Buffer {
  const tar = zstdDecompressSync(archive)
  for (const [from, to] of pairs) {
    const at = tar.lastIndexOf(from)
    expect([from, at, from.length]).toEqual([from, expect.any(Number), to.length])
    expect(at).toBeGreaterThan(0)
    tar.write(to, at)
  }
  return zstdCompressSync(tar)
}

it('finds each bit that is another one, and each end that is missing', async () => {
  const site = await fixture.create({ siteType: 'html' })
  for (let at = 0; at < 20; at += 1) await fixture.writeFile(site, `page-${at}.html`, `${at} ${Math.sqrt(at)} text`)
  const { archive } = await packed(site)
  expect(await verdictOn(site, archive)).toEqual([])
  for (const share of [0.05, 0.2, 0.4, 0.6, 0.8]) {
    const at = Math.floor(archive.length * share)
    const flipped = Buffer.from(archive)
    flipped[at] = (flipped[at] ?? 0) ^ 0x10
    // What is between the files, like the time of one, is not of the site.
    if (!zstdSame(archive, flipped)) expect([share, await verdictOn(site, flipped)]).not.toEqual([share, []])
    expect(await verdictOn(site, archive.subarray(0, at))).toBe('unreadable')
  }
  const changed = swapped(archive, [['3 text', '3 next']])
  expect(await verdictOn(site, changed)).toMatchObject([{ evidence: expect.stringMatching(/^files\/page-/) }])
}, 600_000)

it('says nothing of a site of which no page was seen', async () => {
  const { archive } = await packed(await fixture.create({ siteType: 'html' }))
  const [pages = ''] = /"pages": \[[^\]]*\]/.exec(zstdDecompressSync(archive).toString('latin1')) ?? []
  const site = await fixture.create({ siteType: 'html' })
  expect(await verdictOn(site, swapped(archive, [[pages, '"pages": []'.padEnd(pages.length)]]))).toBe('inconclusive')
}, 300_000)

function zstdSame(one: Buffer, other: Buffer): boolean {
  try {
    return zstdDecompressSync(one).equals(zstdDecompressSync(other))
  } catch {
    return false
  }
}

it('finds a database that was swapped, and what is not as the manifest says', async () => {
  const site = await fixture.create({ siteType: 'wp', title: 'The original' })
  const { archive, manifest } = await packed(site)
  const posts = manifest.tables['wp_posts']
  const dump = await verdictOn(site, swapped(archive, [['This is an example page', 'This is another copy of']]))
  expect(dump).toMatchObject([{ defect: expect.stringContaining('not the one'), evidence: 'database.sql' }])
  const other = await verdictOn(
    site,
    swapped(archive, [
      [`"wp_posts": ${posts}`, '"wp_posts": 9'],
      ['"users": 1', '"users": 7'],
      ['The original', 'Another one.'],
    ]),
  )
  expect(other).toMatchObject([
    { defect: expect.stringContaining('rows'), evidence: `wp_posts: ${posts} instead of 9` },
    { defect: expect.stringContaining('users'), evidence: '1 instead of 7' },
    { defect: expect.stringContaining('title') },
  ])
}, 600_000)
