import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

test('limits, aliases and the maintenance page outlast the files that EasyEngine writes again', async () => {
  const { engine } = t
  const site = await t.create({ siteType: 'php' })
  const config = (...path: string[]) => join(t.root, 'opt/easyengine/sites', site.domain, 'config', ...path)
  const visitor = async () => {
    const network = { addressMap: t.cloud.addressMap, allowPrivateCidrs: [], at: t.server.address ?? '' }
    const { status, headers } = await safeFetch(`http://${site.domain}/`, { profile: 'tenant', ...network })
    return { status, retry: headers['retry-after'] }
  }
  const ours = async () => {
    const by = async (domain: string) => {
      const { status, headers } = await engine.request({ ...site, domain }, '/')
      return { status, location: headers['location'] }
    }
    return {
      settings: await engine.settings.read(site),
      domains: await engine.domains.read(site),
      visitor: await visitor(),
      pages: [await by(site.domain), await by('shown.example'), await by('sent.example')],
    }
  }
  await engine.settings.change(site, { memoryMb: 384, uploadMb: 32, maintenance: true })
  await engine.domains.setAliases(site, [
    { domain: 'shown.example', mode: 'serve' },
    { domain: 'sent.example', mode: 'redirect' },
  ])
  const before = await ours()
  expect(before).toMatchObject({
    settings: { memoryMb: 384, uploadMb: 32, maintenance: true },
    visitor: { status: 503 },
    pages: [{ status: 200 }, { status: 200 }, { status: 301, location: `http://${site.domain}/` }],
  })

  // What people added elsewhere is lost: that is how we know that the files were written again.
  await writeFile(config('php/php/conf.d/theirs.ini'), 'memory_limit = 64M\n')
  await writeFile(config('php/php-fpm.d/easyengine.conf'), '[www]\npm = static\n')
  await writeFile(config('nginx/conf.d/main.conf'), '# theirs\n')
  await engine.setPhpVersion(site, '8.4')
  expect(await readdir(config('php/php/conf.d'))).toEqual(['custom.ini'])
  expect(await readFile(config('php/php-fpm.d/easyengine.conf'), 'utf8')).toBe('[www]\npm = static\n')
  expect(await readFile(config('nginx/conf.d/main.conf'), 'utf8')).not.toContain('theirs')
  expect(await ours()).toEqual(before)
  expect(await engine.observe(site, { measure: false })).toMatchObject({ state: 'running', phpVersion: '8.4' })

  await writeFile(config('nginx/conf.d/main.conf'), '# theirs\n')
  const how = { operationId: 'rebuild-1', signal: new AbortController().signal, log: () => undefined }
  await engine.restart(site, { ...how, kind: 'rebuild' })
  expect(await readFile(config('nginx/conf.d/main.conf'), 'utf8')).not.toContain('theirs')
  expect(await ours()).toEqual(before)

  // They can still be changed, and taken out.
  await engine.settings.change(site, { memoryMb: 128, maintenance: false })
  await engine.domains.setAliases(site, [])
  expect(await engine.settings.read(site)).toMatchObject({ memoryMb: 128, uploadMb: 32, maintenance: false })
  expect((await visitor()).status).toBe(200)
  expect(await t.violations()).toEqual([])
})
