import { fullUsage, highUsage } from '#shared/rules/usage.ts'
import { cx } from '#web/lib/browser/cx.ts'

/** Slate below 80 %, amber from there, red from 95 %. */
export function meterTone(fraction: number): 'quiet' | 'warn' | 'bad' {
  if (fraction * 100 >= fullUsage) return 'bad'
  return fraction * 100 >= highUsage ? 'warn' : 'quiet'
}

const fill = { quiet: 'bg-m-fill', warn: 'bg-m-warn', bad: 'bg-m-bad', info: 'bg-m-info' } as const

/** A thin usage bar: `fraction` is 0 to 1; `label` is the accessible name. */
export function Meter({
  fraction,
  label,
  tone,
  className,
}: {
  fraction: number
  label: string
  tone?: keyof typeof fill
  className?: string
}) {
  const bounded = Math.min(1, Math.max(0, fraction))
  return (
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(bounded * 100)}
      className={cx('block h-1 overflow-hidden rounded-[2px] bg-track', className)}
    >
      <span
        className={cx('block h-full rounded-[2px]', fill[tone ?? meterTone(bounded)])}
        style={{ width: `${bounded * 100}%` }}
      />
    </span>
  )
}

/** Progress bar: like a meter, but never in a warning tone. */
export function ProgressBar({
  percent,
  label,
  className,
  track = 'bg-track',
}: {
  percent: number
  label: string
  className?: string
  track?: string
}) {
  const bounded = Math.min(100, Math.max(0, percent))
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(bounded)}
      className={cx('block h-1 overflow-hidden rounded-[2px]', track, className)}
    >
      <span
        className="block h-full origin-left rounded-[2px] bg-m-info transition-transform duration-200 motion-reduce:transition-none"
        style={{ transform: `scaleX(${bounded / 100})` }}
      />
    </span>
  )
}

/** Progress as one segment per step, with the current one partly filled. */
export function SegmentBar({ steps, label }: { steps: readonly { done: boolean; percent: number }[]; label: string }) {
  return (
    <span role="img" aria-label={label} className="flex gap-[3px]">
      {steps.map((step, index) => (
        // The steps never reorder, so the index is a stable key.
        <span key={index} className="block h-1 flex-1 overflow-hidden rounded-[2px] bg-track">
          <span className="block h-full bg-m-info" style={{ width: `${step.done ? 100 : step.percent}%` }} />
        </span>
      ))}
    </span>
  )
}
