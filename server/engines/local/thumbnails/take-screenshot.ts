import { isObject } from '#shared/parse-json.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Devtools } from '#server/platform/browser/devtools.ts'
import { webpSize } from '#server/platform/browser/webp-size.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { PageSource } from '../../screenshots.ts'
import { interceptRequests } from './page-requests.ts'

/** Size of a screenshot in pixels; pages are laid out for a window of 1280 × 800. */
export const thumbnailSize = { width: 480, height: 300 } as const
/** Maximum size in bytes. */
export const maxThumbnailBytes = 40_000

const windowSize = { width: 1280, height: 800 }
/** Tried in order until the image is small enough. */
const qualities = [75, 50, 25, 5]
/** A page that is still loading after this time is captured as it is. */
const loadWithinMs = 12_000
/** For fonts and images that were loaded but not rendered yet. */
const settleMs = 400

/** The page can't be captured. */
export function screenshotError(message: LocalizedMessage, cause?: unknown): EngineError {
  return new EngineError('unavailable', message, {
    nextAction: msg`Visit the site, then refresh the screenshot.`,
    cause,
  })
}

/**
 * Takes a screenshot of a site's homepage: WebP, verified by its header. The browser gets every byte through `source` and
 * has no other network; scripts are disabled, because they are untrusted and a thumbnail hardly needs them.
 * @throws {EngineError} `unavailable` if there is no page to show; the browser's reason if it exits
 */
export async function takeScreenshot(devtools: Devtools, source: PageSource): Promise<Buffer> {
  const page = await openPage(devtools)
  const send = (method: string, params?: Record<string, unknown>) => devtools.send(method, params, page)
  const requests = interceptRequests(devtools, source, page)
  const loaded = new Promise<'loaded'>((resolve) => {
    devtools.on('Page.loadEventFired', (_params, session) => {
      if (session === page) resolve('loaded')
    })
  })
  const crashed = new Promise<'crashed'>((resolve) => {
    devtools.on('Inspector.targetCrashed', () => resolve('crashed'))
  })
  await send('Page.enable')
  await send('Inspector.enable')
  await send('Emulation.setScriptExecutionDisabled', { value: true })
  await send('Emulation.setDeviceMetricsOverride', { ...windowSize, deviceScaleFactor: 1, mobile: false })
  await send('Emulation.setEmulatedMedia', {
    features: [
      { name: 'prefers-color-scheme', value: 'light' },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ],
  })
  await send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })

  const late = new AbortController()
  try {
    const { errorText, frameId } = await send('Page.navigate', { url: `${source.origin}/` })
    requests.mainFrame(String(frameId))
    const end = await Promise.race([
      loaded,
      crashed,
      devtools.ended,
      delay(loadWithinMs, 'late' as const, { signal: late.signal }),
    ])
    if (end instanceof Error) throw end
    if (end === 'crashed') throw screenshotError(msg`The page crashed the browser.`)
    const status = requests.status()
    if (status === null || typeof errorText === 'string')
      throw screenshotError(
        msg`The page did not load.`,
        typeof errorText === 'string' ? new Error(errorText) : undefined,
      )
    if (status < 200 || status > 299) throw screenshotError(msg`The page answers with ${status}.`)
    if (end === 'late') await send('Page.stopLoading')
    await delay(settleMs)
    const { frameTree } = await send('Page.getFrameTree')
    const frame = isObject(frameTree) ? frameTree['frame'] : null
    const shown = isObject(frame) ? String(frame['url']) : ''
    if (!URL.canParse(shown) || new URL(shown).origin !== source.origin)
      throw screenshotError(msg`The page redirected to another address.`)
    return await capture(send)
  } finally {
    late.abort()
    requests.stop()
  }
}

/** Attaches a session to the browser's only page. */
async function openPage(devtools: Devtools): Promise<string> {
  await devtools.send('Browser.setDownloadBehavior', { behavior: 'deny' })
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true })
  return String(sessionId)
}

/** The screenshot in the best quality that is small enough. */
async function capture(
  send: (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<Buffer> {
  const clip = { x: 0, y: 0, ...windowSize, scale: thumbnailSize.width / windowSize.width }
  for (const quality of qualities) {
    const { data } = await send('Page.captureScreenshot', { format: 'webp', quality, clip })
    const content = Buffer.from(typeof data === 'string' ? data : '', 'base64')
    if (content.length > maxThumbnailBytes) continue
    const size = webpSize(content)
    if (size?.width !== thumbnailSize.width || size.height !== thumbnailSize.height)
      throw screenshotError(msg`The browser returned no screenshot.`)
    return content
  }
  throw screenshotError(msg`The screenshot is too large.`)
}
