import { afterAll, describe, expect } from 'vitest'
import type { EngineStep, SiteSpec } from '#server/engines/engine.ts'
import type { CloneSpec } from '#server/engines/site-copies.ts'
import type { SiteKind, SiteRef } from '#server/engines/site-ref.ts'
import { nobodyStays } from '#server/engines/wordpress-person.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import { needs, type TestedEngine } from './needs.ts'

/** What the contract of copies runs on. */
interface CopiesUnderTest {
  readonly engine: TestedEngine
  readonly wp: SiteRef & Pick<SiteSpec, 'database'>
  readonly html: SiteRef
  newSpec(kind: SiteKind): SiteRef
  runSteps(steps: readonly EngineStep[]): Promise<unknown>
}

/** The contract of `Engine.copies`, on a running WordPress site and an HTML site. */
export function describeCopies(under: () => CopiesUnderTest): void {
  describe('copies', () => {
    const newSpec: CopiesUnderTest['newSpec'] = (kind) => under().newSpec(kind)
    const runSteps: CopiesUnderTest['runSteps'] = (steps) => under().runSteps(steps)
    const made: SiteRef[] = []
    const targetOf = (source: SiteRef, changes: Partial<CloneSpec> = {}): CloneSpec => {
      const { id, domain } = newSpec('wp')
      const target = { ...source, id, domain, title: null, adminUser: 'boss', ...changes }
      made.push(target)
      return target
    }
    afterAll(async () => {
      for (const site of made) await under().engine.destroy(site)
    })

    needs(
      under,
      'clone',
      'wordpress',
      'login_link',
    )('clones a WordPress site, which then goes its own way', async () => {
      const { engine, wp } = under()
      await engine.wordpress.change(wp, { kind: 'add_user', login: 'copied', email: 'c@example.com', role: 'editor' })
      const person = wordpressPerson('cloned')
      const { pathname, search } = new URL(await engine.loginLink(wp, person, 30))
      await engine.request(wp, pathname + search)
      const usersOf = async (site: SiteRef) =>
        (await engine.wordpress.users(site, { search: '', page: 0 })).rows.map(({ login }) => login)
      const before = await usersOf(wp)

      const target = targetOf(wp, { title: 'A “copy” & more' })
      await runSteps(engine.copies.cloneSteps(wp, target))
      await runSteps(engine.copies.cloneSteps(wp, target))
      const page = await engine.request(target, '/')
      expect(page.status).toBe(200)
      expect(page.body).toContain('copy')
      expect(['running', 'asleep']).toContain((await engine.observe(target)).state)
      expect(await usersOf(target)).toContain('copied')
      expect(await usersOf(target)).not.toContain(person.login)
      expect(await usersOf(wp)).toEqual(before)
      expect((await engine.request(wp, '/')).body).toContain('Tom &')

      await engine.wordpress.change(target, { kind: 'delete_user', login: 'copied', reassign_to: 'boss' })
      expect(await usersOf(wp)).toContain('copied')
      await engine.wordpress.change(wp, { kind: 'delete_user', login: 'copied', reassign_to: 'boss' })
      await engine.syncUsers(wp, nobodyStays('boss'))
    })

    needs(under, 'clone')('clones a site without WordPress', async () => {
      const { engine, html } = under()
      const target = targetOf(html)
      await runSteps(engine.copies.cloneSteps(html, target))
      const [copy, original] = [await engine.request(target, '/'), await engine.request(html, '/')]
      expect([copy.status, copy.body]).toEqual([200, original.body])
    })

    needs(under, 'clone')(
      'goes on where it stopped, and leaves nothing of an unfinished copy that is destroyed',
      async () => {
        const { engine, wp } = under()
        const target = targetOf(wp)
        await runSteps(engine.copies.cloneSteps(wp, target).slice(0, 3))
        await runSteps(engine.copies.cloneSteps(wp, target))
        expect((await engine.request(target, '/')).status).toBe(200)

        const unfinished = targetOf(wp)
        await runSteps(engine.copies.cloneSteps(wp, unfinished).slice(0, 1))
        await engine.destroy(unfinished)
        expect(await engine.observe(unfinished)).toMatchObject({ state: 'absent', diskUsed: 0 })
        expect((await engine.request(wp, '/')).status).toBe(200)
      },
    )

    needs(under, 'clone')('refuses a name that is taken, and a source that is not there', async () => {
      const { engine, wp, html } = under()
      const taken = targetOf(html, { domain: wp.domain })
      await expect(runSteps(engine.copies.cloneSteps(html, taken))).rejects.toMatchObject({ code: 'conflict' })
      made.splice(made.indexOf(taken), 1)
      await expect(runSteps(engine.copies.cloneSteps(newSpec('wp'), targetOf(wp)))).rejects.toMatchObject({
        code: 'not_found',
      })
      expect(() => engine.copies.cloneSteps(wp, { ...targetOf(wp), domain: '../x' })).toThrow()
      made.pop()
    })
  })
}
