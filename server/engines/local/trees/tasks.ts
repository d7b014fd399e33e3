import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import type { FileOutcome, FileTask } from '#server/platform/tree-files/file-tasks.ts'
import type { Room } from '#server/platform/tree-files/file-room.ts'
import type { EngineError } from '../../engine.ts'
import type { ArchiveFiles } from '../archives/open-archive.ts'
import type { FileComparison } from '#shared/responses/file-comparison.ts'
import type { OriginalInput } from './compare-file.ts'
import type { PackageSums } from './package-sums.ts'
import type { ListedMails, MailsInput } from './list-mails.ts'
import type { CopyOptions } from './copy.ts'
import type { CountInput } from './count-files.ts'
import type { SiteChanges } from '../../site-backups.ts'
import type { GraftInput } from './graft.ts'
import type { Exported, ExportInput } from './export-task.ts'
import type { InspectedArchive, UnpackedSite, UnpackSiteInput } from './import-task.ts'
import type { TreeLimits } from './limits.ts'
import type { SiteFilesRoot } from './file-manifest.ts'
import type { CompareInput, MergeInput } from './merge-files.ts'
import type { PlaceInput, UnplaceInput } from './place-files.ts'
import type { SiteFolders } from './site-folders.ts'
import type { Measured } from './measure.ts'
import type { Packed, PackOptions } from './pack.ts'

/** Tasks of a tree process by name, with their input and result. */
export interface TreeTasks {
  /**
   * Measures folders, one at a time; missing ones are empty. `cpuMs`: for each of them. `waited`: a user is waiting for it.
   */
  measure: {
    input: { paths: readonly string[]; entries: number; cpuMs: number; waited: boolean }
    result: Measured[]
  }
  /** Counts the files of a site, for a user who waits. */
  count: { input: CountInput; result: SiteChanges['files'] }
  pack: { input: { options: PackOptions; target: string }; result: Packed }
  prove: { input: { root: string; folders: readonly string[]; archive: string }; result: number }
  /** Returns the size of what was copied. */
  copy: { input: CopyOptions; result: TreeLimits }
  /** Gives parts of a copied tree the state of another one. Returns the size of the tree. */
  graft: { input: GraftInput; result: TreeLimits }
  /** Returns the number of files. */
  unpack: { input: { archive: string; into: string; limits: TreeLimits }; result: number }
  /** Changes the owner of trees. */
  own: { input: { paths: readonly string[]; uid: number }; result: null }
  /** Removes the oldest files of a folder until the rest is within the limits. */
  trim: { input: { path: string; limits: TreeLimits }; result: null }
  /** Lists captured emails. */
  mails: { input: MailsInput; result: ListedMails }
  /** Lists the files of a tree in a file of ours. Returns their number. */
  manifest: { input: { tree: SiteFilesRoot; target: string; limits: TreeLimits }; result: number }
  /** Compares the files of a site and its staging copy. */
  compare: { input: CompareInput; result: PushPlan['files'] }
  /** Brings files of a staging copy into a tree of ours. */
  merge: { input: MergeInput; result: { written: number; removed: number } }
  /** Copies single files; returns what was added. */
  place: { input: PlaceInput; result: TreeLimits }
  /** Removes single files. */
  unplace: { input: UnplaceInput; result: null }
  remove: { input: { paths: readonly string[] }; result: null }
  /** An operation of the file manager, as the user of the site. */
  files: { input: FilesInput; result: FileOutcome }
  /** Compares a file with its original, as the user of the site; null if neither exists. */
  original: { input: SiteFolders & OriginalInput; result: Omit<FileComparison, 'path'> | null }
  /** Checksums of what is in an archive of ours. */
  sums: { input: { archive: string }; result: PackageSums | null }
  /** Writes a ZIP archive of files to the standard output, as the user of the site. */
  zip: { input: SiteFolders & { paths: readonly string[] }; result: null }
  /** Packs a whole site, as its user. */
  export: { input: ExportInput; result: Exported }
  /** Says what an archive with a site contains. */
  inspect: { input: ArchiveFiles; result: InspectedArchive }
  /** Unpacks an archive into a new site, as its user. */
  import: { input: UnpackSiteInput; result: UnpackedSite }
}

/** Input of `files`. */
export interface FilesInput extends SiteFolders {
  readonly task: FileTask
  readonly room: Room
  /** An uploaded file of ours, opened before the process becomes the site's user. */
  readonly source: string | null
}

/** The only message to such a process. */
export type TreeRequest = { [T in keyof TreeTasks]: { task: T; input: TreeTasks[T]['input'] } }[keyof TreeTasks]

/** Its messages: the number of processed files from time to time, and finally the result or an error. */
export type TreeMessage =
  | { type: 'progress'; files: number; done?: number }
  | { type: 'done'; result: unknown }
  | {
      type: 'refused'
      code: EngineError['code']
      localized: LocalizedMessage
      nextAction: LocalizedMessage
      retryable: boolean
    }
  | { type: 'failed'; message: string; code?: string; path?: string; syscall?: string }
