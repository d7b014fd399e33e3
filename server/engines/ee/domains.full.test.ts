import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { failureOf } from '#tests/contracts/engine-failure.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { SiteSpec } from '../engine.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
  await t.ee('config', 'set', 'le-mail', 'ops@example.com')
})
afterEach(() => t.setTraps())
afterAll(() => t?.end())

const as = (site: SiteSpec, domain: string) => ({ ...site, domain })

test('aliases serve and redirect until they are removed; those made on the server stay', async () => {
  const site = await t.create()
  const { engine } = t
  await t.ee('site', 'update', site.domain, '--add-alias-domains=theirs.example')
  const aliases = [
    { domain: 'shown.example', mode: 'serve' },
    { domain: 'sent.example', mode: 'redirect' },
  ] as const
  for (const _again of [1, 2]) await engine.domains.setAliases(site, aliases)
  expect((await engine.domains.read(site)).aliases).toEqual(expect.arrayContaining([...aliases]))
  expect((await engine.request(as(site, 'shown.example'), '/')).status).toBe(200)
  expect(await engine.request(as(site, 'sent.example'), '/a%20b?c=d')).toMatchObject({
    ...{ status: 301, headers: { location: `http://${site.domain}/a%20b?c=d` } },
  })
  await engine.domains.setAliases(site, [])
  for (const name of ['shown.example', 'sent.example'])
    expect((await engine.request(as(site, name), '/')).status, name).toBe(503)
  expect((await engine.request(as(site, 'theirs.example'), '/')).status).toBe(200)
  expect(
    await readFile(join(t.root, 'opt/easyengine/sites', site.domain, 'config/nginx/custom/user.conf'), 'utf8'),
  ).not.toContain('return')
  expect(await t.violations()).toEqual([])
})

test('an alias that was written in upper case on the server is that of its site, and is removed', async () => {
  const [site, other] = [await t.create(), await t.create()]
  await t.ee('site', 'update', site.domain, '--add-alias-domains=WWW.Mine.example')
  const alias = { domain: 'www.mine.example', mode: 'redirect' } as const
  const set = (one: SiteSpec, aliases: (typeof alias)[]) => t.engine.domains.setAliases(one, aliases)
  expect(await failureOf(() => set(other, [alias]))).toMatchObject({ code: 'conflict' })
  await set(site, [alias])
  expect((await t.engine.domains.read(site)).aliases).toEqual([alias])
  await set(site, [])
  await set(other, [alias])
  expect(await t.violations()).toEqual([])
})

test('what EasyEngine would leave half done is refused before: other kinds of SSL, names of others', async () => {
  const [site, other] = [await t.create(), await t.create()]
  const { engine } = t
  const set = (domain: string) => failureOf(() => engine.domains.setAliases(site, [{ domain, mode: 'serve' }]))
  expect(await set(other.domain)).toMatchObject({ code: 'conflict' })
  await engine.domains.setAliases(other, [{ domain: 'taken.example', mode: 'serve' }])
  expect(await set('taken.example')).toMatchObject({ code: 'conflict' })
  expect(await failureOf(() => t.create({ domain: 'taken.example' }))).toMatchObject({ code: 'conflict' })
  for (const name of ['a b', '*.example.com', 'x;reboot', '10.0.0.1', '-x.example'])
    expect(await set(name), name).toMatchObject({ code: 'invalid' })
  await engine.certificates.change(site, 'self')
  const before = (await t.effects()).length
  expect(await set('new.example')).toMatchObject({ code: 'conflict', message: /Let’s Encrypt/ })
  expect(await t.effects()).toHaveLength(before)
})

test('with Let’s Encrypt the certificate has the alias, too; if none comes, the alias is not there', async () => {
  const site = await t.create()
  const { engine } = t
  await engine.certificates.change(site, 'le')
  await engine.domains.setAliases(site, [{ domain: 'both.example', mode: 'serve' }])
  expect((await engine.certificates.read(site)).certificate?.names).toEqual([site.domain, 'both.example'])
  expect((await engine.request({ ...as(site, 'both.example'), isSecure: true }, '/')).status).toBe(200)
  await t.setTraps('ssl_fails')
  const failing = [
    { domain: 'both.example', mode: 'serve' },
    { domain: 'more.example', mode: 'serve' },
  ] as const
  expect(await failureOf(() => engine.domains.setAliases(site, failing))).toMatchObject({ code: 'unavailable' })
  expect((await engine.domains.read(site)).aliases).toEqual([failing[0]])
  await t.setTraps()
  await engine.domains.setAliases(site, [failing[0]])
})

test('WordPress redirects only', async () => {
  const site = await t.create({ siteType: 'wp' })
  const { domains } = t.engine
  expect(await failureOf(() => domains.setAliases(site, [{ domain: 'x.example', mode: 'serve' }]))).toMatchObject({
    code: 'unsupported',
  })
  await domains.setAliases(site, [{ domain: 'x.example', mode: 'redirect' }])
  expect((await t.engine.request(as(site, 'x.example'), '/')).status).toBe(301)
})
