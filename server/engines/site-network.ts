/** What every engine can do to make a network of sites (multisite) out of a WordPress site. */
import type { EngineStep } from './engine-step.ts'
import type { SiteRef } from './site-ref.ts'

/**
 * The change of a single site to a sub-directory network, whose first site it becomes. Sites of the network are listed by
 * `WordPressManagement.inspect`, and added and deleted by its `change`.
 */
export interface SiteNetworks {
  /**
   * Steps that make a network out of a site. Its addresses, content, plugins and themes stay; everybody is logged out. From the
   * first step on, visitors get a page that says so (503), until `finishConversion` or `undoConversion`; our own requests pass.
   * Nothing happens to a site that is one already. The last step makes up for those before, if they were taken back. Throws EngineError `unsupported` for a site without WordPress, `conflict` while the
   * site is not ready, if an alias serves it under another name (a network answers under one), or if it is a staging site, and
   * `invalid` with the reason if it can't become one.
   */
  convertSteps(site: SiteRef): EngineStep[]
  /** Lets visitors in again, and forgets the state before. Does nothing if no change is going on. */
  finishConversion(site: SiteRef): Promise<void>
  /** Takes back a change that was not finished: database and configuration are as before. Does nothing if none is going on. */
  undoConversion(site: SiteRef): Promise<'undone' | 'finished'>
  /** Whether the site is a network, as the engine runs it. */
  isNetwork(site: SiteRef): Promise<boolean>
}
