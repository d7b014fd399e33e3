import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webpSize } from '#server/platform/browser/webp-size.ts'
import { EngineError, type SiteSpec } from '#server/engines/engine.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import { thisMachine, type ServerRef, type SiteKind } from '#server/engines/site-ref.ts'
import { describeSiteConsole } from './site-console.contract.ts'
import { describeSiteDatabase } from './site-database.contract.ts'
import { describeDatabaseMoves } from './site-database-moves.contract.ts'
import { describeDomains } from './site-domains.contract.ts'
import { describeNetworks } from './site-networks.contract.ts'
import { describeBackups } from './site-backups.contract.ts'
import { describeExports } from './site-exports.contract.ts'
import { describeCopies } from './site-copies.contract.ts'
import { describeStaging } from './site-staging.contract.ts'
import { describeCertificates } from './site-certificates.contract.ts'
import { describeRestarts } from './site-restarts.contract.ts'
import { describeSettings } from './site-settings.contract.ts'
import { describeOptions } from './site-options.contract.ts'
import { describeSiteFiles } from './site-files.contract.ts'
import { nobodyStays } from '#server/engines/wordpress-person.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import { failureOf } from './engine-failure.ts'
import { describePeople } from './login-users.contract.ts'
import { describeLogs, type LogWriter } from './logs.contract.ts'
import { describeWordPress } from './wordpress.contract.ts'
import { describeWordPressCore } from './wordpress-core.contract.ts'
import { describeWordPressFiles } from './wordpress-files.contract.ts'
import { describeWordPressHealth } from './wordpress-health.contract.ts'
import { describeFacts } from './site-facts.contract.ts'
import { describeWordPressPackages } from './wordpress-packages.contract.ts'
import { describeUpkeep } from './wordpress-upkeep.contract.ts'
import { describeRefusals } from './refusals.contract.ts'
import { can, needs, testedDomain, testedServer, testOn, type TestedEngine, type TestPart } from './needs.ts'
import { runSteps } from './run-steps.ts'

/** An engine under test. Its wordpress.org has the plugin `offered` in version 2.0, and nothing named `missing`. */
export interface EngineUnderTest extends LogWriter {
  engine: TestedEngine
  /** Where its sites run; this machine by default. */
  server?: ServerRef
  /** The domain that leads to that server with all below it, if it is a real one. */
  domain?: string
  /** Why parts of the tests are not possible on it. */
  without?: Readonly<Partial<Record<TestPart, string>>>
  /** Advances the engine's clock by the given seconds. */
  pass(seconds: number): void | Promise<void>
  /** The engine's clock, in milliseconds since 1970. */
  now(): number
  /** Schedules an event of a WordPress site, once, that is due already. */
  scheduleDue(site: SiteSpec, hook: string): Promise<void>
  /** A file that installs the plugin `tool` in this version. */
  packageFile(version: string): Promise<string>
  /** Stops the engine and removes its data. */
  end(): Promise<void>
}

let counter = 0
/** Whether sites are named by full domains. */
let namesDomains = false

/** A new site with a unique id and name. */
export function newSpec(siteType: SiteKind, changes: Partial<SiteSpec> = {}): SiteSpec {
  counter += 1
  return {
    id: `contr${String(counter).padStart(5, '0')}`,
    domain: namesDomains ? testedDomain(`site-${counter}`, 'example.com') : `site-${counter}`,
    siteType,
    phpVersion: '8.3',
    server: testedServer(),
    title: 'Tom & Tina’s "Shop" <1>',
    adminUser: 'boss',
    adminEmail: 'boss@example.com',
    adminPassword: 'Abcdefghijklmnopqrstuvw1',
    ...changes,
  }
}

/** Path and query of a link. */
function pathOf(link: string): string {
  const url = new URL(link)
  return url.pathname + url.search
}

/** Parts of what is done to a site, for engines on which all of it takes too long for one file. */
const toolParts = ['wordpress', 'data', 'copies', 'settings'] as const

type ToolPart = (typeof toolParts)[number]

/** How the contract is run. */
interface ContractRun {
  /** Its WordPress sites are on MySQL instead of where the engine has them without a choice. */
  readonly onMysql?: boolean
  /** Why the run is not possible here. */
  readonly without?: string | null
  /** `life`: from creation to the end of a site; `tools`: what is done to it in between, or a part of that; both by default. */
  readonly part?: 'life' | 'tools' | ToolPart
}

/**
 * The contract of every engine, which creates WordPress sites (`create_wp`) and HTML sites (`create_html`) at least. Tests of any other
 * capability that it lacks are skipped with its reason, which its methods must then refuse with. `without`: why none of it is possible.
 */
export function describeEngine(
  name: string,
  start: () => Promise<EngineUnderTest>,
  { onMysql = false, without = null, part }: ContractRun = {},
): void {
  const where = onMysql ? ', with WordPress on MySQL' : ''
  const run = `${name}${where}${part ? `, ${part}` : ''}${without === null ? '' : ` (skipped: ${without})`}`
  /** A spec whose WordPress has the database of this run. */
  const specOf: typeof newSpec = (kind, changes) =>
    newSpec(kind, kind === 'wp' && onMysql ? { database: 'mysql', ...changes } : changes)

  describe.skipIf(without !== null)(`engine contract: ${run}`, () => {
    let under: EngineUnderTest
    let engine: TestedEngine
    const get = () => under
    let wp: SiteSpec
    let html: SiteSpec

    beforeAll(async () => {
      under = await start()
      engine = under.engine
      testOn(under.server ?? thisMachine, under.domain, under.without)
      namesDomains = engine.siteNames === 'domain'
      wp = specOf('wp')
      html = newSpec('html')
      await runSteps(engine.createSteps(wp))
      await runSteps(engine.createSteps(html))
    })
    afterAll(async () => {
      await under.end()
    })

    /** What is done to a site between its creation and its end. */
    const describeTool: Readonly<Record<ToolPart, () => void>> = {
      wordpress() {
        needs(get, 'thumbnail')('takes a screenshot of a site', async () => {
          const taken = await engine.thumbnail(html, AbortSignal.timeout(300_000))
          expect(taken).toMatchObject({ type: 'image/webp', width: 480, height: 300 })
          expect(webpSize(taken.content)).toEqual({ width: 480, height: 300 })
          expect(taken.content.length).toBeLessThanOrEqual(40_000)
          await expect(engine.thumbnail(newSpec('html'), AbortSignal.timeout(300_000))).rejects.toBeInstanceOf(
            EngineError,
          )
        })

        describeLogs(() => ({ engine, writer: under, wp, html }))
        describeFacts(() => ({ engine, wp, html }))
        describeWordPress(() => ({ engine, wp, html }))
        describeUpkeep(() => ({ ...under, wp }))
        describeWordPressHealth(() => ({ engine, wp, html }))
        describeWordPressFiles(() => ({ engine, wp, html }))
        describeWordPressCore(() => ({ engine, wp, html }))
        describeWordPressPackages(
          () => ({ engine, wp, html }),
          (version) => under.packageFile(version),
        )
      },
      data() {
        describeSiteConsole(() => ({ engine, wp, html }))
        describeSiteDatabase(() => ({ engine, wp, html }))
        // These make a site on each database themselves.
        if (!onMysql) {
          describeDatabaseMoves(() => ({ engine, newSpec, runSteps }))
          describeDomains(() => ({ engine, newSpec, runSteps }))
        }
        describeNetworks(() => ({ engine, newSpec: specOf, runSteps }))
      },
      copies() {
        describeStaging(() => ({ engine, newSpec: specOf, runSteps }))
        describeCopies(() => ({ engine, wp, html, newSpec: specOf, runSteps }))
        if (!onMysql) describeBackups(() => ({ ...under, newSpec, runSteps }))
        describeExports(() => ({ engine, wp, html, newSpec: specOf, runSteps }))
      },
      settings() {
        // The same files, wherever the database is.
        if (!onMysql) describeSiteFiles(() => ({ engine, html, wp, unknown: newSpec('html') }))
        describeSettings(name, () => ({ ...under, wp, html, unknown: newSpec('wp') }))

        needs(get, 'archive')('archives and restores, after which a suspended site may run again', async () => {
          if (can(engine, 'suspend')) await engine.settings.suspend(wp)
          await runSteps(engine.archiveSteps(wp))
          await runSteps(engine.archiveSteps(wp))
          const archived = await engine.observe(wp)
          expect(archived.state).toBe('archived')
          // A server that runs many sites may say no more than that it does not serve this one.
          expect([410, 503]).toContain((await engine.request(wp, '/')).status)
          await runSteps(engine.restoreArchiveSteps(wp))
          await runSteps(engine.restoreArchiveSteps(wp))
          const response = await engine.request(wp, '/')
          expect(response.status).toBe(200)
          expect(response.body).toContain('Tom &')
        })
      },
    }

    if (part !== undefined && part !== 'life') {
      for (const tool of part === 'tools' ? toolParts : [part]) describeTool[tool]()
      return
    }

    it('names its PHP versions in order and a reason for each missing capability', () => {
      const versions = engine.phpVersions(testedServer())
      expect(versions.length).toBeGreaterThan(0)
      expect(versions).toEqual(versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
      expect(Object.keys(capabilitiesOf(engine, testedServer()))).toContain('create_wp')
      for (const capability of Object.values(capabilitiesOf(engine, testedServer())))
        if (!capability.supported) expect(capability.reason).toMatch(/\S.*\.$/)
    })

    describeRefusals(() => ({ ...under, wp, html, newSpec: specOf }))

    needs(get, 'facts')('measures the machine', async () => {
      const host = await engine.hostInfo(testedServer())
      expect(host.hostname).not.toBe('')
      expect(host.cpu).toBeGreaterThan(0)
      expect(host.ram).toBeGreaterThan(100_000_000)
      expect(host.disk).toBeGreaterThanOrEqual(host.diskFree)
      expect(host.uptimeSeconds).toBeGreaterThanOrEqual(0)
    })

    it('has steps with distinct keys and words for people', () => {
      for (const steps of [
        engine.createSteps(newSpec('wp')),
        ...(can(engine, 'create_php') ? [engine.createSteps(newSpec('php'))] : []),
        ...(can(engine, 'archive') ? [engine.archiveSteps(wp), engine.restoreArchiveSteps(wp)] : []),
      ]) {
        expect(new Set(steps.map((step) => step.key)).size).toBe(steps.length)
        for (const step of steps) {
          expect(step.key).toMatch(/^[a-z_]+$/)
          expect(step.label).not.toBe('')
        }
      }
    })

    needs(get, 'files')('says where the files of a created site are', async () => {
      expect(await engine.filesFolder(html)).toMatch(/^(?:\/|[A-Z]:\\)/)
      expect(await engine.filesFolder({ ...html, id: 'aaaaaaaaaa', domain: 'aaaaaaaaaa.example.com' })).toBeNull()
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
      expect((await failureOf(() => engine.createSteps(newSpec('wp', { phpVersion: '5.6' })))).code).toBe('invalid')
      for (const domain of [
        '',
        '../x',
        namesDomains ? 'a..b' : 'a.b',
        'UPPER',
        '-a',
        'a-',
        'a b',
        'x'.repeat(64),
        'ä',
        '*',
      ]) {
        expect((await failureOf(() => engine.createSteps(newSpec('html', { domain })))).code).toBe('invalid')
      }
      expect((await failureOf(() => engine.destroy({ ...wp, id: '../../../x' }))).code).toBe('invalid')
    })

    needs(get, 'login_link')('signs a user in once, for a while, on one site', async () => {
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
      await under.pass(31)
      await expectPublic(pathOf(late))
      expect(
        (await engine.request(html, pathOf(await engine.loginLink(wp, wordpressPerson(), 30)))).headers['set-cookie'],
      ).toBeUndefined()
      expect((await failureOf(() => engine.loginLink(html, wordpressPerson(), 30))).code).toBe('conflict')
    })

    describePeople(() => ({ engine, wp, html }))

    needs(get, 'login_link')('lets of two simultaneous uses of a link one win', async () => {
      const path = pathOf(await engine.loginLink(wp, wordpressPerson(), 30))
      const responses = await Promise.all([
        engine.request(wp, path),
        engine.request(wp, path),
        engine.request(wp, path),
      ])
      expect(responses.filter((response) => response.headers['set-cookie'] !== undefined)).toHaveLength(1)
    })

    needs(get, 'cron')('runs scheduled events', async () => {
      expect(await engine.runCron(wp)).toBeGreaterThanOrEqual(0)
      expect(await engine.runCron(html)).toBe(0)
    })

    if (part === undefined) for (const tool of toolParts) describeTool[tool]()

    needs(get, 'php_version')('changes the PHP version', async () => {
      await engine.setPhpVersion(wp, '8.4')
      expect((await engine.observe(wp)).phpVersion).toBe('8.4')
      expect((await engine.request(wp, '/')).status).toBe(200)
      expect((await failureOf(() => engine.setPhpVersion(wp, '9.9'))).code).toBe('invalid')
      expect((await engine.observe(wp)).phpVersion).toBe('8.4')
    })

    describeRestarts(() => ({ engine, wp, html, newSpec }))

    describeCertificates(() => ({ engine, html, newSpec }))

    describeOptions(() => ({ engine, newSpec: specOf }))

    needs(get, 'create_php')('stops a canceled creation, and destroying leaves nothing', async () => {
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
      expect([404, 503]).toContain((await engine.request(html, '/')).status)
      const again = newSpec('html', { domain: html.domain })
      await runSteps(engine.createSteps(again))
      expect((await engine.request(again, '/')).status).toBe(200)
    })

    it('says not_found about unknown sites', async () => {
      const unknown = newSpec('wp')
      expect((await engine.observe(unknown)).state).toBe('absent')
      const refusing = [
        ['login_link', () => engine.syncUsers(unknown, nobodyStays('boss'))],
        ['login_link', () => engine.loginLink(unknown, wordpressPerson(), 30)],
        ['logs', () => engine.logs.sources(unknown)],
        ['logs', () => engine.logs.read(unknown, 'php', { from: 'end' })],
        ['logs', () => engine.logs.clear(unknown, 'access')],
        ['logs', () => engine.logs.mails(unknown)],
        ['cron', () => engine.runCron(unknown)],
        ['php_version', () => engine.setPhpVersion(unknown, '8.4')],
        ['archive', () => runSteps(engine.archiveSteps(unknown))],
        ['archive', () => runSteps(engine.restoreArchiveSteps(unknown))],
      ] as const
      for (const [name, work] of refusing)
        if (can(engine, name)) expect((await failureOf(work)).code, String(work)).toBe('not_found')
    })
  })
}
