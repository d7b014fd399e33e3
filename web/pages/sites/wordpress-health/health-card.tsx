import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Action } from '#shared/doctype.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { siteFindings, type Finding, type FindingKind } from '#shared/responses/site-findings.ts'
import { parseProtections, type SiteProtection } from '#shared/rules/site-protections.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatDuration } from '#web/lib/i18n/format.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { RenameUserDialog } from '../wordpress/rename-user-dialog.tsx'
import { VersionDialog } from '../wordpress-core/version-dialog.tsx'
import { findingViews, protectionTexts, type FixDialog } from './finding-texts.ts'
import { t } from './messages.ts'

/** What is wrong with a WordPress, most urgent first, each with a button that repairs it where there is one. */
export function HealthCard({ wordpress }: { wordpress: WordPress }) {
  const { site, held, changing } = wordpress
  const canCheck = (site.status === 'Live' || site.status === 'Failed') && !site.locked_by_job
  const read = useMethod(
    canCheck ? 'run_doc_method' : null,
    { dt: 'Site', dn: site.name, method: 'check_wordpress_health' },
    { verb: 'POST', returns: siteFindings, keepPrevious: true },
  )
  const reload = useEffectEvent(() => void read.reload())
  // A job that has ended may have repaired something.
  const state = `${site.locked_by_job === null} ${site.protections ?? ''} ${wordpress.measuredAt ?? ''}`
  const seen = useRef(state)
  useEffect(() => {
    if (seen.current === state) return
    seen.current = state
    if (canCheck) reload()
  }, [state, canCheck])

  const change = async (action: string, args: Readonly<Record<string, unknown>>, key: string): Promise<void> => {
    const changed = held === null && (await wordpress.change(action, args, { key })) !== null
    // The end of a job is noticed above; while it runs, a check would be refused.
    if (changed && siteActions[action]?.job !== true) await read.reload()
  }
  const [dialog, setDialog] = useState<{ readonly kind: FixDialog; readonly finding: Finding } | null>(null)
  const close = () => setDialog(null)
  const found = read.data
  const protections = parseProtections(site.protections)
  return (
    <Card aria-labelledby="wordpress-health">
      <CardHead
        id="wordpress-health"
        title={t('health.title')}
        subtitle={found && found.findings.length > 0 ? t('health.count', { count: found.findings.length }) : undefined}
        lined
      >
        <span className="text-meta text-muted">
          <Time
            variant="standalone"
            value={found?.checked_at ?? null}
            format={(when) => t('health.checked', { when })}
          />
        </span>
        <Button
          size="md"
          aria-disabled={canCheck ? undefined : true}
          title={canCheck ? undefined : t('health.not_now')}
          onClick={() => (canCheck ? void read.reload() : undefined)}
        >
          {t('health.again')}
        </Button>
      </CardHead>
      {read.error && !found ? (
        <CardBody className="pt-4">
          <ErrorPanel
            className="flex items-start gap-3"
            title={t('health.error')}
            error={read.error}
            onRetry={() => read.reload()}
          />
        </CardBody>
      ) : found ? (
        <>
          <Findings
            findings={found.findings}
            heldFor={(action) => held ?? wordpress.heldFor(action)}
            changing={changing}
            onFix={(action, args, key) => void change(action, args, key)}
            onAsk={(kind, finding) => setDialog({ kind, finding })}
          />
          {found.not_observed.length === 0 ? null : (
            <p className="border-t border-hairline px-4 py-2.5 text-meta text-muted">
              {t('health.not_observed', { what: list.format(found.not_observed.map((one) => t(`unseen.${one}`))) })}
            </p>
          )}
        </>
      ) : canCheck ? (
        <CardBody className="pt-4">
          <span className="sr-only">{t('health.checking')}</span>
          <Skeleton className="h-10 w-full" />
        </CardBody>
      ) : (
        <CardBody className="pt-4 text-table text-muted">{t('health.not_now')}</CardBody>
      )}
      {protections.length === 0 ? null : (
        <Protections
          protections={protections}
          held={held}
          changing={changing}
          onTurnOff={(protection) =>
            void change('set_protection', { protection, enabled: 0 }, `protection-${protection}`)
          }
        />
      )}
      {dialog?.kind === 'rename_admin' ? (
        <RenameUserDialog site={site} login="admin" onClose={close} reload={async () => void read.reload()} />
      ) : null}
      {dialog?.kind === 'core_version' ? (
        <VersionDialog
          site={site}
          installed={wordpress.facts?.version ?? ''}
          wanted={dialog.finding.detail ?? ''}
          onClose={close}
        />
      ) : null}
    </Card>
  )
}

const siteActions: Readonly<Record<string, Action>> = SiteDoctype.actions ?? {}

const list = new Intl.ListFormat(locale, { type: 'conjunction' })
const off = (held: string | null) => ({ 'aria-disabled': held === null ? undefined : true, title: held ?? undefined })

/** What the dialogs run. */
const fixActions: Readonly<Record<FixDialog, string>> = {
  rename_admin: 'rename_wordpress_user',
  core_version: 'set_core',
}
/** Findings whose title has the detail. */
const inTitle: ReadonlySet<FindingKind> = new Set(['core_update', 'old_php'])

function Findings({
  findings,
  heldFor,
  changing,
  onFix,
  onAsk,
}: {
  findings: readonly Finding[]
  heldFor: (action: string) => string | null
  changing: string | null
  onFix: (action: string, args: Readonly<Record<string, unknown>>, key: string) => void
  onAsk: (dialog: FixDialog, finding: Finding) => void
}) {
  if (findings.length === 0) {
    return (
      <p className="flex items-center gap-2 px-4 py-3 text-table">
        <StatusIcon tone="ok" />
        {t('health.none')}
      </p>
    )
  }
  return (
    <ul className="divide-y divide-hairline">
      {findings.map((finding) => {
        const { tone, title, hint, fix } = findingViews[finding.kind]
        const key = `fix-${finding.kind}`
        return (
          <li key={finding.kind} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
            <StatusIcon tone={tone} />
            <div className="min-w-0 flex-[1_1_220px]">
              <p className="text-table font-medium">{title(finding)}</p>
              {finding.detail === null || inTitle.has(finding.kind) ? null : (
                <p className="font-mono text-meta wrap-anywhere text-muted" lang="en" translate="no">
                  {finding.detail}
                </p>
              )}
              {finding.pages.length === 0 ? null : (
                <ul aria-label={t('found.slow_pages_list')} className="text-meta wrap-anywhere text-muted">
                  {finding.pages.map(({ path, count, slowest_ms }) => (
                    <li key={path}>{t('found.slow_page', { path, count, time: formatDuration(slowest_ms / 1000) })}</li>
                  ))}
                </ul>
              )}
              {hint ? <p className="text-meta text-muted">{hint()}</p> : null}
            </div>
            {fix === undefined ? null : 'hash' in fix ? (
              <Link to={{ hash: fix.hash }} className="link text-table">
                {fix.label()}
              </Link>
            ) : 'dialog' in fix ? (
              <Button
                size="md"
                onClick={() => (heldFor(fixActions[fix.dialog]) === null ? onAsk(fix.dialog, finding) : undefined)}
                {...off(heldFor(fixActions[fix.dialog]))}
              >
                {fix.label()}
              </Button>
            ) : (
              <Button
                size="md"
                busy={changing === key}
                onClick={() => (heldFor(fix.action) === null ? onFix(fix.action, fix.args, key) : undefined)}
                {...off(heldFor(fix.action))}
              >
                {fix.label()}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Protections({
  protections,
  held,
  changing,
  onTurnOff,
}: {
  protections: readonly SiteProtection[]
  held: string | null
  changing: string | null
  onTurnOff: (protection: SiteProtection) => void
}) {
  return (
    <ul aria-label={t('health.protected')} className="divide-y divide-hairline border-t border-hairline">
      {protections.map((protection) => {
        const name = protectionTexts[protection]()
        return (
          <li key={protection} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-table">
            <StatusIcon tone="ok" />
            <span className="min-w-0 flex-1">{name}</span>
            <Button
              size="sm"
              variant="ghost"
              busy={changing === `protection-${protection}`}
              aria-label={t('health.turn_off_of', { name })}
              onClick={() => onTurnOff(protection)}
              {...off(held)}
            >
              {t('health.turn_off')}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
