import { Fragment } from 'react'
import type { ServerContainer, ServerMonitoring } from '#shared/responses/server-monitoring.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Cell, GroupRow, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import { verdictTones } from './verdict-tones.ts'

/** On phones these columns are below the state. */
const wide = 'max-md:hidden'

/** The containers of a server, by the site they belong to. */
export function ContainersCard({ docker, containers }: Pick<ServerMonitoring, 'docker' | 'containers'>) {
  if (containers === null || containers.length === 0)
    return (
      <Card aria-labelledby="server-containers">
        <CardHead id="server-containers" title={t('containers.title')} lined />
        <CardBody className="pt-3 text-table text-muted">
          {t(docker === null ? 'containers.unread' : docker === 'running' ? 'containers.none' : `containers.${docker}`)}
        </CardBody>
      </Card>
    )
  const running = containers.filter(({ state }) => state === 'running').length
  return (
    <section aria-labelledby="server-containers">
      <div className="mb-2 flex flex-wrap items-center gap-x-2">
        <h2 id="server-containers">{t('containers.title')}</h2>
        <span className="text-meta text-muted">
          {t('containers.running', { running: formatNumber(running), count: formatNumber(containers.length) })}
        </span>
      </div>
      <Table label={t('containers.title')}>
        <thead>
          <tr>
            <HeadCell>{t('containers.container')}</HeadCell>
            <HeadCell>{t('containers.state')}</HeadCell>
            <HeadCell className={wide}>{t('containers.since')}</HeadCell>
            <HeadCell right className={wide}>
              {t('containers.restarts')}
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {groupsOf(containers).map(({ label, rows }) => (
            <Fragment key={label}>
              <GroupRow label={label} columns={4} />
              {rows.map((container) => (
                <ContainerRow key={container.name} container={container} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </Table>
    </section>
  )
}

function ContainerRow({ container }: { container: ServerContainer }) {
  const { name, service, state, verdict, since, restarts, exit_code: code } = container
  return (
    <Row>
      <NameCell className="max-md:whitespace-normal max-md:wrap-anywhere">
        <span className="grid">
          <span className="font-medium">{service ?? name}</span>
          {service === null ? null : (
            <span className="text-meta font-normal text-muted" translate="no">
              {name}
            </span>
          )}
        </span>
      </NameCell>
      <Cell>
        <StatusPill tone={verdictTones[verdict]}>
          {t(`containers.state_${state}`, { code: code ?? t('containers.unseen') })}
        </StatusPill>
        <span className="grid text-meta text-muted md:hidden">
          <Time value={since} />
          {restarts ? <span>{t('restarts', { count: restarts })}</span> : null}
        </span>
      </Cell>
      <Cell className={wide}>{since === null ? t('containers.unseen') : <Time value={since} />}</Cell>
      <Cell right className={wide}>
        {restarts === null ? t('containers.unseen') : formatNumber(restarts)}
      </Cell>
    </Row>
  )
}

/** Containers in the order they come, under what they belong to. */
function groupsOf(containers: readonly ServerContainer[]): { label: string; rows: ServerContainer[] }[] {
  const groups = new Map<string, ServerContainer[]>()
  for (const container of containers) {
    const { kind, site } = container
    const label = kind === 'site' ? (site ?? '') : t(`containers.${kind}`)
    groups.set(label, [...(groups.get(label) ?? []), container])
  }
  return [...groups].map(([label, rows]) => ({ label, rows }))
}
