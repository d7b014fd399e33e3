import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { EngineStep, SiteSpec } from '#server/engines/engine.ts'
import type { SiteKind } from '#server/engines/site-ref.ts'
import { siteDatabases, type SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import { failureOf } from './engine-failure.ts'
import { can, needs, type TestedEngine } from './needs.ts'

/** What the contract of databases runs on. */
interface DatabaseMovesUnderTest {
  readonly engine: TestedEngine
  newSpec(kind: SiteKind, changes?: Partial<SiteSpec>): SiteSpec
  runSteps(steps: readonly EngineStep[]): Promise<unknown>
}

const otherThan = (kind: SiteDatabaseKind): SiteDatabaseKind => (kind === 'mysql' ? 'sqlite' : 'mysql')

/** Content is compared by these. */
const compared = ['mysql', 'wordpress', 'wordpress_settings'] as const

/** The contract of `SiteSpec.database` and `Engine.databaseMoves`, on sites of its own; skipped without the capability `mysql`. */
export function describeDatabaseMoves(under: () => DatabaseMovesUnderTest): void {
  describe.each(siteDatabases)('a WordPress site made on %s', (kind) => {
    let engine: TestedEngine
    let site: SiteSpec
    const runSteps: DatabaseMovesUnderTest['runSteps'] = (steps) => under().runSteps(steps)
    /** What must be the same wherever the database is. */
    const content = async (): Promise<unknown> => {
      const { rows: users } = await engine.wordpress.users(site, { search: '', page: 0 })
      const { values } = await engine.settings.readWordPress(site)
      const { plugins, themes } = await engine.wordpress.inspect(site)
      // What connects WordPress to SQLite is listed only there.
      return { users, values, plugins: plugins.filter((plugin) => plugin.kind !== 'drop_in'), themes }
    }
    beforeAll(async () => {
      engine = under().engine
      site = under().newSpec('wp', { database: kind })
      if (can(engine, 'mysql')) await runSteps(engine.createSteps(site))
    }, 110_000)
    afterAll(async () => {
      if (can(engine, 'mysql')) await engine.destroy(site)
    })

    needs(under, 'mysql')('answers, and is managed as far as the engine manages any', async () => {
      expect(await engine.request(site, '/')).toMatchObject({ status: 200 })
      if (can(engine, 'wordpress')) {
        const { rows } = await engine.wordpress.users(site, { search: '', page: 0 })
        expect(rows.map(({ login }) => login)).toContain(site.adminUser)
      }
      if (can(engine, 'login_link'))
        expect(await engine.loginLink(site, wordpressPerson(), 60)).toContain(engine.siteUrl(site))
      if (can(engine, 'wordpress_settings')) {
        const { title } = (await engine.settings.readWordPress(site)).values
        await engine.settings.changeWordPress(site, { title: `On ${kind}` }, { expected: { title } })
        expect(await engine.settings.readWordPress(site)).toMatchObject({ values: { title: `On ${kind}` } })
      }
      if (can(engine, 'cron')) expect(await engine.runCron(site)).toBeGreaterThanOrEqual(0)
    })

    needs(under, ...compared)(
      'moves with all of its content, and visitors come in again only at the end',
      async () => {
        const before = await content()
        const [first] = engine.databaseMoves.steps(site, otherThan(kind))
        if (first === undefined) throw new Error('A move has steps.')
        await runSteps([first])
        expect(await engine.databaseMoves.undo(site)).toBe(kind)
        expect(await content()).toEqual(before)
        await runSteps(engine.databaseMoves.steps(site, otherThan(kind)))
        await engine.databaseMoves.finish(site)
        expect(await engine.databaseMoves.undo(site)).toBe(otherThan(kind))
        expect(await content()).toEqual(before)
        expect(await engine.request(site, '/')).toMatchObject({ status: 200 })
      },
      200_000,
    )

    needs(under, ...compared)('is not moved to where it is', async () => {
      const steps = async () => runSteps(engine.databaseMoves.steps(site, otherThan(kind)))
      expect(await failureOf(steps)).toMatchObject({ code: 'conflict' })
    })
  })
}
