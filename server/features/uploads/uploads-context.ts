import { join } from 'node:path'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import type { Database } from '#server/platform/database/database.ts'

/** Options of the uploads feature. */
export interface UploadsOptions {
  database: Pick<Database, 'db'>
  /** The kinds all features declare. Read at each call, because features are collected after this one is created. */
  kinds: () => readonly UploadKind[]
  /** Folder of unfinished contents, not accessible to others. */
  folder: string
  /** This machine: the others cannot read the folder. */
  machine: string
  /** Free bytes on the disk of the folder; tests replace it. */
  free?: (folder: string) => Promise<number>
}

/** Context of the uploads feature. */
export interface UploadsContext extends Required<Omit<UploadsOptions, 'database'>> {
  readonly db: Database['db']
}

/** Path of the content of an upload. */
export function contentPath({ folder }: Pick<UploadsContext, 'folder'>, id: string): string {
  return join(folder, id)
}
