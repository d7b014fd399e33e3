import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { EngineStep } from '#server/engines/engine.ts'
import type { CloneSpec } from '#server/engines/site-copies.ts'
import type { SiteKind, SiteRef } from '#server/engines/site-ref.ts'
import type { PushChoice } from '#server/engines/site-staging.ts'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import { can, needs, type TestedEngine } from './needs.ts'

/** What the contract of staging runs on. */
interface StagingUnderTest {
  readonly engine: TestedEngine
  newSpec(kind: SiteKind): SiteRef & Parameters<TestedEngine['createSteps']>[0]
  runSteps(steps: readonly EngineStep[], signal?: AbortSignal, operationId?: string): Promise<unknown>
}

/** What is pushed must be changed and looked at. */
const needed = ['staging', 'files', 'wordpress', 'wordpress_settings'] as const

/** The contract of `Engine.staging`, on sites of its own. */
export function describeStaging(under: () => StagingUnderTest): void {
  describe('staging', () => {
    let engine: TestedEngine
    let live: ReturnType<StagingUnderTest['newSpec']>
    let staging: CloneSpec
    const runSteps: StagingUnderTest['runSteps'] = (...args) => under().runSteps(...args)
    const write = async (site: SiteRef, path: string, content: string) => {
      const { entries } = await engine.files.list(site, '')
      const known = entries.some(({ name }) => name === path) ? (await engine.files.read(site, path)).version : null
      await engine.files.write(site, path, content, known)
    }
    const textOf = async (site: SiteRef, path: string) =>
      (await engine.files.list(site, '')).entries.some(({ name }) => name === path)
        ? (await engine.files.read(site, path)).content
        : null
    const rename = async (site: SiteRef, title: string) => {
      const { values } = await engine.settings.readWordPress(site)
      await engine.settings.changeWordPress(site, { title }, { expected: { title: values.title } })
    }
    const titleOf = async (site: SiteRef) => (await engine.settings.readWordPress(site)).values.title
    const loginsOf = async (site: SiteRef) =>
      (await engine.wordpress.users(site, { search: '', page: 0 })).rows.map(({ login }) => login).toSorted()
    const plan = async (): Promise<PushPlan> => {
      const found: PushPlan[] = []
      await runSteps(
        engine.staging.planSteps(live, staging, async (made) => {
          found.push(made)
        }),
      )
      const [made] = found
      if (made === undefined) throw new Error('No plan was made.')
      return made
    }
    const choose = (made: PushPlan, changes: Partial<PushChoice> = {}): PushChoice => ({
      files: true,
      database: true,
      digests: { files: made.files.digest, database: made.database?.digest ?? null },
      take: [],
      takeAll: [],
      ...changes,
    })

    beforeAll(async () => {
      engine = under().engine
      if (!can(engine, ...needed)) return
      live = under().newSpec('wp')
      await runSteps(engine.createSteps(live))
      await write(live, 'both.txt', 'before')
      await write(live, 'removed.txt', 'before')
      await rename(live, 'Before')
      const { id, domain } = under().newSpec('wp')
      const httpAuth = { user: 'preview', password: 'aLongPasswordOfStaging' }
      staging = { ...live, id, domain, title: null, adminUser: 'boss', staging: { httpAuth } }
      await runSteps(engine.copies.cloneSteps(live, staging))
      await plan()
    }, 300_000)
    afterAll(async () => {
      if (!can(engine, ...needed)) return
      for (const site of [live, staging]) await engine.destroy(site)
    })

    needs(under, ...needed)('makes a protected copy that search engines are to leave out', async () => {
      expect((await engine.settings.read(staging)).httpAuthUser).toBe('preview')
      expect((await engine.settings.readWordPress(staging)).values.search_engines).toBe(0)
      expect((await engine.settings.read(live)).httpAuthUser).toBeNull()
      const { files, database } = await plan()
      expect([files.staging.added, files.staging.changed, files.staging.deleted, files.total]).toEqual([0, 0, 0, 0])
      expect(database?.total).toBe(0)
    })

    needs(under, ...needed)(
      'lists what changed on both sides, pushes what was chosen, and keeps what is new on the site',
      async () => {
        await write(staging, 'both.txt', 'of staging')
        await write(staging, 'added.txt', 'new')
        await engine.files.remove(staging, ['removed.txt'])
        await rename(staging, 'Of staging')
        await engine.wordpress.change(staging, {
          kind: 'add_user',
          login: 'stager',
          email: 's@example.com',
          role: 'editor',
        })
        await write(live, 'both.txt', 'of live')
        await write(live, 'own.txt', 'live only')
        await rename(live, 'Of live')
        const before = await plan()
        expect(before.files.clashes.map(({ path, staging: ours, live: theirs }) => [path, ours, theirs])).toEqual([
          ['both.txt', 'change', 'change'],
        ])
        expect(before.files.staging).toMatchObject({ added: 1, changed: 1, deleted: 1 })
        expect(before.files.live).toMatchObject({ added: 1, changed: 1, deleted: 0 })
        const clashes = before.database?.clashes ?? []
        // One for each option, or one for all content where that is pushed as a whole.
        const options = clashes.filter(({ kind }) => kind === 'options' || kind === 'database')
        expect(options).toHaveLength(1)
        if (options[0]?.kind === 'options') expect(JSON.stringify(options)).toMatch(/Of staging.*Of live/)
        else expect(before.database?.kinds.find(({ kind }) => kind === 'options')?.live.changed).toBe(1)
        expect(before.database?.kinds.find(({ kind }) => kind === 'users')?.staging.added).toBe(1)

        await runSteps(engine.staging.pushSteps(live, staging, choose(before, { take: [options[0]?.id ?? ''] })))
        expect(await engine.staging.read(live)).toMatchObject({ changing: true })
        await engine.staging.finish(live)
        await engine.staging.finish(live)
        await runSteps(engine.staging.rememberSteps?.(live, staging) ?? [])
        expect(await engine.staging.undo(live, 'op')).toBe('finished')
        expect(await titleOf(live)).toBe('Of staging')
        const files = ['both.txt', 'added.txt', 'removed.txt', 'own.txt']
        expect(await Promise.all(files.map((path) => textOf(live, path)))).toEqual([
          'of live',
          'new',
          null,
          'live only',
        ])
        expect(await loginsOf(live)).toEqual(['boss', 'stager'])
        expect((await engine.settings.readWordPress(live)).values.search_engines).toBe(1)
        expect((await engine.request(live, '/')).status).toBe(200)
      },
      300_000,
    )

    needs(under, ...needed)(
      'brings the state before a push back, once',
      async () => {
        expect(await engine.staging.read(live)).toMatchObject({ changing: false, kept: { at: expect.any(Number) } })
        const { files, kinds } = await engine.staging.changesSincePush(live)
        expect([files.added + files.changed + files.deleted, kinds]).toEqual([0, []])
        await engine.files.write(live, 'since.txt', 'new', null)
        expect((await engine.staging.changesSincePush(live)).files).toMatchObject({
          added: 1,
          samples: [{ label: 'since.txt', what: 'add' }],
        })
        await runSteps(engine.staging.rollBackSteps(live))
        await engine.staging.finish(live)
        expect(await titleOf(live)).toBe('Of live')
        expect(await textOf(live, 'removed.txt')).toBe('before')
        expect(await textOf(live, 'added.txt')).toBeNull()
        expect(await loginsOf(live)).toEqual(['boss'])
        expect(await engine.staging.read(live)).toEqual({ changing: false, kept: null })
        await expect(engine.staging.changesSincePush(live)).rejects.toMatchObject({ code: 'conflict' })
        await expect(runSteps(engine.staging.rollBackSteps(live), undefined, 'again')).rejects.toMatchObject({
          code: 'conflict',
        })
        expect(await engine.staging.undo(live, 'another')).toBe('undone')
      },
      300_000,
    )

    needs(under, ...needed)(
      'takes back a push that was stopped, and a step can be repeated',
      async () => {
        const made = await plan()
        const count = engine.staging.pushSteps(live, staging, choose(made)).length
        for (const done of [3, count]) {
          const steps = engine.staging.pushSteps(
            live,
            staging,
            choose(made, { takeAll: ['files', 'options', 'database'] }),
          )
          await runSteps(steps.slice(0, done))
          await runSteps(steps.slice(done - 1, done))
          expect(await engine.staging.undo(live, 'op')).toBe('undone')
          expect(await engine.staging.read(live)).toEqual({ changing: false, kept: null })
          expect(await titleOf(live)).toBe('Of live')
          expect(await textOf(live, 'both.txt')).toBe('of live')
          expect(await textOf(live, 'added.txt')).toBeNull()
        }
      },
      300_000,
    )

    needs(under, ...needed)(
      'refuses a plan that is not true any more, and sites that do not belong together',
      async () => {
        const made = await plan()
        await write(staging, 'added.txt', 'newer')
        await expect(runSteps(engine.staging.pushSteps(live, staging, choose(made)))).rejects.toMatchObject({
          code: 'conflict',
        })
        await engine.staging.undo(live, 'op')
        expect(await textOf(live, 'added.txt')).toBeNull()
        await expect(runSteps(engine.staging.pushSteps(staging, live, choose(made)))).rejects.toMatchObject({
          code: 'conflict',
        })
        await engine.staging.undo(staging, 'op')
        await expect(
          runSteps(engine.staging.planSteps(under().newSpec('wp'), staging, () => Promise.resolve())),
        ).rejects.toMatchObject({ code: 'not_found' })
      },
    )
  })
}
