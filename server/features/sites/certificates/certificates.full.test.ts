import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCertificate, type CertificateFacts } from '#server/providers/simulator/easyengine/x509.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { checkCertificate } from './custom-certificate.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

const day = 86_400_000
const pairFor = (names: string[], changes: Partial<CertificateFacts> = {}) =>
  makeCertificate({ issuer: 'CA', names, from: Date.now() - day, until: Date.now() + 90 * day, ...changes })

test('a certificate is had and given up by a job, and the address of the site follows', async () => {
  const site = await t.live('secured')
  expect(await t.act(site.name, 'read_certificate')).toMatchObject({ kind: null, state: 'off', until: null })
  expect(await rejectionOf(t.act(site.name, 'set_ssl', { ssl: 'off' }))).toMatchObject({ field: 'ssl' })
  expect(await t.end(await t.act(site.name, 'set_ssl', { ssl: 'le' }))).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ ssl: 'le', status: 'Live', ssl_problem: null })
  expect(await t.act(site.name, 'read_certificate')).toMatchObject({
    ...{ kind: 'le', state: 'valid', issuer: 'Fake', names: ['secured'] },
    ...{ until: expect.any(String), renews: expect.any(String), fixed: null },
  })
  // The page fails afterward, so it is set back.
  const broken = Array.from({ length: 2 }, () => ({ status: 500, body: '' }))
  t.engine.answers.push(...broken)
  const failed = await t.end(await t.act(site.name, 'set_ssl', { ssl: 'off' }))
  t.engine.answers.length = 0
  expect(failed).toMatchObject({ status: 'Failed', next_action: expect.stringContaining('served as before') })
  expect(await t.siteNow(site.name)).toMatchObject({ ssl: 'le', status: 'Live' })
  expect(await t.end(await t.act(site.name, 'set_ssl', { ssl: 'off' }))).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ ssl: null })
})

test('one that is not issued leaves a site live, with the reason: of a new site, and of any other', async () => {
  const site = await t.live('no-certificate', { initial_ssl: 'le' })
  expect(site).toMatchObject({ status: 'Live', ssl: null, ssl_problem: 'No certificate was issued.' })
  expect(await t.end(await t.act(site.name, 'set_ssl', { ssl: 'self' }))).toMatchObject({ status: 'Failed' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', ssl: null, ssl_problem: /No certificate/ })
  const pair = pairFor(['no-certificate'])
  const refused = await t.end(await t.act(site.name, 'set_certificate', { ...pair }))
  expect(refused).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/No certificate/) })
  expect(await t.act(site.name, 'read_certificate')).toMatchObject({ kind: null })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', ssl: null })
  // Its key is not there for another attempt.
  expect(JSON.stringify(refused.args)).not.toContain('pair')
  expect(await rejectionOf(t.running.documents.runAction(t.owner, 'Job', refused.name, 'retry', {}))).toMatchObject({
    message: expect.stringContaining('key is not kept'),
  })
  expect(await t.live('certified', { initial_ssl: 'le' })).toMatchObject({ ssl: 'le', ssl_problem: null })
})

test('a server that breaks off when the certificate of a new site is due leaves that site live', async () => {
  const made = await t.insert('lost-certificate', { initial_ssl: 'le' })
  const job = await t.end(made)
  expect(job).toMatchObject({ status: 'Failed', next_action: expect.stringContaining('in place') })
  const site = await t.siteNow(made.name)
  expect(site).toMatchObject({ status: 'Live', ssl: null, ssl_problem: expect.stringContaining('connection') })
  expect(site).toMatchObject({ failure_reason: null, url: expect.stringMatching(/^http:/) })
})

test('a custom certificate is installed without a trace of its key', async () => {
  const site = await t.live('own')
  const pair = pairFor(['own'])
  const job = await t.end(await t.act(site.name, 'set_certificate', { ...pair }))
  expect(job).toMatchObject({ status: 'Done' })
  expect(job.args).not.toHaveProperty('pair')
  expect(await t.act(site.name, 'read_certificate')).toMatchObject({ kind: 'custom', state: 'valid' })
  expect(await t.siteNow(site.name)).toMatchObject({ ssl: 'custom', status: 'Live' })
  const log = await t.running.documents.transaction(systemSession(), (tx) => tx.list(ActivityDoctype, []))
  expect(JSON.stringify(log)).not.toContain(pair.key.split('\n')[1])
  const other = pairFor(['own'])
  const mixed = t.act(site.name, 'set_certificate', { certificate: pair.certificate, key: other.key })
  expect(await rejectionOf(mixed)).toMatchObject({ code: 'invalid', field: 'key' })
})

test('a certificate is checked before it is sent', () => {
  const check = (pair: { certificate: string; key: string }) => {
    try {
      return checkCertificate(pair, 'shop.example.com', Date.now())
    } catch (error) {
      return (error as { field?: string }).field
    }
  }
  const good = pairFor(['shop.example.com'])
  expect(check(good)).toEqual({ certificate: good.certificate.trim(), key: good.key })
  expect(check(pairFor(['*.example.com']))).toMatchObject({ certificate: expect.stringContaining('BEGIN') })
  const refused = {
    'no certificate': [{ ...good, certificate: 'nonsense' }, 'certificate'],
    'a broken one': [{ ...good, certificate: good.certificate.replace(/\n\w{20}/, '\nAAAA') }, 'certificate'],
    'a key in the chain': [{ ...good, certificate: good.certificate + good.key }, 'certificate'],
    'another domain': [pairFor(['example.com', '*.shop.example.com']), 'certificate'],
    'an expired one': [pairFor(['shop.example.com'], { until: Date.now() - 1_000 }), 'certificate'],
    'one of tomorrow': [pairFor(['shop.example.com'], { from: Date.now() + day }), 'certificate'],
    'a stranger as issuer': [
      { ...good, certificate: good.certificate + pairFor(['x.example']).certificate },
      'certificate',
    ],
    'too many': [{ ...good, certificate: good.certificate.repeat(11) }, 'certificate'],
    'no key': [{ ...good, key: 'nonsense' }, 'key'],
    'another key': [{ ...good, key: pairFor(['shop.example.com']).key }, 'key'],
    'a weak key': [{ ...good, key: rsaKey(1_024) }, 'key'],
    'a key with a passphrase': [{ ...good, key: rsaKey(2_048, 'secret') }, 'key'],
  } as const
  for (const [name, [pair, field]] of Object.entries(refused)) expect(check(pair), name).toBe(field)
})

function rsaKey(modulusLength: number, passphrase?: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength })
  const cipher = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }
  return privateKey.export({ format: 'pem', type: 'pkcs8', ...cipher }).toString()
}
