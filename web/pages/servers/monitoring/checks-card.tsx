import type { ReactNode } from 'react'
import type { Server } from '#shared/doctypes/server.ts'
import type { ServerCheck, ServerMonitoring } from '#shared/responses/server-monitoring.ts'
import { formatPercent } from '#web/lib/i18n/format.ts'
import { numberFormat } from '#web/lib/i18n/number-format.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import { verdictTones } from './verdict-tones.ts'

/** What was checked: the verdict, what it rests on, and what to do. */
export function ChecksCard({ server, monitoring }: { server: Server; monitoring: ServerMonitoring }) {
  const { checks, cpu } = monitoring
  const passed = checks.filter(({ verdict }) => verdict === 'ok').length
  // What a server does not need is no check that it failed.
  const needed = checks.filter(({ verdict }) => verdict !== 'none').length
  return (
    <Card aria-labelledby="server-checks">
      <CardHead
        id="server-checks"
        title={t('checks.title')}
        subtitle={t('checks.passed', { passed, count: needed })}
        lined
      />
      <ul className="divide-y divide-hairline">
        {checks.map((check) => (
          <li key={check.key} className="flex min-h-10 items-start gap-3 px-4 py-2.5 text-table">
            <StatusIcon tone={verdictTones[check.verdict]} className="mt-px" />
            <span className="w-36 flex-none font-medium max-md:w-24">
              {t(`check.${check.key}`)}
              <span className="sr-only">{`, ${t(`verdict.${check.verdict}`)}`}</span>
            </span>
            <span className="grid min-w-0 flex-1 gap-0.5 wrap-anywhere">
              <span>{foundText(check, cpu)}</span>
              <WayOut check={check} server={server} />
              {check.key !== 'reach' && check.verdict !== 'unknown' && check.observed !== monitoring.observed ? (
                <Time value={check.observed} className="text-muted" format={(when) => t('checks.seen', { when })} />
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function foundText({ key, verdict, observed, value, detail }: ServerCheck, cpu: number | null): ReactNode {
  if (verdict === 'unknown') {
    if (observed !== null) return <Time value={observed} format={(when) => t('checks.old', { when })} />
    return key === 'reboot' ? t('check.reboot_unknown') : t('verdict.unknown')
  }
  switch (key) {
    case 'reach':
      return detail ?? t('check.reach_ok')
    case 'disk':
    case 'memory':
      return t('check.used', { percent: formatPercent(value) })
    case 'load':
      return t('check.load_text', {
        load: numberFormat({ maximumFractionDigits: 2 }).format(value ?? 0),
        count: cpu ?? 0,
      })
    case 'updates':
      return verdict === 'ok' ? t('check.updates_ok') : t('check.updates_warn', { count: value ?? 0 })
    case 'reboot':
      return t(verdict === 'ok' ? 'check.reboot_ok' : 'check.reboot_warn')
    case 'proxy':
      return t(verdict === 'ok' ? 'check.proxy_ok' : verdict === 'none' ? 'check.proxy_none' : 'check.proxy_failed')
    case 'certificates':
      if (verdict === 'none') return t('check.certificates_none')
      return (value ?? 0) < 0
        ? t('check.certificates_over', { domain: detail ?? '' })
        : t('check.certificates_text', { domain: detail ?? '', count: value ?? 0 })
  }
}

function WayOut({ check: { key, verdict }, server }: { check: ServerCheck; server: Server }) {
  // Why a server is not reached says what to do, too.
  if ((verdict !== 'warn' && verdict !== 'failed') || key === 'reach') return null
  const isAutomatic = key === 'updates' && server.automatic_updates === 1
  return <span className="text-muted">{t(isAutomatic ? 'check.updates_way_automatic' : `check.${key}_way`)}</span>
}
