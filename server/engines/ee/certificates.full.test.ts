import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeCertificate } from '#server/providers/simulator/easyengine/x509.ts'
import { failureOf } from '#tests/contracts/engine-failure.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { SiteSpec } from '../engine.ts'

let t: EeServer

beforeAll(async () => {
  t = await startEeServer()
  await t.ee('config', 'set', 'le-mail', 'ops@example.com')
})
afterEach(() => t.setTraps())
afterAll(() => t?.end())

const secure = (site: SiteSpec): SiteSpec => ({ ...site, isSecure: true })
const kindOf = async (site: SiteSpec) => (await t.engine.certificates.read(site)).kind
const certificates = (domain: string, type: string) =>
  join(t.root, 'opt/easyengine/services/nginx-proxy/certs', `${domain}.${type}`)
const day = 86_400_000
const pairFor = (...names: string[]) =>
  makeCertificate({ issuer: 'A real authority', names, from: Date.now() - day, until: Date.now() + 100 * day })

test('Let’s Encrypt is turned on and off, and what the certificate says is read back', async () => {
  const site = await t.create({ siteType: 'wp' })
  const { certificates: facet } = t.engine
  expect(await facet.read(site)).toEqual({ kind: null, certificate: null, fixed: null })
  await facet.change(site, 'le')
  await facet.change(site, 'le')
  expect(await facet.read(site)).toMatchObject({
    kind: 'le',
    certificate: { issuer: "Let's Encrypt", names: [site.domain], until: expect.any(Number) },
    fixed: null,
  })
  expect((await t.effects()).filter((line) => line.startsWith(`ssl ${site.domain}`))).toEqual([`ssl ${site.domain} le`])
  // EasyEngine's own copy of the database before its addresses changed.
  expect(existsSync(join(t.root, 'opt/easyengine/.backup', site.domain, `${site.domain}.db`))).toBe(false)
  // Over TLS, with the certificate that the server has; without, visitors are sent there.
  expect((await t.engine.request(secure(site), '/')).status).toBe(200)
  expect((await t.engine.request(site, '/')).headers['location']).toBe(`https://${site.domain}/`)
  expect(await t.engine.loginLink(site, wordpressPerson(), 30)).toMatch(/^https:/)
  await facet.change(site, null)
  expect(await kindOf(site)).toBeNull()
  expect((await t.engine.request(site, '/')).status).toBe(200)
  expect(await t.violations()).toEqual([])
})

test('an EasyEngine without `ssl-info` is not asked, and what is changed there does not begin', async () => {
  const version = join(t.root, 'var/lib/simulated/easyengine')
  const site = await t.create()
  await writeFile(version, '4.9.2')
  const before = await t.effects()
  const old = { ...site, server: { ...t.server, facts: { easyengine: '4.9.2' } } }
  for (const work of [() => t.engine.certificates.read(old), () => t.engine.certificates.change(old, 'le')])
    expect(await failureOf(work)).toMatchObject({ code: 'unsupported', message: /version 4\.9\.3/ })
  expect([await t.violations(), await t.effects()]).toEqual([[], before])
  // The simulated one does not have it.
  await expect(t.ee('site', 'ssl-info', site.domain)).rejects.toThrow("'ssl-info' is not a registered subcommand")
  await rm(version)
  await rm(join(t.root, 'var/lib/simulated/violations.log'))
})

test('a certificate that is said and not there is a failure, and the site is served as before', async () => {
  await t.setTraps('ssl_fails')
  const site = await t.create()
  const error = await failureOf(() => t.engine.certificates.change(site, 'le'))
  expect(error).toMatchObject({ code: 'unavailable', message: /Let’s Encrypt.*authorization failed/ })
  expect(error.nextAction.text).toContain(site.domain)
  expect(await kindOf(site)).toBeNull()
  expect((await t.engine.request(site, '/')).status).toBe(200)
  // Somebody else's attempt on the server is gone on with.
  await t.ee('site', 'update', site.domain, '--ssl=le')
  expect(await t.engine.certificates.read(site)).toMatchObject({ kind: 'le', certificate: null })
  await t.setTraps()
  await t.engine.certificates.change(site, 'le')
  expect(await t.engine.certificates.read(site)).toMatchObject({ certificate: { names: [site.domain] } })
  expect((await t.effects()).at(-1)).toBe(`ssl-verify ${site.domain}`)
})

test('one that has expired or is for another name is renewed', async () => {
  const site = await t.create()
  await t.engine.certificates.change(site, 'le')
  for (const [names, until] of [
    [[site.domain], Date.now() - day],
    [['other.example'], Date.now() + day],
  ] as const) {
    const { certificate, key } = makeCertificate({ issuer: 'Old', names, from: Date.now() - 90 * day, until })
    await writeFile(certificates(site.domain, 'crt'), certificate)
    await writeFile(certificates(site.domain, 'key'), key)
    await expect(t.engine.request(secure(site), '/')).rejects.toMatchObject({ code: 'unavailable' })
    await t.engine.certificates.change(site, 'le')
    expect((await t.engine.request(secure(site), '/')).status).toBe(200)
  }
})

test('a server without an address for Let’s Encrypt does not wait for ever', async () => {
  const site = await t.create()
  const config = join(t.root, 'opt/easyengine/config/config.yml')
  const text = await readFile(config, 'utf8')
  await writeFile(config, text.replace(/^le-mail.*$/m, ''))
  expect((await failureOf(() => t.engine.certificates.change(site, 'le'))).message).toContain('le-mail')
  await writeFile(config, text)
  expect(await kindOf(site)).toBeNull()
})

test('a self-signed one with which a site was created stays, as EasyEngine cannot change it; a custom one takes its place', async () => {
  const site = eeSpec(t.server, { id: 'selfsigned', domain: 'self.example.com', siteType: 'html', isFound: true })
  await t.ee('site', 'create', site.domain, '--type=html', '--ssl=self')
  expect((await t.engine.request(secure(site), '/')).status).toBe(200)
  expect((await t.engine.certificates.read(site)).fixed?.text).toContain('cannot change')
  for (const to of ['le', null] as const)
    expect(await failureOf(() => t.engine.certificates.change(site, to))).toMatchObject({ code: 'conflict' })
  await t.engine.certificates.install(site, pairFor(site.domain))
  expect(await t.engine.certificates.read(site)).toMatchObject({
    kind: 'custom',
    certificate: { issuer: 'A real authority', names: [site.domain] },
  })
  expect((await t.engine.request(secure(site), '/')).status).toBe(200)
})

test('each kind takes the place of each, although EasyEngine leaves the files of the one before', async () => {
  const site = await t.create()
  const { certificates: facet } = t.engine
  const issuer = async () => (await facet.read(site)).certificate?.issuer
  for (const kind of ['self', 'le', 'self'] as const) {
    await facet.change(site, kind)
    expect([await kindOf(site), await issuer()]).toEqual([kind, kind === 'le' ? "Let's Encrypt" : 'EasyEngine'])
  }
  await facet.install(site, pairFor(site.domain))
  expect([await kindOf(site), await issuer()]).toEqual(['custom', 'A real authority'])
  await facet.change(site, 'le')
  expect([await kindOf(site), await issuer()]).toEqual(['le', "Let's Encrypt"])
  const first = await readFile(certificates(site.domain, 'crt'), 'utf8')
  // Turned off and on, it is the same one: Let's Encrypt counts how often it issues.
  await facet.change(site, null)
  expect((await t.engine.request(site, '/')).status).toBe(200)
  await facet.change(site, 'le')
  expect(await readFile(certificates(site.domain, 'crt'), 'utf8')).toBe(first)
  expect((await t.engine.request(secure(site), '/')).status).toBe(200)
  expect(await t.violations()).toEqual([])
})

test('a custom certificate is installed from none; one that the web server refuses leaves everything as it was', async () => {
  const site = await t.create({ siteType: 'wp' })
  const [one, other] = [pairFor(site.domain), pairFor(site.domain)]
  const mixed = { certificate: one.certificate, key: other.key }
  expect(await failureOf(() => t.engine.certificates.install(site, mixed))).toMatchObject({
    message: expect.stringContaining('does not accept'),
  })
  const before = await readFile(certificates(site.domain, 'crt'), 'utf8').catch(() => '')
  expect(before).not.toContain(one.certificate.split('\n')[2])
  await t.engine.certificates.install(site, one)
  expect(await kindOf(site)).toBe('custom')
  expect((await t.engine.request(secure(site), '/')).status).toBe(200)
  // Its key is where the web server reads it, and nowhere else.
  const line = one.key.split('\n')[1] ?? ''
  expect(await holders(line)).toEqual([certificates(site.domain, 'key')])
  expect(await t.violations()).toEqual([])
})

test('what does not take the place of Let’s Encrypt leaves it', async () => {
  const site = await t.create({ siteType: 'wp' })
  const { certificates: facet } = t.engine
  await facet.change(site, 'le')
  const isServed = async (kind: string) => {
    expect(await kindOf(site)).toBe(kind)
    expect((await t.engine.request(secure(site), '/')).status).toBe(200)
  }
  await expect(facet.change(site, 'inherit')).rejects.toMatchObject({ code: 'conflict' })
  await isServed('le')
  const mixed = { certificate: pairFor(site.domain).certificate, key: pairFor(site.domain).key }
  await expect(facet.install(site, mixed)).rejects.toThrow('does not accept')
  await isServed('le')
  await facet.install(site, pairFor(site.domain))
  await isServed('custom')
  expect(await t.violations()).toEqual([])
})

test('of a network with subdomains, the certificate is for all of them', async () => {
  const site = await t.create({ siteType: 'wp', multisite: 'subdom' })
  const { certificates: facet } = t.engine
  expect(await failureOf(() => facet.change(site, 'le'))).toMatchObject({ code: 'unsupported' })
  await facet.change(site, 'self')
  expect([await kindOf(site), (await t.engine.request(secure(site), '/')).status]).toEqual(['self', 200])
  await facet.install(site, pairFor(site.domain, `*.${site.domain}`))
  expect([await kindOf(site), (await t.engine.request(secure(site), '/')).status]).toEqual(['custom', 200])
  expect(await t.violations()).toEqual([])
})

test('a certificate is inherited only from a parent that has one for its subdomains', async () => {
  const parent = eeSpec(t.server, { id: 'parentsite', domain: 'parent.example.com', siteType: 'html', isFound: true })
  await t.ee('site', 'create', parent.domain, '--type=html')
  const child = await t.create({ domain: 'child.parent.example.com' })
  expect(await failureOf(() => t.engine.certificates.change(child, 'inherit'))).toMatchObject({ code: 'conflict' })
  await t.ee('site', 'delete', parent.domain, '--yes')
  await t.ee('site', 'create', parent.domain, '--type=html', '--ssl=self')
  await t.engine.domains.setAliases(child, [{ domain: 'alias.example', mode: 'serve' }])
  expect(await failureOf(() => t.engine.certificates.change(child, 'inherit'))).toMatchObject({
    message: expect.stringContaining('with aliases'),
  })
  await t.engine.domains.setAliases(child, [])
  await t.engine.certificates.change(child, 'inherit')
  expect((await t.engine.request(secure(child), '/')).status).toBe(200)
  await t.engine.certificates.change(child, null)
  expect(await kindOf(child)).toBeNull()
})

test.each(['nonsense_json', 'endless_output', 'docker_down'])('answers that are none are refused: %s', async (trap) => {
  const site = await t.create()
  await t.setTraps(trap)
  await expect(t.engine.certificates.read(site)).rejects.toMatchObject({ code: 'unavailable' })
  await t.setTraps()
  await rm(certificates(site.domain, 'crt'), { force: true })
})

/** Files of the server that have a text. */
async function holders(text: string): Promise<string[]> {
  const names = await readdir(t.root, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const found = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)))
  return files.filter((_, at) => found[at])
}
