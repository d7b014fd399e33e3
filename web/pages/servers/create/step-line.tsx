import { Check, ChevronRight } from 'lucide-react'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from './messages.ts'
import { steps, type Step } from './server-form.ts'

/** The steps of the form in one line, with the current one. */
export function StepLine({ current }: { current: Step }) {
  const at = steps.indexOf(current)
  return (
    <ol aria-label={t('create.steps')} className="flex items-center gap-2 text-table font-medium max-md:text-meta">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={step === current ? 'step' : undefined}
          className={cx('flex items-center gap-2', step !== current && 'text-muted')}
        >
          {index > 0 ? <ChevronRight size={14} strokeWidth={1.75} aria-hidden="true" /> : null}
          <span
            aria-hidden="true"
            className={cx(
              'grid size-5 place-items-center rounded-full text-meta',
              step === current ? 'bg-fg text-bg' : 'border border-border bg-sunken',
            )}
          >
            {index < at ? <Check size={12} strokeWidth={2} /> : index + 1}
          </span>
          {t(`create.${step}`)}
          {index < at ? <span className="sr-only">{`, ${t('create.step_done')}`}</span> : null}
        </li>
      ))}
    </ol>
  )
}
