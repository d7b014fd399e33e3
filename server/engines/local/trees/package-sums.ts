import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import type { UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import { readZipMembers } from '#server/platform/tree-files/zip-entries.ts'

/** Most files of a package whose checksums are kept. */
const maxFiles = 20_000

/** Checksums of the files of a plugin or theme, as its archive has them. */
export interface PackageSums {
  /** The one folder of the archive. */
  readonly folder: string
  /** Pairs of a path below that folder and an MD5. */
  readonly sums: readonly (readonly [string, string])[]
}

/** Reads the archive of a plugin or theme; null if it is not one folder, or has too many files. */
export async function packageSums(archive: string): Promise<PackageSums | null> {
  const zip = await openPromise(archive, { decodeStrings: false, autoClose: false })
  try {
    const files = (await readZipMembers(zip)).filter(({ path, isFolder }) => !isFolder && !isLeftOut(path))
    const folder = files[0]?.path.split('/')[0] ?? ''
    const isOne = files.every(({ path }) => path.startsWith(`${folder}/`))
    if (folder === '' || !isOne || files.length > maxFiles) return null
    const sums: [string, string][] = []
    for (const member of files) sums.push([member.path.slice(folder.length + 1), await sumOf(member)])
    return { folder, sums }
  } finally {
    zip.close()
  }
}

/** What systems add to archives; `php/package.php` leaves it out as well. */
function isLeftOut(path: string): boolean {
  return path.startsWith('__MACOSX/') || path === '.DS_Store'
}

async function sumOf(member: UnpackMember): Promise<string> {
  const hash = createHash('md5')
  await pipeline(await member.read(), hash)
  return hash.digest('hex')
}
