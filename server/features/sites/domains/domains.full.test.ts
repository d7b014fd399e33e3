import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { EngineError } from '#server/engines/engine.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { until } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'
import { reconcile } from '../reconcile.ts'
import { domainsOfSite, removeDomain, writeDomain } from './domain-table.ts'
import { mirrorDomains } from './mirror-domains.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

const system = <T>(work: Parameters<ReturnType<TestSites['deps']['documents']>['transaction']>[1]) =>
  t.running.documents.transaction(systemSession(), work) as Promise<T>
const now = async (site: Site) => (await t.siteNow(site.name)) as Site
const inEngine = (site: Site) => t.engine.domains.read(siteRef(site, thisMachine))
const rowsOf = (site: Site) =>
  system<{ domain: string; mode: string }[]>(async (tx) =>
    (await domainsOfSite(tx, site.name)).map(({ domain, mode }) => ({ domain, mode })),
  )
const statusOf = async (site: Site, domain: string) =>
  (await t.engine.request({ ...siteRef(site, thisMachine), domain }, '/')).status

describe('aliases', () => {
  test('are added, changed and removed, in document, engine and log', async () => {
    const site = await t.live('names')
    expect(await t.act(site.name, 'add_alias', { domain: 'https://bücher.example/', mode: 'serve' })).toEqual({
      domain: 'xn--bcher-kva.example',
    })
    await t.act(site.name, 'add_alias', { domain: 'other.localhost', mode: 'redirect' })
    expect(await now(site)).toMatchObject({
      usr_alias_domains: 'xn--bcher-kva.example\nother.localhost',
      aliases: [
        { domain: 'xn--bcher-kva.example', url: 'http://xn--bcher-kva.example:8080', mode: 'serve' },
        { domain: 'other', url: 'http://other.localhost:8080', mode: 'redirect' },
      ],
    })
    expect(await statusOf(site, 'other')).toBe(301)
    await t.act(site.name, 'set_alias_mode', { domain: 'other', mode: 'serve' })
    expect(await statusOf(site, 'other')).toBe(200)
    await t.act(site.name, 'remove_alias', { domain: 'other.localhost' })
    expect(await statusOf(site, 'other')).toBe(404)
    expect(await inEngine(site)).toMatchObject({ aliases: [{ domain: 'xn--bcher-kva.example', mode: 'serve' }] })
    await t.act(site.name, 'remove_alias', { domain: 'xn--bcher-kva.example' })
    expect(await now(site)).toMatchObject({ aliases: null, usr_alias_domains: null })
    expect(await rejectionOf(t.act(site.name, 'remove_alias', { domain: 'other' }))).toMatchObject({
      code: 'not_found',
    })
    const log = await system<{ action: string; detail: string }[]>((tx) =>
      tx.list(ActivityDoctype, [
        ['reference_name', '=', site.name],
        ['action', 'in', ['Site.add_alias', 'Site.set_alias_mode', 'Site.remove_alias']],
      ]),
    )
    expect(log.map(({ action, detail }) => `${action} ${detail}`)).toEqual([
      'Site.add_alias xn--bcher-kva.example',
      'Site.add_alias other',
      'Site.set_alias_mode other',
      'Site.remove_alias other',
      'Site.remove_alias xn--bcher-kva.example',
    ])
  })

  test.each([
    '',
    'names2',
    'names2.localhost',
    '*.example.com',
    'example.com:8080',
    'example.com/path',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    'a b.example',
    'localhost',
    'api',
    'adm1n',
    'аdmin.example',
    'a.b.localhost',
    `${'x'.repeat(64)}.example`,
    `${'x.'.repeat(130)}example`,
    'exa_mple.com',
    'WWW.example.com',
    'Bücher.example',
    'x@example.com',
    'xn--zzzz.example',
  ])('are refused at the field: “%s”', async (domain) => {
    const site =
      (await system<Site | null>((tx) => tx.find(SiteDoctype, [['domain', '=', 'names2']]))) ?? (await t.live('names2'))
    const error = await rejectionOf(t.act(site.name, 'add_alias', { domain, mode: 'serve' }))
    expect(error).toMatchObject({ field: 'domain' })
    expect(await rowsOf(site)).toEqual([])
  })

  test('belong to one site of the installation, also of archived ones and of other organizations', async () => {
    const one = await t.live('first')
    const two = await t.live('second')
    await t.act(one.name, 'add_alias', { domain: 'shared.example', mode: 'redirect' })
    expect(await rejectionOf(t.act(two.name, 'add_alias', { domain: 'shared.example', mode: 'serve' }))).toMatchObject({
      code: 'invalid',
      field: 'domain',
      message: expect.stringContaining('your site first'),
    })
    expect(await rejectionOf(t.act(two.name, 'add_alias', { domain: 'first', mode: 'serve' }))).toMatchObject({
      field: 'domain',
    })
    const theirs = await t.running.documents.insert(t.other, 'Site', {
      domain: 'theirs',
      server: t.otherServer.name,
      site_type: 'html',
    })
    await t.end(theirs)
    const stolen = await rejectionOf(
      t.act(theirs.name, 'add_alias', { domain: 'shared.example', mode: 'serve' }, t.other),
    )
    expect(stolen).toMatchObject({ code: 'invalid', field: 'domain' })
    expect(stolen?.message).not.toContain('first')
    // New sites: our own alias is an error, that of others leads to another name.
    await t.act(one.name, 'add_alias', { domain: 'given', mode: 'serve' })
    expect(await rejectionOf(t.insert('given'))).toMatchObject({ field: 'domain' })
    const made = await t.running.documents.insert(t.other, 'Site', {
      domain: 'given',
      server: t.otherServer.name,
      site_type: 'html',
    })
    expect(made['domain']).toMatch(/^given-[a-z0-9]{4}$/)
    await t.end(made)

    await t.end(await t.act(one.name, 'archive', { confirm_name: 'first' }))
    expect(
      await rejectionOf(t.act(theirs.name, 'add_alias', { domain: 'shared.example', mode: 'serve' }, t.other)),
    ).toMatchObject({ field: 'domain' })
    // The organization itself can move the name to another of its sites.
    await t.act(two.name, 'add_alias', { domain: 'shared.example', mode: 'serve' })
    expect(await statusOf(two, 'shared.example')).toBe(200)
    const restored = await t.end(await t.act(one.name, 'restore_archive'))
    expect(restored).toMatchObject({ status: 'Done' })
    expect(await now(one)).toMatchObject({
      usr_alias_domains: 'given.localhost',
      aliases: [
        { domain: 'shared.example', taken: 1 },
        { domain: 'given', mode: 'serve' },
      ],
    })
    expect(await inEngine(one)).toMatchObject({ aliases: [{ domain: 'given', mode: 'serve' }] })
    await t.act(one.name, 'remove_alias', { domain: 'shared.example' })
    expect((await now(one)).aliases).toHaveLength(1)
    expect(await rowsOf(two)).toEqual([{ domain: 'shared.example', mode: 'serve' }])
    // A deleted site gives its names back.
    await t.end(await t.act(two.name, 'archive', { confirm_name: 'second' }))
    await t.end(await t.act(two.name, 'delete_permanently', { confirm_name: 'second' }))
    await t.act(theirs.name, 'add_alias', { domain: 'shared.example', mode: 'serve' }, t.other)
  })

  test('two organizations at once: one gets the name, the other an error at the field', async () => {
    const mine = await t.live('racer')
    const theirs = await t.running.documents.insert(t.other, 'Site', {
      domain: 'rival',
      server: t.otherServer.name,
      site_type: 'html',
    })
    await t.end(theirs)
    const results = await Promise.all([
      ...Array.from({ length: 3 }, () =>
        rejectionOf(t.act(mine.name, 'add_alias', { domain: 'race.example', mode: 'serve' })),
      ),
      ...Array.from({ length: 3 }, () =>
        rejectionOf(t.act(theirs.name, 'add_alias', { domain: 'race.example', mode: 'serve' }, t.other)),
      ),
    ])
    expect(results.filter((error) => error === null)).toHaveLength(1)
    for (const error of results.filter((one) => one !== null)) expect(error).toMatchObject({ field: 'domain' })
  })

  test('a change that the engine refuses is taken back, and one it missed is made up for', async () => {
    const site = await t.live('mirror')
    await t.act(site.name, 'add_alias', { domain: 'kept.example', mode: 'serve' })
    const { setAliases } = t.engine.domains
    Reflect.set(t.engine.domains, 'setAliases', () => Promise.reject(new Error('no')))
    await rejectionOf(t.act(site.name, 'add_alias', { domain: 'lost.example', mode: 'serve' }))
    await rejectionOf(t.act(site.name, 'remove_alias', { domain: 'kept.example' }))
    Reflect.set(t.engine.domains, 'setAliases', setAliases)
    expect(await rowsOf(site)).toEqual([{ domain: 'kept.example', mode: 'serve' }])
    expect((await now(site)).aliases).toHaveLength(1)

    // As after a crash between both.
    await system((tx) => writeDomain(tx, { domain: 'late.example', site: site.name, mode: 'redirect' }))
    await reconcile(t.deps, t.host)
    expect(await statusOf(site, 'late.example')).toBe(301)
  })

  test('that an archived site gave up go back to it if the change fails, wherever it fails', async () => {
    const giver = await t.live('giver')
    const both = ['lent.example', 'stays.example'].map((domain) => ({ domain, mode: 'redirect' }))
    for (const alias of both) await t.act(giver.name, 'add_alias', alias)
    await t.end(await t.act(giver.name, 'archive', { confirm_name: 'giver' }))
    const { aliases, usr_alias_domains } = await now(giver)
    const site = await t.live('borrower')
    const add = () => rejectionOf(t.act(site.name, 'add_alias', { domain: 'lent.example', mode: 'serve' }))
    const isAsBefore = async () => {
      expect(await rowsOf(giver), 'in their order').toEqual(both)
      expect(await now(giver)).toMatchObject({ aliases, usr_alias_domains })
      expect(await inEngine(giver)).toMatchObject({ aliases: both })
      expect(await rowsOf(site)).toEqual([])
      expect(await now(site)).toMatchObject({ aliases: null, usr_alias_domains: null })
      expect(await inEngine(site)).toMatchObject({ aliases: [] })
    }
    const areBack = { nextAction: { text: expect.stringMatching(/^The aliases are as they were before/) as string } }

    // Code of the site fails under the new name.
    const { request } = t.engine
    const fails = async () => ({ status: 500, body: '', headers: {}, ttfbMs: 1, tookMs: 1 })
    Reflect.set(t.engine, 'request', (...given: Parameters<typeof request>) =>
      given[0].domain === 'lent.example' ? fails() : request(...given),
    )
    const failed = await add()
    Reflect.set(t.engine, 'request', request)
    expect(failed).toMatchObject(areBack)
    await isAsBefore()

    // The giver's engine does not let go of it.
    const { setAliases } = t.engine.domains
    Reflect.set(t.engine.domains, 'setAliases', (...given: Parameters<typeof setAliases>) =>
      given[0].id === giver.name && given[1].length === 1 ? Promise.reject(new Error('no')) : setAliases(...given),
    )
    expect(await add().finally(() => Reflect.set(t.engine.domains, 'setAliases', setAliases))).toMatchObject(areBack)
    await isAsBefore()
    expect(await add()).toBeNull()
    expect(await now(giver)).toMatchObject({ aliases: [{ ...both[0], taken: 1 }, both[1]] })
    expect(await inEngine(giver)).toMatchObject({ aliases: [both[1]] })
  })

  test('that an archived site gave up stay with who got them before the change was taken back', async () => {
    const giver = await t.live('loser')
    await t.act(giver.name, 'add_alias', { domain: 'snatched.example', mode: 'serve' })
    await t.end(await t.act(giver.name, 'archive', { confirm_name: 'loser' }))
    const site = await t.live('tries')
    const third = await t.live('snatcher')
    const { setAliases } = t.engine.domains
    Reflect.set(t.engine.domains, 'setAliases', async (...given: Parameters<typeof setAliases>) => {
      if (given[0].id !== site.name || given[1].length === 0) return setAliases(...given)
      await system(async (tx) => {
        await removeDomain(tx, site.name, 'snatched.example')
        await writeDomain(tx, { domain: 'snatched.example', site: third.name, mode: 'serve' })
      })
      throw new Error('no')
    })
    expect(
      await rejectionOf(t.act(site.name, 'add_alias', { domain: 'snatched.example', mode: 'serve' })),
    ).not.toBeNull()
    Reflect.set(t.engine.domains, 'setAliases', setAliases)
    expect(await rowsOf(third)).toEqual([{ domain: 'snatched.example', mode: 'serve' }])
    expect(await rowsOf(giver)).toEqual([])
    expect(await now(giver)).toMatchObject({ aliases: [{ domain: 'snatched.example', taken: 1 }] })
  })

  test('a clone has none, and a limit holds', async () => {
    const site = await t.live('many')
    for (let number = 0; number < 30; number += 1)
      await t.act(site.name, 'add_alias', { domain: `n${number}.example`, mode: 'serve' })
    expect(await rejectionOf(t.act(site.name, 'add_alias', { domain: 'more.example', mode: 'serve' }))).toMatchObject({
      code: 'limit_reached',
    })
    const result = await t.act(site.name, 'clone', { domain: 'many-copy' })
    expect(await t.end(result)).toMatchObject({ status: 'Done' })
    const copy = (await t.siteNow(String(result?.['name']))) as Site
    expect(copy.aliases).toBeNull()
    expect(await inEngine(copy)).toMatchObject({ aliases: [] })
  })
})

describe('the primary domain', () => {
  test('is changed after a look at what that replaces; the old one redirects', async () => {
    const site = await t.live('before')
    await t.act(site.name, 'add_alias', { domain: 'www.shop.example', mode: 'serve' })
    const found = await t.act(site.name, 'preview_domain_change', { domain: 'after.localhost' })
    expect(found).toMatchObject({ domain: 'after', url: 'http://after.localhost:8080', after: null })
    expect(await now(site)).toMatchObject({ domain: 'before', status: 'Live' })
    const job = await t.end(await t.act(site.name, 'change_domain', { domain: 'after', old_domain: 'redirect' }))
    expect(job).toMatchObject({ status: 'Done', label: "Change the domain of Ann's & Bob to after" })
    const changed = await now(site)
    expect(changed).toMatchObject({
      domain: 'after',
      url: 'http://after.localhost:8080',
      status: 'Live',
      health: 'Up',
      usr_alias_domains: 'www.shop.example\nbefore.localhost',
    })
    expect(await inEngine(changed)).toMatchObject({ domain: 'after', changingTo: null })
    expect(await statusOf(changed, 'after')).toBe(200)
    expect(await statusOf(changed, 'before')).toBe(301)
    expect(await rejectionOf(t.insert('before'))).toMatchObject({ field: 'domain' })

    // An alias becomes the primary domain; the old one goes.
    await t.end(await t.act(site.name, 'change_domain', { domain: 'www.shop.example', old_domain: 'remove' }))
    expect(await now(site)).toMatchObject({
      domain: 'www.shop.example',
      url: 'http://www.shop.example:8080',
      usr_alias_domains: 'before.localhost',
    })
    expect(await statusOf(site, 'after')).toBe(404)
    await t.end(await t.insert('after'))
  })

  test.each(['refused', 'late'])('loses the old one as an alias if the server does not take that: %s', async (to) => {
    const site = await t.live(`was-${to}`)
    const { finishChange, setAliases } = t.engine.domains
    const spy = vi.spyOn(t.engine.domains, 'finishChange').mockImplementation(async (ref) => {
      await finishChange(ref)
      await setAliases(ref, [])
      // Taking that back completes it.
      if (to === 'late') throw new EngineError('conflict', msg`No answer.`, { nextAction: msg`Retry.` })
    })
    await t.end(await t.act(site.name, 'change_domain', { domain: to, old_domain: 'redirect' }))
    spy.mockRestore()
    expect([await now(site), await rowsOf(site)]).toMatchObject([{ domain: to, aliases: null }, []])
  })

  test('that is taken or none is refused, for the look as well', async () => {
    const site = await t.live('stays')
    await t.live('occupied')
    for (const domain of ['stays', 'occupied', 'not a name'])
      for (const action of ['preview_domain_change', 'change_domain'])
        expect(await rejectionOf(t.act(site.name, action, { domain }))).toMatchObject({
          code: 'invalid',
          field: 'domain',
        })
  })

  test('is as before after a failure or a cancel, and the name is free again', async () => {
    const site = await t.live('rollback')
    await t.act(site.name, 'add_alias', { domain: 'rollback.example', mode: 'serve' })
    const isAsBefore = async () => {
      expect(await now(site)).toMatchObject({
        domain: 'rollback',
        status: 'Live',
        url: 'http://rollback.localhost:8080',
      })
      expect(await inEngine(site)).toMatchObject({
        domain: 'rollback',
        changingTo: null,
        aliases: [{ domain: 'rollback.example' }],
      })
      expect(await rowsOf(site)).toEqual([{ domain: 'rollback.example', mode: 'serve' }])
    }
    const pushed = vi.spyOn(t.engine.domains, 'setAliases')
    for (const _pushed of ['aliases', 'nothing']) {
      const failed = await t.end(await t.act(site.name, 'change_domain', { domain: 'fail-rename' }))
      expect([failed.status, failed.next_action]).toEqual(['Failed', expect.stringContaining('previous domain')])
      await isAsBefore()
      pushed.mockRejectedValue(new Error('no'))
    }
    pushed.mockRestore()

    // The page fails only under the new name.
    t.engine.answers.push(...Array.from({ length: 2 }, () => ({ status: 500, body: '' })))
    expect(await t.end(await t.act(site.name, 'change_domain', { domain: 'broken-page' }))).toMatchObject({
      status: 'Failed',
    })
    t.engine.answers.length = 0
    await isAsBefore()

    const hanging = await t.act(site.name, 'change_domain', { domain: 'hang-check' })
    await until(t.running.documents, 'Job', String(hanging?.['job']), () => t.engine.begun.includes('hang-check:check'))
    // Nobody else gets the name meanwhile.
    expect(await rejectionOf(t.insert('hang-check'))).toMatchObject({ field: 'domain' })
    expect(await rejectionOf(t.act(site.name, 'add_alias', { domain: 'x.example', mode: 'serve' }))).toMatchObject({
      field: 'status',
    })
    // An attempt that nobody waits for any more must not go on beside the next one.
    const undone = vi.spyOn(t.engine.domains, 'undoChange')
    await t.running.documents.runAction(t.owner, 'Job', String(hanging?.['job']), 'cancel', {})
    expect(await t.end(hanging)).toMatchObject({ status: 'Cancelled' })
    expect(undone.mock.lastCall?.[1]).toBeInstanceOf(AbortSignal)
    await isAsBefore()
  })

  test('is taken back if its job is gone', async () => {
    const site = await t.live('orphaned')
    await runSteps(t.engine.domains.changeSteps(siteRef(site, thisMachine), 'never', []))
    await system((tx) => writeDomain(tx, { domain: 'never', site: site.name, mode: 'pending' }))
    // A job that began after the list of sites was read keeps its change.
    await system((tx) => tx.updateColumns(SiteDoctype, site.name, { locked_by_job: 'a-job' }))
    await mirrorDomains(t.deps, t.host, site)
    expect(await inEngine(site)).toMatchObject({ changingTo: 'never' })
    await system((tx) => tx.updateColumns(SiteDoctype, site.name, { locked_by_job: null }))
    await reconcile(t.deps, t.host)
    expect(await inEngine(site)).toEqual({ domain: 'orphaned', aliases: [], changingTo: null })
    expect(await rowsOf(site)).toEqual([])
  })
})
