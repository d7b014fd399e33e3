/** The files of a site, as the file manager needs them. Part of `Engine`. */
import type { Readable } from 'node:stream'
import type { OnProgress } from '#server/platform/tree-files/progress.ts'
import type { SiteRef } from './site-ref.ts'

/** What an entry of a folder is. `other`: links, special files, and names that are not valid text; none can be opened. */
export type SiteFileKind = 'file' | 'folder' | 'other'

/** An entry of a folder. */
export interface SiteFileEntry {
  name: string
  kind: SiteFileKind
  /** Bytes; 0 for folders. */
  size: number
  /** Milliseconds since 1970. */
  modified: number
}

/** A part of a folder: folders first, then by name. */
export interface SiteFileListing {
  entries: SiteFileEntry[]
  /** Entries of the folder, of which at most 200,000 are read. */
  total: number
  /** Where the next part starts; null after the last one. */
  next: number | null
}

/** A file shown as text. */
export interface SiteFileText {
  /** Null: it is not text, or larger than 1 MiB. */
  content: string | null
  /** Identifies this content; a write names the one it replaces. Null without content. */
  version: string | null
  /** Bytes. */
  size: number
  /** Milliseconds since 1970. */
  modified: number
}

/** An open file for a download. */
export interface SiteFileDownload {
  /** Bytes. */
  readonly size: number
  /** Changes with the content. */
  readonly tag: string
  /** Reads it, or the bytes from `start` to `end` (both included). Called at most once; otherwise `close`. */
  open(range?: { readonly start: number; readonly end: number }): Readable
  close(): Promise<void>
}

/** What was deleted together. */
export interface SiteTrashItem {
  id: string
  paths: string[]
  /** Milliseconds since 1970. */
  deleted: number
}

/** Options of `unpack`. */
export interface UnpackOptions {
  /** Folder to unpack into; it is created if it does not exist. */
  readonly into: string
  /** Files that exist are replaced; otherwise `conflict` names the first one. */
  readonly replace: boolean
  /** The archive is this file of this machine; the path is not used. */
  readonly source?: string
  /** With it, `undoUnpack` is possible until `finishUnpack`. `[\w-]{1,64}`. */
  readonly operationId?: string
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress
}

/** Options of `packInto`. */
export interface PackOptions {
  /** With it the call can be repeated, and taken back with `undoPack`. */
  readonly operationId?: string
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress
}

/**
 * Files of sites. Paths are relative to the folder that the site serves, with slashes, `''` for that folder. Links are never
 * followed. Errors: `invalid` for paths that are not allowed, and for what is more than the site's quota; `not_found` for
 * sites and files that do not exist; `conflict` if something else is in the way. Changes of one site run one after the other.
 */
export interface SiteFiles {
  /** At most 1,000 entries of a folder, from the one with the number `start`. */
  list(site: SiteRef, folder: string, start?: number): Promise<SiteFileListing>
  read(site: SiteRef, path: string): Promise<SiteFileText>
  /**
   * Replaces a text, at once and with the same permissions, if it is still the version; null: a new file. Returns its
   * version. A running site serves the new content with its next response.
   */
  write(site: SiteRef, path: string, content: string, version: string | null): Promise<{ version: string }>
  makeFolder(site: SiteRef, path: string): Promise<void>
  /** Renames or moves; each target must be free. */
  move(site: SiteRef, moves: readonly { readonly from: string; readonly to: string }[]): Promise<void>
  copy(site: SiteRef, from: string, to: string): Promise<void>
  /** Moves files and folders into the site's trash, which counts toward its quota. Returns their id there. */
  remove(site: SiteRef, paths: readonly string[]): Promise<{ id: string }>
  /** What is in the trash, newest first, at most 200. Emptied after 7 days. */
  trash(site: SiteRef): Promise<SiteTrashItem[]>
  /** Moves everything deleted together back to where it was. Returns the paths. */
  restore(site: SiteRef, id: string): Promise<{ paths: string[] }>
  /** Deletes for good what is in the trash. */
  emptyTrash(site: SiteRef): Promise<void>
  /**
   * Takes an uploaded file at a path of this machine, by copying it. `replace`: a file of that name goes into the trash, whose
   * id is returned. Missing folders of the path are created.
   */
  put(site: SiteRef, path: string, source: string, replace: boolean): Promise<{ trash: string | null }>
  open(site: SiteRef, path: string): Promise<SiteFileDownload>
  /** Files and folders as a ZIP archive. Links and special files are left out. The stream fails if one can't be read. */
  pack(site: SiteRef, paths: readonly string[]): Promise<Readable>
  /**
   * Writes the same archive as a new file of the site, which appears when it is complete; `to` must be free. Returns its size
   * in bytes. Repeating an operation (`[\w-]{1,64}`) whose archive is there already changes nothing.
   */
  packInto(site: SiteRef, paths: readonly string[], to: string, options: PackOptions): Promise<{ bytes: number }>
  /**
   * Removes the archive that an operation made at `to`, nothing if it made none. Repeating it is no error. `left`: something is there
   * that is not the archive as it was made; it stays.
   */
  undoPack(site: SiteRef, to: string, operationId: string): Promise<{ left: boolean }>
  /**
   * Unpacks a ZIP archive of the site. Everything in it is checked before the first file is written. Returns the number of
   * files. Repeating an operation that was done changes nothing; one that was cut off is taken back first.
   */
  unpack(site: SiteRef, path: string, options: UnpackOptions): Promise<{ files: number }>
  /**
   * Removes what an operation unpacked and puts back what it replaced; nothing if it was finished or undone. Files that others put
   * into its folders meanwhile stay: returns the first of them, and whether anything
   * was kept: after `finishUnpack`, nothing is.
   */
  undoUnpack(site: SiteRef, operationId: string): Promise<{ left: readonly string[]; kept: boolean }>
  /** Forgets what an operation replaced. Repeating it is no error. */
  finishUnpack(site: SiteRef, operationId: string): Promise<void>
}
