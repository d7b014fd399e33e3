import { AppError } from '#shared/errors.ts'
import type { Documents, Session } from './documents/types.ts'
import type { MethodRunner } from './page-methods.ts'
import type { Log } from './platform/log.ts'

/** An answer that a page comes with, and what was asked for it: a document or a reading method without parameters. */
export type PageAnswer =
  | { doc: readonly [doctype: string, name: string]; answer: unknown }
  | { method: string; answer: unknown }

/** What a page asks for before it can draw what it is about; `own`: the document of the organization on screen. */
type Ask = { doctype: string; own?: true } | { method: string }

const subscription = 'easydash.easydash.doctype.subscription_organization.subscription_organization'

/** By the path below `/web`; `:name` is the document's name. Other pages ask for all themselves. */
const asks: readonly (readonly [path: RegExp, asks: readonly Ask[]])[] = [
  [/^\/site\/(?!create$)([^/]+)$/, [{ doctype: 'Site' }]],
  [/^\/server\/(?!create$)([^/]+)$/, [{ doctype: 'Server' }]],
  [/^\/user\/([^/]+)$/, [{ doctype: 'User' }]],
  [/^\/organization$/, [{ doctype: 'Organization', own: true }]],
  [
    /^\/billing$/,
    [
      { method: `${subscription}.get_user_profile` },
      { method: `${subscription}.get_subscription_status` },
      { doctype: 'Subscription Organization', own: true },
    ],
  ],
]

/** A path's segment as people mean it; null when it is no text. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

/**
 * Makes the answers a signed-in page is delivered with beside the session, so that what it is about is there without a
 * request after its script: by the same methods and through the same gate as when it asks itself. What fails is left out:
 * the page then asks and shows the failure.
 */
export function createPageAnswers(options: {
  documents: Documents
  run: MethodRunner
  log: Pick<Log, 'warn'>
}): (session: Session, path: string) => Promise<PageAnswer[]> {
  const { documents, run, log } = options

  const answerOf = async (session: Session, ask: Ask, segment: string): Promise<PageAnswer | null> => {
    if ('method' in ask) return { method: ask.method, answer: await run(ask.method, {}, session) }
    const name = ask.own ? session.organization : decoded(segment)
    if (name === null) return null
    return { doc: [ask.doctype, name], answer: await documents.get(session, ask.doctype, name) }
  }

  return async (session, path) => {
    if (session.kind !== 'cookie' || !session.verified) return []
    const below = path.replace(/^\/web/, '').replace(/\/$/, '')
    for (const [pattern, wanted] of asks) {
      const found = pattern.exec(below)
      if (!found) continue
      const answers = await Promise.all(
        wanted.map((ask) =>
          answerOf(session, ask, found[1] ?? '').catch((error: unknown) => {
            if (!(error instanceof AppError)) log.warn('An answer could not be put into its page', { path, error })
            return null
          }),
        ),
      )
      return answers.filter((answer) => answer !== null)
    }
    return []
  }
}
