import { useId, useState } from 'react'
import { ExternalLink, X } from 'lucide-react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { aliasModes, type SiteAlias } from '#shared/rules/site-aliases.ts'
import { useActionRunner, useActions, type GatedAction } from '#web/documents/actions/use-actions.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { AddAliasForm, redirectsOnly } from './add-alias-form.tsx'
import { ChangeDomainDialog } from './change-domain-dialog.tsx'
import { t } from './messages.ts'

type Gate = GatedAction['gate']

/** Names of a site: its primary domain, and aliases. Who can't change them sees them. */
export function DomainsSettings({ site }: { site: Site }) {
  const gates = useActions(SiteDoctype, { ...site, doctype: 'Site' })
  const gateOf = (name: string): Gate | undefined => gates.find((one) => one.name === name)?.gate
  const [changing, setChanging] = useState(false)
  const change = gateOf('change_domain')
  const add = gateOf('add_alias')
  const aliases = site.aliases ?? []
  const reasonId = useId()
  return (
    <Card aria-label={t('domains.title')}>
      <CardHead title={t('domains.title')} />
      <ul className="divide-y divide-hairline border-y border-hairline">
        <DomainRow url={site.url ?? site.domain} isLive={site.status === 'Live'}>
          <Tag>{t('domains.primary')}</Tag>
          {change ? (
            <Button
              size="md"
              aria-disabled={change.enabled ? undefined : true}
              aria-describedby={change.enabled ? undefined : reasonId}
              onClick={() => {
                if (change.enabled) setChanging(true)
              }}
            >
              {t('domains.change')}
            </Button>
          ) : null}
        </DomainRow>
        {aliases.map((alias) => (
          <AliasRow key={alias.domain} site={site} alias={alias} gate={add} />
        ))}
      </ul>
      <CardBody className="grid gap-2 pt-3">
        {change?.enabled === false ? (
          <p id={reasonId} className="text-meta text-muted">
            {change.reason}
          </p>
        ) : null}
        {add?.enabled ? <AddAliasForm site={site} /> : null}
        {/* A job, for one, is why neither is possible. */}
        {add?.enabled === false && (change?.enabled !== false || change.reason !== add.reason) ? (
          <p className="text-meta text-muted">{add.reason}</p>
        ) : null}
        <p className="text-meta text-muted">{t('domains.hint')}</p>
      </CardBody>
      {changing ? <ChangeDomainDialog site={site} onClose={() => setChanging(false)} /> : null}
    </Card>
  )
}

const hostOf = (url: string): string => url.replace(/^https?:\/\//, '')

/** One name, with what can be done with it. Long names wrap; controls go below them on a phone. */
function DomainRow({ url, isLive, children }: { url: string; isLive: boolean; children: React.ReactNode }) {
  const domain = hostOf(url)
  return (
    <li className="flex min-h-11 flex-wrap items-center justify-end gap-x-2 gap-y-1 px-4 py-1.5 text-table">
      <span className="min-w-40 flex-1 basis-0 font-medium wrap-anywhere" translate="no">
        {domain}
      </span>
      <span className="flex items-center gap-2">
        {children}
        <CopyButton value={domain} label={t('domains.copy', { domain })} />
        {isLive ? (
          <a
            className="grid size-7 shrink-0 place-items-center rounded-ctl text-muted hover:bg-hover hover:text-fg touch:size-9"
            href={url}
            target="_blank"
            rel="noreferrer"
            aria-label={t('domains.visit', { domain })}
          >
            <ExternalLink size={16} strokeWidth={1.75} aria-hidden="true" />
          </a>
        ) : null}
      </span>
    </li>
  )
}

function AliasRow({ site, alias, gate }: { site: Site; alias: SiteAlias; gate: Gate | undefined }) {
  const { runOrToast } = useActionRunner(SiteDoctype)
  const [busy, setBusy] = useState(false)
  const domain = hostOf(alias.url)
  const run = async (name: string, args: Record<string, unknown>, options?: { done: string }): Promise<boolean> => {
    setBusy(true)
    const result = await runOrToast({ ...site }, name, { domain: alias.domain, ...args }, options)
    setBusy(false)
    return result !== null
  }
  const remove = async (): Promise<void> => {
    if (!(await run('remove_alias', {}))) return
    const undo = () => runOrToast(site, 'add_alias', { domain: alias.domain, mode: alias.mode })
    showToast({
      title: t('domains.removed', { domain }),
      variant: 'success',
      ...(alias.taken ? {} : { action: undoButton({ undo }) }),
    })
  }
  if (alias.taken) {
    return (
      <li className="grid gap-1 px-4 py-2 text-table">
        <span className="wrap-anywhere text-muted line-through" translate="no">
          {domain}
        </span>
        <span className="flex flex-wrap items-center gap-2 text-meta">
          {t('domains.taken')}
          {gate?.enabled ? (
            <Button size="md" busy={busy} onClick={() => void remove()}>
              {t('domains.dismiss')}
            </Button>
          ) : null}
        </span>
      </li>
    )
  }
  return (
    <DomainRow url={alias.url} isLive={site.status === 'Live'}>
      {busy ? <Spinner className="size-4" /> : null}
      {gate ? (
        <Select
          small
          aria-label={t('domains.mode_of', { domain })}
          value={alias.mode}
          disabled={busy || !gate.enabled}
          onChange={(event) =>
            void run('set_alias_mode', { mode: event.target.value }, { done: t('domains.mode_set', { domain }) })
          }
        >
          {aliasModes.map((mode) => (
            <option key={mode} value={mode} disabled={mode === 'serve' && redirectsOnly(site)}>
              {t(`domains.${mode}`)}
            </option>
          ))}
        </Select>
      ) : (
        <Tag>{t(`domains.${alias.mode}`)}</Tag>
      )}
      {gate ? (
        <IconButton
          size="md"
          label={t('domains.remove', { domain })}
          disabled={busy || !gate.enabled}
          onClick={() => void remove()}
        >
          <X size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      ) : null}
    </DomainRow>
  )
}
