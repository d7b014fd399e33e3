import { RefreshCw } from 'lucide-react'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { HealthCard } from '../wordpress-health/health-card.tsx'
import { CoreCard } from '../wordpress-core/core-card.tsx'
import { FilesCard } from '../wordpress-core/files-card.tsx'
import { MultisiteCard, NetworkCard } from '../network/network-card.tsx'
import { EventsCard } from './events-card.tsx'
import { t } from './messages.ts'
import { PluginsCard } from './plugins-card.tsx'
import { ThemesCard } from './themes-card.tsx'
import { UsersCard } from './users-card.tsx'
import { useWordPress, type WordPress } from './use-wordpress.ts'

/** Plugins, themes, users, scheduled events and files of a site's WordPress. */
export function WordPressTab({ site }: { site: Site }) {
  const wordpress = useWordPress(site)
  const { facts, plugins, error, reading, held, jobsHeld, refresh } = wordpress
  const list = facts?.plugins ?? plugins
  return (
    <div className="grid gap-4">
      <Head wordpress={wordpress} />
      {error ? <ErrorPanel title={t('wp.error')} error={error} onRetry={refresh} /> : null}
      {facts?.broken ? (
        <Notice tone="bad" title={t('wp.broken')}>
          <p className="font-mono text-meta wrap-anywhere">{facts.broken}</p>
          <p className="mt-1">{t('wp.broken_hint')}</p>
        </Notice>
      ) : null}
      {held !== null && facts ? <p className="text-table text-muted">{jobsHeld ?? t('wp.queue')}</p> : null}
      {list ? (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
          <div className="grid min-w-0 gap-4">
            {facts ? <HealthCard wordpress={wordpress} /> : null}
            {facts?.sites ? <NetworkCard wordpress={wordpress} sites={facts.sites} /> : null}
            {/* At the same position before and after the rest has arrived: what was typed into its search stays. */}
            <PluginsCard wordpress={wordpress} plugins={list} />
            {facts ? <ThemesCard wordpress={wordpress} facts={facts} /> : null}
            {facts ? <UsersCard wordpress={wordpress} facts={facts} /> : null}
          </div>
          {facts ? (
            <SideCards wordpress={wordpress} facts={facts} />
          ) : (
            <Skeleton aria-hidden="true" className="h-64 w-full rounded-card" />
          )}
        </div>
      ) : error ? null : facts === null && !reading ? (
        <Card>
          <EmptyState title={t('wp.never')}>{held ?? ''}</EmptyState>
        </Card>
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
          <Skeleton aria-hidden="true" className="h-96 w-full rounded-card" />
          <Skeleton aria-hidden="true" className="h-64 w-full rounded-card" />
        </div>
      )}
    </div>
  )
}

function SideCards({ wordpress, facts }: { wordpress: WordPress; facts: WordPressFacts }) {
  return (
    <div className="grid min-w-0 gap-4">
      <CoreCard wordpress={wordpress} facts={facts} />
      <FilesCard wordpress={wordpress} installed={facts.version} />
      <EventsCard wordpress={wordpress} facts={facts} />
      {facts.multisite ? null : <MultisiteCard wordpress={wordpress} />}
      <Card>
        <CardHead title={t('counts.title')} />
        <CardBody>
          <DetailList details={countsOf(facts.counts)} />
        </CardBody>
      </Card>
    </div>
  )
}

function Head({ wordpress: { facts, measuredAt, reading, refresh, held } }: { wordpress: WordPress }) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
      {facts ? (
        <p className="flex flex-wrap items-center gap-2 font-semibold">
          WordPress {facts.version}
          {facts.update ? <Tag tone="warn">{t('wp.update', { version: facts.update })}</Tag> : null}
          {facts.multisite ? <Tag tone="info">{t('wp.multisite')}</Tag> : null}
        </p>
      ) : null}
      <span role="status" className="ml-auto text-meta text-muted">
        {reading ? (
          t('wp.reading')
        ) : (
          <Time variant="standalone" value={measuredAt} format={(when) => t('wp.read', { when })} />
        )}
      </span>
      <Button
        size="md"
        busy={reading}
        aria-disabled={held === null ? undefined : true}
        title={held ?? undefined}
        onClick={() => (held === null ? void refresh() : undefined)}
      >
        {reading ? null : <RefreshCw size={14} strokeWidth={1.75} aria-hidden="true" />}
        {t('wp.refresh')}
      </Button>
    </div>
  )
}

const countLabels = {
  post: () => t('counts.post'),
  page: () => t('counts.page'),
  attachment: () => t('counts.attachment'),
  product: () => t('counts.product'),
  shop_order: () => t('counts.shop_order'),
  comment: () => t('counts.comment'),
  user: () => t('counts.user'),
}

function countsOf(counts: Readonly<Record<string, number>>) {
  return Object.entries(countLabels).flatMap(([kind, label]) => {
    const count = Object.hasOwn(counts, kind) ? counts[kind] : undefined
    return count === undefined ? [] : [{ label: label(), value: formatNumber(count) }]
  })
}
