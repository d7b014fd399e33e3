import type { PhpResult, WpResult } from '#shared/responses/site-console.ts'
import type { SiteRef } from './site-ref.ts'

/** Runs code of admins within a site. */
export interface SiteConsole {
  /**
   * Runs PHP code in the site's WordPress, with the rights of the site's own code and nobody logged in. `safe`: plugins and
   * themes are not loaded. Output is bounded (`consoleLimits`). What the code does wrong is in the result; throws EngineError
   * `unsupported` without WordPress, `conflict` if the site is not ready, and `unavailable` if the code ran for too long, after
   * which the site restarts.
   */
  runPhp(
    site: SiteRef,
    code: string,
    options: { readonly safe: boolean; readonly signal?: AbortSignal },
  ): Promise<PhpResult>
}

/** Runs commands of admins that the machine of a site has. */
export interface SiteCommands {
  /**
   * Runs WP-CLI with these words in the site's WordPress, with the rights of the site's own code. It reads nothing. Of its output the end is
   * returned (`consoleLimits`). That a command fails is in the result; throws EngineError `unsupported` without WordPress, `conflict` if the
   * site does not run, and `unavailable` if the command ran for too long.
   */
  runWp(site: SiteRef, words: readonly string[], options: { readonly signal?: AbortSignal }): Promise<WpResult>
}
