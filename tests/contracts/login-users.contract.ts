import { expect } from 'vitest'
import type { SiteSpec } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { nobodyStays } from '#server/engines/wordpress-person.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import { needs, type TestedEngine } from './needs.ts'

/** What the contract of people's WordPress users runs on. */
interface PeopleUnderTest {
  readonly engine: TestedEngine
  readonly wp: SiteSpec
  readonly html: SiteRef
}

/** The contract of `Engine.loginLink` and `Engine.syncUsers` about users, on a running WordPress site. */
export function describePeople(under: () => PeopleUnderTest): void {
  /** The WordPress user that a link signs in; undefined if none. */
  const signedIn = async (link: string): Promise<string | undefined> => {
    const { engine, wp } = under()
    const { pathname, search } = new URL(link)
    const cookies = (await engine.request(wp, pathname + search)).headers['set-cookie'] ?? ''
    return /[a-z]+_[^=;, ]*=(ada-berg(?:-\d+)?|boss)\b/.exec(cookies)?.[1]
  }

  needs(under, 'login_link')('signs each person in as their own user, made once', async () => {
    const { engine, wp } = under()
    const ada = wordpressPerson()
    expect(await signedIn(await engine.loginLink(wp, ada, 30))).toBe('ada-berg')
    expect(await signedIn(await engine.loginLink(wp, ada, 30))).toBe('ada-berg')
    const namesake = { ...wordpressPerson('other'), login: 'ada-berg' }
    expect(await signedIn(await engine.loginLink(wp, namesake, 30))).toBe('ada-berg-2')
    expect(await signedIn(await engine.loginLink(wp, { ...namesake, login: 'new' }, 30))).toBe('ada-berg-2')
    // Neither the name nor the address of a user that the site has for other reasons gives anybody that user.
    const posing = { ...wordpressPerson('posing'), login: 'ada-berg', email: wp.adminEmail }
    expect(await signedIn(await engine.loginLink(wp, posing, 30))).toBe('ada-berg-3')
  })

  needs(under, 'login_link')('removes users and unused links of people who may no longer open it', async () => {
    const { engine, wp, html } = under()
    const [ada, bea] = [wordpressPerson(), wordpressPerson('other', { login: 'ada-berg', role: 'editor' })]
    const unused = await engine.loginLink(wp, ada, 30)
    const kept = await engine.loginLink(wp, bea, 30)
    await engine.syncUsers(wp, { ...nobodyStays(wp.adminUser), keep: [bea] })
    await engine.syncUsers(wp, { ...nobodyStays(wp.adminUser), keep: [bea] })
    expect(await signedIn(unused)).toBeUndefined()
    expect(await signedIn(kept)).toBe('ada-berg-2')
    // A link for more than the person may do now is dropped, too.
    const above = await engine.loginLink(wp, { ...bea, role: 'administrator' }, 30)
    await engine.syncUsers(wp, { ...nobodyStays(wp.adminUser), keep: [bea] })
    expect(await signedIn(above)).toBeUndefined()
    // The old user is gone: this is a new one under the free name.
    expect(await signedIn(await engine.loginLink(wp, { ...ada, key: 'f'.repeat(24) }, 30))).toBe('ada-berg')
    const founder = { ...ada, key: 'e'.repeat(24), reserved: 'Ada-Berg' }
    const [nobody, keys] = [nobodyStays(wp.adminUser), { pause: [founder.key], remove: ['f'.repeat(24)] }]
    expect(await engine.syncUsers(wp, { ...nobody, ...keys })).toEqual({
      removed: 2,
      gone: [founder.key, ...keys.remove],
    })
    expect(await signedIn(await engine.loginLink(wp, founder, 30)), 'nobody is like the first').toBe('ada-berg-2')
    expect(await engine.syncUsers(wp, { ...nobody, pause: [founder.key] })).toEqual({
      removed: 0,
      gone: [founder.key],
    })
    await engine.syncUsers(wp, nobody)
    expect((await engine.syncUsers(html, { ...nobody, ...keys })).gone).toEqual([founder.key, ...keys.remove])
  })
}
