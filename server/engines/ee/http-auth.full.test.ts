import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { SiteRef } from '../site-ref.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

/** What somebody gets who knows nothing of the server: no header of ours. */
async function visit({ domain }: Pick<SiteRef, 'domain'>, pair?: string) {
  const network = { addressMap: t.cloud.addressMap, allowPrivateCidrs: [], at: t.server.address ?? '' }
  const headers: Record<string, string> =
    pair === undefined ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
  const { status, headers: given } = await safeFetch(`http://${domain}/`, { profile: 'tenant', ...network, headers })
  return status === 401 ? [status, given['www-authenticate']] : [status]
}
const asked = [401, 'Basic realm="Restricted"']

test('visitors of a site need its password while it has one', async () => {
  const { settings } = t.engine
  const [site, other] = [await t.create({ siteType: 'wp' }), await t.create()]
  const [first, second] = ['First0123456789', 'Second0123456789']
  expect(await visit(site)).toEqual([200])

  await settings.change(site, { httpAuth: { user: 'guest', password: first } })
  expect(await visit(site)).toEqual(asked)
  expect(await visit(site, `guest:${first}`)).toEqual([200])
  for (const wrong of [
    `guest:${second}`,
    `guest:${first}x`,
    'guest:',
    `other:${first}`,
    ':',
    `easydash-check:${first}`,
  ])
    expect([wrong, ...(await visit(site, wrong))]).toEqual([wrong, ...asked])
  expect((await t.engine.request(site, '/')).status, 'our own checks know another one').toBe(200)
  expect(await visit(other), 'of no other site').toEqual([200])

  await settings.change(site, { httpAuth: { user: 'guest', password: second } })
  expect(await visit(site, `guest:${first}`)).toEqual(asked)
  expect(await visit(site, `guest:${second}`)).toEqual([200])

  // The maintenance page is no way around it.
  await settings.change(site, { maintenance: true })
  expect(await visit(site)).toEqual(asked)
  expect(await visit(site, `guest:${second}`)).toEqual([503])
  await settings.change(site, { maintenance: false })

  await settings.change(site, { httpAuth: null })
  expect(await visit(site)).toEqual([200])
  expect(await visit(site, `guest:${first}`), 'a browser that still sends it').toEqual([200])
  expect((await t.engine.request(site, '/')).status).toBe(200)
  const files = join(t.root, 'opt/easyengine/services/nginx-proxy/htpasswd')
  expect(await readdir(files).catch(() => [])).toEqual([])
})

test('a name that EasyEngine refuses leaves the site open', async () => {
  const site = await t.create()
  await t.ee('auth', 'create', 'global', '--user=taken', '--pass=Global0123456789')
  const change = t.engine.settings.change(site, { httpAuth: { user: 'taken', password: 'First0123456789' } })
  await expect(change).rejects.toThrow()
  expect((await t.engine.settings.read(site)).httpAuthUser).toBeNull()
  // With it, the user of the admin tools, whom it had made one of all sites.
  await t.ee('auth', 'delete', 'global')
  expect(await visit(site)).toEqual([200])
})

test('neither an alias nor a site of a network is a way around the password', async () => {
  const { settings, domains } = t.engine
  const [site, network] = [await t.create({ siteType: 'php' }), await t.create({ siteType: 'wp', multisite: 'subdom' })]
  const [first, second, third] = ['first', 'second', 'third'].map((name) => `${name}.${site.domain}`) as [
    string,
    string,
    string,
  ]
  const password = 'First0123456789'
  const entered = async (names: readonly string[], pair?: string) =>
    Promise.all(names.map(async (domain) => (await visit({ domain }, pair))[0]))
  await domains.setAliases(site, [{ domain: first, mode: 'serve' }])
  expect(await entered([site.domain, first])).toEqual([200, 200])
  for (const one of [site, network]) await settings.change(one, { httpAuth: { user: 'guest', password } })
  const names = [site.domain, first, network.domain, `shop.${network.domain}`]
  expect(await entered(names)).toEqual([401, 401, 401, 401])
  expect(await entered(names, `guest:${password}`)).toEqual([200, 200, 200, 200])

  await domains.setAliases(site, [
    { domain: first, mode: 'redirect' },
    { domain: second, mode: 'serve' },
    { domain: third, mode: 'serve' },
  ])
  expect(await entered([first, second, third])).toEqual([301, 401, 401])
  const changed = 'Second0123456789'
  await settings.change(site, { httpAuth: { user: 'guest', password: changed } })
  expect(await entered([second, third], `guest:${password}`)).toEqual([401, 401])
  expect(await entered([second, third], `guest:${changed}`)).toEqual([200, 200])
  await domains.setAliases(site, [{ domain: second, mode: 'serve' }])
  // Who has that name next is not locked.
  const other = await t.create()
  await domains.setAliases(other, [{ domain: third, mode: 'serve' }])
  expect(await entered([third])).toEqual([200])
  for (const one of [site, network]) await settings.change(one, { httpAuth: null })
  expect(await entered([site.domain, second, network.domain, `shop.${network.domain}`])).toEqual([200, 200, 200, 200])

  // A file that a killed deletion left is of nobody.
  await settings.change(site, { httpAuth: { user: 'guest', password } })
  const file = (name: string) => join(t.root, 'opt/easyengine/services/nginx-proxy/htpasswd', name)
  const left = await readFile(file(second))
  await t.engine.destroy(site)
  for (const name of [first, second]) await writeFile(file(name), left)
  await domains.setAliases(other, [{ domain: second, mode: 'serve' }])
  const next = await t.create({ domain: first })
  expect(await entered([second, first])).toEqual([200, 200])

  // What somebody wrote on the server for an alias stays.
  await writeFile(file(third), 'own:{PLAIN}secret\n')
  await domains.setAliases(next, [{ domain: third, mode: 'serve' }])
  expect(await entered([third])).toEqual([401])
  expect(await entered([third], 'own:secret')).toEqual([200])
  expect(await t.violations()).toEqual([])
})
