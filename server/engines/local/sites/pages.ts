import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLocalizedMessage, type LocalizedMessage, type MessageValue } from '#shared/localized-message.ts'
import { hasBody } from '#server/platform/network/has-body.ts'
import { enginePageHtml, type EnginePage } from '../../engine-page.ts'

/** Response header of an engine page, with its status: the site itself did not answer. What sites send with this name is dropped. */
export const pageHeader = 'x-easydash-page'

/** No such site. Reveals nothing about existing sites. */
export const unknownSite: EnginePage = {
  status: 404,
  title: 'No site here',
  text: 'There is no site at this address. Check the spelling of its name.',
}
/** The site is archived. */
export const archivedSite: EnginePage = {
  status: 410,
  title: 'This site is archived',
  text: 'It was taken offline by its owners. They can bring it back from the archive.',
}
/** The site is being created or restored. */
export const unfinishedSite: EnginePage = {
  status: 503,
  title: 'This site is being set up',
  text: 'It appears here as soon as it is ready.',
  retryAfterSeconds: 3,
}
/** The site wrote more than its quota allows, or data that can't be measured. */
export const suspendedSite: EnginePage = {
  status: 503,
  title: 'This site is suspended',
  text: 'It was stopped because of the disk space it uses. Its owners can see why in their dashboard.',
  retryAfterSeconds: 300,
}
/** Its owners stopped the site. */
export const stoppedSite: EnginePage = {
  status: 503,
  title: 'This site is suspended',
  text: 'Its owners stopped it. They can start it again in their dashboard.',
  retryAfterSeconds: 300,
}
/** Its primary domain is being changed. */
export const movingPage: EnginePage = {
  status: 503,
  title: 'This site gets a new address',
  text: 'It is back in a moment. The page reloads by itself.',
  retryAfterSeconds: 5,
}
/** The version of its WordPress is being changed, it becomes a network, or staging is pushed to it. */
export const updatingPage: EnginePage = {
  status: 503,
  title: 'This site is being updated',
  text: 'It is back in a moment. The page reloads by itself.',
  retryAfterSeconds: 5,
}
/** The site has HTTP authentication. */
export const passwordNeeded: EnginePage = {
  status: 401,
  title: 'This site is protected',
  text: 'Enter the user name and password that you got from its owners.',
}
/** A preview link that has expired or was never one. */
export const expiredPreview: EnginePage = {
  status: 410,
  title: 'This preview link has expired',
  text: 'Ask the person who sent it for a new one.',
}
/** A link that signs in, used before. */
export const usedLink: EnginePage = {
  status: 410,
  title: 'This link was used already',
  text: 'It signs in once. Open the admin again from your dashboard.',
}
/** A link that signs in, after its time, or one that never was. */
export const expiredLink: EnginePage = {
  status: 410,
  title: 'This link has expired',
  text: 'It signs in for a few seconds after it was made. Open the admin again from your dashboard.',
}
/** A program that looks where a link leads; browsers throw away what they fetched ahead with such a status. */
export const notForPreviews: EnginePage = {
  status: 503,
  title: 'This link signs in once',
  text: 'Open it in a browser. Nobody was signed in, and the link is still good.',
}
/** Something else than looking at an opened backup. */
export const openedBackup: EnginePage = {
  status: 403,
  title: 'This is a backup',
  text: 'It can only be looked at. Nobody signs in here, and nothing is sent or saved.',
}
/** More visitors are waiting than the site can serve in time. */
export const busySite: EnginePage = {
  status: 503,
  title: 'This site is busy',
  text: 'Too many visitors are waiting for it right now. The page reloads by itself.',
  retryAfterSeconds: 10,
}
/** The request body exceeds the limit. */
export const tooLarge: EnginePage = {
  status: 413,
  title: 'This upload is too large',
  text: 'Uploads to this site are limited to 64 MB.',
}
/** The connection to the site's process broke during a response. */
export const connectionLost: EnginePage = {
  status: 502,
  title: 'This site stopped while answering',
  text: 'It is being started again. Try once more in a moment.',
}
/** Easydash itself failed: whether the site runs is not known. */
export const notPassedOn: EnginePage = {
  status: 503,
  title: 'Easydash could not reach this site',
  text: 'Something went wrong on the way to it. Try once more in a moment.',
  retryAfterSeconds: 30,
}
/** The site's code sent an invalid HTTP response. */
export const unreadable: EnginePage = {
  status: 502,
  title: 'This site gave no valid answer',
  text: 'Its code sent a status or a header that browsers do not understand.',
}

/**
 * A site that can't run now, with the reason. Visitors are not trusted: output of its code or of a program may contain
 * names, paths and values they must not see.
 */
export function failedSite(reason: LocalizedMessage): EnginePage {
  const text = containsForeignText(reason) ? 'Its owners can see why in their dashboard.' : reason.text
  return { status: 503, title: 'This site is not running', text, retryAfterSeconds: 30 }
}

/** A site whose process was ended, with the reason: it starts again. */
export function restartedSite(reason: LocalizedMessage): EnginePage {
  return { ...failedSite(reason), title: 'This site was restarted', retryAfterSeconds: 5 }
}

/** A request that ran for too long. */
export const overduePage = (seconds: number): EnginePage => ({
  status: 504,
  title: 'This page took too long',
  text: `It was ended after ${seconds} seconds. What it had done until then may be incomplete. Try a smaller part at once.`,
})

/** The same within a page that had begun, whatever is open in it. */
export const overdueNotice = (seconds: number): string =>
  `<hr><p role="alert"><strong>${overduePage(seconds).title}.</strong> ${overduePage(seconds).text}</p>`

/** A request that was not done because another one of the site took too long. */
export const interruptedPage: EnginePage = {
  status: 503,
  title: 'This request was interrupted',
  text: 'Another one of this site took too long, so the site was restarted. Look whether yours was done before you send it again.',
}

/** Whether a sentence contains more than our own texts and numbers. */
function containsForeignText(value: MessageValue): boolean {
  if (typeof value !== 'object') return typeof value === 'string'
  return (isLocalizedMessage(value) ? value.values : value).some(containsForeignText)
}

/** Sends an engine page: self-contained, light and dark, without cookies. */
export function sendPage(request: IncomingMessage, response: ServerResponse, page: EnginePage): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = Buffer.from(enginePageHtml(page))
  response.writeHead(page.status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(body.length),
    [pageHeader]: String(page.status),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(page.retryAfterSeconds === undefined ? {} : { 'retry-after': String(page.retryAfterSeconds) }),
    // The rest of an upload is not read just to discard it.
    ...(hasBody(request) && !request.complete ? { connection: 'close' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
