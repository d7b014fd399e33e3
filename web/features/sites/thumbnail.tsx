import { useState } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { hueStyle } from '#web/lib/browser/hue.ts'

const boxes = {
  sm: { box: 'h-7 w-11 text-table', width: 44, height: 28 },
  md: { box: 'h-[42px] w-16 text-lead', width: 64, height: 42 },
  /** In a hover card, at its full width. */
  xl: { box: 'h-[200px] w-80 rounded-none! text-[40px]', width: 320, height: 200 },
  lg: { box: 'h-[46px] w-[72px] text-lead md:h-[72px] md:w-28 md:text-[20px]', width: 112, height: 72 },
} as const

/**
 * Thumbnail of a site, decorative next to its name. Of fixed size; shows the name's first letter while loading and if there
 * is no image.
 */
export function Thumbnail({ src, name, size }: { src: string | null; name: string; size: keyof typeof boxes }) {
  const [broken, setBroken] = useState<string | null>(null)
  const { box, width, height } = boxes[size]
  return (
    <span
      data-letter={(Array.from(name)[0] ?? '').toUpperCase()}
      style={hueStyle(name)}
      className={cx(
        'relative inline-grid shrink-0 place-items-center overflow-hidden rounded-[4px] leading-none font-semibold',
        'bg-[oklch(0.93_0.025_var(--h))] text-[oklch(0.44_0.07_var(--h))] dark:bg-[oklch(0.3_0.03_var(--h))] dark:text-[oklch(0.82_0.04_var(--h))]',
        // Generated content, so that the letter isn't part of the text.
        'before:content-[attr(data-letter)]',
        'after:absolute after:inset-0 after:rounded-[inherit] after:shadow-[inset_0_0_0_1px_oklch(0.2_0.02_260/0.14)] dark:after:shadow-[inset_0_0_0_1px_oklch(1_0_0/0.1)]',
        box,
      )}
    >
      {src !== null && src !== broken ? (
        <img
          key={src}
          src={src}
          alt=""
          width={width}
          height={height}
          loading="lazy"
          decoding="async"
          className="absolute inset-0 size-full object-cover object-top dark:brightness-[0.88]"
          onError={() => setBroken(src)}
        />
      ) : null}
    </span>
  )
}
