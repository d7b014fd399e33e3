/** Records what the product sent to browsers, to search it for secrets. */
import type { BrowserContext, Request } from '@playwright/test'

/** All responses so far. */
export interface Recording {
  /** Records what a browser context receives from now on. */
  follow(context: BrowserContext): void
  /** Resolves when all pending bodies are read. */
  settled(): Promise<void>
  responses(): readonly { url: string; text: string }[]
}

/** Bodies without user data. */
const assets = /\.(?:js|css|woff2|png|svg|ico|map)(?:\?|$)/

/** Records headers and bodies of responses from `origin`, without assets, and WebSocket text. */
export function recordResponses(origin: string): Recording {
  const responses: { url: string; text: string }[] = []
  const reading = new Set<Promise<unknown>>()
  return {
    follow(context) {
      // Finished requests only: the body of a long-running response would never arrive.
      context.on('requestfinished', (request) => {
        const url = request.url()
        if (!url.startsWith(`${origin}/`) || assets.test(url)) return
        const work = textOf(request)
          .then((text) => void responses.push({ url, text }))
          .finally(() => reading.delete(work))
        reading.add(work)
      })
      context.on('page', (page) => {
        page.on('websocket', (socket) => {
          if (new URL(socket.url()).host !== new URL(origin).host) return
          socket.on('framereceived', ({ payload }) => responses.push({ url: socket.url(), text: payload.toString() }))
        })
      })
    },
    async settled() {
      await Promise.all(reading)
    },
    responses: () => responses,
  }
}

/** Headers and body. A redirect has no body, and responses of a page are lost when it is left. */
async function textOf(request: Request): Promise<string> {
  const response = await request.response().catch(() => null)
  if (response === null) return ''
  const body = await response.text().catch(() => '')
  return `${JSON.stringify(response.headers())}\n${body}`
}
