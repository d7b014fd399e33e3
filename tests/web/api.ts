/** Mock server for web app tests, at the network level, so that everything above it is the real code. */
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { dataClient } from '#web/lib/api/data-client.ts'

/** A call that reached the server. */
export interface Call {
  /** Name of the method, or path below `/api`. */
  readonly name: string
  readonly verb: string
  /** Parameters of the call, from the body or the query string. */
  readonly body: Record<string, unknown>
}

/**
 * Response: the value of `message` (methods) or `data` (documents), or an error with its status and Frappe's body, or none,
 * as of a server that is away.
 */
export type Reply =
  | { message: unknown }
  | { data: unknown }
  | { status: number; body: Record<string, unknown> }
  | 'none'

/** Parameters of a GET request; values other than strings are sent as JSON. */
function queryParameters(url: string): Record<string, unknown> {
  return Object.fromEntries(
    [...new URL(url).searchParams].map(([key, value]) => {
      try {
        return [key, JSON.parse(value) as unknown]
      } catch {
        return [key, value]
      }
    }),
  )
}

/** A mock server for a test file; calls without a reply fail. `calls` are those of the current test. */
export function apiServer(): {
  readonly calls: readonly Call[]
  /** Sets the reply of a method, or of a path below `/api` such as `resource/Site/s1`; `:any` stands for any part. */
  on(name: string, reply: (call: Call) => Reply | Promise<Reply>): void
} {
  // The app asks whether the server is there while anything takes long.
  const server = setupServer(
    http.get('*/readyz', () => new HttpResponse()),
    http.get('*/api/method/easydash.api.documents.:batch', async ({ request, params }) => {
      const { queries } = queryParameters(request.url) as { queries: Record<string, unknown>[] }
      const isList = (query: Record<string, unknown>) =>
        params['batch'] === 'get_lists' || query['group_by'] !== undefined
      const results = queries.map((query) => replyOf(isList(query) ? 'get_list' : 'get_count', query))
      return HttpResponse.json({ message: await Promise.all(results) })
    }),
  )
  const calls: Call[] = []
  const replies = new Map<string, (call: Call) => Reply | Promise<Reply>>()
  /** One query of a batch: what the method of a single one replies; null if that fails. */
  const replyOf = async (method: string, body: Record<string, unknown>): Promise<unknown> => {
    const name = `frappe.client.${method}`
    const call = { name, verb: 'GET', body }
    calls.push(call)
    const reply = await replies.get(name)?.(call)
    return typeof reply === 'object' && 'message' in reply ? reply.message : null
  }
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterEach(() => {
    server.resetHandlers()
    replies.clear()
    dataClient.clear()
    calls.length = 0
  })
  afterAll(() => server.close())
  return {
    calls,
    on(name, reply) {
      replies.set(name, reply)
      server.use(
        http.all(`*/api/${name.includes('/') ? name : `method/${name}`}`, async ({ request }) => {
          const text = await request.text()
          const parsed: unknown = text === '' ? queryParameters(request.url) : JSON.parse(text)
          const body = typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
          const call = { name, verb: request.method, body }
          calls.push(call)
          const result = await reply(call)
          if (result === 'none') return HttpResponse.error()
          return 'status' in result
            ? HttpResponse.json(result.body, { status: result.status })
            : HttpResponse.json(result)
        }),
      )
    },
  }
}
