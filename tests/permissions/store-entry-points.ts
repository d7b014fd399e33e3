/**
 * Calls the document store directly with a person's session, like features, jobs and sockets do: whatever the wire would
 * deny must be denied here too.
 */
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { errorResponse } from '#server/wire/response/error-response.ts'
import { guestSession } from '#server/wire/request/request-context.ts'
import type { ActingEntryPoint, CreatingEntryPoint, EntryPoint } from './entry-point.ts'
import { listed, outcomeOf } from './outcomes.ts'
import type { Person } from './people.ts'
import { checkedResponse, type ParsedResponse, type TestContext } from './test-context.ts'

const address = '127.0.0.1'

/** The person's current session. */
export async function sessionOf({ product }: TestContext, { headers }: Person): Promise<Session> {
  const { sessions } = product.services.accounts
  const { cookie, authorization } = headers
  if (authorization !== undefined) {
    const found = await sessions.resolveAuthorization(authorization, address)
    if (!found) throw new Error('The token is not known.')
    return found
  }
  const found = cookie === undefined ? null : await sessions.resolveCookie(cookie.replace(/^sid=/, ''), address)
  return found?.session ?? guestSession(address)
}

/**
 * Calls the store as a person and returns the result like a wire response. Throws if the result contains secrets, and for
 * unexpected errors.
 */
export async function askStore(
  context: TestContext,
  person: Person,
  what: string,
  ask: (documents: Documents, session: Session) => Promise<unknown>,
): Promise<ParsedResponse> {
  const session = await sessionOf(context, person)
  const title = `${what} of the store as ${person.key}`
  try {
    const result = await ask(context.product.services.documents, session)
    return checkedResponse(title, 200, JSON.stringify({ message: result ?? null }))
  } catch (error) {
    const { status, body } = errorResponse(error, { requestId: 'suite' })
    return checkedResponse(title, status, JSON.stringify(body))
  }
}

/** The methods of the store for one document. */
export const storeEntryPoints: readonly EntryPoint[] = [
  {
    name: 'the store: get',
    letter: 'R',
    run: async (w, p, d, n) => outcomeOf(await askStore(w, p, 'get', (store, session) => store.get(session, d, n))),
  },
  {
    name: 'the store: list',
    letter: 'R',
    run: async (w, p, d, n) =>
      listed(
        await askStore(w, p, 'list', (store, session) =>
          store.list(session, d, { filters: { name: n }, fields: ['name'] }),
        ),
        n,
      ),
  },
  {
    name: 'the store: save',
    letter: 'W',
    run: async (w, p, d, n, probe) =>
      outcomeOf(await askStore(w, p, 'save', (store, session) => store.save(session, d, n, { ...probe }))),
  },
  {
    name: 'the store: delete',
    letter: 'D',
    run: async (w, p, d, n) =>
      outcomeOf(await askStore(w, p, 'delete', (store, session) => store.delete(session, d, n))),
  },
]

/** Creates a document. */
export const storeCreating: CreatingEntryPoint = {
  name: 'the store: insert',
  run: (w, p, d, draft) => askStore(w, p, 'insert', (store, session) => store.insert(session, d, { ...draft })),
}

/** Runs an action. */
export const storeActing: ActingEntryPoint = {
  name: 'the store: runAction',
  run: (w, p, d, n, action, args) =>
    askStore(w, p, action, (store, session) => store.runAction(session, d, n, action, { ...args })),
}
