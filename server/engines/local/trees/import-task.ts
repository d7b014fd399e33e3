import { createHash } from 'node:crypto'
import { NoManifest, readManifest } from '#server/engines/manifest-reader.ts'
import type { ManifestSummary, SiteManifest } from '#server/engines/site-manifest.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { checkedContent, unpackMembers, type UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import type { Folder } from '#server/platform/trees/folder.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { smallContentOf } from '../archives/member-content.ts'
import { noArchive, withSiteArchive, type ArchiveFiles } from '../archives/open-archive.ts'
import type { ArchiveFacts, SiteArchive } from '../archives/site-archive.ts'
import {
  configOf,
  manifestName,
  planArchive,
  targetOf,
  wholeTargetOf,
  type ArchivePlan,
} from '../portable/archive-plan.ts'
import { asSite } from './as-site.ts'
import { createSumCheck } from './sum-check.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'
import type { SiteFolders } from './site-folders.ts'

/** An archive, looked at. */
export interface InspectedArchive {
  readonly plan: ArchivePlan
  readonly manifest: ManifestSummary | null
  /** What it says about the site; the prefix also from its `wp-config.php`. */
  readonly facts: ArchiveFacts
}

/** Where an archive is unpacked. */
export interface UnpackSiteInput extends SiteFolders, ArchiveFiles {
  /** Path in the site for the dump of the database. */
  readonly dump: string
  /** For a rehearsal of a backup: every file goes where it was, but what belongs to each site alone. */
  readonly isWhole: boolean
  /** What differs from the manifest is named, and does not end it. */
  readonly isCompared: boolean
  readonly limits: TreeLimits
}

/** What was unpacked. */
export interface UnpackedSite {
  readonly files: number
  readonly bytes: number
  /** Files that belong to another server, of which some are named. */
  readonly leftOut: { readonly count: number; readonly names: readonly string[] }
  /** Whether the dump is the one that the manifest describes; null without a manifest. */
  readonly isSameDump: boolean | null
  /** Files of a backup that are not as the manifest says, of which some are named. */
  readonly damaged: { readonly count: number; readonly names: readonly string[] }
}

/** Bytes of a configuration that are read. */
const maxConfigBytes = 1_000_000
const maxNamed = 20

/** The same with all files of the manifest. */
interface Inspected extends Omit<InspectedArchive, 'manifest'> {
  readonly manifest: SiteManifest | null
}

/** Says what an archive contains. Throws FileRefusal for anything but an archive with a site. */
export function inspectArchive(files: ArchiveFiles): Promise<InspectedArchive> {
  return withSiteArchive(files, async (archive) => {
    const { manifest, ...found } = await inspect(archive)
    return { ...found, manifest: manifest === null ? null : { ...manifest, files: manifest.files.length } }
  })
}

/** Unpacks the files of an archive into a new site, as its user. Everything is checked before the first file is written. */
export async function runUnpackSiteTask(input: UnpackSiteInput, onFile: () => void): Promise<UnpackedSite> {
  return withSiteArchive(input, async (archive) =>
    asSite(input, async ({ root }) => {
      const found = await inspect(archive)
      const { members } = archive
      const counter = createTreeCounter(input.limits)
      const wanted: UnpackMember[] = []
      const names: string[] = []
      const unread: UnpackMember[] = []
      let [leftOut, files, bytes] = [0, 0, 0]
      const sums = createSumCheck(input.isCompared ? found.manifest : null)
      for (const given of members) {
        const member = sums.checked(given)
        if (member.path === found.plan.dump) {
          // Nothing but a WordPress has a database here.
          if (found.plan.siteType === 'wp') wanted.push(counted({ ...member, path: input.dump }, counter))
          else unread.push(member)
          continue
        }
        const target = (input.isWhole ? wholeTargetOf : targetOf)(found.plan, member.path)
        if (target === 'foreign' && !member.isFolder) {
          leftOut += 1
          if (names.length < maxNamed) names.push(member.path.slice(0, 200))
        }
        if (typeof target === 'string') {
          if (input.isCompared && !member.isFolder) unread.push(member)
          continue
        }
        wanted.push(counted({ ...member, path: target.to }, counter, (size) => void (bytes += size)))
        if (!member.isFolder) files += 1
      }
      makeRoom(root, wanted)
      await unpackMembers(wanted, root, onFile)
      for (const member of unread) await readToEnd(member)
      return {
        files,
        bytes,
        leftOut: { count: leftOut, names },
        isSameDump: input.isCompared ? null : await isSameDump(members, found.manifest),
        damaged: sums.damaged(),
      }
    }),
  )
}

/** What is not unpacked can be damaged, too. */
async function readToEnd(member: UnpackMember): Promise<void> {
  for await (const chunk of await member.read()) void chunk
}

/** Files of WordPress itself that the archive has, too. */
function makeRoom(root: Folder, members: readonly UnpackMember[]): void {
  for (const { path, isFolder } of members) {
    const name = Buffer.from(path)
    if (!isFolder && root.statsOf(name)?.isFile() === true) root.removeFile(name)
  }
}

/** Counts a member against the quota: before it is written, or while if only reading it tells its size. */
function counted(
  member: UnpackMember,
  counter: ReturnType<typeof createTreeCounter>,
  onBytes: (bytes: number) => void = () => undefined,
): UnpackMember {
  const { isFolder, size } = member
  counter.add(isFolder ? 0 : (size ?? 0))
  if (!isFolder && size !== null) onBytes(size)
  if (isFolder || size !== null) return member
  return {
    ...member,
    async read() {
      const content = await member.read()
      return countedContent(content, counter, onBytes)
    },
  }
}

async function* countedContent(
  content: AsyncIterable<Buffer>,
  counter: ReturnType<typeof createTreeCounter>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of content) {
    try {
      counter.grow(chunk.length)
    } catch (error) {
      // What a member's content throws is its damage, except for refusals.
      if (error instanceof EngineError) throw new FileRefusal('invalid', error.localized, error.nextAction)
      throw error
    }
    onBytes(chunk.length)
    yield chunk
  }
}

async function inspect(archive: SiteArchive): Promise<Inspected> {
  const { members, source, facts } = archive
  const manifest = source === null ? await manifestIn(members) : null
  const plan = planArchive(archive, manifest)
  if (plan === null || (plan.siteType === 'wp' && plan.dump === null)) throw noSite(plan !== null)
  if (plan.dump !== null && !members.some(({ path, isFolder }) => path === plan.dump && !isFolder)) throw noSite(true)
  const config = members.find(({ path, isFolder }) => path === configOf(plan) && !isFolder)
  const text = config === undefined ? null : await smallContentOf(config, maxConfigBytes)
  const said = text?.toString('utf8') ?? ''
  return {
    plan,
    manifest,
    facts: {
      ...facts,
      prefix: facts.prefix ?? manifest?.table_prefix ?? prefixOf(said),
      isNetwork:
        facts.isNetwork ||
        /^\s{0,80}define\(\s{0,20}['"](?:MULTISITE|WP_ALLOW_MULTISITE)['"]\s{0,20},\s{0,20}(?:true|1)/im.test(said),
      phpVersion: manifest?.php_version ?? facts.phpVersion,
      title: manifest?.title ?? facts.title,
    },
  }
}

function prefixOf(config: string): string | null {
  return (
    /^\s{0,80}\$table_prefix\s{0,20}=\s{0,20}(?:'(\w{1,40})'|"(\w{1,40})")/m.exec(config)?.slice(1).find(Boolean) ??
    null
  )
}

async function manifestIn(members: readonly UnpackMember[]): Promise<SiteManifest | null> {
  const member = members.find(({ path, isFolder }) => path === manifestName && !isFolder)
  if (member === undefined) return null
  const files: SiteManifest['files'] = []
  try {
    return { ...(await readManifest(checkedContent(member), (file) => void files.push(file))), files }
  } catch (error) {
    if (!(error instanceof NoManifest)) throw error
    if (error.problem === 'damaged') throw noArchive()
    if (error.problem === 'other') return null
    throw new FileRefusal(
      'invalid',
      msg`This export was made by a newer version of Easydash.`,
      msg`Update Easydash, then import it again.`,
    )
  }
}

async function isSameDump(members: readonly UnpackMember[], manifest: SiteManifest | null): Promise<boolean | null> {
  const member = members.find(({ path }) => path === manifest?.database?.file)
  if (!manifest?.database || member === undefined) return null
  const sum = createHash('sha256')
  for await (const chunk of checkedContent(member)) sum.update(chunk)
  return sum.digest('hex') === manifest.database.sha256
}

function noSite(lacksDump: boolean): FileRefusal {
  const nextAction = msg`Choose an export of Easydash, or a ZIP archive that has the folder wp-content and the database as a .sql file.`
  return lacksDump
    ? new FileRefusal(
        'invalid',
        msg`The archive has a WordPress, but no database: there is no .sql file in it.`,
        nextAction,
      )
    : new FileRefusal('invalid', msg`There is no site in this archive.`, nextAction)
}
