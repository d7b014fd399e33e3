import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Radio } from '#web/ui/form/radio.tsx'
import { t } from './messages.ts'
import { kindLabel, whatLabel, type ClashGroup, type ShownClash } from './push-texts.ts'

/** Which sides are taken. */
export interface Decisions {
  readonly take: ReadonlySet<string>
  readonly takeAll: ReadonlySet<string>
}

/** What changed on both sides, each with a decision. */
export function ClashList({
  groups,
  more,
  live,
  decisions,
  onChange,
}: {
  groups: readonly ClashGroup[]
  /** How many are not listed. */
  more: number
  /** Name of the live site. */
  live: string
  decisions: Decisions
  onChange: (decisions: Decisions) => void
}) {
  const count = groups.reduce((sum, { clashes }) => sum + clashes.length, more)
  const toggled = (set: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> =>
    new Set(on ? [...set, id] : [...set].filter((one) => one !== id))
  return (
    <Card aria-labelledby="push-clashes">
      <CardHead id="push-clashes" title={t('clash.title')} subtitle={t('clash.count', { count })} lined={count > 0} />
      {count === 0 ? (
        <CardBody className="text-table text-muted">{t('clash.none')}</CardBody>
      ) : (
        <div className="grid gap-4 px-4 py-3">
          <p className="text-table text-muted">{t('clash.hint', { site: live })}</p>
          {groups.map(({ kind, clashes }) => {
            const isAll = decisions.takeAll.has(kind)
            return (
              <section key={kind} className="grid gap-2.5" aria-label={kindLabel(kind)}>
                <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
                  <h3 className="font-semibold">{kindLabel(kind)}</h3>
                  <Checkbox
                    className="ml-auto"
                    label={t('clash.all', { kind: kindLabel(kind) })}
                    checked={isAll}
                    onChange={(event) =>
                      onChange({ ...decisions, takeAll: toggled(decisions.takeAll, kind, event.target.checked) })
                    }
                  />
                </div>
                <ul className="grid gap-2.5">
                  {clashes.map((clash) => (
                    <ClashItem
                      key={clash.id}
                      clash={clash}
                      live={live}
                      taken={isAll || decisions.take.has(clash.id)}
                      disabled={isAll}
                      onTake={(on) => onChange({ ...decisions, take: toggled(decisions.take, clash.id, on) })}
                    />
                  ))}
                </ul>
              </section>
            )
          })}
          {more > 0 ? <p className="text-table">{t('clash.more', { count: more, site: live })}</p> : null}
        </div>
      )}
    </Card>
  )
}

function ClashItem({
  clash,
  live,
  taken,
  disabled,
  onTake,
}: {
  clash: ShownClash
  live: string
  taken: boolean
  disabled: boolean
  onTake: (on: boolean) => void
}) {
  const isNumber = clash.type === 'number'
  const isWhole = clash.kind === 'database'
  const label = isWhole ? t('clash.database_label') : clash.label
  return (
    <li>
      <fieldset disabled={disabled} className="grid gap-2 rounded-card border border-border p-3">
        <legend className="sr-only" translate={isWhole ? undefined : 'no'}>
          {label} {clash.detail}
        </legend>
        <p aria-hidden="true" className="text-table font-medium wrap-anywhere" translate={isWhole ? undefined : 'no'}>
          {label}
          {clash.detail === '' ? null : <span className="ml-2 font-normal text-muted">{clash.detail}</span>}
        </p>
        {isWhole ? <p className="text-meta text-muted">{t('clash.database', { site: live })}</p> : null}
        {isNumber ? <p className="text-meta text-muted">{t('clash.number')}</p> : null}
        <div className="grid gap-2 md:grid-cols-2">
          <Radio
            name={`clash-${clash.id}`}
            checked={!taken}
            onChange={() => onTake(false)}
            label={<Side title={isNumber ? t('clash.drop') : t('clash.keep', { site: live })} side={clash.live} />}
          />
          <Radio
            name={`clash-${clash.id}`}
            checked={taken}
            onChange={() => onTake(true)}
            label={<Side title={isNumber ? t('clash.both') : t('clash.take')} side={clash.staging} />}
          />
        </div>
      </fieldset>
    </li>
  )
}

function Side({ title, side: { op, value, hidden } }: { title: string; side: ShownClash['live'] }) {
  return (
    <>
      <span className="font-medium">{title}</span> <span className="text-muted">({whatLabel(op)})</span>
      {hidden ? <span className="mt-0.5 block text-meta text-muted">{t('clash.hidden')}</span> : null}
      {value === '' ? null : (
        <span className="mt-0.5 block text-meta wrap-anywhere text-muted" translate="no">
          {value}
        </span>
      )}
    </>
  )
}
