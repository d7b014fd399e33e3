import { Monitor, Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { SessionRow } from '#shared/responses/sessions.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatCountry } from '#web/lib/i18n/format.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Flag } from '#web/ui/images/flag.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { tSettings } from './settings-messages.ts'

/** The user's sessions; others can be ended, one by one or all. */
export function SessionsCard({ sessions }: { sessions: Loaded<SessionRow[]> }) {
  const [busy, setBusy] = useState(false)
  const rows = sessions.data
  const others = rows?.filter((row) => !row.current) ?? []

  const attempt = async (left: SessionRow[], work: () => Promise<void>) => {
    const before = rows
    await sessions.reload(left)
    try {
      await work()
    } catch (error) {
      if (before) await sessions.reload(before)
      showToast({ title: tSettings('sessions.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    }
    await sessions.reload()
  }
  const end = (row: SessionRow) =>
    attempt(rows?.filter((one) => one.id !== row.id) ?? [], async () => {
      await call('easydash.api.sessions.end', { id: row.id })
      showToast({ title: tSettings('sessions.ended', { device: deviceLabel(row) }), variant: 'success' })
    })
  const endOthers = async () => {
    setBusy(true)
    await attempt(rows?.filter((one) => one.current) ?? [], async () => {
      const { ended } = await call<{ ended: number }>('easydash.api.sessions.end_others')
      showToast({ title: tSettings('sessions.ended_others', { count: ended }), variant: 'success' })
    })
    setBusy(false)
  }

  return (
    <Card>
      <CardHead title={tSettings('sessions.title')} subtitle={tSettings('sessions.hint')}>
        {others.length > 0 ? (
          <Button size="md" busy={busy} onClick={() => void endOthers()}>
            {tSettings('sessions.end_others')}
          </Button>
        ) : null}
      </CardHead>
      {sessions.error && !rows ? (
        <CardBody>
          <ErrorPanel
            className="flex items-start gap-3"
            title={tSettings('sessions.error')}
            error={sessions.error}
            onRetry={() => sessions.reload()}
          />
        </CardBody>
      ) : (
        <ul aria-busy={rows === undefined} className="divide-y divide-hairline border-t border-hairline">
          {rows === undefined ? (
            <li className="flex min-h-16 items-center px-4">
              <Skeleton className="h-4 w-64" />
            </li>
          ) : (
            rows.map((row) => <SessionLine key={row.id} row={row} onEnd={() => void end(row)} />)
          )}
        </ul>
      )}
    </Card>
  )
}

const phones = ['Android', 'iOS']

/** Generic device names; all other values from the server are program names. */
const deviceKinds = ['Phone', 'Tablet', 'Computer', 'Program', 'Unknown device'] as const

/** Localizes the server's English "Firefox on Windows". */
function deviceLabel({ device, os }: SessionRow): string {
  const end = ` on ${os}`
  if (os === null || !device.endsWith(end)) {
    const kind = deviceKinds.find((known) => known === device)
    return kind ? translateText(kind) : device
  }
  return tSettings('sessions.device', { browser: device.slice(0, -end.length), os })
}

function SessionLine({ row, onEnd }: { row: SessionRow; onEnd: () => void }) {
  const Device = row.os !== null && phones.includes(row.os) ? Smartphone : Monitor
  return (
    <li className="flex min-h-16 items-center gap-3 px-4 py-2">
      <Device size={20} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          {deviceLabel(row)}
          {row.current ? <Tag tone="ok">{tSettings('sessions.this')}</Tag> : null}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-table text-muted">
          <span className="inline-flex items-center gap-1.5">
            {row.country_code ? <Flag code={row.country_code} /> : null}
            {formatCountry(row.country_code, row.country) || tSettings('sessions.unknown_place')}
          </span>
          {row.login_provider ? (
            <span className="wrap-anywhere">{tSettings('sessions.provider', { host: row.login_provider })}</span>
          ) : null}
          {row.ip ? <span className="font-mono text-meta wrap-anywhere">{row.ip}</span> : null}
          <span>
            {tSettings('sessions.used')} <Time variant="standalone" value={row.last_used} />
          </span>
          <span>
            {tSettings('sessions.since')} <Time variant="standalone" value={row.created} />
          </span>
        </p>
      </div>
      {row.current ? null : (
        <Button size="md" aria-label={tSettings('sessions.end_of', { device: deviceLabel(row) })} onClick={onEnd}>
          {tSettings('sessions.end')}
        </Button>
      )}
    </li>
  )
}
