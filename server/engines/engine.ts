/**
 * The contract every engine fulfils (local, EasyEngine, WP Cloud, and the fake of the feature tests).
 * Engines take plain values and return plain results; they know no documents, sessions or jobs.
 * Every step and call is idempotent: repeating it after a crash observes what exists and goes on.
 */
import type { SiteStorage } from '#shared/rules/site-quotas.ts'
import type { Sentence } from '#shared/sentence.ts'

/** What kind of software a site runs. */
export type SiteDoctype = 'wp' | 'php' | 'html'

/** What a running step gets from its caller. */
export interface StepContext {
  /** Unique id of the operation (the Job's name): outside resources are tagged with it. */
  operationId: string
  /** Adds a line to the job's log. The caller redacts and caps. */
  log(line: string): void
  /** Progress of this step, 0 to 1. */
  progress(fraction: number): void
  /** Aborts when the job is cancelled or past its deadline. A step must stop all its work then, and throw. */
  signal: AbortSignal
}

/** One named, idempotent unit of work of an engine operation. */
export interface EngineStep {
  /** Stable key, e.g. `copy_files`. */
  key: string
  /** What people read, e.g. "Copy WordPress files". */
  label: string
  /** Share of the whole operation's time, for the percentage. Default 1. */
  weight?: number
  /** Longest this step may take, in seconds. Default 120. */
  deadlineSeconds?: number
  /** Takes something away that cannot be had again: who started it is asked for his rights once more before. */
  destructive?: boolean
  run(context: StepContext): Promise<void>
}

/** Identifies a site to its engine. */
export interface SiteRef {
  /** The Site document's name: 10 lower-case letters and digits; folder and process names derive from it. */
  id: string
  /** For local sites the slug (first label of the host name); a full domain on other engines. */
  domain: string
  siteType: SiteDoctype
  phpVersion: string
}

/** Everything needed to create a site. */
export interface SiteSpec extends SiteRef {
  title: string
  adminUser: string
  adminEmail: string
  /** Generated, `[A-Za-z0-9]{24}`; never logged. */
  adminPassword: string
}

/** What an engine really sees of a site now; nothing here is remembered or assumed. */
export interface SiteObservation {
  state: 'absent' | 'partial' | 'asleep' | 'running' | 'crashed' | 'archived'
  wordpressVersion: string | null
  phpVersion: string | null
  /** Bytes on disk, archive included, or at least so many; 0 when they were not measured. */
  diskUsed: number
  /** What it takes and may take; null when it was not measured, and on engines without quotas. */
  storage: SiteStorage | null
  /** Why a crashed site stopped; else null. */
  reason: Sentence | null
}

/** Facts of the machine behind a server, as the engine measured them. */
export interface HostFacts {
  hostname: string
  os: string
  kernel: string
  processor: string
  /** Number of logical processors. */
  cpu: number
  /** Bytes. */
  ram: number
  /** Bytes of the file system that holds the sites. */
  disk: number
  diskFree: number
  totalSwap: number
  timezone: string
  /** Seconds since the machine started. */
  uptimeSeconds: number
}

/** A capability an engine either has, or lacks for a reason the interface shows beside the disabled control. */
export type Capability = { supported: true } | { supported: false; reason: string }

/** What engines can differ in. */
export type CapabilityName =
  | 'create_wp'
  | 'create_php'
  | 'create_html'
  | 'archive'
  | 'login_link'
  | 'php_version'
  | 'cron'
  | 'logs'
  | 'sleep'
  | 'backup'
  | 'ssh'
  | 'tls'
  | 'object_cache'
  | 'shell'
  | 'mail_delivery'
  | 'thumbnail'

/** Answer of the engine's own HTTP request to a site. */
export interface SiteResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** Milliseconds until the whole body was there. */
  tookMs: number
}

/** A small picture of a site's front page. */
export interface SitePicture {
  /** At most 40 kB. */
  content: Buffer
  type: 'image/webp'
  /** Pixels. */
  width: number
  height: number
}

/** How WordPress runs. One folder per engine fulfils this; `tests/contracts/engine.contract.ts` judges each. */
export interface Engine {
  readonly name: 'local' | 'ee' | 'wpc' | 'fake'
  /** Where its sites can be worked on: by the process of their machine alone, or over the network by any process. */
  readonly reach: 'machine' | 'network'
  readonly capabilities: Readonly<Record<CapabilityName, Capability>>
  /** PHP versions a site can be created with, ascending, e.g. `["8.2","8.3","8.4","8.5"]`. */
  phpVersions(): readonly string[]
  /** Facts of the machine. */
  hostFacts(): Promise<HostFacts>
  /** Public address of a site, no trailing slash, e.g. `http://blog.localhost:8080`. */
  siteUrl(site: SiteRef): string
  /** Named steps that create the site. After the last one it answers HTTP requests. */
  createSteps(spec: SiteSpec): EngineStep[]
  /** Steps that stop the site and pack it: no process left, host answers 410, files in one archive. */
  archiveSteps(site: SiteRef): EngineStep[]
  /** Steps that bring an archived site back as it was. */
  restoreArchiveSteps(site: SiteRef): EngineStep[]
  /** Removes every trace: processes, folders, archives, routes. Safe to call for what never existed. */
  destroy(site: SiteRef): Promise<void>
  /** `measure: false`: without what it takes of the disk, which a large site needs seconds for. */
  observe(site: SiteRef, options?: { measure?: boolean }): Promise<SiteObservation>
  /** Our own request to the site, as a visitor would make it (wakes it). Path starts with `/`. */
  request(site: SiteRef, path: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<SiteResponse>
  /**
   * A single-use link that signs `user` (a WordPress login name) in to wp-admin.
   * Valid `ttlSeconds` (30), bound to site and user; never logged.
   */
  loginLink(site: SiteRef, user: string, ttlSeconds: number): Promise<string>
  /**
   * Pictures the front page as a visitor without an account sees it (wakes the site). One at a time, in the background of
   * everything else. `asked`: somebody waits for it, so what failed a moment ago is tried all the same. Throws EngineError
   * `unavailable` with what is wrong with the page, or retryable when none can be taken now; `unsupported` without the
   * capability.
   */
  picture(site: SiteRef, signal: AbortSignal, asked?: boolean): Promise<SitePicture>
  /** Last lines of the site's PHP error log, newest last. */
  logs(site: SiteRef, lines: number): Promise<string[]>
  /** Runs the site's due scheduled events; returns how many ran. */
  runCron(site: SiteRef): Promise<number>
  /** Changes the PHP version (restarts the site). */
  setPhpVersion(site: SiteRef, version: string): Promise<void>
  /** Stops everything the engine runs, waiting until no process is left. */
  stop(): Promise<void>
}

/** Thrown by engines: a code of `shared/errors.ts`, words for people, and whether trying again can help. */
export class EngineError extends Error {
  readonly code: 'invalid' | 'conflict' | 'unavailable' | 'unsupported' | 'not_found'
  readonly retryable: boolean
  /** The message in parts, for every language; `message` is its English. */
  readonly sentence: Sentence
  /** What the person can do next, one sentence. */
  readonly nextAction: Sentence
  constructor(
    code: EngineError['code'],
    sentence: Sentence,
    options: { retryable?: boolean; nextAction: Sentence; cause?: unknown },
  ) {
    super(sentence.text, { cause: options.cause })
    this.name = 'EngineError'
    this.code = code
    this.sentence = sentence
    this.retryable = options.retryable ?? false
    this.nextAction = options.nextAction
  }
}
