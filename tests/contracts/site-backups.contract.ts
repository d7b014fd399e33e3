import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { EngineStep } from '#server/engines/engine.ts'
import { siteManifest, type ManifestSummary } from '#server/engines/site-manifest.ts'
import type { SiteKind, SiteRef } from '#server/engines/site-ref.ts'
import { can, needs, type TestedEngine } from './needs.ts'

/** What the contract of backups runs on. */
interface BackupsUnderTest {
  readonly engine: TestedEngine
  newSpec(kind: SiteKind): Parameters<TestedEngine['createSteps']>[0]
  runSteps(steps: readonly EngineStep[], signal?: AbortSignal, operationId?: string): Promise<unknown>
  now(): number
  pass(seconds: number): void | Promise<void>
}

/** What is restored must be changed and looked at. */
const needed = ['backup', 'restore', 'files', 'wordpress_settings'] as const
const rehearsed = [...needed, 'rehearse'] as const

/** The contract of `Engine.backups`, `rehearsals` and `restores`, on a site of its own: a backup is proven, and restored, before it counts as one. */
export function describeBackups(under: () => BackupsUnderTest): void {
  describe('backups', () => {
    let engine: TestedEngine
    let folder: string
    let site: ReturnType<BackupsUnderTest['newSpec']>
    let rehearsal: SiteRef
    let archive: string
    let packed: ManifestSummary
    const runSteps: BackupsUnderTest['runSteps'] = (...given) => under().runSteps(...given)
    const runAs = (operationId: string, steps: readonly EngineStep[]) => runSteps(steps, undefined, operationId)
    const signal = () => AbortSignal.timeout(300_000)
    const write = async (content: string) => {
      const { entries } = await engine.files.list(site, '')
      const isThere = entries.some(({ name }) => name === 'note.txt')
      const version = isThere ? (await engine.files.read(site, 'note.txt')).version : null
      await engine.files.write(site, 'note.txt', content, version)
    }
    const rename = async (title: string) => {
      const { values } = await engine.settings.readWordPress(site)
      await engine.settings.changeWordPress(site, { title }, { expected: { title: values.title } })
    }
    const stateOf = async () => [
      (await engine.files.read(site, 'note.txt')).content,
      (await engine.settings.readWordPress(site)).values.title,
      (await engine.request(site, '/')).status,
    ]

    beforeAll(async () => {
      engine = under().engine
      if (!can(engine, ...needed)) return
      folder = await mkdtemp(join(tmpdir(), 'backups-'))
      site = under().newSpec('wp')
      await runSteps(engine.createSteps(site))
      await write('packed')
      await rename('Packed')
      await runSteps(engine.backups.packSteps(site))
      const { file, manifest, files } = await engine.backups.packed(site)
      const listed = await Array.fromAsync(files())
      expect(siteManifest.parse({ ...manifest, files: listed })).toEqual({ ...manifest, files: listed })
      expect(manifest.files).toBe(listed.length)
      expect(manifest).toMatchObject({ type: 'wp', site: site.domain, engine: engine.name, counts: { users: 1 } })
      expect(listed.map(({ path }) => path)).toContain('note.txt')
      expect(manifest.pages[0]).toEqual({ path: '/', status: 200, title: expect.stringContaining('Packed') })
      packed = manifest
      archive = join(folder, 'site.tar.zst')
      await pipeline(file.open(), createWriteStream(archive))
      await engine.backups.removePacked(site)
      rehearsal = { ...site, ...refOf() }
      if (can(engine, 'rehearse')) await runSteps(engine.rehearsals.rehearseSteps(rehearsal, archive))
    }, 300_000)
    afterAll(async () => {
      if (!can(engine, ...needed)) return
      for (const one of [site, rehearsal]) await engine.destroy(one)
      await rm(folder, { recursive: true })
    })
    const refOf = () => {
      const { id, domain } = under().newSpec('wp')
      return { id, domain: `rehearsal-${domain}` }
    }

    needs(
      under,
      ...needed,
      'wordpress',
    )('counts what a site has, and what was added or changed since a time', async () => {
      const [tomorrow, yesterday] = [Date.now() + 86_400_000, Date.now() - 86_400_000]
      const of = (since: number) => engine.restores.changesSince(site, since, signal())
      const before = await of(tomorrow)
      expect(before.content?.changed).toEqual({ posts: 0, orders: 0, comments: 0, users: 0 })
      expect(before.files).toEqual({ count: packed.files, changed: 0, complete: true })
      expect(before.content?.counts).toEqual(packed.counts)
      const old = await of(yesterday)
      await engine.files.write(site, 'new.txt', 'new', null)
      await engine.wordpress.change(site, {
        kind: 'add_user',
        login: 'late',
        email: 'late@example.com',
        role: 'editor',
      })
      const now = await of(yesterday)
      expect(now.files).toEqual({ count: packed.files + 1, changed: old.files.changed + 1, complete: true })
      expect(now.content).toMatchObject({
        counts: { users: 2 },
        changed: { users: (old.content?.changed.users ?? 0) + 1 },
      })
    })

    needs(under, ...needed)('keeps what it packed until it is removed, and nothing of what was canceled', async () => {
      await expect(engine.backups.packed(site)).rejects.toMatchObject({ code: 'not_found' })
      const canceled = new AbortController()
      const work = runSteps(engine.backups.packSteps(site), canceled.signal)
      canceled.abort(new Error('canceled'))
      await expect(work).rejects.toThrow('canceled')
      await expect(engine.backups.packed(site)).rejects.toMatchObject({ code: 'not_found' })
      await engine.backups.removePacked(site)
    })

    needs(under, ...rehearsed)('proves a backup, also twice', async () => {
      for (let run = 0; run < 2; run += 1) {
        const { defects, seen, inconclusive } = await engine.rehearsals.judge(rehearsal, signal())
        expect([defects, inconclusive]).toEqual([[], null])
        expect(seen.length).toBeGreaterThan(3)
        for (const { expected, found } of seen) expect(found).toBe(expected)
      }
    })

    needs(under, ...needed)(
      'restores all, files, database, a path or a table, and brings back what was there before, once',
      async () => {
        for (const [number, [what, expected]] of (
          [
            ['files', ['packed', 'Changed', 200]],
            ['database', ['changed', 'Packed', 200]],
            ['all', ['packed', 'Packed', 200]],
            [{ paths: ['note.txt'], tables: [] }, ['packed', 'Changed', 200]],
            [{ paths: [], tables: ['wp_options'] }, ['changed', 'Packed', 200]],
            [{ paths: ['note.txt'], tables: ['wp_options'] }, ['packed', 'Packed', 200]],
          ] as const
        ).entries()) {
          const operation = `op-${number}`
          await write('changed')
          await rename('Changed')
          const steps = engine.restores.restoreSteps(site, { rehearsal, archive }, what)
          await runAs(operation, steps.slice(0, 2))
          await runAs(operation, steps.slice(1))
          await engine.restores.finishRestore(site)
          await engine.restores.finishRestore(site)
          expect(await stateOf()).toEqual(expected)
          expect(await engine.restores.undoRestore(site, operation)).toBe('finished')
          await runAs(`back-${operation}`, engine.restores.bringBackSteps(site))
          await engine.restores.finishRestore(site)
          expect(await stateOf()).toEqual(['changed', 'Changed', 200])
        }
        await expect(runSteps(engine.restores.bringBackSteps(site))).rejects.toMatchObject({ code: 'conflict' })
        const missing = { paths: ['note.txt', 'not-there'], tables: [] }
        await expect(
          runSteps(engine.restores.restoreSteps(site, { rehearsal, archive }, missing)),
        ).rejects.toMatchObject({ code: 'invalid' })
        expect(await engine.restores.undoRestore(site, 'op')).toBe('undone')
        expect(await stateOf()).toEqual(['changed', 'Changed', 200])
      },
      600_000,
    )

    needs(under, ...needed)(
      'counts the state before a restore, and forgets it',
      async () => {
        await write('changed')
        await runAs('op-kept', engine.restores.restoreSteps(site, { rehearsal, archive }, 'files'))
        expect(await engine.restores.keptBytes(site, signal())).toBeGreaterThan(0)
        const [yesterday, tomorrow] = [Date.now() - 86_400_000, Date.now() + 86_400_000]
        await expect(engine.restores.forgetKept(site, tomorrow)).rejects.toMatchObject({ code: 'conflict' })
        await engine.restores.finishRestore(site)
        await expect(engine.restores.forgetKept(site, yesterday)).rejects.toMatchObject({ code: 'conflict' })
        expect(await engine.restores.keptBytes(site, signal())).toBeGreaterThan(0)
        for (let run = 0; run < 2; run += 1) await engine.restores.forgetKept(site, tomorrow)
        expect(await engine.restores.keptBytes(site, signal())).toBeNull()
        await expect(runSteps(engine.restores.bringBackSteps(site))).rejects.toMatchObject({ code: 'conflict' })
        expect((await stateOf())[0]).toBe('packed')
      },
      300_000,
    )

    needs(under, ...needed)(
      'takes back a restore that was stopped',
      async () => {
        await write('changed')
        await rename('Changed')
        const { length } = engine.restores.restoreSteps(site, { rehearsal, archive }, 'all')
        for (const done of [1, 2, length]) {
          await runSteps(engine.restores.restoreSteps(site, { rehearsal, archive }, 'all').slice(0, done))
          expect(await engine.restores.undoRestore(site, 'another')).toBe('undone')
          expect(await engine.restores.undoRestore(site, 'op')).toBe('undone')
          expect(await stateOf()).toEqual(['changed', 'Changed', 200])
        }
      },
      300_000,
    )

    needs(under, ...rehearsed)(
      'shows a backup until its time is over, and nothing that is no rehearsal',
      async () => {
        const opened = { ...rehearsal, ...refOf() }
        const until = under().now() + 1_800_000
        await expect(engine.rehearsals.openRehearsal(opened, until)).rejects.toMatchObject({ code: 'not_found' })
        await expect(engine.rehearsals.openRehearsal(site, until)).rejects.toMatchObject({ code: 'conflict' })
        const steps = engine.rehearsals.rehearseSteps(opened, archive)
        await runSteps(steps.slice(0, -1))
        await expect(engine.rehearsals.openRehearsal(opened, until)).rejects.toMatchObject({ code: 'conflict' })
        await runSteps(steps)
        await engine.rehearsals.openRehearsal(opened, until)
        await rename('Changed')
        const page = await engine.request(opened, '/')
        expect([page.status, page.body]).toEqual([200, expect.stringMatching(/<title>.*Packed/)])
        await under().pass(1_801)
        expect((await engine.request(opened, '/')).status).toBe(404)
        expect((await engine.request(site, '/')).status).toBe(200)
        await engine.destroy(opened)
      },
      300_000,
    )

    needs(
      under,
      ...needed,
      'import',
    )('is an archive that can be imported', async () => {
      const id = 'b'.repeat(32)
      expect(await engine.imports.take(id, archive)).toMatchObject({ siteType: 'wp', title: 'Packed' })
      await engine.imports.discard(id)
    })

    needs(under, ...rehearsed)('refuses what is no archive, and sites that are not there', async () => {
      const broken = { ...rehearsal, ...refOf() }
      const file = join(folder, 'text')
      await writeFile(file, 'no archive')
      await expect(runSteps(engine.rehearsals.rehearseSteps(broken, file))).rejects.toMatchObject({ code: 'invalid' })
      const whole = await readFile(archive)
      await writeFile(file, whole.subarray(0, whole.length / 2))
      await expect(runSteps(engine.rehearsals.rehearseSteps(broken, file))).rejects.toMatchObject({ code: 'invalid' })
      await engine.destroy(broken)
      await expect(runSteps(engine.backups.packSteps(broken))).rejects.toMatchObject({ code: 'not_found' })
      await expect(engine.rehearsals.judge(broken, signal())).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
