import { execFileSync } from 'node:child_process'
import { chown, link, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

const isRoot = process.getuid?.() === 0

describe('logs and mail of a site that made them up', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let outside: string
  const folder = (...names: string[]): string => join(fixture.dataDir, 'local', 'sites', site.id, ...names)
  const debugLog = () => folder('www', 'wp-content', 'debug.log')
  const read = async () => (await fixture.engine.logs.read(site, 'debug', { from: 'end' })).lines
  /** Writes a file as the site would. */
  const write = async (path: string, content: string): Promise<void> => {
    await writeFile(path, content)
    const { uid, gid } = await stat(folder('www'))
    if (isRoot) await chown(path, uid, gid)
  }
  const mailId = (number: number) => `20261124T2015${String(number).padStart(2, '0')}-${'0'.repeat(11)}${number}`
  const mailPath = (number: number) => folder('outbox', `${mailId(number)}.json`)

  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
  })
  afterAll(() => fixture.end())
  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), 'outside-'))
    await writeFile(join(outside, 'secret'), 'secret of somebody else\n')
    await rm(debugLog(), { recursive: true, force: true })
    await fixture.engine.logs.clearMails(site)
  })
  afterEach(() => rm(outside, { recursive: true, force: true }))

  it('are not read or emptied through a link', async () => {
    await symlink(join(outside, 'secret'), debugLog())
    expect(await read()).toEqual([])
    await fixture.engine.logs.clear(site, 'debug')
    await rename(folder('www', 'wp-content'), folder('www', 'aside'))
    await mkdir(join(outside, 'content'))
    await writeFile(join(outside, 'content', 'debug.log'), 'secret\n')
    await symlink(join(outside, 'content'), folder('www', 'wp-content'))
    expect(await read()).toEqual([])
    await fixture.engine.logs.clear(site, 'debug')
    await rm(folder('www', 'wp-content'))
    await rename(folder('www', 'aside'), folder('www', 'wp-content'))
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret of somebody else\n')
    expect(await readFile(join(outside, 'content', 'debug.log'), 'utf8')).toBe('secret\n')
  })

  it.skipIf(!isRoot)('are not read if they are another user’s file', async () => {
    const secret = folder('..', 'secret-log')
    await writeFile(secret, 'root’s alone\n', { mode: 0o600 })
    await link(secret, debugLog())
    await link(secret, mailPath(1))
    expect(await read()).toEqual([])
    expect(await fixture.engine.logs.mail(site, mailId(1))).toBeNull()
    expect(await fixture.engine.logs.mails(site)).toMatchObject({ mails: [{ unreadable: true, subject: '' }] })
    await fixture.engine.logs.clear(site, 'debug')
    await fixture.engine.logs.deleteMail(site, mailId(1))
    expect(await readFile(secret, 'utf8')).toBe('root’s alone\n')
    await rm(secret)
  })

  it('do not block if they are a FIFO or a folder', async () => {
    execFileSync('mkfifo', [debugLog(), mailPath(1)])
    expect(await read()).toEqual([])
    expect(await fixture.engine.logs.mails(site)).toMatchObject({ total: 0 })
    expect(await fixture.engine.logs.mail(site, mailId(1))).toBeNull()
    await fixture.engine.logs.clear(site, 'debug')
    await rm(debugLog())
    await mkdir(debugLog())
    expect(await read()).toEqual([])
  })

  it('are read on while the file is replaced again and again', async () => {
    await write(debugLog(), 'line 0\n')
    let { end } = await fixture.engine.logs.read(site, 'debug', { from: 'end' })
    for (let round = 1; round <= 30; round += 1) {
      await write(folder('www', 'next.log'), `line ${round}\n`)
      await rename(folder('www', 'next.log'), debugLog())
      const chunk = await fixture.engine.logs.read(site, 'debug', { after: end })
      expect(chunk.lines).toEqual([`line ${round}`])
      expect(chunk.gap).not.toBeNull()
      end = chunk.end
    }
  })

  it('show what was sent by WordPress and by mail(), with the names of attachments', async () => {
    await fixture.php(
      site,
      `require '/wordpress/wp-load.php';
       add_filter('wp_mail_content_type', fn() => 'text/html');
       wp_mail(['ada@example.com', 'bo@example.com'], 'Hello', '<p>Hi</p>', ['Reply-To: x@example.com'], [ABSPATH . 'index.php']);
       mail('eve@example.com', 'Plain', 'Text', 'From: shop@example.com');`,
    )
    const page = await fixture.engine.logs.mails(site)
    expect(page?.mails.map(({ subject }) => subject)).toEqual(['Plain', 'Hello'])
    const [plain, hello] = page?.mails ?? []
    expect(await fixture.engine.logs.mail(site, hello?.id ?? '')).toMatchObject({
      to: 'ada@example.com, bo@example.com',
      isHtml: true,
      body: '<p>Hi</p>',
      headers: [{ name: 'Reply-To', value: 'x@example.com' }],
      attachments: [{ name: 'index.php', bytes: expect.any(Number) }],
    })
    expect(await fixture.engine.logs.mail(site, plain?.id ?? '')).toMatchObject({
      from: 'shop@example.com',
      body: 'Text',
    })
    expect(await fixture.engine.logs.mails(site, { known: page?.version ?? '' })).toSatisfy(
      (again: typeof page) => again === null || again?.total === 2,
    )
  })

  it('list mail that is no mail, too large or too much, without its content', async () => {
    await write(mailPath(1), 'no JSON')
    await write(mailPath(2), '['.repeat(200_000))
    await write(mailPath(3), JSON.stringify({ subject: 'x', message: 'y'.repeat(2_000_000), to: '', headers: '' }))
    await write(mailPath(4), JSON.stringify({ to: [1, 2], subject: 7, message: null, headers: { a: 1 } }))
    await write(
      mailPath(5),
      JSON.stringify({ to: 'a\u0000\u001B[31mb', subject: 's'.repeat(5_000), message: '', headers: [] }),
    )
    await write(folder('outbox', 'other.json'), '{}')
    const page = await fixture.engine.logs.mails(site)
    expect(page?.mails.map(({ id, unreadable }) => [id, unreadable])).toEqual([
      [mailId(5), false],
      [mailId(4), false],
      [mailId(3), true],
      [mailId(2), true],
      [mailId(1), true],
    ])
    expect(page?.mails[0]).toMatchObject({ to: 'a[31mb', subject: 's'.repeat(1_000) })
    expect(await fixture.engine.logs.mail(site, mailId(4))).toMatchObject({
      to: '',
      subject: '',
      body: '',
      headers: [],
    })
    for (const number of [1, 2, 3]) expect(await fixture.engine.logs.mail(site, mailId(number))).toBeNull()
    await fixture.engine.logs.clearMails(site)
    expect(await fixture.engine.logs.mails(site)).toMatchObject({ total: 0 })
  })

  it('cannot be reached by the site if only Easydash writes them', async () => {
    await fixture.fetch(site, '/style.css')
    await fixture.engine.logs.read(site, 'access', { from: 'end' })
    const found = await fixture.php(
      site,
      `foreach (['/easydash/access', '/easydash/../access', '/wordpress/../access', '/access'] as $path)
         echo @file_put_contents("$path/access.000001.log", 'x', FILE_APPEND) === false ? 'no ' : 'yes ',
              @scandir($path) === false ? 'no ' : 'yes ';`,
    )
    expect(found.trim()).not.toContain('yes')
    expect((await stat(folder('access'))).mode & 0o777).toBe(0o700)
  })
})
