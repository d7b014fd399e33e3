import type { PushPlan, PushSide } from '#shared/responses/push-plan.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { t } from './messages.ts'
import { changesOf, kindLabel, sideText, whatLabel } from './push-texts.ts'

type Kind = Parameters<typeof kindLabel>[0]

/** What changed on either side, by kind. */
export function PlanView({ plan, live }: { plan: PushPlan; live: string }) {
  const all: { kind: Kind; staging: PushSide; live: PushSide }[] = [
    { kind: 'files', staging: plan.files.staging, live: plan.files.live },
    ...(plan.database?.kinds ?? []),
  ]
  const rows = all.filter(
    ({ kind, staging, live: theirs }) => kind === 'files' || changesOf(staging) + changesOf(theirs) > 0,
  )
  const isWhole = plan.database?.clashes.some(({ kind }) => kind === 'database') === true
  return (
    <Card aria-labelledby="push-changes">
      <CardHead id="push-changes" title={t('push.changes')} lined />
      <ul className="divide-y divide-hairline">
        {rows.map(({ kind, staging, live: theirs }) => (
          <li key={kind} className="grid gap-x-4 gap-y-2 px-4 py-3 text-table md:grid-cols-[minmax(0,180px)_1fr_1fr]">
            <h3 className="font-medium">{kindLabel(kind)}</h3>
            <Side title={t('push.on_staging')} side={staging} />
            <Side title={t('push.on_live', { site: live })} side={theirs} />
          </li>
        ))}
      </ul>
      <p className="border-t border-hairline px-4 py-2.5 text-meta text-muted">
        {t(isWhole ? 'push.kept_unless' : 'push.kept_note', { site: live })}
      </p>
    </Card>
  )
}

function Side({ title, side }: { title: string; side: PushSide }) {
  return (
    <div className="min-w-0">
      <p className="text-meta text-muted">{title}</p>
      <p>{sideText(side)}</p>
      <Samples side={side} />
    </div>
  )
}

/** Some of what changed, on demand. */
export function Samples({ side }: { side: PushSide }) {
  if (side.samples.length === 0) return null
  return (
    <details>
      <summary className="w-fit cursor-pointer text-meta text-muted max-md:py-2">{t('push.samples')}</summary>
      <ul className="mt-1 grid gap-0.5 text-meta">
        {side.samples.map(({ label, what }, index) => (
          <li key={`${index} ${label}`} className="wrap-anywhere">
            <span translate="no">{label}</span> <span className="text-muted">({whatLabel(what)})</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

const noteTexts = {
  no_key: (table: string) => t('notes.no_key', { table }),
  removed: (table: string) => t('notes.removed', { table }),
  columns: (table: string) => t('notes.columns', { table }),
}

/** Tables that are not merged, or only in part. */
export function NotesCard({ notes }: { notes: NonNullable<PushPlan['database']>['notes'] }) {
  if (notes.length === 0) return null
  return (
    <Card aria-labelledby="push-notes">
      <CardHead id="push-notes" title={t('notes.title')} />
      <ul className="grid gap-1 px-4 pb-4 text-table">
        {notes.map(({ table, note }) => (
          <li key={`${table} ${note}`} className="wrap-anywhere">
            {noteTexts[note](table)}
          </li>
        ))}
      </ul>
    </Card>
  )
}
