import { thisMachine } from '#server/engines/site-ref.ts'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserStarts } from '#server/platform/browser/browser-fixture.ts'
import { webpSize } from '#server/platform/browser/webp-size.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type SiteSpec } from '../../engine.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'
import { browserFolders, failureOf, ownTemporaryFolder } from './thumbnails-fixture.ts'

await ownTemporaryFolder()

/** A server on this machine that a page must not reach; it records its requests. */
async function forbidden(): Promise<{ origin: string; seen: string[]; server: Server }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.end('secret')
  })
  server.on('connection', () => seen.push('connection'))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server }
}

describe.skipIf(!(await browserStarts()))('thumbnails with a real browser', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let neighbor: SiteSpec
  let ahead = 0
  const page = (html: string) => fixture.writeFile(site, 'index.html', `<!doctype html><meta charset=utf-8>${html}`)
  const takeThumbnail = (which = site) => fixture.engine.thumbnail(which, AbortSignal.timeout(300_000))

  beforeAll(async () => {
    fixture = await startFixture({
      thumbnails: { enabled: true, browser: null },
      clock: () => Date.now() + ahead,
    })
    site = await fixture.create({ siteType: 'html' })
    neighbor = await fixture.create({ siteType: 'html' })
  })
  afterAll(async () => {
    await fixture.end()
    expect(await browserFolders()).toEqual([])
  })

  it('shows the page: small, of the agreed size, another one for another page', async () => {
    expect(fixture.engine.lacks(thisMachine).thumbnail).toBeNull()
    await page('<body style="background:#123456"><h1>One</h1>')
    const first = await takeThumbnail()
    expect(first).toMatchObject({ type: 'image/webp', width: 480, height: 300 })
    expect(webpSize(first.content)).toEqual({ width: 480, height: 300 })
    expect(first.content.length).toBeLessThanOrEqual(40_000)
    expect(first.content.length).toBeGreaterThan(500)
    await page('<body style="background:#fedcba"><h1>Two</h1><img src="/face.svg">')
    await fixture.writeFile(
      site,
      'face.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="700"><rect width="900" height="700" fill="red"/></svg>',
    )
    const second = await takeThumbnail()
    expect(second.content.equals(first.content)).toBe(false)
    await rm(join(fixture.dataDir, 'local', 'sites', site.id, 'www', 'face.svg'))
    expect((await takeThumbnail()).content.equals(second.content), 'what the page is made of is in the thumbnail').toBe(
      false,
    )
  })

  it('stays below 40 kB for a page of noise', async () => {
    let seed = 7
    const cells = Array.from({ length: 6_000 }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return `<i style="background:#${(seed % 0x1000000).toString(16).padStart(6, '0')}"></i>`
    })
    await page(
      `<style>body{margin:0;line-height:0}i{display:inline-block;width:13px;height:13px}</style>${cells.join('')}`,
    )
    expect((await takeThumbnail()).content.length).toBeLessThanOrEqual(40_000)
  })

  it('runs no scripts', async () => {
    const plain = '<body style="background:#0a0">'
    await page(plain)
    const without = await takeThumbnail()
    await page(
      `${plain}<script>document.body.style.background='#f00';for(;;);</script><img src=x onerror="for(;;);"><iframe srcdoc="<script>for(;;);</script>" hidden></iframe>`,
    )
    const withScripts = await takeThumbnail()
    expect(withScripts.content.length).toBeLessThan(without.content.length * 3)
  })

  it('a hostile page reaches nothing but its own site', async () => {
    const elsewhere = await forbidden()
    const marker = join(fixture.dataDir, 'outside.txt')
    await writeFile(marker, 'outside')
    const others = [
      elsewhere.origin,
      elsewhere.origin.replace('127.0.0.1', 'localhost'),
      elsewhere.origin.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      elsewhere.origin.replace('127.0.0.1', '2130706433'),
      elsewhere.origin.replace('127.0.0.1', 'site1.localhost'),
      `http://localhost:${fixture.port}`,
      `http://127.0.0.1:${fixture.port}`,
      `http://${neighbor.domain}.localhost:${fixture.port}`,
    ]
    const requested: string[] = []
    const visits: string[] = []
    const end = fixture.engine.events.onVisit((id) => visits.push(id))
    const tags = others.flatMap((origin, index) => {
      const url = (kind: string): string => `${origin}/${kind}-${index}`
      requested.push(origin)
      return [
        `<link rel=preconnect href="${origin}"><link rel=dns-prefetch href="${origin}">`,
        `<link rel=prefetch href="${url('prefetch')}"><link rel=preload as=image href="${url('preload')}">`,
        `<link rel=prerender href="${url('prerender')}"><link rel=modulepreload href="${url('module')}">`,
        `<link rel=stylesheet href="${url('style')}"><link rel=icon href="${url('icon')}"><link rel=manifest href="${url('manifest')}">`,
        `<style>@import "${url('import')}";@font-face{font-family:f${index};src:url("${url('font')}")}p{font-family:f${index};background:url("${url('background')}")}</style>`,
        `<script src="${url('script')}"></script><script type=speculationrules>{"prefetch":[{"urls":["${url('rules')}"]}]}</script>`,
        `<p>x</p><img src="${url('img')}" srcset="${url('srcset')} 2x"><picture><source srcset="${url('source')}"><img></picture>`,
        `<iframe src="${url('iframe')}"></iframe><iframe sandbox src="${url('sandboxed')}"></iframe>`,
        `<iframe srcdoc='<img src="${url('srcdoc')}">'></iframe><object data="${url('object')}"></object><embed src="${url('embed')}">`,
        `<video autoplay muted poster="${url('poster')}" src="${url('video')}"></video><audio autoplay src="${url('audio')}"></audio>`,
        `<svg><image href="${url('svg')}"/><use href="${url('use')}#a"/></svg><input type=image src="${url('input')}">`,
        `<meta http-equiv="content-security-policy-report-only" content="default-src 'none'; report-uri ${url('report')}">`,
      ]
    })
    await page(
      `${tags.join('\n')}<iframe src="file://${marker}"></iframe><img src="file:///etc/passwd"><object data="file:///etc/passwd"></object>`,
    )
    await takeThumbnail()
    // Redirects of the page itself.
    for (const target of [
      elsewhere.origin,
      `file://${marker}`,
      'data:text/html,hello',
      'chrome://version',
      'ftp://127.0.0.1/',
    ]) {
      await page(`<meta http-equiv=refresh content="0;url=${target}"><h1>${target}</h1>`)
      const outcome = await takeThumbnail().then(
        (kept) => kept.content,
        (error: unknown) => error,
      )
      if (!(outcome instanceof Buffer)) expect(outcome).toBeInstanceOf(EngineError)
    }
    end()
    elsewhere.server.closeAllConnections()
    elsewhere.server.close()
    expect(elsewhere.seen).toEqual([])
    expect(fixture.dashboardRequests).toEqual([])
    expect(visits, 'neither the neighbor nor the site itself was visited').toEqual([])
    expect(requested.length).toBe(others.length)
  })

  it('says what is wrong with a page that cannot be shown', async () => {
    await page('x')
    await rm(join(fixture.dataDir, 'local', 'sites', site.id, 'www', 'index.html'))
    expect((await failureOf(takeThumbnail())).message).toMatch(/^The page answers with 40[34]\.$/)
    const absent = await failureOf(takeThumbnail({ ...site, id: 'nosuchsite', domain: 'nosuch' }))
    expect(absent.code).toBe('not_found')
  })

  it('reports visitors once a minute, never its own requests', async () => {
    await page('hello')
    ahead += 120_000
    const visits: string[] = []
    const end = fixture.engine.events.onVisit((id) => visits.push(id))
    await takeThumbnail()
    expect(visits).toEqual([])
    await fixture.fetch(site, '/')
    await fixture.fetch(site, '/')
    expect(visits).toEqual([site.id])
    ahead += 61_000
    await fixture.fetch(site, '/')
    end()
    await fixture.fetch(neighbor, '/')
    expect(visits).toEqual([site.id, site.id])
  })

  it('aborts on request and leaves nothing behind', async () => {
    await page('hello')
    const stop = new AbortController()
    const reason = new EngineError('unavailable', msg`enough`, { nextAction: msg`` })
    const under = fixture.engine.thumbnail(site, stop.signal)
    await until(async () => (await browserFolders()).length > 0)
    stop.abort(reason)
    await expect(under).rejects.toBe(reason)
    expect(await browserFolders()).toEqual([])
    expect(existsSync(join(fixture.dataDir, 'local', 'browser.json'))).toBe(false)
  })
})
