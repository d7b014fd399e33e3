/** Mock server for web app tests, at the network level, so that everything above it is the real code. */
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'

/** A call that reached the server. */
export interface Call {
  /** Name of the method, or path below `/api`. */
  readonly name: string
  readonly body: Record<string, unknown>
}

/** Response of a method: the value of `message`, or an error with its status and Frappe's body. */
export type Reply = { message: unknown } | { status: number; body: Record<string, unknown> }

/** A mock server for a test file; calls without a reply fail the test. `calls` are those of the current test. */
export function apiServer(): {
  readonly calls: readonly Call[]
  on(method: string, reply: (call: Call) => Reply): void
} {
  const server = setupServer()
  const calls: Call[] = []
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterEach(() => {
    server.resetHandlers()
    calls.length = 0
  })
  afterAll(() => server.close())
  return {
    calls,
    on(method, reply) {
      server.use(
        http.all(`*/api/method/${method}`, async ({ request }) => {
          const text = await request.text()
          const parsed: unknown = text === '' ? {} : JSON.parse(text)
          const body = typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
          const call = { name: method, body }
          calls.push(call)
          const said = reply(call)
          return 'status' in said ? HttpResponse.json(said.body, { status: said.status }) : HttpResponse.json(said)
        }),
      )
    },
  }
}
