import { exportNames, type ManifestFile } from './site-manifest.ts'

/** What a file is: its bytes and their checksum. */
export type FileSum = Pick<ManifestFile, 'size' | 'sha256'>

/** What a file is and what its manifest says that it is; null: it is not there, or not named. Both are null for one that is named twice. */
export interface FileDifference {
  readonly path: string
  readonly found: FileSum | null
  readonly expected: FileSum | null
}

/** What a backup has besides the files and the dump that its manifest names. */
const unnamed: ReadonlySet<string> = new Set([exportNames.manifest, exportNames.readme])

/** Compares the files in an archive with those that its manifest names, in any order. */
export interface ManifestComparison {
  /** Whether there was such a file that was not named yet. */
  has(path: string): boolean
  /** Whether one was named that was not there yet. */
  expects(path: string): boolean
  /** Takes a file that is in the archive. */
  isHere(path: string, found: FileSum): void
  /** Takes a file that the manifest names, by its path in the archive. */
  isNamed(path: string, expected: FileSum): void
  /** What is there and not named is a difference now, and the other way round. */
  end(): void
}

/** A file as it is kept: its size and checksum as 40 bytes, which take less memory as one text than as an object with a hexadecimal one. */
function kept({ size, sha256 }: FileSum): string {
  const bytes = Buffer.alloc(40)
  bytes.writeDoubleBE(size)
  bytes.write(sha256, 8, 'hex')
  return bytes.toString('latin1')
}

function said(sum: string): FileSum {
  const bytes = Buffer.from(sum, 'latin1')
  return { size: bytes.readDoubleBE(), sha256: bytes.toString('hex', 8) }
}

/**
 * Creates a comparison; nothing was read yet. Of each file, one side is kept until the other one comes. The manifest comes before all files or after
 * them, so in between each file of the archive is kept, with about 100 bytes besides its path.
 */
export function createManifestComparison(onDifference: (difference: FileDifference) => void): ManifestComparison {
  const [here, named] = [new Map<string, string>(), new Map<string, string>()]
  const compare = (path: string, found: string, expected: string): void => {
    if (found !== expected) onDifference({ path, found: said(found), expected: said(expected) })
  }
  return {
    has: (path) => here.has(path),
    expects: (path) => named.has(path),
    isHere(path, sum) {
      const [found, expected] = [kept(sum), named.get(path)]
      if (expected !== undefined) compare(path, found, expected)
      else here.set(path, found)
      named.delete(path)
    },
    isNamed(path, sum) {
      // What is named twice says nothing.
      if (named.has(path)) onDifference({ path, found: null, expected: null })
      const [found, expected] = [here.get(path), kept(sum)]
      if (found !== undefined) compare(path, found, expected)
      else named.set(path, expected)
      here.delete(path)
    },
    end() {
      for (const [path, expected] of named) onDifference({ path, found: null, expected: said(expected) })
      for (const [path, found] of here)
        if (!unnamed.has(path)) onDifference({ path, found: said(found), expected: null })
    },
  }
}
