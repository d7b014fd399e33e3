import type { IncomingMessage, ServerResponse } from 'node:http'
import { maintenancePage, type EnginePage } from '../../engine-page.ts'
import { passesHttpAuth } from '../settings/http-auth.ts'
import { askHeader, maintenanceDecision } from '../settings/maintenance.ts'
import { answerPreviewLink, hasPreviewPass } from '../settings/preview-pass.ts'
import { expiredPreview, movingPage, passwordNeeded, sendPage, updatingPage } from '../sites/pages.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { isMovingDatabase } from '../mysql/record-move.ts'
import { isUndoingSql } from '../mysql/record-sql-undo.ts'
import { isCorePaused } from '../wordpress-core/record-core.ts'

/** What visitors get while a change keeps them out; null if none does. */
export function pausePage(record: SiteRecord): EnginePage | null {
  if (record.move !== undefined || isMovingDatabase(record)) return movingPage
  const { push, conversion, deletion } = record
  const isChanging =
    [push, conversion, deletion].some((change) => change !== undefined) || isCorePaused(record) || isUndoingSql(record)
  return isChanging ? updatingPage : null
}

/**
 * What stands between visitors and a site: HTTP authentication and maintenance mode, unless they came by a preview link.
 * Applies to every path, static files included.
 * @param now milliseconds since 1970
 * @param isSecure the site is reached over HTTPS
 * @returns false if the request was answered
 */
export function admitVisitor(
  record: SiteRecord,
  request: IncomingMessage,
  response: ServerResponse,
  { now, isSecure }: { readonly now: number; readonly isSecure: boolean },
): boolean {
  delete request.headers[askHeader]
  const { httpAuth, maintenance, preview } = record.settings ?? {}
  const expired = (): void => sendPage(request, response, expiredPreview)
  if (answerPreviewLink(record, request, response, { now, isSecure, expired })) return false
  const isPreview = hasPreviewPass(preview, request, now)
  if (httpAuth && !passesHttpAuth(httpAuth, record.id, request, now) && !isPreview) {
    response.setHeader('www-authenticate', 'Basic realm="This site is protected", charset="UTF-8"')
    sendPage(request, response, passwordNeeded)
    return false
  }
  if (!maintenance || isPreview) return true
  const decision = maintenanceDecision(record, request)
  if (decision === 'refuse') sendPage(request, response, maintenancePage)
  if (decision === 'ask') request.headers[askHeader] = '1'
  return decision !== 'refuse'
}
