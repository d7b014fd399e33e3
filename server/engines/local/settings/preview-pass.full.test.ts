import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture, type FetchOptions } from '../engine-fixture.ts'

const auth = { user: 'preview', password: 'Abcdefghijklmnopqrstuvw1' }
const hour = 3_600_000

describe('preview links of local sites, as visitors see them', () => {
  let fixture: EngineFixture
  let php: SiteSpec
  let html: SiteSpec
  let ahead = 0
  const now = () => Date.now() + ahead
  beforeAll(async () => {
    fixture = await startFixture({ clock: now })
    php = await fixture.create({ siteType: 'php' })
    html = await fixture.create({ siteType: 'html' })
    await fixture.writeFile(php, 'seen.php', `<?php echo json_encode($_SERVER['HTTP_COOKIE'] ?? null);`)
    for (const site of [php, html]) await fixture.engine.settings.change(site, { httpAuth: auth, maintenance: true })
  })
  afterAll(async () => {
    await fixture.end()
  })

  const linkOf = async (site: SiteSpec, until = now() + hour): Promise<string> => {
    const { pathname, search } = new URL((await fixture.engine.settings.createPreview(site, until)).url)
    return pathname + search
  }
  const statusOf = async (site: SiteSpec, path: string, options: FetchOptions = {}): Promise<number> =>
    (await fixture.fetch(site, path, options)).status
  const opened = async (site: SiteSpec, path: string): Promise<FetchOptions> => {
    const response = await fixture.fetch(site, path)
    expect([response.status, response.headers.location]).toEqual([302, '/'])
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const [cookie = ''] = response.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=(?:3600|3599)$/)
    return { headers: { cookie: `a=1; ${cookie.split(';')[0]}; b=2` } }
  }

  it('let a visitor past HTTP authentication and maintenance mode, and the site does not learn them', async () => {
    const path = await linkOf(php)
    expect(await statusOf(php, '/')).toBe(401)
    const visitor = await opened(php, path)
    expect(await statusOf(php, '/', visitor)).toBe(200)
    expect(JSON.parse((await fixture.fetch(php, '/seen.php', visitor)).body)).toBe('a=1; b=2')
    const token = new URLSearchParams(path.split('?')[1]).get('token') ?? ''
    const stored = await readFile(join(fixture.dataDir, 'local', 'sites', php.id, 'site.json'), 'utf8')
    expect(token).toHaveLength(43)
    expect(stored).not.toContain(token)
    // Of one site only.
    expect(await statusOf(html, '/', visitor)).toBe(401)
    const other = await opened(html, await linkOf(html))
    expect(await statusOf(html, '/', other)).toBe(200)
    expect(await statusOf(php, '/', other)).toBe(401)
  })

  it('end at their time, with a new link, and when they are ended', async () => {
    const path = await linkOf(html)
    const visitor = await opened(html, path)
    ahead += hour
    expect(await statusOf(html, '/', visitor)).toBe(401)
    const expired = await fixture.fetch(html, path)
    expect(expired.status).toBe(410)
    expect(expired.body).toContain('This preview link has expired')

    const second = await opened(html, await linkOf(html))
    const third = await opened(html, await linkOf(html))
    expect(await statusOf(html, '/', second)).toBe(401)
    expect(await statusOf(html, '/', third)).toBe(200)
    await fixture.engine.settings.endPreview(html)
    expect(await statusOf(html, '/', third)).toBe(401)
  })

  it('refuse every other token', async () => {
    const right = new URLSearchParams((await linkOf(html)).split('?')[1]).get('token') ?? ''
    const wrong = ['', 'x', right.slice(1), `${right}A`, 'A'.repeat(43), '%00', 'é'.repeat(43), 'A'.repeat(8000)]
    for (const token of wrong) {
      expect(await statusOf(html, `/.easydash/preview?token=${encodeURIComponent(token)}`)).toBe(410)
      const cookie = `easydash_preview=${encodeURIComponent(token)}`
      expect(await statusOf(html, '/', { headers: { cookie } })).toBe(401)
    }
    expect(await statusOf(html, '/.easydash/preview')).toBe(401)
    expect(await statusOf(html, '/.easydash/preview?')).toBe(410)
  })
})
