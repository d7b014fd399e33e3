import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { setClosed } from './settings.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

test('changed files are found, and maintenance holds visitors back, not us', async () => {
  const { engine } = t
  const spec = eeSpec(t.server)
  await runSteps(engine.createSteps(spec))
  expect(await engine.wordpress.verifyChecksums(spec)).toMatchObject({ changed: [], added: [], missing: [] })
  await writeFile(join(t.root, 'opt/easyengine/sites', spec.domain, 'app/htdocs/wp-includes/load.php'), '<?php evil();')
  expect(await engine.wordpress.verifyChecksums(spec)).toMatchObject({ changed: ['wp-includes/load.php'], added: [] })
  expect((await engine.originals.compare(spec, 'wp-includes/load.php')).diff).toContain('+<?php evil();')

  // Visitors see the page; we, and who is signed in, see the site.
  await engine.settings.change(spec, { maintenance: true })
  const visit = async (headers: Record<string, string>) => {
    const network = { addressMap: t.cloud.addressMap, allowPrivateCidrs: [], at: t.server.address ?? '' }
    return (await safeFetch(`http://${spec.domain}/`, { profile: 'tenant', ...network, headers })).status
  }
  expect([await visit({}), await visit({ 'x-easydash-check': 'guessed' })]).toEqual([503, 503])
  expect(await visit({ cookie: 'wordpress_logged_in_0a=ann' })).toBe(200)
  for (const asVisitor of [true, false, true]) expect((await engine.request(spec, '/', { asVisitor })).status).toBe(200)
  await engine.settings.change(spec, { maintenance: false })
  expect(await visit({})).toBe(200)
  await setClosed(t.context, spec, true)
  for (const _time of ['asked', 'known']) {
    expect((await engine.request(spec, '/')).status).toBe(200)
    await expect(engine.request(spec, '/', { asVisitor: true })).rejects.toMatchObject({ code: 'unavailable' })
  }
  await setClosed(t.context, spec, false)
  expect((await engine.request(spec, '/', { asVisitor: true })).status).toBe(200)
})
