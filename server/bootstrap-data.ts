import { AppError } from '#shared/errors.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Method, MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Log } from '#server/platform/log/log.ts'

/** The part of the metadata that says whether there is a plan to read. */
interface Membership {
  org_slug: string | null
  available_orgs?: readonly { name: string; two_factor_needed?: boolean }[]
}

/** Methods whose responses every signed-in page requests first, by their key in the page. */
const methodNames = {
  metadata: 'easydash.easydash.doctype.user_meta.user_meta.get_current_user_organization_metadata',
  modules: 'easydash.api.modules.enabled_modules',
  verified: 'easydash.api.user.is_verified',
  subscription: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
} as const

/** Bootstrap data: what a page would otherwise need seven requests for before its first render, or the rows of a list. */
export type BootstrapData = Record<keyof typeof methodNames, unknown> & { user: string; own: unknown; meta: unknown }

/**
 * Builds the bootstrap data that a signed-in page is delivered with, through the same methods and permission checks as the
 * page's own requests. Null for guests, and if any method fails: the page then sends the requests itself and shows the
 * failure.
 */
export function createBootstrapData(options: {
  documents: Documents
  methods: readonly Method[]
  log: Pick<Log, 'warn'>
}): (session: Session) => Promise<BootstrapData | null> {
  const { documents, methods, log } = options
  const byName = new Map(methods.map((method) => [method.name, method]))

  const run = (name: string, params: Record<string, unknown>, session: Session): Promise<unknown> => {
    const method = byName.get(name)
    if (!method) throw new Error(`There is no method ${name}.`)
    const rejectSessionChange = () => Promise.reject(new Error(`${name} cannot change the session of a page.`))
    const context: MethodContext = {
      session,
      documents,
      ip: session.ip ?? '',
      userAgent: '',
      device: null,
      machineToken: null,
      signIn: rejectSessionChange,
      rememberDevice: rejectSessionChange,
      signOut: rejectSessionChange,
      notice: () => undefined,
      extra: () => undefined,
    }
    return method.run(params, context)
  }

  return async (session) => {
    if (session.kind !== 'cookie') return null
    const { user } = session
    try {
      const [metadata, modules, verified, own, meta] = await Promise.all([
        run(methodNames.metadata, {}, session),
        session.verified ? run(methodNames.modules, {}, session) : { ee: false, wpc: false },
        run(methodNames.verified, { email: user }, session),
        documents.get(session, 'User', user),
        documents.get(session, 'User Meta', user),
      ])
      const { org_slug, available_orgs } = metadata as Membership
      const isBlocked = available_orgs?.find(({ name }) => name === org_slug)?.two_factor_needed === true
      const inOrganization = session.verified && org_slug !== null && !isBlocked
      const subscription = inOrganization ? await run(methodNames.subscription, {}, session) : null
      return { user, metadata, modules, verified, subscription, own, meta }
    } catch (error) {
      if (!(error instanceof AppError)) log.warn('The bootstrap data could not be put into the page', { error })
      return null
    }
  }
}
