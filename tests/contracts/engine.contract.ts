import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webpSize } from '#server/platform/browser/webp-size.ts'
import {
  EngineError,
  thisMachine,
  type Engine,
  type EngineStep,
  type SiteSpec,
  type SiteKind,
} from '#server/engines/engine.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'

/** An engine under test. */
export interface EngineUnderTest {
  engine: Engine
  /** Advances the engine's clock by the given seconds. */
  pass(seconds: number): void
  /** Stops the engine and removes its data. */
  end(): Promise<void>
}

let counter = 0

/** A new site with a unique id and name. */
export function newSpec(siteType: SiteKind, changes: Partial<SiteSpec> = {}): SiteSpec {
  counter += 1
  return {
    id: `contract${String(counter).padStart(2, '0')}`,
    domain: `site-${counter}`,
    siteType,
    phpVersion: '8.3',
    server: thisMachine,
    title: 'Tom & Tina’s "Shop" <1>',
    adminUser: 'boss',
    adminEmail: 'boss@example.com',
    adminPassword: 'Abcdefghijklmnopqrstuvw1',
    ...changes,
  }
}

/** Runs steps one after the other and returns the log. */
export async function runSteps(
  steps: readonly EngineStep[],
  signal: AbortSignal = AbortSignal.timeout(110_000),
): Promise<string[]> {
  const lines: string[] = []
  for (const step of steps)
    await step.run({
      operationId: 'op',
      log: (line) => {
        lines.push(line)
      },
      progress: () => undefined,
      signal,
    })
  return lines
}

/** The `EngineError` that a promise or call fails with. */
async function failureOf(work: () => unknown): Promise<EngineError> {
  try {
    await work()
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError)
    return error as EngineError
  }
  throw new Error('It did not fail.')
}

/** Path and query of a link. */
function pathOf(link: string): string {
  const url = new URL(link)
  return url.pathname + url.search
}

/** The contract of every engine. Sites of all three kinds are created if the engine supports them. */
export function describeEngine(name: string, start: () => Promise<EngineUnderTest>): void {
  describe(`engine contract: ${name}`, () => {
    let under: EngineUnderTest
    let engine: Engine
    const wp = newSpec('wp')
    const html = newSpec('html')

    beforeAll(async () => {
      under = await start()
      engine = under.engine
      await runSteps(engine.createSteps(wp))
      await runSteps(engine.createSteps(html))
    }, 120_000)
    afterAll(async () => {
      await under.end()
    })

    it('names its PHP versions in order and a reason for each missing capability', () => {
      const versions = engine.phpVersions(thisMachine)
      expect(versions.length).toBeGreaterThan(0)
      expect(versions).toEqual(versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
      expect(Object.keys(engine.capabilities(thisMachine))).toContain('create_wp')
      for (const capability of Object.values(engine.capabilities(thisMachine)))
        if (!capability.supported) expect(capability.reason).toMatch(/\S.*\.$/)
    })

    it('measures the machine', async () => {
      const host = await engine.hostInfo(thisMachine)
      expect(host.hostname).not.toBe('')
      expect(host.cpu).toBeGreaterThan(0)
      expect(host.ram).toBeGreaterThan(100_000_000)
      expect(host.disk).toBeGreaterThanOrEqual(host.diskFree)
      expect(host.uptimeSeconds).toBeGreaterThanOrEqual(0)
    })

    it('has steps with distinct keys and words for people', () => {
      for (const steps of [
        engine.createSteps(newSpec('wp')),
        engine.createSteps(newSpec('php')),
        engine.archiveSteps(wp),
        engine.restoreArchiveSteps(wp),
      ]) {
        expect(new Set(steps.map((step) => step.key)).size).toBe(steps.length)
        for (const step of steps) {
          expect(step.key).toMatch(/^[a-z_]+$/)
          expect(step.label).not.toBe('')
        }
      }
    })

    it('takes a screenshot of a site, or says why it cannot', async () => {
      const { thumbnail } = engine.capabilities(thisMachine)
      if (!thumbnail.supported) {
        const error = await failureOf(() => engine.thumbnail(html, AbortSignal.timeout(60_000)))
        expect(error).toMatchObject({ code: 'unsupported', message: thumbnail.reason })
        return
      }
      const taken = await engine.thumbnail(html, AbortSignal.timeout(60_000))
      expect(taken).toMatchObject({ type: 'image/webp', width: 480, height: 300 })
      expect(webpSize(taken.content)).toEqual({ width: 480, height: 300 })
      expect(taken.content.length).toBeLessThanOrEqual(40_000)
      await expect(engine.thumbnail(newSpec('html'), AbortSignal.timeout(60_000))).rejects.toBeInstanceOf(EngineError)
    })

    it('says where the files of a created site are', () => {
      expect(engine.filesFolder(html)).toMatch(/^(?:\/|[A-Z]:\\)/)
      expect(engine.filesFolder({ ...html, id: 'aaaaaaaaaa' })).toBeNull()
    })

    it('answers with the title of a created site', async () => {
      for (const site of [wp, html]) {
        const url = new URL(engine.siteUrl(site))
        expect(url.pathname).toBe('/')
        expect(engine.siteUrl(site)).not.toMatch(/\/$/)
        expect(url.hostname).toContain(site.domain)
        const response = await engine.request(site, '/')
        expect(response.status).toBe(200)
        expect(response.headers['content-type']).toContain('text/html')
        expect(response.body).toContain('Tom &')
        expect(response.body).not.toContain('<1>')
        expect(['running', 'asleep']).toContain((await engine.observe(site)).state)
      }
    })

    it('repeats every create step without harm', async () => {
      const before = await engine.observe(wp)
      await runSteps(engine.createSteps(wp))
      expect((await engine.observe(wp)).wordpressVersion).toBe(before.wordpressVersion)
      expect((await engine.request(wp, '/')).status).toBe(200)
    })

    it('refuses a name that is taken, an unknown PHP and hostile names', async () => {
      expect((await failureOf(() => runSteps(engine.createSteps(newSpec('html', { domain: wp.domain }))))).code).toBe(
        'conflict',
      )
      expect((await failureOf(() => engine.createSteps(newSpec('php', { phpVersion: '5.6' })))).code).toBe('invalid')
      for (const domain of ['', '../x', 'a.b', 'UPPER', '-a', 'a-', 'a b', 'x'.repeat(64), 'ä', '*']) {
        expect((await failureOf(() => engine.createSteps(newSpec('html', { domain })))).code).toBe('invalid')
      }
      expect((await failureOf(() => engine.destroy({ ...wp, id: '../../../x' }))).code).toBe('invalid')
    })

    it('signs a user in once, for a while, on one site', async () => {
      const link = await engine.loginLink(wp, wordpressPerson(), 30)
      expect(link.startsWith(`${engine.siteUrl(wp)}/`)).toBe(true)
      const first = await engine.request(wp, pathOf(link))
      expect(first.status).toBe(302)
      expect(first.headers['location']).toContain('/wp-admin')
      expect(first.headers['set-cookie']).toContain('=')
      expect(first.headers['cache-control']).toBe('no-store')
      expect(first.headers['referrer-policy']).toBe('no-referrer')

      const expectPublic = async (path: string): Promise<void> => {
        const response = await engine.request(wp, path)
        expect(response.headers['location'] ?? '').not.toContain('wp-admin')
        expect(response.headers['set-cookie']).toBeUndefined()
      }
      await expectPublic(pathOf(link))
      const late = await engine.loginLink(wp, wordpressPerson(), 30)
      under.pass(31)
      await expectPublic(pathOf(late))
      expect(
        (await engine.request(html, pathOf(await engine.loginLink(wp, wordpressPerson(), 30)))).headers['set-cookie'],
      ).toBeUndefined()
      expect((await failureOf(() => engine.loginLink(html, wordpressPerson(), 30))).code).toBe('conflict')
    })

    /** The WordPress user that a link signs in; undefined if none. */
    const signedIn = async (link: string): Promise<string | undefined> =>
      /[a-z]+_[^=;, ]*=(ada-berg(?:-\d+)?|boss)\b/.exec(
        (await engine.request(wp, pathOf(link))).headers['set-cookie'] ?? '',
      )?.[1]

    it('signs each person in as their own user, made once', async () => {
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

    it('removes users and unused links of people who may no longer open it', async () => {
      const [ada, bea] = [wordpressPerson(), wordpressPerson('other', { login: 'ada-berg', role: 'editor' })]
      const unused = await engine.loginLink(wp, ada, 30)
      const kept = await engine.loginLink(wp, bea, 30)
      await engine.syncUsers(wp, [bea], wp.adminUser)
      await engine.syncUsers(wp, [bea], wp.adminUser)
      expect(await signedIn(unused)).toBeUndefined()
      expect(await signedIn(kept)).toBe('ada-berg-2')
      // A link for more than the person may do now is dropped, too.
      const above = await engine.loginLink(wp, { ...bea, role: 'administrator' }, 30)
      await engine.syncUsers(wp, [bea], wp.adminUser)
      expect(await signedIn(above)).toBeUndefined()
      // The old user is gone: this is a new one under the free name.
      expect(await signedIn(await engine.loginLink(wp, { ...ada, key: 'f'.repeat(24) }, 30))).toBe('ada-berg')
      await engine.syncUsers(wp, [], wp.adminUser)
      await engine.syncUsers(html, [], '')
    })

    it('lets of two simultaneous uses of a link one win', async () => {
      const path = pathOf(await engine.loginLink(wp, wordpressPerson(), 30))
      const responses = await Promise.all([
        engine.request(wp, path),
        engine.request(wp, path),
        engine.request(wp, path),
      ])
      expect(responses.filter((response) => response.headers['set-cookie'] !== undefined)).toHaveLength(1)
    })

    it('tells logs and runs scheduled events', async () => {
      expect(Array.isArray(await engine.logs(wp, 10))).toBe(true)
      expect(await engine.runCron(wp)).toBeGreaterThanOrEqual(0)
      expect(await engine.runCron(html)).toBe(0)
    })

    it('changes the PHP version', async () => {
      await engine.setPhpVersion(wp, '8.4')
      expect((await engine.observe(wp)).phpVersion).toBe('8.4')
      expect((await engine.request(wp, '/')).status).toBe(200)
      expect((await failureOf(() => engine.setPhpVersion(wp, '9.9'))).code).toBe('invalid')
      expect((await engine.observe(wp)).phpVersion).toBe('8.4')
    })

    it('archives and restores', async () => {
      await runSteps(engine.archiveSteps(wp))
      await runSteps(engine.archiveSteps(wp))
      const archived = await engine.observe(wp)
      expect(archived.state).toBe('archived')
      expect((await engine.request(wp, '/')).status).toBe(410)
      await runSteps(engine.restoreArchiveSteps(wp))
      await runSteps(engine.restoreArchiveSteps(wp))
      const response = await engine.request(wp, '/')
      expect(response.status).toBe(200)
      expect(response.body).toContain('Tom &')
    })

    it('stops a canceled creation, and destroying leaves nothing', async () => {
      const spec = newSpec('php')
      const before = new AbortController()
      before.abort(new Error('canceled'))
      await expect(runSteps(engine.createSteps(spec), before.signal)).rejects.toThrow('canceled')
      const steps = engine.createSteps(spec)
      const during = new AbortController()
      await runSteps(steps.slice(0, 1))
      during.abort(new Error('canceled'))
      await expect(runSteps(steps.slice(1), during.signal)).rejects.toThrow('canceled')
      await engine.destroy(spec)
      expect(await engine.observe(spec)).toMatchObject({ state: 'absent', diskUsed: 0 })
    })

    it('destroys what exists and what never did', async () => {
      await engine.destroy(newSpec('html'))
      await engine.destroy(html)
      await engine.destroy(html)
      expect((await engine.observe(html)).state).toBe('absent')
      expect((await engine.request(html, '/')).status).toBe(404)
      const again = newSpec('html', { domain: html.domain })
      await runSteps(engine.createSteps(again))
      expect((await engine.request(again, '/')).status).toBe(200)
    })

    it('says not_found about unknown sites', async () => {
      const unknown = newSpec('wp')
      expect((await engine.observe(unknown)).state).toBe('absent')
      for (const work of [
        () => engine.loginLink(unknown, wordpressPerson(), 30),
        () => engine.syncUsers(unknown, [], 'boss'),
        () => engine.logs(unknown, 5),
        () => engine.runCron(unknown),
        () => engine.setPhpVersion(unknown, '8.4'),
        () => runSteps(engine.archiveSteps(unknown)),
        () => runSteps(engine.restoreArchiveSteps(unknown)),
      ])
        expect((await failureOf(work)).code).toBe('not_found')
    })
  })
}
