import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { fromBufferPromise } from 'yauzl'
import { readTar } from '#server/platform/files/tar.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { kindOfFile } from '#shared/rules/archive-formats.ts'
import type { BackupDefect } from '#shared/rules/backups.ts'
import { EngineError } from '../engine.ts'
import { exportFormat, exportNames, siteManifest, type SiteManifest } from '../site-manifest.ts'
import { thisMachine } from '../site-ref.ts'
import { contentOf } from './fake-content.ts'
import type { FakeContext } from './fake-context.ts'
import { fakeResponse, fakeSiteUrl } from './fake-pages.ts'
import type { FakeSite } from './fake-site.ts'
import { newWordPress } from './fake-wordpress-state.ts'

/** What an archive of a fake site contains. */
export interface FakeArchive {
  readonly manifest: SiteManifest
  /** Its members by name. */
  readonly texts: ReadonlyMap<string, string>
  readonly state: Partial<FakeSite>
}

/** Sum of a text, as manifests have it. */
const sumOf = (content: string): string => createHash('sha256').update(content, 'latin1').digest('hex')

/** Members of the archive of a fake site: its state in place of a dump. */
export function fakeMembers(context: FakeContext, site: FakeSite): [name: string, content: string][] {
  const { management, wordpress, adminUser, title, users } = site
  const state = asLatin1(JSON.stringify({ management, wordpress, adminUser, title, users }))
  const files = Object.entries(contentOf(context, site).files)
  const isWordPress = site.siteType === 'wp'
  const manifest: SiteManifest = {
    format: exportFormat.name,
    version: exportFormat.version,
    created: new Date(context.now()).toISOString(),
    site: site.domain,
    engine: 'fake',
    type: site.siteType,
    url: fakeSiteUrl(context, site),
    title: site.wordpress?.title ?? site.title,
    php_version: site.phpVersion,
    wordpress_version: isWordPress ? (management?.facts.version ?? '6.5.5') : null,
    table_prefix: isWordPress ? 'wp_' : null,
    database: { file: exportNames.dump, bytes: state.length, sha256: sumOf(state) },
    tables: isWordPress ? { wp_users: usersOf(site) } : {},
    files: files.map(([path, content]) => ({ path, size: content.length, sha256: sumOf(content) })),
    counts: fakeCounts(context, site),
    pages: [fakeHomepage(context, site)],
    left_out: [],
  }
  return [
    [exportNames.readme, 'A fake archive'],
    ...files.map(([path, content]): [string, string] => [`${exportNames.files}/${path}`, content]),
    [exportNames.dump, state],
    [exportNames.manifest, asLatin1(JSON.stringify(manifest))],
  ]
}

/** What the WordPress of a fake site has. */
export function fakeCounts(context: FakeContext, site: FakeSite): SiteManifest['counts'] {
  const uploads = Object.keys(contentOf(context, site).files).filter((path) => path.startsWith('wp-content/uploads/'))
  const { facts } = site.management ?? newWordPress(site.adminUser)
  const counted = site.siteType === 'wp' ? facts : { counts: {}, plugins: [], themes: [] }
  const { post = 0, page = 0, comment = 0 } = counted.counts as Readonly<Record<string, number>>
  return {
    posts: post,
    pages: page,
    comments: comment,
    uploads: uploads.length,
    plugins: counted.plugins.length,
    themes: counted.themes.length,
    users: usersOf(site),
  }
}

const usersOf = ({ siteType, management, adminUser }: FakeSite): number =>
  siteType === 'wp' ? (management ?? newWordPress(adminUser)).users.length : 0

/** The homepage of a fake site, as a manifest has it. */
export function fakeHomepage(context: FakeContext, site: FakeSite): SiteManifest['pages'][number] {
  const { status, body } = fakeResponse(context, { ...site, server: thisMachine }, '/')
  return { path: '/', status, title: /<title>(.*)<\/title>/.exec(body)?.[1] ?? '' }
}

/** Reads an archive in either container. Throws EngineError `invalid` for anything else. */
export async function readFakeArchive(path: string): Promise<FakeArchive> {
  const noArchive = (): EngineError =>
    new EngineError('invalid', msg`This is no archive, or it is damaged.`, { nextAction: msg`Choose another file.` })
  const texts = new Map<string, string>()
  const content = readFileSync(path)
  try {
    if (kindOfFile(content) === 'zstd') await readMembers(content, texts)
    else {
      const zip = await fromBufferPromise(content)
      for await (const entry of zip.eachEntry()) {
        const member = await zip.openReadStreamPromise(entry)
        texts.set(String(entry.fileName), await text(member.setEncoding('latin1')))
      }
    }
  } catch {
    throw noArchive()
  }
  const manifest = siteManifest.safeParse(parseJson(asUtf8(texts.get(exportNames.manifest) ?? '')))
  if (!manifest.success || manifest.data.version > exportFormat.version) throw noArchive()
  const state = parseJson(asUtf8(texts.get(exportNames.dump) ?? ''))
  return { manifest: manifest.data, texts, state: isObject(state) ? state : {} }
}

async function readMembers(content: Buffer, texts: Map<string, string>): Promise<void> {
  await readTar(Readable.from([zstdDecompressSync(content)]), ({ name }) => {
    const chunks: Buffer[] = []
    return {
      write: (chunk) => void chunks.push(chunk),
      end: () => void texts.set(name, Buffer.concat(chunks).toString('latin1')),
    }
  })
}

// Files of fake sites are texts of bytes, like in `FakeContent`.
const asLatin1 = (content: string): string => Buffer.from(content).toString('latin1')
const asUtf8 = (content: string): string => Buffer.from(content, 'latin1').toString()

/** What is not as its checksum says. */
export function damageOf({ manifest, texts }: FakeArchive): BackupDefect[] {
  const { database } = manifest
  const members = [
    ...manifest.files.map(({ path, sha256 }) => ({ name: `${exportNames.files}/${path}`, sha256 })),
    ...(database === null ? [] : [{ name: database.file, sha256: database.sha256 }]),
  ]
  return members
    .filter(({ name, sha256 }) => sumOf(texts.get(name) ?? '') !== sha256)
    .map(({ name }) => ({ defect: 'A file is not the one that was packed', evidence: name }))
}
