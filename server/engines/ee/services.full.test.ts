import { afterAll, beforeAll, expect, test } from 'vitest'
import { failureOf } from '#tests/contracts/engine-failure.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

test('the proxy cache and MailHog are turned on and off once each, and the cache is really purged', async () => {
  const site = eeSpec(t.server, { siteType: 'php' })
  const html = eeSpec(t.server, { siteType: 'html', id: 'htmlhtmlht', domain: 'plain.example.org' })
  for (const one of [site, html]) await runSteps(t.engine.createSteps(one))
  const { services } = t.engine
  const before = (await t.effects()).length
  expect(await services.read(site)).toEqual({ proxyCache: false, mailCatcher: false })
  expect(await failureOf(() => services.purgeProxyCache(site))).toMatchObject({ code: 'conflict' })
  for (const on of [true, true]) {
    await services.setProxyCache(site, on)
    await services.setMailCatcher(site, on)
  }
  expect(await services.read(site)).toEqual({ proxyCache: true, mailCatcher: true })
  expect((await failureOf(() => t.engine.logs.mails(site))).message).toContain('MailHog keeps the emails')
  await services.purgeProxyCache(site)
  for (const on of [false, false]) {
    await services.setProxyCache(site, on)
    await services.setMailCatcher(site, on)
  }
  expect(await services.read(site)).toEqual({ proxyCache: false, mailCatcher: false })
  expect((await failureOf(() => t.engine.logs.mails(site))).message).toContain('are delivered')
  expect(await failureOf(() => services.setMailCatcher(html, true))).toMatchObject({ code: 'unsupported' })
  expect((await t.effects()).slice(before)).toEqual([
    ...[`proxy-cache ${site.domain} on`, `mailhog ${site.domain} on`, `purge ${site.domain}`],
    ...[`proxy-cache ${site.domain} off`, `mailhog ${site.domain} off`],
  ])
  expect(await t.violations()).toEqual([])
})
