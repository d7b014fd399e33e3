import { afterAll, beforeAll, expect, test } from 'vitest'
import { thisMachine } from '#server/engines/site-ref.ts'
import { storedFacts, type WordPressFacts } from '#shared/responses/wordpress.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { until } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'

let t: TestSites
const lacking = { multisite_subdomains: 'No wildcard name leads here.' }
beforeAll(async () => {
  t = await openTestSites([], { lacks: () => lacking })
})
afterAll(() => t?.close())

const now = async (site: Site) => (await t.siteNow(site.name)) as Site
const convert = (site: Site) => t.act(site.name, 'convert_to_network', { confirm_name: site.domain })
const sitesOf = async (site: Site): Promise<WordPressFacts['sites']> =>
  storedFacts.parse(await t.act(site.name, 'wordpress_facts')).facts?.sites ?? null
const isNetwork = (site: Site) => t.engine.networks.isNetwork(siteRef(site, thisMachine))

test('a site is created as a network of a kind that its server can run', async () => {
  const site = await t.live('created', { multisite: 'subdir' })
  expect(site.multisite).toBe('subdir')
  expect(await isNetwork(site)).toBe(true)
  expect(await rejectionOf(t.insert('wild', { multisite: 'subdom' }))).toMatchObject({
    code: 'unsupported',
    field: 'multisite',
    message: lacking.multisite_subdomains,
  })
  expect(await rejectionOf(t.insert('plain', { multisite: 'subdir', site_type: 'php' }))).toMatchObject({
    code: 'invalid',
    field: 'multisite',
  })
  expect(await rejectionOf(t.insert('odd', { multisite: 'folders' }))).toMatchObject({ field: 'multisite' })
  expect((await t.live('single', { multisite: '' })).multisite).toBeNull()
})

test('a site becomes a network once its name was typed, and gets and loses sites', async () => {
  const site = await t.live('becomes')
  expect(await rejectionOf(t.act(site.name, 'convert_to_network', { confirm_name: 'other' }))).not.toBeNull()
  expect(await t.end(await convert(site))).toMatchObject({ status: 'Done', error_message: null })
  expect(await now(site)).toMatchObject({ status: 'Live', multisite: 'subdir', locked_by_job: null })
  expect(await isNetwork(site)).toBe(true)
  expect(await rejectionOf(convert(site))).toMatchObject({ code: 'invalid' })

  await t.act(site.name, 'add_network_site', { path: 'second', title: 'Second' })
  expect((await sitesOf(site))?.rows.map(({ path, title }) => [path, title])).toEqual([
    ['/', "Ann's & Bob"],
    ['/second/', 'Second'],
  ])
  for (const path of ['Second', 'a/b', '../x', '-a', 'ä', ''])
    expect(await rejectionOf(t.act(site.name, 'add_network_site', { path, title: 'X' }))).toMatchObject({
      field: 'path',
    })
  expect(await rejectionOf(t.act(site.name, 'add_network_site', { path: 'second', title: 'X' }))).toMatchObject({
    code: 'conflict',
  })
  await t.act(site.name, 'delete_network_site', { site: 2 })
  expect((await sitesOf(site))?.total).toBe(1)
})

test('themes are enabled for the network, and super admins named, until one is left', async () => {
  const site = await t.live('super', { multisite: 'subdir' })
  const { facts } = storedFacts.parse(await t.act(site.name, 'inspect_wordpress'))
  const theme = String(facts?.themes[0]?.id)
  await t.act(site.name, 'set_theme_network', { theme, enabled: 1 })
  const themes = async () => storedFacts.parse(await t.act(site.name, 'wordpress_facts')).facts?.themes
  expect((await themes())?.find(({ id }) => id === theme)).toMatchObject({ network: true })
  await t.act(site.name, 'set_theme_network', { theme, enabled: 0 })
  expect((await themes())?.find(({ id }) => id === theme)).toMatchObject({ network: false })

  await t.act(site.name, 'add_wordpress_user', { login: 'nora', email: 'nora@x.example', role: 'editor' })
  const supers = async () => {
    const { rows } = await t.engine.wordpress.users(siteRef(site, thisMachine), { search: '', page: 0 })
    return rows.filter(({ super_admin }) => super_admin === true).map(({ login }) => login)
  }
  await t.act(site.name, 'set_super_admin', { login: 'nora', enabled: 1 })
  expect(await supers()).toContain('nora')
  for (const login of (await supers()).filter((one) => one !== 'nora'))
    await t.act(site.name, 'set_super_admin', { login, enabled: 0 })
  expect(await rejectionOf(t.act(site.name, 'set_super_admin', { login: 'nora', enabled: 0 }))).toMatchObject({
    code: 'conflict',
  })
  expect(await rejectionOf(t.act(site.name, 'set_super_admin', { login: ' x', enabled: 1 }))).toMatchObject({
    field: 'login',
  })
  const single = await t.live('no-network')
  expect(await rejectionOf(t.act(single.name, 'set_theme_network', { theme, enabled: 1 }))).toMatchObject({
    code: 'unsupported',
  })
})

test('a change that fails or is canceled leaves a single site', async () => {
  const site = await t.live('fail-network')
  expect(await t.end(await convert(site))).toMatchObject({ status: 'Failed' })
  expect(await now(site)).toMatchObject({ status: 'Live', multisite: null, failure_reason: null })
  expect(await isNetwork(site)).toBe(false)

  const other = await t.live('hang-network')
  const started = await convert(other)
  await until(t.running.documents, 'Job', String(started?.['job']), () =>
    t.engine.begun.includes('hang-network:network'),
  )
  await t.running.documents.runAction(t.owner, 'Job', String(started?.['job']), 'cancel', {})
  expect(await t.end(started)).toMatchObject({ status: 'Cancelled' })
  expect(await now(other)).toMatchObject({ status: 'Live', multisite: null })
})

test('what a network can’t do is refused with the reason', async () => {
  const network = await t.live('limits', { multisite: 'subdir' })
  const served = { domain: 'also.example', mode: 'serve' }
  expect(await rejectionOf(t.act(network.name, 'add_alias', served))).toMatchObject({ code: 'conflict' })
  expect(
    await rejectionOf(t.act(network.name, 'change_domain', { domain: 'new.example', old_domain: 'serve' })),
  ).toMatchObject({ code: 'conflict' })
  expect(await rejectionOf(t.act(network.name, 'create_staging', { domain: 'limits-stage' }))).toMatchObject({
    code: 'unsupported',
  })
  await t.act(network.name, 'add_alias', { ...served, mode: 'redirect' })
  expect(await rejectionOf(t.act(network.name, 'set_alias_mode', served))).toMatchObject({ code: 'conflict' })

  const single = await t.live('serves')
  await t.act(single.name, 'add_alias', { ...served, domain: 'serves.example' })
  expect(await rejectionOf(convert(single))).toMatchObject({ code: 'conflict' })
  const live = await t.live('staged')
  const made = await t.act(live.name, 'create_staging', { domain: 'staged-stage' })
  await t.end(made)
  const staging = (await t.siteNow(String(made?.['name']))) as Site
  for (const one of [live, staging]) expect(await rejectionOf(convert(one))).toMatchObject({ code: 'conflict' })
  expect(await rejectionOf(convert(await t.live('html', { site_type: 'html' })))).toMatchObject({ code: 'unsupported' })
})

test('a clone of a network is one', async () => {
  const network = await t.live('copied', { multisite: 'subdir' })
  const made = await t.act(network.name, 'clone', { domain: 'copied-too' })
  expect(await t.end(made)).toMatchObject({ status: 'Done' })
  const copy = (await t.siteNow(String(made?.['name']))) as Site
  expect(copy.multisite).toBe('subdir')
  expect(await isNetwork(copy)).toBe(true)
})
