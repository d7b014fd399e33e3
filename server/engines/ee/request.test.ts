import { once } from 'node:events'
import { createServer } from 'node:https'
import { expect, test } from 'vitest'
import { portOf } from '#server/platform/network/port-of.ts'
import { testCertificate } from '#server/platform/network/test-certificate.ts'
import { makeCertificate } from '#server/providers/simulator/easyengine/x509.ts'
import { installationKey } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { requestAsOurselves } from './request.ts'

test('a server is asked for a certificate when another one is shown, not when a site is down', async () => {
  const web = createServer(testCertificate, (_request, response) => response.end('here')).listen(0, '127.0.0.1')
  await once(web, 'listening')
  const server = {
    ...{ id: 'server0001', address: '203.0.113.7', port: 22, user: 'root', hostKey: 'ssh-ed25519 AAAA' },
    ...{ credentials: installationKey, facts: {} },
  }
  const site = {
    id: 'sitesiteaa',
    domain: 'hooks.test',
    isSecure: true,
    siteType: 'wp',
    phpVersion: '8.3',
    server,
  } as const
  const before = makeCertificate({ issuer: 'Old', names: [site.domain], from: Date.now(), until: Date.now() + 1e9 })
  let asked = 0
  const read = async () => {
    asked += 1
    return { code: 0, stdout: testCertificate.cert, stderr: '' }
  }
  const context = {
    config: { addressMap: { '203.0.113.7:443': `127.0.0.1:${portOf(web)}` }, allowPrivateCidrs: [] },
    certificates: new Map([[site.id, before.certificate]]),
    ownHeaders: new Map(),
    hidden: new Set(),
    ssh: { read },
  } as unknown as EeContext
  for (const _again of [1, 2]) expect((await requestAsOurselves(context, site, '/')).body).toBe('here')
  expect(asked).toBe(1)
  web.close()
  await once(web, 'close')
  await expect(requestAsOurselves(context, site, '/')).rejects.toMatchObject({ code: 'unavailable' })
  expect(asked).toBe(1)
})
