import { siteTypeLabels } from '#shared/doctypes/site.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { formatDuration, secondsBetween } from '#web/lib/i18n/format.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { Kbd, modifierKey } from '#web/ui/kbd.tsx'
import { t } from './messages.ts'
import { multisiteLabels } from './multisite-choice.tsx'

/** Number of earlier jobs used for the usual duration. */
const sample = 9

/** Median duration in seconds of this organization's latest site creations; null without any. */
function useUsualSeconds(): number | null {
  const jobs = useList('Job', {
    fields: ['started', 'ended'],
    filters: [
      ['job_type', '=', 'site.create'],
      ['status', '=', 'Done'],
    ],
    order_by: 'creation desc',
    limit: sample,
  })
  const seconds = (jobs.data ?? [])
    .flatMap((job) => secondsBetween(job.started, job.ended) ?? [])
    .toSorted((a, b) => a - b)
  return seconds[Math.floor(seconds.length / 2)] ?? null
}

const stepsOf = {
  wp: [
    'create.step_core',
    'create.step_files',
    'create.step_php',
    'create.step_install',
    'create.step_answers',
    'create.step_check',
  ],
  php: ['create.step_page', 'create.step_php', 'create.step_answers', 'create.step_check'],
  html: ['create.step_page', 'create.step_answers', 'create.step_check'],
} as const

/** On a server. */
const serverSteps = [
  'create.step_reserve',
  'create.step_easyengine',
  'create.step_finish',
  'create.step_first_page',
  'create.step_check',
] as const

/** Usual duration of creating a WordPress site. */
function durationText(usual: number | null, isOnServer: boolean): string {
  // Servers have WordPress of their own.
  if (usual === null) return isOnServer ? '' : t('create.first')
  return t('create.usually', { duration: formatDuration(Math.max(1, Math.round(usual))) })
}

/** Summary of the new site, its steps, and the submit button. Stays visible next to the form. */
export function CreateSummary({
  control,
  formId,
  server,
  address,
  isOnServer,
}: {
  control: FormControl
  formId: string
  server: string | null
  address: string
  isOnServer: boolean
}) {
  const { subscription } = useSession()
  const usual = useUsualSeconds()
  const kind = control.values['site_type'] === 'php' ? 'php' : control.values['site_type'] === 'html' ? 'html' : 'wp'
  const { multisite } = control.values
  const network = kind === 'wp' && (multisite === 'subdir' || multisite === 'subdom') ? multisite : null
  const steps = (isOnServer ? serverSteps : stepsOf[kind]).flatMap((step) =>
    network !== null && step === 'create.step_answers' ? (['create.step_network', step] as const) : [step],
  )
  const number = (subscription?.usage.site ?? 0) + 1
  const limit = subscription?.limits.site ?? 0
  const details: Detail[] = [
    { label: t('create.sum_server'), value: server ?? '—' },
    { label: t('create.sum_site'), value: siteTypeLabels[kind] },
    ...(kind === 'html' ? [] : [{ label: t('create.sum_php'), value: String(control.values['php_version'] ?? '') }]),
    ...(network === null ? [] : [{ label: t('create.sum_multisite'), value: multisiteLabels[network]() }]),
    ...(kind === 'wp' && control.values['database'] === 'mysql'
      ? [{ label: t('create.sum_database'), value: t('create.mysql') }]
      : []),
    ...(kind === 'php' && isOnServer && control.values['with_database'] === 1
      ? [{ label: t('create.sum_database'), value: t('create.mariadb') }]
      : []),
    { label: t('create.sum_address'), value: control.values['domain'] ? address : '—' },
    ...(subscription?.plans_enabled
      ? [
          {
            label: t('create.sum_plan'),
            value: limit > 0 ? t('create.sum_plan_value', { number, limit }) : t('create.sum_plan_free', { number }),
          },
        ]
      : []),
  ]
  return (
    <Card className="sticky top-[72px]">
      <CardHead title={t('create.summary')} />
      <div className="px-4 pt-1 pb-4">
        <DetailList details={details} />
      </div>
      <ol className="grid gap-2 border-t border-hairline px-4 py-3 text-table text-muted">
        {steps.map((step, index) => (
          <li key={step} className="flex gap-2">
            <span className="w-3">{index + 1}</span>
            <span className="text-fg">{t(step)}</span>
          </li>
        ))}
      </ol>
      <div className="grid gap-2 px-4 pb-4">
        <div className="grid gap-2 max-md:hidden">
          <Button type="submit" form={formId} variant="primary" block busy={control.busy}>
            {t('create.submit')}
            <Kbd filled>{modifierKey} Enter</Kbd>
          </Button>
        </div>
        <p className="text-center text-meta text-muted">{kind === 'wp' ? durationText(usual, isOnServer) : ''}</p>
      </div>
    </Card>
  )
}
