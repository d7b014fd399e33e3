import { portOf } from '#server/platform/network/port-of.ts'
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { makeZip, type TestZipMember } from './zip-fixture.ts'

/** A fake wordpress.org with tiny releases, for tests. */
export interface FakeWordPressOrg {
  readonly url: string
  /** Requested paths, in order. */
  readonly requests: string[]
  /** Offered versions, in the order of the response; every stable one can be downloaded. */
  offers: string[]
  /** Publishes checksums that match no file. */
  publishesWrongChecksums: boolean
  /** Responds like a gateway without a network. */
  down: boolean
  /** Sends only the beginning of an archive and never finishes. */
  stall: boolean
  /** Creates an archive of a release's members; tests of hostile archives add to them or falsify them. */
  pack: (members: TestZipMember[]) => Buffer
  /** Additional published checksums, by path. */
  checksums: Readonly<Record<string, unknown>>
  /** Redirects every request to this URL. */
  redirect: string | null
  close(): Promise<void>
}

/** Starts the server; pass its `url` as `WORDPRESS_ORG_URL`. */
export async function startFakeWordPressOrg(offers: string[]): Promise<FakeWordPressOrg> {
  const server = createServer((request, response) => respond(org, request.url ?? '', response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const org: FakeWordPressOrg = {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests: [],
    offers,
    publishesWrongChecksums: false,
    down: false,
    stall: false,
    pack: makeZip,
    checksums: {},
    redirect: null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
  return org
}

function respond(org: FakeWordPressOrg, path: string, response: ServerResponse): void {
  org.requests.push(path)
  const checksumsOf = /^\/core\/checksums\/1\.0\/\?version=([\d.]+)&/.exec(path)?.[1]
  const archiveOf = /^\/release\/wordpress-([\d.]+)\.zip$/.exec(path)?.[1]
  if (org.down) response.writeHead(502).end()
  else if (org.redirect !== null) response.writeHead(302, { location: org.redirect }).end()
  else if (path === '/core/version-check/1.7/')
    response.end(JSON.stringify({ offers: org.offers.map((version) => ({ response: 'upgrade', version })) }))
  else if (checksumsOf !== undefined) {
    const checksums = releaseFiles(checksumsOf).map(([name, bytes]) => {
      const md5 = createHash('md5').update(bytes).digest('hex')
      return [
        name,
        org.publishesWrongChecksums ? md5.replace(/./, (digit) => (digit === '0' ? '1' : '0')) : md5,
      ] as const
    })
    response.end(JSON.stringify({ checksums: { ...Object.fromEntries(checksums), ...org.checksums } }))
  } else if (archiveOf !== undefined) {
    const zip = org.pack(releaseMembers(archiveOf))
    if (org.stall) response.write(zip.subarray(0, 1000))
    else response.end(zip)
  } else response.writeHead(404).end()
}

/** Files of a release: path → content that contains the version. */
function releaseFiles(version: string): Array<[string, Buffer]> {
  return Array.from({ length: 120 }, (_, index) => [
    `wp-includes/file-${index}.php`,
    Buffer.from(`<?php // ${index} of ${version}`),
  ])
}

function releaseMembers(version: string): TestZipMember[] {
  return releaseFiles(version).map(([name, content]) => ({ name: `wordpress/${name}`, content, stored: true }))
}

/** Adds a tiny core with a plugin to a cache, as if it had been downloaded long ago. */
export async function seedCore(cacheDir: string, version: string, source: 'wordpress.org' | 'npm'): Promise<void> {
  const folder = join(cacheDir, 'wordpress', 'v1', version)
  const plugin = join(folder, 'files', 'wp-content', 'mu-plugins', 'sqlite-database-integration', 'inc')
  await mkdir(plugin, { recursive: true })
  await writeFile(join(plugin, 'driver.php'), '<?php // driver')
  await writeFile(join(folder, 'files', 'wp-content', 'db.php'), '<?php // drop-in')
  await writeFile(join(folder, 'files', 'version.php'), version)
  await writeFile(join(folder, 'checksums.json'), '{}')
  await writeFile(join(folder, 'about.json'), JSON.stringify({ version, source }))
}
