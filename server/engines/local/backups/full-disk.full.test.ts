import { createWriteStream } from 'node:fs'
import { chmod, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import { ownDisk } from '#tests/support/own-disk.ts'
import { EngineError, type EngineStep, type SiteSpec } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

/*
 * The disk becomes really full while a site is packed, unpacked, tried out and put back, in the processes that do it and in PHP: what
 * could not be made is said to be so, nothing is half there, and no verdict says anything about the backup.
 */

const disk = ownDisk()
let fixture: EngineFixture
let site: SiteSpec
let archive: string
const rehearsal = (): SiteRef => ({ ...site, id: 'rehearsal1', domain: 'rehearsal-1' })

afterAll(async () => {
  disk?.makeRoom()
  await fixture?.end()
  disk?.end()
})

let operations = 0
/** Runs steps. At one of their moments the disk becomes full: before a step, or when one says how far it is. Returns how many they have. */
async function run(steps: readonly EngineStep[], fullAt = Number.POSITIVE_INFINITY): Promise<number> {
  operations += 1
  let moments = 0
  const pass = (): void => {
    moments += 1
    if (moments === fullAt) disk?.fill()
  }
  for (const step of steps) {
    pass()
    const signal = AbortSignal.timeout(300_000)
    await step.run({ operationId: `op${operations}`, log: pass, progress: pass, signal })
  }
  return moments
}

const tooEarly = 3
/**
 * Some moments of all, evenly, and the first ones: from these on nothing can be made. Later ones can be known when it is made already: the
 * processes that make it don't wait for whoever is told how far they are.
 */
const some = (all: number) => {
  const every = Math.max(1, Math.floor(all / 8))
  return Array.from({ length: all }, (_, at) => at + 1).filter((at) => at <= tooEarly || at % every === 0)
}

/** What happens if the disk becomes full: null, or the error, which blames the machine and not the backup. */
async function errorOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
    return null
  } catch (error) {
    if (!isOfFullDisk(error) && !(error instanceof EngineError && error.code === 'unavailable')) throw error
    return error
  }
}

/** What a visitor, the database and the folder of the site say. */
async function stateOf(): Promise<unknown> {
  const { status, body } = await fixture.fetch(site, '/')
  const { tables } = await fixture.engine.database.tables(site)
  const folder = join(fixture.dataDir, 'local', 'sites', site.id)
  const files = await readdir(join(folder, 'www'), { recursive: true })
  return {
    page: [status, /<title>(.*)<\/title>/.exec(body)?.[1]],
    tables: tables.map(({ name, rows }) => [
      name,
      ['options', 'usermeta'].some((end) => name.endsWith(end)) ? null : rows,
    ]),
    files: files.filter((name) => !/^wp-content\/(?:database|upgrade|uploads)/.test(name)).toSorted(),
    beside: (await readdir(folder)).filter((name) => !['rollback', 'pushed'].includes(name)).toSorted(),
    sites: (await readdir(join(fixture.dataDir, 'local', 'sites'))).toSorted(),
  }
}

describe.skipIf(disk === null)('on a full disk (only where this process may mount one)', () => {
  beforeAll(async () => {
    const dataDir = disk?.folder ?? ''
    await chmod(dataDir, 0o700)
    // PHP, too, is refused by the disk only, not before.
    fixture = await startFixture({ dataDir, minFreeBytes: 0 })
    site = await fixture.create({ siteType: 'wp', phpVersion: '8.4' })
    await run(fixture.engine.backups.packSteps(site))
    archive = join(dataDir, 'site.tar.zst')
    await pipeline((await fixture.engine.backups.packed(site)).file.open(), createWriteStream(archive))
    await fixture.engine.backups.removePacked(site)
    await fixture.writeFile(site, 'later.txt', 'later')
    const code = `require 'wp-load.php'; update_option('blogname', 'Later'); wp_insert_post(array('post_title' => 'Later', 'post_status' => 'publish')); unlink(__FILE__);`
    await fixture.php(site, code)
  })

  it('packs nothing, or all', async () => {
    const { backups } = fixture.engine
    const all = await run(backups.packSteps(site))
    await backups.removePacked(site)
    const before = await stateOf()
    let failed = 0
    for (const moment of some(all)) {
      const error = await errorOf(() => run(backups.packSteps(site), moment))
      if (error === null) expect((await backups.packed(site)).manifest.title).toBe('Later')
      else failed += 1
      await backups.removePacked(site)
      disk?.makeRoom()
      expect([moment, await stateOf()]).toEqual([moment, before])
    }
    expect(failed).toBeGreaterThanOrEqual(tooEarly)
  }, 900_000)

  it('says nothing about a backup that it has no room to try out', async () => {
    const { engine } = fixture
    const before = await stateOf()
    const all = await run(engine.rehearsals.rehearseSteps(rehearsal(), archive))
    await engine.destroy(rehearsal())
    let failed = 0
    // The last one is when everything is there, before it is looked at.
    for (const moment of [...some(all), all]) {
      const error = await errorOf(async () => {
        await run(engine.rehearsals.rehearseSteps(rehearsal(), archive), moment)
        const { defects } = await engine.rehearsals.judge(rehearsal(), AbortSignal.timeout(300_000))
        expect([moment, defects]).toEqual([moment, []])
      })
      if (error !== null) failed += 1
      await engine.destroy(rehearsal())
      disk?.makeRoom()
    }
    expect(failed).toBeGreaterThanOrEqual(tooEarly)
    expect(await stateOf()).toEqual(before)
  }, 900_000)

  it('puts nothing in place, or all of it', async () => {
    const { engine } = fixture
    const { restores, rehearsals } = engine
    await run(rehearsals.rehearseSteps(rehearsal(), archive))
    const before = await stateOf()
    const ballast = join(disk?.folder ?? '', 'ballast')
    const steps = () => restores.restoreSteps(site, { rehearsal: rehearsal(), archive }, 'all')
    const all = await run(steps())
    await restores.finishRestore(site)
    const restored = await stateOf()
    expect(restored).not.toEqual(before)
    const bringBack = async () => {
      await run(restores.bringBackSteps(site))
      await restores.finishRestore(site)
    }
    await bringBack()
    let failed = 0
    for (const moment of some(all)) {
      // In the place of the rehearsal.
      await writeFile(ballast, Buffer.alloc(1_000_000))
      const error = await errorOf(async () => {
        await run(steps(), moment)
        await restores.finishRestore(site)
      })
      // As the job does: while the disk is still full, and again without the rehearsal.
      const undo = () => restores.undoRestore(site, `op${operations}`)
      let end: string | null = 'finished'
      if (error !== null && (await errorOf(async () => (end = await undo()))) !== null) {
        await rm(ballast)
        end = await undo()
      }
      disk?.makeRoom()
      if (error !== null) failed += 1
      expect([moment, await stateOf()]).toEqual([moment, end === 'finished' ? restored : before])
      if (end === 'finished') await bringBack()
    }
    expect(failed).toBeGreaterThanOrEqual(tooEarly)
    await engine.destroy(rehearsal())
  }, 900_000)
})
