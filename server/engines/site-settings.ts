import type { WordPressSettings } from '#shared/responses/wordpress-settings.ts'
import type { WordPressValues } from '#shared/rules/wordpress-settings.ts'
import type { SiteProtection } from '#shared/rules/site-protections.ts'
import type { SiteRef } from './site-ref.ts'

/** Settings of a site that its engine keeps and applies. */
export interface EngineSettings {
  /** PHP's memory limit in MB. */
  readonly memoryMb: number
  /** The largest file that can be uploaded, in MB. */
  readonly uploadMb: number
  /** Milliseconds since 1970 until which debug mode is on; null: off. */
  readonly debugUntil: number | null
  /** Visitors get a page that says so (503); people who are logged in to WordPress don't. */
  readonly maintenance: boolean
  /** The user name that visitors must enter; null: HTTP authentication is off. */
  readonly httpAuthUser: string | null
  /** What it is protected from, in the order of `siteProtections`; WordPress only. */
  readonly protections: readonly SiteProtection[]
  /** Milliseconds since 1970 until which its preview link works; null: there is none. */
  readonly previewUntil: number | null
  /** Stopped by its owners: the host responds 503. */
  readonly suspended: boolean
}

/** User name and password of HTTP authentication, both without a colon in the name. */
export interface HttpAuth {
  readonly user: string
  readonly password: string
}

/** Settings to change; the others stay. */
export interface EngineSettingsChange extends Partial<
  Pick<EngineSettings, 'memoryMb' | 'uploadMb' | 'debugUntil' | 'maintenance' | 'protections'>
> {
  /** Null turns it off. */
  readonly httpAuth?: HttpAuth | null
}

/** How settings of WordPress are changed. */
export interface WordPressSettingsOptions {
  /** The values that they have now. */
  readonly expected: Partial<WordPressValues>
  /** With it, `undoWordPress` is possible. */
  readonly operationId?: string
}

/** The settings of WordPress asked for, and those that were not changed. */
export interface WordPressSettingsResult {
  readonly settings: WordPressSettings
  /** Settings whose value is not the expected one: somebody else changed them, and nothing was saved. */
  readonly conflicts: readonly (keyof WordPressValues)[]
  /** Settings that have their old value after the save: code of the site decides them. */
  readonly refused: readonly (keyof WordPressValues)[]
}

/** A preview link. The engine doesn't know its address afterward. */
export interface PreviewLink {
  readonly url: string
  readonly settings: EngineSettings
}

/** Settings of a site: those of its engine, and those of WordPress inside it. */
export interface SiteSettings {
  /** The engine's own; nothing is started for it. */
  read(site: SiteRef): Promise<EngineSettings>
  /**
   * Changes settings, and restarts the site if they only apply then. A site that doesn't start with them keeps the previous
   * ones. Throws EngineError `invalid` for values that are not offered, `conflict` while the site is not ready. Our own
   * requests and login links pass HTTP authentication and maintenance mode.
   * @param options `isFormer`: the values are those that the site had before. People may have set limits that are not offered.
   */
  change(
    site: SiteRef,
    change: EngineSettingsChange,
    options?: { readonly isFormer?: boolean },
  ): Promise<EngineSettings>
  /**
   * Makes a link that lets whoever has it see the site until the given time, past HTTP authentication and maintenance mode. An
   * earlier link ends. Throws EngineError `invalid` for a time that is past or more than `maxPreviewMs` ahead.
   * @param until milliseconds since 1970
   */
  createPreview(site: SiteRef, until: number): Promise<PreviewLink>
  /** Ends the preview link, and with it the access of everyone who came by it. */
  endPreview(site: SiteRef): Promise<EngineSettings>
  /** Stops the site until `resume`; its host responds 503. Nothing of it runs, no scheduled events either. */
  suspend(site: SiteRef): Promise<void>
  /** Lets a suspended site run again, with the next request. */
  resume(site: SiteRef): Promise<void>
  /** The settings of WordPress as the site has them now (wakes it). Throws EngineError `conflict` for other sites. */
  readWordPress(site: SiteRef): Promise<WordPressSettings>
  /**
   * Changes settings of WordPress, all or none: if one no longer has the value in `expected`, nothing is saved. The values are
   * those that `checkWordPressValues` accepts.
   */
  changeWordPress(
    site: SiteRef,
    changes: Partial<WordPressValues>,
    options: WordPressSettingsOptions,
  ): Promise<WordPressSettingsResult>
  /**
   * Puts back all settings as they were before the operation, without the site's own code: also if that failed halfway. Nothing happens
   * if it changed nothing, was undone, or another one came after it.
   */
  undoWordPress(site: SiteRef, operationId: string): Promise<void>
}
