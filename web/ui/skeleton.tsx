import { cx } from '#web/lib/browser/cx.ts'

/** A grey placeholder for loading text; give it the text's width and height. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cx('sk', className ?? 'h-3 w-24')} />
}
