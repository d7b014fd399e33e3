import { cx } from '#web/lib/browser/cx.ts'
import { hueStyle } from '#web/lib/browser/hue.ts'
import { initials } from '#web/lib/browser/initials.ts'

/** Generated content, so that the initials aren't part of the control's text. */
const initialsStyle = 'before:content-[attr(data-initials)]'

/** A user's avatar: image, or initials on a tint. Decorative, so the name must be next to it or on its parent. */
export function Avatar({
  name,
  image,
  size = 'md',
}: {
  name: string
  image?: string | null
  size?: 'sm' | 'md' | 'lg' | 'xl'
}) {
  const box = { sm: 'size-5 text-[9px]', md: 'size-7 text-[11px]', lg: 'size-8 text-meta', xl: 'size-12 text-lead' }[
    size
  ]
  if (image) return <img src={image} alt="" className={cx('shrink-0 rounded-full object-cover', box)} />
  return (
    <span
      aria-hidden="true"
      data-initials={initials(name)}
      style={hueStyle(name)}
      className={cx(
        'inline-grid shrink-0 place-items-center rounded-full leading-none font-semibold tracking-[-0.01em]',
        'bg-[oklch(0.9_0.04_var(--h))] text-[oklch(0.38_0.09_var(--h))] dark:bg-[oklch(0.36_0.05_var(--h))] dark:text-[oklch(0.9_0.05_var(--h))]',
        box,
        initialsStyle,
      )}
    />
  )
}
