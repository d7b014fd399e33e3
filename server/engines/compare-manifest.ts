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

/**
 * Creates a comparison; nothing was read yet. Of each file, one side is kept only until the other one comes, so that a million files need no
 * more memory than their names.
 */
export function createManifestComparison(onDifference: (difference: FileDifference) => void): ManifestComparison {
  const [here, named] = [new Map<string, FileSum>(), new Map<string, FileSum>()]
  const compare = (path: string, found: FileSum, expected: FileSum): void => {
    if (found.size !== expected.size || found.sha256 !== expected.sha256) onDifference({ path, found, expected })
  }
  return {
    has: (path) => here.has(path),
    expects: (path) => named.has(path),
    isHere(path, found) {
      const expected = named.get(path)
      if (expected) compare(path, found, expected)
      else here.set(path, found)
      named.delete(path)
    },
    isNamed(path, expected) {
      // What is named twice says nothing.
      if (named.has(path)) onDifference({ path, found: null, expected: null })
      const found = here.get(path)
      if (found) compare(path, found, expected)
      else named.set(path, expected)
      here.delete(path)
    },
    end() {
      for (const [path, expected] of named) onDifference({ path, found: null, expected })
      for (const [path, found] of here) if (!unnamed.has(path)) onDifference({ path, found, expected: null })
    },
  }
}
