/** What engines can do to pack a site, to see what a packed site is worth, and to put it back. */
import type { SendPart, SentPart } from '#server/platform/network/sent-parts.ts'
import type { BackupDefect, BackupWhat } from '#shared/rules/backups.ts'
import type { EngineStep, StepContext } from './engine-step.ts'
import type { SiteFileDownload } from './site-files.ts'
import type { ManifestFile, ManifestSummary, SiteManifest } from './site-manifest.ts'
import type { SiteRef } from './site-ref.ts'

/** A site that was packed: its archive is a zstd-compressed tar of `manifest.json`, `database.sql` and `files/`. */
export interface PackedSite {
  readonly file: SiteFileDownload
  readonly manifest: ManifestSummary
  /** The files that its manifest names, and what it says besides. */
  files(): AsyncGenerator<ManifestFile, ManifestSummary, undefined>
}

/** What a rehearsal showed. Texts come from the site: they are of bounded length. */
export interface RehearsalVerdict {
  /** Empty: everything that was looked at is as the manifest says. */
  readonly defects: readonly BackupDefect[]
  /** What was looked at, for people: `pages: 5 of 5`. */
  readonly seen: readonly { readonly what: string; readonly expected: number; readonly found: number }[]
  /** Why nothing can be said; null if something can. */
  readonly inconclusive: string | null
}

/** Bytes of the tar of an archive, in its order, and what is known of them here: the same ones in an earlier archive are not sent again. */
export type TarPiece = { readonly bytes: number } & (
  | { readonly kind: 'unknown' }
  /** Of a checksum (hex). */
  | { readonly kind: 'content'; readonly sha256: string }
  /** The header of a member; what it says of that decides about its bytes. */
  | { readonly kind: 'header'; readonly says: string }
  /** What this machine wrote. */
  | { readonly kind: 'own'; open(): AsyncIterable<Buffer> }
)

/** Bytes of a tar. */
export interface TarRange {
  readonly offset: number
  readonly length: number
}

/** How what is new in a tar is stored: the tar of an increment is the ranges between two texts. */
export interface NewContent {
  readonly ranges: readonly TarRange[]
  /**
   * What is before and after them; the checksum (hex) is that of the whole tar. Keeps what the backup consists of. `needs`: names of
   * the backups whose archives the rest is taken from.
   */
  pack(
    sha256: string,
    about: Pick<ManifestSummary, 'site' | 'created'>,
  ): Promise<{ readonly head: Buffer; readonly tail: Buffer; readonly needs: readonly string[] }>
}

/** What machines that send archives by themselves need to know. */
export interface Sealing {
  /** The public key of `age` that archives are encrypted for: nobody on the machine can open them. */
  readonly recipient: string
  /** Has the machine send `triedContent` to the store, as it sends parts. Returns why that does not work; null if it does. */
  attempt(send: SendPart, signal: AbortSignal): Promise<string | null>
  /** Finds out what of a tar is new since the backup before; null if all of it is to be stored. */
  compare(tar: Iterable<TarPiece>): Promise<NewContent | null>
  /** Keeps what a backup consists of of which all was stored. */
  keep(tar: Iterable<TarPiece>): Promise<void>
}

/** A site whose archive was packed and encrypted on its machine. What the machine says of it is not seen by anybody until it was fetched. */
export interface SealedSite extends Omit<PackedSite, 'file'> {
  /** Bytes of the archive of the whole site, before it was encrypted. */
  readonly size: number
  /** Bytes and SHA-256 (hex) of what is sent before it was encrypted. */
  readonly clear: { readonly bytes: number; readonly sha256: string }
  /** Backups whose archives have the rest; null if all of it is sent. */
  readonly needs: readonly string[] | null
  /** Of the encrypted archive, in order. */
  readonly parts: readonly SentPart[]
  /** For one upload. */
  sending(signal: AbortSignal): SendPart
}

/** Backups of engines whose machines send archives to stores by themselves. */
export interface DirectBackups {
  /**
   * Steps like `packSteps`, whose archive stays on the machine, encrypted, if that can send to the store, and has the programs and the room for it. Otherwise,
   * and where `to` returns null, they are those of `packSteps`; the log says why.
   */
  packSteps(site: SiteRef, to: () => Promise<Sealing | null>): EngineStep[]
  /** What they made; null if it is not on the machine. */
  packed(site: SiteRef): Promise<SealedSite | null>
}

/** A backup that is tried out on the server of its site. */
export interface ContainedProof {
  /** Names what there is of it on the server. */
  readonly id: string
  /** Its archive, a file of ours. */
  readonly archive: string
}

/** Backups that are tried out where the site runs, isolated from it and from every network, for what the machine of Easydash can't judge. */
export interface ContainedProofs {
  /**
   * Makes a site of an archive, and compares it with its manifest: rows, counts, log-in, pages; files are compared before they are sent. It begins
   * anew when it is called again, and leaves what it made for `remove`. Throws EngineError `invalid` for an archive that is none or damaged,
   * `conflict` while the site does not run.
   */
  prove(site: SiteRef, proof: ContainedProof, step: StepContext): Promise<RehearsalVerdict>
  /** Removes it, also an unfinished one. */
  remove(site: SiteRef, id: string): Promise<void>
}

/** Backups of sites. Where they are stored, and for how long, is none of an engine's business. */
export interface SiteBackups {
  /**
   * Steps that pack the files of a site, a dump of its database for MySQL and MariaDB, and a manifest. The site goes on
   * meanwhile; its database is packed as it was at one moment, files that change meanwhile are read again. A failed or canceled
   * one leaves nothing. Throws EngineError `conflict` while the site is not ready, `unsupported` for one that it can't pack,
   * `invalid` if it has no room for the dump, `unavailable` if the disk has none.
   */
  packSteps(site: SiteRef): EngineStep[]
  /** What `packSteps` made. Throws EngineError `not_found` without it. The caller closes the file. */
  packed(site: SiteRef): Promise<PackedSite>
  /** Removes it, also an unfinished one. */
  removePacked(site: SiteRef): Promise<void>
  readonly direct?: DirectBackups
  readonly contained?: ContainedProofs
}

/** Sites that are made of backups to see what these are worth. Backups of any engine can be rehearsed. */
export interface SiteRehearsals {
  /**
   * Steps that make a site of an archive at `path`, a file of ours, that nobody can visit, that sends no mail and reaches no other
   * machine. `destroy` removes it. Each checks what exists first. Throws EngineError `invalid` for an archive that is none, is
   * damaged, or is of a later version.
   * @param target the site in whose place it is to be put: its database is of the same kind then
   */
  rehearseSteps(rehearsal: SiteRef, path: string, target?: SiteRef): EngineStep[]
  /** Compares a rehearsal with the manifest of its archive: checksums, rows, counts, log-in, pages. Changes nothing. */
  judge(rehearsal: SiteRef, signal: AbortSignal): Promise<RehearsalVerdict>
  /**
   * Lets visitors look at a rehearsal under its own host until a time, in milliseconds since 1970: they read only, and are signed in as
   * nobody. The engine removes it then, also after a restart. Throws EngineError `conflict` if it is not finished.
   */
  openRehearsal(rehearsal: SiteRef, until: number): Promise<void>
}

/** What is restored. */
export interface RestoreSource {
  /** Its rehearsal, for engines that rehearse backups themselves. */
  readonly rehearsal: SiteRef
  /** Its archive, a file of ours. */
  readonly archive: string
}

/** Posts (also pages and other types), orders of WooCommerce, comments and users. */
export type ChangedContent = Readonly<Record<'posts' | 'orders' | 'comments' | 'users', number>>

/** What a site has now, and how much of it was added or changed since a time. */
export interface SiteChanges {
  /** Null: the site has no WordPress, or it does not run. `counts`: as manifests have them. */
  readonly content: { readonly counts: SiteManifest['counts']; readonly changed: ChangedContent } | null
  /** Of those that backups take; the changed ones by what the disk says. `complete` is false if there are more. */
  readonly files: { readonly count: number; readonly changed: number; readonly complete: boolean }
}

/** A backup that a program on the machine of a site made by itself, and keeps. */
export interface NativeBackup {
  /** What the program calls it. */
  readonly id: string
  /** What it said of the site; null: nothing. */
  readonly wordpressVersion: string | null
  readonly counts: Readonly<Record<string, number>> | null
}

/** How far a restore by such a program came: nothing was changed, all was restored, or nobody knows what the site is a mixture of. */
export type NativeOutcome = 'untouched' | 'restored' | 'changed'

/** Backups that only the program that made them can put back. It writes into the served site, and keeps no state before. */
export interface NativeRestores {
  /** Throws EngineError `conflict` for a backup that the program does not have any more. */
  assertKept(site: SiteRef, backup: NativeBackup, signal: AbortSignal): Promise<void>
  /**
   * Steps that put a backup in place, with what belongs to Easydash as it is now, and compare the site with what the program said of
   * the backup. One that was interrupted begins anew.
   */
  restoreSteps(site: SiteRef, backup: NativeBackup): EngineStep[]
  /** Follows what an operation began to its end, which nothing may interrupt. */
  outcome(site: SiteRef, operationId: string): Promise<NativeOutcome>
}

/** Backups that are put in place of their site. */
export interface SiteRestores {
  /**
   * Steps that put a backup in place of a site's files, database or both. The new state is made beside the served one; visitors
   * of WordPress are kept out (503) while they are swapped, and on this machine until `finishRestore` or `undoRestore`. Throws
   * EngineError `conflict` while something else changes the site.
   */
  restoreSteps(site: SiteRef, source: RestoreSource, what: BackupWhat): EngineStep[]
  /** Steps that bring back the state before the last restore, also one that does not load. Throws EngineError `conflict` if it is not kept any more. */
  bringBackSteps(site: SiteRef): EngineStep[]
  /**
   * What such a restore takes from the site: what it has now, and what came since a time (milliseconds since 1970). What was removed since
   * is in none of the numbers. Throws EngineError `conflict` while the site is not ready.
   */
  changesSince(site: SiteRef, since: number, signal: AbortSignal): Promise<SiteChanges>
  /** Lets visitors in again, and keeps the state before. Does nothing if nothing is going on. */
  finishRestore(site: SiteRef): Promise<void>
  /** Bytes of the state before the last restore, also of one that is not finished; null if none is kept. */
  keptBytes(site: SiteRef, signal: AbortSignal): Promise<number | null>
  /**
   * Removes that state for good, where one is kept. Throws EngineError `conflict` while a restore goes on, and for a state that is not
   * kept since before a time (milliseconds since 1970): it is that of a later restore.
   */
  forgetKept(site: SiteRef, before: number): Promise<void>
  /** Takes back what an operation began and did not finish. Resolves with what it found. */
  undoRestore(site: SiteRef, operationId: string): Promise<'undone' | 'finished'>
  readonly native?: NativeRestores
}
