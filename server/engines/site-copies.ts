/** What every engine can do to copy a whole site. */
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { EngineStep } from './engine-step.ts'
import type { SiteRef } from './site-ref.ts'
import type { HttpAuth } from './site-settings.ts'

/** A site that is made as a copy of another one. Software and PHP version are those of the source. */
export interface CloneSpec extends SiteRef {
  /** Title in WordPress; null: that of the source. */
  title: string | null
  /** Login name of the source's first administrator. */
  adminUser: string
  /** What visitors of the source are asked for, for engines that can't read that from the source. */
  httpAuth?: HttpAuth
  /**
   * It becomes a staging site, whose changes can be pushed back: visitors need this password, search engines are told to stay
   * away, and the engine keeps what both sites were like.
   */
  staging?: { readonly httpAuth: HttpAuth }
}

/** What decides whether a site can be copied. */
export interface CopySource {
  readonly isNetwork: boolean
  /** A PHP site with a database. */
  readonly hasOwnDatabase: boolean
  /** The copy becomes a staging site. */
  readonly isStaging: boolean
}

/** Copies of sites. */
export interface SiteCopies {
  /** Why such a copy can't be made, and what to do instead; null if it can. The steps throw the same. */
  refusal(source: CopySource): { readonly reason: LocalizedMessage; readonly nextAction: LocalizedMessage } | null
  /**
   * Steps that create a site as a copy of another one, of the same machine where sites are of machines, else of any server: files and database as they were at one moment. The
   * source is not changed; its visitors may wait while files are copied. In the copy of a WordPress site, addresses of the
   * source become its own, keys are new, sessions are over, and users that login links created are removed with what they
   * wrote given to `adminUser`. After the last step the copy responds to HTTP requests. `destroy` removes a copy that was
   * not finished. Throws EngineError `not_found` for an unknown source, `conflict` while it is not ready or if the name is
   * taken, `invalid` if it exceeds the quota of the copy.
   */
  cloneSteps(source: SiteRef, target: CloneSpec): EngineStep[]
}
