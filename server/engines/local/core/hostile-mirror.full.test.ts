import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { cachedCores, renewCore } from './core-cache.ts'
import { seedCore, startFakeWordPressOrg, type FakeWordPressOrg } from './fake-wordpress-org.ts'
import { makeZip, type TestZipEnd, type TestZipMember } from './zip-fixture.ts'

let folder: string
let cacheDir: string
let org: FakeWordPressOrg
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mirror-'))
  cacheDir = join(folder, 'cache')
  org = await startFakeWordPressOrg(['6.9'])
  await seedCore(cacheDir, '6.8', 'wordpress.org')
  await writeFile(join(folder, 'outside'), 'kept')
})
afterEach(async () => {
  await org.close()
  await removeTree(folder)
})

const renew = () => renewCore(cacheDir, org.url, AbortSignal.timeout(300_000))
const code = Buffer.from('<?php // hostile')
const page = (name: string, more: Partial<TestZipMember> = {}): TestZipMember => ({ name, content: code, ...more })
/** Members whose checksums the mirror also publishes, since it controls both. */
const published = (...members: TestZipMember[]): TestZipMember[] => {
  org.checksums = Object.fromEntries(
    members.map(({ name, content }) => [
      String(name).replace(/^wordpress\//, ''),
      createHash('md5').update(content).digest('hex'),
    ]),
  )
  return members
}

/** The release is not there, nothing is left of it, nothing outside was touched. */
async function expectRejected(): Promise<void> {
  await expect(renew()).rejects.toThrow()
  expect((await cachedCores(cacheDir)).map(({ version }) => version)).toEqual(['6.8'])
  expect((await readdir(join(cacheDir, 'wordpress', 'v1'))).toSorted()).toEqual(['6.8'])
  expect((await readdir(folder)).toSorted()).toEqual(['cache', 'outside'])
  expect(await readFile(join(folder, 'outside'), 'utf8')).toBe('kept')
}

it('takes what an honest mirror has', async () => {
  await renew()
  expect((await cachedCores(cacheDir)).map(({ version }) => version)).toEqual(['6.9', '6.8'])
})

describe('a package with a member that does not belong to a release', () => {
  it.each<[string, () => TestZipMember[]]>([
    ['climbs out', () => [page('wordpress/../../../../outside')]],
    ['climbs out in the middle', () => [page('wordpress/a/../../../../../outside')]],
    ['is absolute', () => [page('/tmp/easydash-hostile')]],
    ['is absolute on Windows', () => [page('C:/easydash-hostile')]],
    ['has backslashes', () => [page('wordpress\\..\\..\\outside')]],
    ['has a zero byte', () => [page('wordpress/a\0.php')]],
    ['has a line break', () => [page('wordpress/wp-includes/a\n.php')]],
    [
      'is no text',
      () => [
        page(Buffer.from('776f726470726573732fe9', 'hex').toString('latin1'), {
          name: Buffer.from('wordpress/\xe9', 'latin1'),
        }),
      ],
    ],
    ['has a name longer than any file system takes', () => [page(`wordpress/${'n'.repeat(300)}.php`)]],
    ['has a path longer than any file system takes', () => [page(`wordpress/${'n/'.repeat(900)}a.php`)]],
    ['has an empty folder name', () => [page('wordpress//etc/a.php')]],
    ['has a folder named by a dot', () => [page('wordpress/./a.php')]],
    [
      'is a link',
      () => [page('wordpress/wp-includes/link.php', { mode: 0o120777, content: Buffer.from('/etc/passwd') })],
    ],
    ['is a device', () => [page('wordpress/wp-includes/device.php', { mode: 0o020666 })]],
    ['is a FIFO', () => [page('wordpress/wp-includes/fifo.php', { mode: 0o010666 })]],
    ['is encrypted', () => [page('wordpress/wp-includes/secret.php', { flags: 1 })]],
    ['is a folder with content', () => [page('wordpress/wp-includes/folder/')]],
    ['is there twice', () => [page('wordpress/wp-includes/twice.php'), page('wordpress/wp-includes/twice.php')]],
    [
      'is there in two spellings',
      () => [page('wordpress/wp-includes/case.php'), page('wordpress/wp-includes/CASE.php')],
    ],
    ['is there in two forms of one letter', () => [page('wordpress/\u00e9.php'), page('wordpress/e\u0301.php')]],
    ['is a file and a folder', () => [page('wordpress/both'), page('wordpress/both/below.php')]],
    [
      'has another name in its own header',
      () => [page('wordpress/wp-includes/a.php', { localName: 'wordpress/wp-includes/b.php' })],
    ],
    ['has another compression in its own header', () => [page('wordpress/wp-includes/a.php', { localMethod: 0 })]],
    ['has another sum than its content', () => [page('wordpress/wp-includes/a.php', { crc: 1 })]],
    [
      'is longer than it says',
      () => [page('wordpress/wp-includes/a.php', { content: Buffer.alloc(5_000, 'x'), size: 10 })],
    ],
    ['is shorter than it says', () => [page('wordpress/wp-includes/a.php', { size: 5_000 })]],
    ['reaches past the end', () => [page('wordpress/wp-includes/a.php', { packedSize: 0x7fffffff, stored: true })]],
    ['is larger than 4 GB', () => [page('wordpress/wp-includes/a.php', { packedSize: 0xffffffff, size: 0xffffffff })]],
    [
      'expands to more than a hundred times its size',
      () => [page('wordpress/wp-includes/bomb.php', { content: Buffer.alloc(3_000_000) })],
    ],
    [
      'shares its data with another one',
      () => [page('wordpress/wp-includes/a.php'), page('wordpress/wp-includes/b.php', { dataOf: 120 })],
    ],
  ])('that %s is refused', async (_what, members) => {
    const hostile = published(...members())
    org.pack = (release) => makeZip([...release, ...hostile])
    await expectRejected()
  })

  it.each(['wp-includes/more.php', 'index.php', 'readme.txt', 'wp-content/mu-plugins/more.php', 'wp-content/x.PHTML'])(
    'that nobody published is refused: %s',
    async (name) => {
      org.pack = (release) => makeZip([...release, page(`wordpress/${name}`)])
      await expectRejected()
    },
  )

  it('that is not in the folder of WordPress is left out', async () => {
    org.pack = (release) => makeZip([...release, page('elsewhere/more.php')])
    await renew()
    const [newest] = await cachedCores(cacheDir)
    expect((await readdir(newest?.files ?? '')).toSorted()).toEqual(['wp-content', 'wp-includes'])
  })
})

describe('a package as a whole', () => {
  it('that expands too far with many small members is refused before it fills the memory', async () => {
    const content = Buffer.alloc(900_000)
    org.pack = (release) =>
      makeZip([
        ...release,
        ...published(...Array.from({ length: 400 }, (_, at) => page(`wordpress/bomb/${at}.txt`, { content }))),
      ])
    await expectRejected()
  })

  it('with more members than a release has is refused', async () => {
    const many = Array.from({ length: 60_000 }, (_, at) =>
      page(`wordpress/m/${at}`, { content: Buffer.alloc(0), stored: true }),
    )
    org.pack = (release) => makeZip([...release, ...many])
    await expectRejected()
  })

  it.each<[string, TestZipEnd | ((zip: Buffer) => Buffer)]>([
    ['counts more members than it has', { count: 40_000 }],
    ['counts fewer members than it has', { count: 3 }],
    ['counts as those beyond 4 GB do', { count: 0xffff }],
    ['has a second end in its comment', { comment: makeZip([page('wordpress/wp-includes/other.php')]) }],
    ['is cut off', (zip) => zip.subarray(0, zip.length - 30)],
    ['is cut off in its members', (zip) => zip.subarray(0, 2_000)],
    ['lacks its beginning', (zip) => zip.subarray(100)],
    ['is empty', () => Buffer.alloc(0)],
    ['is text', () => Buffer.from('<html>Please sign in</html>')],
    ['is nothing but ends', () => Buffer.from('PK\u0005\u0006'.repeat(5_000), 'latin1')],
  ])('that %s is refused', async (_what, corrupt) => {
    org.pack = (release) => (typeof corrupt === 'function' ? corrupt(makeZip(release)) : makeZip(release, corrupt))
    await expectRejected()
  })

  it('with checksums other than the published ones is refused', async () => {
    org.publishesWrongChecksums = true
    await expectRejected()
  })

  it.each([[{ 'wp-includes/file-1.php': 7 }], [{ '../../outside': 'x'.repeat(32) }], [{ __proto__: 'x' }]])(
    'with published sums that are none is refused: %j',
    async (sums) => {
      org.checksums = sums
      await (JSON.stringify(sums) === '{}' ? renew() : expectRejected())
    },
  )
})

it('a mirror that sends elsewhere is not followed', async () => {
  let requests = 0
  const inside = createServer((_request, response) => {
    requests += 1
    response.end('{}')
  })
  await new Promise<void>((resolve) => {
    inside.listen(0, '127.0.0.1', resolve)
  })
  try {
    org.redirect = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/latest/meta-data/`
    expect(await renew()).toMatchObject({ reached: false, newest: { version: '6.8' } })
    expect(requests).toBe(0)
  } finally {
    await new Promise((resolve) => {
      inside.close(resolve)
    })
  }
})
