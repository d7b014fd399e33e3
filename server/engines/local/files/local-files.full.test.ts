import { execFileSync } from 'node:child_process'
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attacksOn, leaveTraps } from '#tests/support/site-file-attacks.ts'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

const isRoot = process.getuid?.() === 0

let fixture: EngineFixture
let site: SiteSpec
let ahead = 0
const files = () => fixture.engine.files
const www = (...names: string[]): string => join(fixture.dataDir, 'local', 'sites', site.id, 'www', ...names)
const trash = (): string => join(fixture.dataDir, 'local', 'sites', site.id, 'trash')

beforeAll(async () => {
  fixture = await startFixture({ clock: () => Date.now() + ahead })
  site = await fixture.create({ siteType: 'php' })
})
afterAll(() => fixture.end())

describe('a running PHP site', () => {
  const page = async (path: string) => (await fixture.fetch(site, path)).body

  it('serves each new content at once, however quickly they follow', async () => {
    let { version } = await files().write(site, 'live.php', '<?php echo "one";', null)
    // PHP keeps what it compiled only of files that are not new.
    await utimes(www('live.php'), 1_700_000_000, 1_700_000_000)
    for (let visit = 0; visit < 3; visit += 1) expect(await page('/live.php')).toBe('one')
    const { pid } = fixture.engine.processes()[0] ?? {}
    for (const text of ['two', 'six', 'ten']) {
      ;({ version } = await files().write(site, 'live.php', `<?php echo "${text}";`, version))
      expect(await page('/live.php')).toBe(text)
      await utimes(www('live.php'), 1_700_000_000, 1_700_000_000)
      expect(await page('/live.php')).toBe(text)
    }
    // It went on running.
    expect(fixture.engine.processes()[0]?.pid).toBe(pid)
  })

  it('serves what an upload replaced', async () => {
    await files().write(site, 'included.php', '<?php return "old";', null)
    await files().write(site, 'includes.php', '<?php echo include "included.php";', null)
    await utimes(www('included.php'), 1_700_000_000, 1_700_000_000)
    for (let visit = 0; visit < 3; visit += 1) expect(await page('/includes.php')).toBe('old')
    const source = join(fixture.dataDir, 'upload')
    await writeFile(source, '<?php return "new";')
    await files().put(site, 'included.php', source, true)
    expect(await page('/includes.php')).toBe('new')
  })

  it('can create an archive again that was taken back, which leaves nothing', async () => {
    await files().write(
      site,
      'zips.php',
      '<?php file_put_contents("made.zip", "by PHP"); echo filesize("made.zip");',
      null,
    )
    const options = { operationId: 'zip-one', signal: AbortSignal.timeout(300_000) }
    const packed = await files().packInto(site, ['zips.php'], 'made.zip', options)
    // Repeated, it finds its own.
    expect(await files().packInto(site, ['zips.php'], 'made.zip', options)).toEqual(packed)
    expect(await files().undoPack(site, 'made.zip', 'zip-one')).toEqual({ left: false })
    expect(await readdir(www())).not.toContain('made.zip')
    expect((await readdir(trash())).filter((name) => name.startsWith('.'))).toEqual([])
    expect(await page('/zips.php')).toBe('6')
    expect(await files().undoPack(site, 'made.zip', 'zip-one')).toEqual({ left: false })
    expect(await readFile(www('made.zip'), 'utf8')).toBe('by PHP')
  })

  it('can create a file again that was removed here, and finds what was moved', async () => {
    await files().write(
      site,
      'again.php',
      '<?php file_put_contents("made.txt", "by PHP"); echo file_get_contents("made.txt");',
      null,
    )
    expect(await page('/again.php')).toBe('by PHP')
    await files().remove(site, ['made.txt'])
    expect(await page('/again.php')).toBe('by PHP')
    expect(await readFile(www('made.txt'), 'utf8')).toBe('by PHP')
    await files().makeFolder(site, 'moved')
    await files().move(site, [{ from: 'live.php', to: 'moved/live.php' }])
    expect(await page('/moved/live.php')).toBe('ten')
    expect((await fixture.fetch(site, '/live.php')).status).toBe(404)
  })

  it('counts what was added here toward its quota', async () => {
    await fixture.engine.quotas.set(site.id, { disk_mb: 4, files: 1_000, log_mb: 1, outbox_mb: 1 })
    await files().write(
      site,
      'fill.php',
      '<?php echo json_encode(@file_put_contents("fill.bin", str_repeat("x", (int) $_GET["kb"] * 1024)));',
      null,
    )
    expect(await page('/fill.php?kb=1')).toBe('1024')
    const source = join(fixture.dataDir, 'upload')
    await writeFile(source, Buffer.alloc(3 * 1_048_576))
    await files().put(site, 'big.bin', source, false)
    // PHP kept running, and has no room for this any more.
    expect(await page('/fill.php?kb=1500')).not.toBe(String(1500 * 1024))
    await expect(files().put(site, 'more.bin', source, false)).rejects.toThrow('quota')
    expect(await readdir(www())).not.toContain('more.bin')
    // What is deleted counts until the trash is emptied.
    await files().remove(site, ['big.bin'])
    await expect(files().put(site, 'more.bin', source, false)).rejects.toThrow('quota')
    await files().emptyTrash(site)
    await files().put(site, 'more.bin', source, false)
    await files().remove(site, ['more.bin'])
    await files().emptyTrash(site)
  })
})

describe('what a hostile site leaves', () => {
  let outside: string
  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), 'outside-'))
    await writeFile(join(outside, 'secret'), 'secret')
    await rm(www('h'), { recursive: true, force: true })
    await mkdir(www('h'))
    execFileSync('chown', ['--reference', www(), www('h')])
    return () => rm(outside, { recursive: true, force: true })
  })

  it('links are listed, and never followed', async () => {
    await leaveTraps(www('h'), outside)
    const { entries } = await files().list(site, 'h')
    expect(entries.map(({ name, kind }) => [name, kind])).toEqual([
      ['fifo', 'other'],
      ['file-link', 'other'],
      ['folder-link', 'other'],
    ])
    for (const work of await attacksOn(files(), site, { work: fixture.dataDir, page: 'index.php' }))
      await expect(work(), String(work)).rejects.toThrow()
    expect(await readdir(outside)).toEqual(['secret'])
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
    const packed = await buffer(await files().pack(site, ['h']))
    expect(packed.includes('secret')).toBe(false)
    // They can be removed and restored like anything else.
    const { id } = await files().remove(site, ['h/folder-link', 'h/fifo'])
    await files().restore(site, id)
    expect((await lstat(www('h', 'folder-link'))).isSymbolicLink()).toBe(true)
  })

  it.skipIf(!isRoot)('files of other users stay theirs', async () => {
    await writeFile(join(outside, 'root-only'), 'root only', { mode: 0o600 })
    await link(join(outside, 'root-only'), www('h', 'hard')).catch(() => undefined)
    await expect(files().read(site, 'h/hard')).rejects.toThrow()
    await expect(files().open(site, 'h/hard')).rejects.toThrow()
    await expect(files().copy(site, 'h/hard', 'h/copy')).rejects.toThrow()
  })

  it('names can be anything', async () => {
    const odd = ['new\nline', '"quotes"', "it's", '\u202Egnp.exe', '-rf', '$(id)', '%2e%2e', 'a\\b', '<b>']
    for (const name of odd) await writeFile(www('h', name), name)
    await writeFile(Buffer.concat([Buffer.from(`${www('h')}/`), Buffer.from([0xff, 0xfe])]), 'x')
    execFileSync('chown', ['-R', '--reference', www(), www('h')])
    const { entries } = await files().list(site, 'h')
    expect(
      entries
        .filter(({ kind }) => kind === 'file')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(odd.toSorted())
    expect(entries.filter(({ kind }) => kind === 'other')).toHaveLength(1)
    for (const name of odd) expect((await files().read(site, `h/${name}`)).content).toBe(name)
    await files().move(
      site,
      odd.map((name, index) => ({ from: `h/${name}`, to: `h/plain-${index}` })),
    )
    const { id } = await files().remove(
      site,
      odd.map((_name, index) => `h/plain-${index}`),
    )
    await files().restore(site, id)
  })

  it('a huge folder is shown in parts', async () => {
    for (let index = 0; index < 1_200; index += 1) await writeFile(www('h', `f${index}`), '')
    const first = await files().list(site, 'h')
    expect([first.entries.length, first.total, first.next]).toEqual([1_000, 1_200, 1_000])
    const second = await files().list(site, 'h', 1_000)
    expect([second.entries.length, second.next]).toEqual([200, null])
    expect(second.entries.at(-1)?.name).toBe('f1199')
  })

  it('a swapped folder leads nowhere', async () => {
    // While it is written: an opened folder stays the one that was opened, whatever has its name now.
    await mkdir(www('h', 'turn'))
    execFileSync('chown', ['-R', '--reference', www(), www('h')])
    const swap = async (): Promise<void> => {
      for (let round = 0; round < 40; round += 1) {
        await rm(www('h', 'turn'), { recursive: true, force: true })
        await symlink(outside, www('h', 'turn'))
        await rm(www('h', 'turn'), { force: true })
        await mkdir(www('h', 'turn'))
        execFileSync('chown', ['--reference', www(), www('h', 'turn')])
      }
    }
    const writes = async (): Promise<void> => {
      for (let round = 0; round < 8; round += 1)
        await files()
          .write(site, `h/turn/f${round}`, 'x', null)
          .catch(() => undefined)
    }
    await Promise.all([swap(), writes()])
    expect(await readdir(outside)).toEqual(['secret'])
  })
})

describe('the trash', () => {
  it('is out of reach of the site, and empties itself after a week', async () => {
    await files().write(site, 'old.txt', 'old', null)
    await files().remove(site, ['old.txt'])
    expect(await fixture.php(site, 'echo json_encode([@scandir("/wordpress/../trash"), @scandir("../trash")]);')).toBe(
      '[false,false]',
    )
    ahead += 8 * 86_400_000
    await fixture.engine.round()
    expect(await files().trash(site)).toEqual([])
    expect(await readdir(trash())).toEqual([])
  })

  it('survives what is written into it', async () => {
    await mkdir(join(trash(), '0abcdefgh-0123456789abcdef'), { recursive: true })
    await writeFile(join(trash(), '0abcdefgh-0123456789abcdef', 'info.json'), '{"paths":["../../../../escape"]}')
    await mkdir(join(trash(), '0abcdefgh-fedcba9876543210'))
    await writeFile(join(trash(), '0abcdefgh-fedcba9876543210', 'info.json'), 'no JSON')
    execFileSync('chown', ['-R', '--reference', www(), trash()])
    expect(await files().trash(site)).toEqual([])
    await expect(files().restore(site, '0abcdefgh-0123456789abcdef')).rejects.toThrow('trash')
    await files().emptyTrash(site)
    expect(await readdir(trash())).toEqual([])
  })
})
