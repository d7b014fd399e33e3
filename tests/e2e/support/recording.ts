/** What the product sent to browsers, kept to look for secrets in it. */
import type { BrowserContext, Request } from '@playwright/test'

/** Everything answered so far. */
export interface Recording {
  /** Keeps what a browser context receives from now on. */
  follow(context: BrowserContext): void
  /** Resolves when all bodies on their way are read. */
  settled(): Promise<void>
  answers(): readonly { url: string; text: string }[]
}

/** Bodies that hold no data of anybody. */
const assets = /\.(?:js|css|woff2|png|svg|ico|map)(?:\?|$)/

/** Records headers and bodies of answers of `origin`, assets left out; and the text that comes by web socket. */
export function recordResponses(origin: string): Recording {
  const answers: { url: string; text: string }[] = []
  const reading = new Set<Promise<unknown>>()
  return {
    follow(context) {
      // Finished, not begun: the body of an answer that is held open would never come.
      context.on('requestfinished', (request) => {
        const url = request.url()
        if (!url.startsWith(`${origin}/`) || assets.test(url)) return
        const work = textOf(request)
          .then((text) => void answers.push({ url, text }))
          .finally(() => reading.delete(work))
        reading.add(work)
      })
      context.on('page', (page) => {
        page.on('websocket', (socket) => {
          if (new URL(socket.url()).host !== new URL(origin).host) return
          socket.on('framereceived', ({ payload }) => answers.push({ url: socket.url(), text: payload.toString() }))
        })
      })
    },
    async settled() {
      await Promise.all(reading)
    },
    answers: () => answers,
  }
}

/** Headers and body. A redirect has no body, and a page that was left has taken its answers with it. */
async function textOf(request: Request): Promise<string> {
  const response = await request.response().catch(() => null)
  if (response === null) return ''
  const body = await response.text().catch(() => '')
  return `${JSON.stringify(response.headers())}\n${body}`
}
